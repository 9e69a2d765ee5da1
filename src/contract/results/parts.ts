// What several results of --json are made of, and the result of any command that ends with an
// error.

import * as z from 'zod';
import { FINDINGS, type Finding, type FindingCode } from '../../findings.ts';
import { count, heldReason, releaseId } from '../primitives.ts';
import { publishNoticeSchema } from '../publish-notice.ts';

export const filesAndBytes = z.strictObject({ files: count, bytes: count });

/** What a tree keeps besides its current release: other releases, and editions that it does not name. */
export const historySchema = z.strictObject({ releases: count, files: count, bytes: count });
export type HistoryJson = z.infer<typeof historySchema>;

export const findingSchema = z.strictObject({
  severity: z.enum(['error', 'warning']),
  code: z.enum(Object.keys(FINDINGS) as FindingCode[]),
  /** A table and key, or a path in the tree. */
  place: z.string(),
  message: z.string(),
  /** The column at fault, if it is a single one. */
  column: z.string().exactOptional(),
  /** What to type, if that is clear. */
  hint: z.string().exactOptional(),
}) satisfies z.ZodType<Finding>;

/**
 * The release at which a rollback holds the tree; its id is null if `releases/hold` is damaged, or
 * names none for the tree as a whole.
 */
export const holdSchema = z.strictObject({ release: releaseId.nullable() });

export const prunedSchema = z.strictObject({ releases: count, files: count, bytes: count });

/** The requests that a run made to a bucket, as a provider bills them. */
export const requestsSchema = z.strictObject({
  puts: count,
  gets: count,
  lists: count,
  deletes: count,
  /** Repeated requests, which are counted above as well. */
  retries: count,
  /** Bytes of request bodies. */
  bytesSent: count,
});

/** What any command prints if it ends with an error. */
export const errorResultSchema = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    /** Further faults, if there are several. */
    details: z.array(z.string()),
    hint: z.string(),
  }),
});

/** What publishing does to a file, and why (product.md, Words). */
export const planEntrySchema = z.strictObject({
  action: z.enum(['put', 'keep', 'remove']),
  path: z.string(),
  bytes: count,
  reason: z.enum([
    /** No such file yet. */
    'new-content',
    /** The same bytes are published already. */
    'same-content',
    /** A file with the same recipe is published already, so this one was not assembled. */
    'same-recipe',
    /** A damaged file was replaced, because of --force. */
    'repaired',
    /** The bytes of the key ring, the manifest or `current` changed. */
    'changed-content',
    'new-pointer',
    'pointer-moves',
    /**
     * The front has left the catalogue or is disabled, or the release that becomes current does not
     * have it.
     */
    'front-gone',
    /** The manifest of a release that is no longer kept. */
    'not-kept',
    /**
     * An edition that no pointer and no kept release names, or a part that no kept manifest names.
     */
    'not-named',
    /** A file of a sharded run that is over. */
    'run-over',
  ]),
});

/** A guard that a front tripped. An overridden guard does not hold the front. */
export const guardSchema = z.strictObject({ code: heldReason, message: z.string(), isOverridden: z.boolean() });

/**
 * The guard on keys that are in the published key ring and not in the catalogue. An overridden
 * guard lets them go.
 */
export const keysGuardSchema = z.strictObject({
  code: z.literal('keys-vanished'),
  message: z.string(),
  isOverridden: z.boolean(),
  keyids: z.array(z.string()).readonly(),
});

/** What failed after publishing; the release stays published. */
export const publishWarningsSchema = z.array(
  z.strictObject({ code: z.literal('on-publish-failed'), message: z.string() }),
);

/**
 * What `--on-publish` was sent, delivered or not; null if readers can see no difference. Present
 * only with that flag.
 */
export const sentNoticeSchema = publishNoticeSchema.nullable().optional();

export type RequestsJson = z.infer<typeof requestsSchema>;
export type HoldJson = z.infer<typeof holdSchema>;
export type PlanEntry = z.infer<typeof planEntrySchema>;
export type Guard = z.infer<typeof guardSchema>;
export type KeysGuard = z.infer<typeof keysGuardSchema>;
