// What `preview` prints with --json.

import * as z from 'zod';
import { count, frontCode, instantText, releaseId } from '../primitives.ts';

/** `preview`, printed as soon as it listens. */
export const previewResultSchema = z.strictObject({ url: z.url() });

/** `preview --export`. */
export const previewExportSchema = z.strictObject({
  /** The page. */
  path: z.string(),
  bytes: count,
  front: frontCode,
  /** null if no manifest names it. */
  release: releaseId.nullable(),
  /** The instant that it shows. */
  at: instantText,
});

export type PreviewExportJson = z.infer<typeof previewExportSchema>;
