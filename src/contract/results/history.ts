// What `releases`, `rollback` and `prune` print with --json.

import * as z from 'zod';
import { publishNoticeSchema } from '../publish-notice.ts';
import { count, frontCode, instantText, releaseId } from '../primitives.ts';
import {
  findingSchema,
  historySchema,
  holdSchema,
  planEntrySchema,
  prunedSchema,
  publishWarningsSchema,
  requestsSchema,
  sentNoticeSchema,
} from './parts.ts';

/** Why a release is kept, strongest reason first. */
export const KEEP_REASONS = [
  /** A rollback holds the tree: every release is kept. */
  'held',
  'current',
  /** A stopped run left a front with the pointer of this release instead of the current one's. */
  'pointed-at',
  /** One of the last ten. */
  'recent',
  /** Superseded less than the grace time ago. */
  'grace',
  /** The last of its hour, for a day. */
  'hourly',
  /** The last of its day, for a week. */
  'daily',
  /**
   * The last one of which `--on-publish` was notified with success: the next notice is compared
   * with it.
   */
  'notified',
] as const;

export type KeepReason = (typeof KEEP_REASONS)[number];

/**
 * What a release changed of a front, of the fields that data decides: not of today, tomorrow and
 * the weekend.
 */
const frontChangesSchema = z.strictObject({
  front: frontCode,
  /** `unknown`: an edition is missing or damaged; `message` says which. */
  state: z.enum(['added', 'gone', 'changed', 'unknown']),
  cards: z.strictObject({ added: count, removed: count }),
  /**
   * Cards by what changed of them; `other` also counts cards that moved, and categories, groups,
   * tags and badges.
   */
  changed: z.strictObject({
    names: count,
    prices: count,
    flags: count,
    seats: count,
    sessions: count,
    other: count,
  }),
  /**
   * Of all cards with a price, at the first compared instant at which prices differ; null if none
   * does.
   */
  medianPrice: z
    .strictObject({ at: instantText, before: z.number().nullable(), after: z.number().nullable() })
    .nullable(),
  /**
   * Until when the older release is right, if that is not until the newer one: the clock may have
   * changed this, too.
   */
  comparableUntil: instantText.nullable(),
  message: z.string().exactOptional(),
});

const releaseChangesSchema = z.strictObject({
  /** The next older release that can be read. */
  since: releaseId,
  /** Without fronts that did not change. */
  fronts: z.array(frontChangesSchema),
});

/** `releases`: newest first. */
export const releasesResultSchema = z.strictObject({
  releases: z.array(
    z.strictObject({
      id: releaseId,
      now: instantText,
      /** The instant until which every front of it is right; null if it has no fronts. */
      validUntil: instantText.nullable(),
      fronts: count,
      /** The sum over all fronts. */
      cards: count,
      /** By currency, that of most fronts first: the median of the fronts' median prices, in units of `priceFrom`. */
      prices: z.array(z.strictObject({ currency: z.string(), median: z.number(), fronts: count })),
      /** The size of all editions that it names. Releases share files. */
      bytes: count,
      isCurrent: z.boolean(),
      /** With --changes; null if no older release can be read. */
      changes: releaseChangesSchema.nullable().optional(),
    }),
  ),
  /** How many releases the tree keeps. */
  total: count,
  history: historySchema,
  /** null if the tree is not held. */
  hold: holdSchema.nullable(),
  /** The release that each held front is held at, by code. */
  heldFronts: z.record(frontCode, releaseId),
  /** Manifests that cannot be read; a warning of those that earlier versions wrote. */
  findings: z.array(findingSchema),
});

/** `rollback`. */
export const rollbackResultSchema = z.strictObject({
  /** The current release; null if there is none. */
  release: releaseId.nullable(),
  /** null after --resume. */
  hold: holdSchema.nullable(),
  /** With --front: the release that each of these fronts is held at, by code. */
  heldFronts: z.record(frontCode, releaseId).optional(),
  /** How many pointers were written, kept and removed. */
  pointers: z.strictObject({ put: count, kept: count, removed: count }),
  /** What visitors see of each front, before and after; empty after --resume. */
  fronts: z.array(
    z.strictObject({
      front: frontCode,
      /** null if the front had no readable pointer. */
      cardsBefore: count.nullable(),
      /** null if the release does not have the front. */
      cardsAfter: count.nullable(),
      /** Whether the front shows different documents, as of the later of the two releases. */
      isChanged: z.boolean(),
    }),
  ),
  /**
   * The instant until which every front of the release is right; null after --resume, or if it has
   * no fronts.
   */
  validUntil: instantText.nullable(),
  /** Present only if the run writes into a bucket. */
  requests: requestsSchema.optional(),
  notice: sentNoticeSchema,
  warnings: publishWarningsSchema,
});

/** `notify`. */
export const notifyResultSchema = z.strictObject({
  /** The current release. */
  release: releaseId,
  notice: publishNoticeSchema.nullable(),
  warnings: publishWarningsSchema,
});

/** `prune`. */
export const pruneResultSchema = z.strictObject({
  isDryRun: z.boolean(),
  /** How much history is kept. */
  keep: z.strictObject({ last: count, hourly: count, daily: count, graceSeconds: count }),
  hold: holdSchema.nullable(),
  releases: z.array(
    z.strictObject({
      id: releaseId,
      now: instantText,
      /** Why it is kept; null if it is removed. */
      kept: z.enum(KEEP_REASONS).nullable(),
    }),
  ),
  /**
   * Sharded runs that seem abandoned. No edition is removed, because one of their shards may still
   * be writing.
   */
  waitsFor: z.array(z.string()).readonly(),
  /**
   * How many releases were removed, and how many files (manifests included) with how many bytes.
   */
  pruned: prunedSchema,
  /** Every file that is removed, and why. */
  plan: z.array(planEntrySchema),
  /** Present only if the run writes into a bucket. */
  requests: requestsSchema.optional(),
});

export type NotifyResultJson = z.infer<typeof notifyResultSchema>;
export type FrontChanges = z.infer<typeof frontChangesSchema>;
export type ReleaseChanges = z.infer<typeof releaseChangesSchema>;
export type ReleasesResultJson = z.infer<typeof releasesResultSchema>;
export type RollbackResultJson = z.infer<typeof rollbackResultSchema>;
export type PruneResultJson = z.infer<typeof pruneResultSchema>;
