// What `edge check` and `status --edge` say of an edge that was asked from outside.

import * as z from 'zod';
import { count, frontCode, instantText } from './primitives.ts';

/** One thing that was checked. */
export const edgeCheckSchema = z.strictObject({
  /** Its name, such as `unsigned-after-signed`; of a key `key KEYID`. */
  check: z.string(),
  state: z.enum(['ok', 'differs', 'not-checked']),
  expected: z.string(),
  /** null where it was not checked. */
  found: z.string().nullable(),
  /** What to do about a difference, or why it was not checked; null where all is well. */
  hint: z.string().nullable(),
});

/** `edge check`. */
export const edgeCheckResultSchema = z.strictObject({
  url: z.url(),
  /** When the check began, by the clock of this machine. */
  at: instantText,
  front: frontCode,
  checks: z.array(edgeCheckSchema),
  ok: count,
  /** Exit 1 where there is any. */
  differs: count,
  notChecked: count,
  /** The editions to come next, by the tree; none without one. */
  next: z.array(
    z.strictObject({
      endpoint: z.enum(['products', 'categories']),
      from: instantText,
      /** null: the end of the snapshot. */
      digest: z.string().nullable(),
    }),
  ),
  /** Of signed requests, one after the other; null where those were refused. */
  latency: z.strictObject({ requests: count, medianMs: count, p95Ms: count }).nullable(),
});

export type EdgeCheck = z.infer<typeof edgeCheckSchema>;
export type EdgeCheckResultJson = z.infer<typeof edgeCheckResultSchema>;
