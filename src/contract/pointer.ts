// The pointer: the one mutable file of a front (snapshot.md, "Pointer"). Its exact text, on which
// edges rely, is written by release/tree/codec.ts.

import * as z from 'zod';
import { frontCode, instantText, TREE_SCHEMA } from './primitives.ts';

/**
 * `<from> <digest>`. The fixed width lets an edge search the entries without parsing them into
 * objects.
 */
const editionEntry = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z [0-9a-f]{16}$/);

export const pointerSchema = z.strictObject({
  schema: z.literal(TREE_SCHEMA),
  front: frontCode,
  now: instantText,
  validUntil: instantText,
  /** The front's day at `now`. */
  today: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  timezone: z.string(),
  /** When the front's day begins, by the clocks of its zone; left out if that is midnight. */
  dayStartsAt: z
    .string()
    .regex(/^(?!00:00)(0[0-5]:[0-5]\d|06:00)$/)
    .optional(),
  products: z.array(editionEntry).min(1),
  categories: z.array(editionEntry).min(1),
});

export type Pointer = z.infer<typeof pointerSchema>;
