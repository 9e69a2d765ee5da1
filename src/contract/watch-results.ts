// What `next` and `status` print under --json.

import * as z from 'zod';
import { edgeCheckSchema } from './edge-results.ts';
import { DROP_CODES, HOLD_CODES } from './manifest.ts';
import { count, frontCode, instantText, releaseId } from './primitives.ts';
import { findingSchema, holdSchema } from './results.ts';

/** `next`. */
export const nextResultSchema = z.strictObject({
  at: instantText,
  /** The earliest of all fronts: past where one has expired, null where none is known. */
  next: instantText.nullable(),
  fronts: z.array(
    z.strictObject({
      front: frontCode,
      /** Another edition; the end of what is published; that end, already past; or unknown, as the pointer is broken. */
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
  /** Whether any front is stale, or none is published: exit 1. */
  isStale: z.boolean(),
  /** null where no rollback holds the tree; its `release` is null where the hold's own file is damaged. */
  hold: holdSchema.nullable(),
  /** null where there is no current release, or its manifest cannot be read. */
  release: z
    .strictObject({ id: releaseId, now: instantText, horizonSeconds: count, tool: z.string(), tzdata: z.string() })
    .nullable(),
  fronts: z.array(
    z.strictObject({
      front: frontCode,
      /** null where the front is as it should be. */
      stale: z.enum(['pointer-missing', 'pointer-invalid', 'from-future', 'expired', 'expiring', 'too-old']).nullable(),
      /** null where the pointer is broken. */
      snapshot: z
        .strictObject({
          /** For which instant it was published, or last found to be what would be published. */
          now: instantText,
          validUntil: instantText,
          ageSeconds: z.int(),
          remainingSeconds: z.int(),
          staleFrom: instantText,
          editions: z.strictObject({ products: count, categories: count }),
          /** Of the edition in force; null where no manifest has it. */
          cards: count.nullable(),
          dropped: z.partialRecord(z.enum(DROP_CODES), count),
          /** Why the last build kept the old snapshot. */
          held: z.enum(HOLD_CODES).nullable(),
        })
        .nullable(),
    }),
  ),
  findings: z.array(findingSchema),
  /** What the keys that were given show of an edge: a row for each, and one for the front of each that is valid; only with --edge. */
  edge: z.strictObject({ url: z.url(), checks: z.array(edgeCheckSchema) }).optional(),
  /** What --deep looked at besides; only with it. */
  deep: z
    .strictObject({
      /** Whether the store of a bucket keeps the conditions of writes: one that does not ends the command. null for a folder. */
      conditions: z.literal('kept').nullable(),
      /** How many of each kind were looked for; editions by name and size. */
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
