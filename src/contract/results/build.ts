// What `build` prints with --json.

import * as z from 'zod';
import { DROP_REASONS } from '../../catalogue/offer.ts';
import { allowedSchema, leftOutSchema } from '../manifest.ts';
import { count, frontCode, heldReason, instantText, releaseId } from '../primitives.ts';
import { plannedDiffSchema } from './diff.ts';
import {
  filesAndBytes,
  historySchema,
  findingSchema,
  holdSchema,
  prunedSchema,
  requestsSchema,
  planEntrySchema,
  guardSchema,
  keysGuardSchema,
  publishWarningsSchema,
  sentNoticeSchema,
} from './parts.ts';

/** `build`. */
export const buildResultSchema = z.strictObject({
  /** null if nothing has ever been published. */
  release: releaseId.nullable(),
  /**
   * The rollback that holds the tree, so that nothing was published, whatever `fronts` says; null
   * if there is none.
   */
  hold: holdSchema.nullable(),
  now: instantText,
  horizonSeconds: count,
  isDryRun: z.boolean(),
  fronts: z.array(
    z.strictObject({
      front: frontCode,
      /** Why the old snapshot stays; null if the new one is published. */
      held: heldReason.nullable(),
      /** The front's snapshot after the build; null if it has none. */
      snapshot: z
        .strictObject({
          cards: count,
          dropped: z.partialRecord(z.enum(DROP_REASONS), count),
          editions: z.strictObject({ products: count, categories: count }),
          /** What errors in rows leave out; null if nothing. */
          leftOut: leftOutSchema.nullable(),
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
  /** Every guard that was let pass, as in the manifest; in a dry run, that would be. */
  allowed: allowedSchema,
  put: filesAndBytes,
  kept: filesAndBytes,
  removed: filesAndBytes,
  /**
   * The part of `removed` that is pruning: manifests of releases no longer kept, and editions that
   * no release names.
   */
  pruned: prunedSchema,
  /** null if the run did not get to pruning. */
  history: historySchema.nullable(),
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

export type BuildResultJson = z.infer<typeof buildResultSchema>;
