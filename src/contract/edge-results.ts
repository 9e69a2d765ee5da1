// What the commands about keys and requests print under --json; `keys issue` and `keys list` are in results.ts.

import * as z from 'zod';
import { count, instantText } from './primitives.ts';

/** `keys revoke`. */
export const revokedKeySchema = z.strictObject({ keyid: z.string(), revokedAt: instantText });

/** `sign`: the headers that sign a request. */
export const signatureHeadersSchema = z.strictObject({
  'X-Front': z.string(),
  'Signature-Input': z.string(),
  Signature: z.string(),
});

const files = z.array(z.strictObject({ path: z.string(), bytes: count }));

/** `openapi --schemas`: the files that were written. */
export const writtenFilesSchema = z.strictObject({ files });

/** `edge build`: the runtime, and the files that were written. */
export const edgeFilesSchema = z.strictObject({ target: z.string(), files });

/** `serve`: one line of its access log. */
export const accessLogSchema = z.strictObject({
  at: instantText,
  method: z.string(),
  target: z.string(),
  /** X-Front as it came; null where there was none, or two. */
  front: z.string().nullable(),
  status: z.int(),
  /** Of a refusal: its code. */
  reason: z.string().nullable(),
  durationMs: z.number().min(0),
});

/** `export`: one line; what `import` reads. */
export const rowLineSchema = z.strictObject({
  table: z.string(),
  row: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});
