// What `next` and `status` print with --json.

import * as z from 'zod';
import { DROP_REASONS } from '../../catalogue/offer.ts';
import { edgeCheckSchema } from './edge.ts';
import { leftOutSchema } from '../manifest.ts';
import { count, frontCode, heldReason, instantText, releaseId } from '../primitives.ts';
import { findingSchema, historySchema, holdSchema } from './parts.ts';

/** `next`. */
export const nextResultSchema = z.strictObject({
  at: instantText,
  /**
   * The earliest next change of all fronts: in the past if a front has expired, null if none is
   * known.
   */
  next: instantText.nullable(),
  fronts: z.array(
    z.strictObject({
      front: frontCode,
      /**
       * A new edition; the end of what is published; that end, already past; or unknown, because
       * the pointer is broken.
       */
      kind: z.enum(['edition', 'end', 'expired', 'unknown']),
      next: instantText.nullable(),
      /** Which documents change. */
      endpoints: z.array(z.enum(['products', 'categories'])),
    }),
  ),
});

/** `status`. */
export const statusResultSchema = z.strictObject({
  at: instantText,
  /**
   * Whether any front is stale, or none is published: the command exits 1, as it does if `findings`
   * has an error.
   */
  isStale: z.boolean(),
  /** null if no rollback holds the whole tree. */
  hold: holdSchema.nullable(),
  /** The release that each held front is held at, by code. */
  heldFronts: z.record(frontCode, releaseId),
  /** null if there is no current release, or its manifest cannot be read. */
  release: z
    .strictObject({ id: releaseId, now: instantText, horizonSeconds: count, tool: z.string(), tzdata: z.string() })
    .nullable(),
  history: historySchema,
  fronts: z.array(
    z.strictObject({
      front: frontCode,
      /** null if the front is not stale. */
      stale: z.enum(['pointer-missing', 'pointer-invalid', 'from-future', 'expired', 'expiring', 'too-old']).nullable(),
      /** null if the pointer is broken. */
      snapshot: z
        .strictObject({
          /** The last instant for which it was published or confirmed by a build. */
          now: instantText,
          validUntil: instantText,
          ageSeconds: z.int(),
          remainingSeconds: z.int(),
          staleFrom: instantText,
          editions: z.strictObject({ products: count, categories: count }),
          /** Of the edition in force; null if no manifest has it. */
          cards: count.nullable(),
          dropped: z.partialRecord(z.enum(DROP_REASONS), count),
          /** What errors in rows left out; null if nothing. */
          leftOut: leftOutSchema.nullable(),
          /** Why the last build kept the old snapshot. */
          held: heldReason.nullable(),
        })
        .nullable(),
    }),
  ),
  /** How many keys of the key ring are valid, for each front with a valid pointer. */
  validKeys: z.record(frontCode, count),
  findings: z.array(findingSchema),
  /** Only with --edge: one check for each given key, and one for the front of each valid key. */
  edge: z.strictObject({ url: z.url(), checks: z.array(edgeCheckSchema) }).optional(),
  /** Only with --deep. */
  deep: z
    .strictObject({
      /**
       * `kept`: the bucket's store honours conditional writes. If it does not, the command ends
       * with an error. null for a folder.
       */
      conditions: z.literal('kept').nullable(),
      /** How many of each kind were checked; editions by name and size only. */
      checked: z.record(z.string(), count),
      errors: count,
      warnings: count,
      /** At most a thousand. */
      findings: z.array(findingSchema),
    })
    .optional(),
});

export type NextResultJson = z.infer<typeof nextResultSchema>;
export type StatusResultJson = z.infer<typeof statusResultSchema>;
