// What commands print with --json: one schema per command, as stable as any other part of the contract.

import * as z from 'zod';
import { FINDINGS, type Finding, type FindingCode } from '../findings.ts';
import { plannedDiffSchema } from './diff-results.ts';
import { DROP_CODES, HOLD_CODES } from './manifest.ts';
import { count, frontCode, instantText, releaseId } from './primitives.ts';
import { publishNoticeSchema } from './publish-notice.ts';

export const filesAndBytes = z.strictObject({ files: count, bytes: count });

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

/** The release at which a rollback holds the tree; its id is null if `releases/hold` is damaged. */
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
    /** The front has left the catalogue or is disabled, or the release that becomes current does not have it. */
    'front-gone',
    /** The manifest of a release that is no longer kept. */
    'not-kept',
    /** An edition that no pointer and no kept release names. */
    'not-named',
    /** A file of a sharded run that is over. */
    'run-over',
  ]),
});

/** A guard that a front tripped. An overridden guard does not hold the front. */
export const guardSchema = z.strictObject({ code: z.enum(HOLD_CODES), message: z.string(), isOverridden: z.boolean() });

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

/** What `--on-publish` was sent, delivered or not; null if readers can see no difference. Present only with that flag. */
export const sentNoticeSchema = publishNoticeSchema.nullable().optional();

/** `build`. */
export const buildResultSchema = z.strictObject({
  /** null if nothing has ever been published. */
  release: releaseId.nullable(),
  /** The rollback that holds the tree, so that nothing was published, whatever `fronts` says; null if there is none. */
  hold: holdSchema.nullable(),
  now: instantText,
  horizonSeconds: count,
  isDryRun: z.boolean(),
  fronts: z.array(
    z.strictObject({
      front: frontCode,
      /** Why the old snapshot stays; null if the new one is published. */
      held: z.enum(HOLD_CODES).nullable(),
      /** The front's snapshot after the build; null if it has none. */
      snapshot: z
        .strictObject({
          cards: count,
          dropped: z.partialRecord(z.enum(DROP_CODES), count),
          editions: z.strictObject({ products: count, categories: count }),
          nextChange: instantText.nullable(),
          validUntil: instantText,
        })
        .nullable(),
      put: filesAndBytes,
      kept: filesAndBytes,
      guards: z.array(guardSchema).readonly(),
    }),
  ),
  /** What concerns the key ring rather than a front. */
  guards: z.array(keysGuardSchema).readonly(),
  put: filesAndBytes,
  kept: filesAndBytes,
  removed: filesAndBytes,
  /** The part of `removed` that is pruning: manifests of releases no longer kept, and editions that no release names. */
  pruned: prunedSchema,
  /** What happens to every file, and why; only in a dry run. */
  plan: z.array(planEntrySchema).optional(),
  /** What publishing would change on each front; only in a dry run. */
  differences: plannedDiffSchema.optional(),
  /** Present only if the run writes into a bucket. */
  requests: requestsSchema.optional(),
  /** False if the code of some front cannot be read: that front is neither built nor listed. */
  isEveryFrontKnown: z.boolean(),
  /** At most a thousand; `findingsTotal` counts all. */
  findings: z.array(findingSchema),
  findingsTotal: count,
  notice: sentNoticeSchema,
  warnings: publishWarningsSchema,
});

/** `verify` and `check-db`. */
export const findingsResultSchema = z.strictObject({
  /** How many of each kind were checked. */
  checked: z.record(z.string(), count),
  errors: count,
  warnings: count,
  findings: z.array(findingSchema),
});

/** `import`: rows by table. */
export const rowsResultSchema = z.strictObject({
  rows: z.record(z.string(), count),
  rowsTotal: count,
});

const rowChangesSchema = z.strictObject({ inserted: count, updated: count, deleted: count, unchanged: count });

/** `import --mirror`: what happened to the rows of each table that has or had any. */
export const mirrorResultSchema = z.strictObject({
  tables: z.record(z.string(), rowChangesSchema),
  total: rowChangesSchema,
  /** The number of rows in `front_keys`, which stay and are not counted above if the input has none of that table. */
  keysLeftAlone: count,
});

/** `keys issue`, and what `sign --key` reads. The private key is printed only this once. */
export const issuedKeySchema = z.strictObject({
  keyid: z.string(),
  front: frontCode,
  alg: z.enum(['ecdsa-p256-sha256', 'ed25519', 'hmac-sha256']),
  /** JWK with `d`; null for hmac. */
  privateKey: z
    .strictObject({ kty: z.string(), crv: z.string(), x: z.string(), y: z.string().optional(), d: z.string() })
    .nullable(),
  privatePem: z.string().nullable(),
  /** hmac: the name of the secret. */
  secretRef: z.string().nullable(),
});

/** `preview`, printed as soon as it listens. */
export const previewResultSchema = z.strictObject({ url: z.url() });

/** `keys list`. */
export const keysResultSchema = z.strictObject({
  keys: z.array(
    z.strictObject({
      keyid: z.string(),
      front: z.string(),
      alg: z.string(),
      secretRef: z.string().nullable(),
      notBefore: z.string().nullable(),
      notAfter: z.string().nullable(),
      revokedAt: z.string().nullable(),
      state: z.enum(['valid', 'not-yet-valid', 'expired', 'revoked']),
    }),
  ),
});

export type RequestsJson = z.infer<typeof requestsSchema>;
export type Hold = z.infer<typeof holdSchema>;
export type PlanEntry = z.infer<typeof planEntrySchema>;
export type Guard = z.infer<typeof guardSchema>;
export type KeysGuard = z.infer<typeof keysGuardSchema>;
export type IssuedKeyJson = z.infer<typeof issuedKeySchema>;
export type KeysResultJson = z.infer<typeof keysResultSchema>;
export type BuildResultJson = z.infer<typeof buildResultSchema>;
export type FindingsResultJson = z.infer<typeof findingsResultSchema>;
export type RowsResultJson = z.infer<typeof rowsResultSchema>;
export type RowChanges = z.infer<typeof rowChangesSchema>;
export type MirrorResultJson = z.infer<typeof mirrorResultSchema>;
