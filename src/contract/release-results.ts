// What `releases`, `rollback` and `prune` print under --json.

import * as z from 'zod';
import { count, frontCode, instantText, releaseId } from './primitives.ts';
import {
  findingSchema,
  holdSchema,
  planEntrySchema,
  prunedSchema,
  publishWarningsSchema,
  requestsSchema,
} from './results.ts';

/** Why a release is kept, the strongest reason first. */
export const KEEP_REASONS = [
  /** The tree is held after a rollback: then every release is kept. */
  'held',
  'in-force',
  /** A front's pointer is that of this release, and not of the current one: a run was stopped. */
  'pointed-at',
  /** One of the last ten. */
  'recent',
  /** Superseded less than the grace time ago. */
  'grace',
  /** The last of its hour, for a day. */
  'hourly',
  /** The last of its day, for a week. */
  'daily',
] as const;

export type KeepReason = (typeof KEEP_REASONS)[number];

/** `releases`: newest first. */
export const releasesResultSchema = z.strictObject({
  releases: z.array(
    z.strictObject({
      id: releaseId,
      now: instantText,
      /** Until when every front of it is right; null where it has no front. */
      validUntil: instantText.nullable(),
      fronts: count,
      /** Of all fronts, at the releases' pointers' now. */
      cards: count,
      /** Of all editions that it names; releases share files. */
      bytes: count,
      isInForce: z.boolean(),
    }),
  ),
  /** null where the tree is not held. */
  hold: holdSchema.nullable(),
  /** Manifests that cannot be read. */
  findings: z.array(findingSchema),
});

/** `rollback`. */
export const rollbackResultSchema = z.strictObject({
  /** The current release; null where there is none. */
  release: releaseId.nullable(),
  /** null after --resume. */
  hold: holdSchema.nullable(),
  /** What was done about pointers. */
  pointers: z.strictObject({ put: count, kept: count, removed: count }),
  /** What visitors see of each front, before and after; none after --resume. */
  fronts: z.array(
    z.strictObject({
      front: frontCode,
      /** null where it had no pointer that could be read. */
      cardsBefore: count.nullable(),
      /** null where the release does not have the front. */
      cardsAfter: count.nullable(),
      /** Whether it shows other documents, as of the later one of the two releases. */
      isChanged: z.boolean(),
    }),
  ),
  /** Until when every front of the release is right; null after --resume, or where it has no front. */
  validUntil: instantText.nullable(),
  /** Only of a run that writes into a bucket. */
  requests: requestsSchema.optional(),
  warnings: publishWarningsSchema,
});

/** `prune`. */
export const pruneResultSchema = z.strictObject({
  isDryRun: z.boolean(),
  graceSeconds: count,
  hold: holdSchema.nullable(),
  releases: z.array(
    z.strictObject({
      id: releaseId,
      now: instantText,
      /** Why it stays; null where it is removed. */
      kept: z.enum(KEEP_REASONS).nullable(),
    }),
  ),
  /** Runs of shards that seem to have been given up: no edition goes, since one of their shards may still be writing. */
  waitsFor: z.array(z.string()).readonly(),
  /** What was removed: releases; and files, manifests included, with their bytes. */
  pruned: prunedSchema,
  /** Every file that is removed, and why. */
  plan: z.array(planEntrySchema),
  /** Only of a run that writes into a bucket. */
  requests: requestsSchema.optional(),
});

export type ReleasesResultJson = z.infer<typeof releasesResultSchema>;
export type RollbackResultJson = z.infer<typeof rollbackResultSchema>;
export type PruneResultJson = z.infer<typeof pruneResultSchema>;
