// What `edge check` and `status --edge` report about a deployed edge.

import * as z from 'zod';
import { count, frontCode, instantText } from '../primitives.ts';

export const edgeCheckSchema = z.strictObject({
  /** Its name, such as `unsigned-after-signed`, or `key KEYID`. */
  check: z.string(),
  state: z.enum(['ok', 'differs', 'not-checked']),
  expected: z.string(),
  /** null if not checked. */
  found: z.string().nullable(),
  /** What to do about a difference, or why it was not checked; null if ok. */
  hint: z.string().nullable(),
});

/** `edge check`. */
export const edgeCheckResultSchema = z.strictObject({
  url: z.url(),
  /** When the check began, by this machine's clock. */
  at: instantText,
  front: frontCode,
  checks: z.array(edgeCheckSchema),
  ok: count,
  /** If not zero, the command exits 1. */
  differs: count,
  notChecked: count,
  /** The next editions according to the tree; empty without a tree. */
  next: z.array(
    z.strictObject({
      endpoint: z.enum(['products', 'categories']),
      from: instantText,
      /** null at the end of the snapshot. */
      digest: z.string().nullable(),
    }),
  ),
  /** Of signed requests made one after the other; null if they were refused. */
  latency: z.strictObject({ requests: count, medianMs: count, p95Ms: count }).nullable(),
});

export type EdgeCheck = z.infer<typeof edgeCheckSchema>;
export type EdgeCheckResultJson = z.infer<typeof edgeCheckResultSchema>;
