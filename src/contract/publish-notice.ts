// What `build --on-publish` and `keys revoke --on-change` hand to the command or URL of the operator.

import * as z from 'zod';
import { frontCode, instantText, releaseId } from './primitives.ts';

/** A path from the CDN's origin root: what is below `public/`, with a slash before it. */
const urlPath = z.string().regex(/^\/[A-Za-z0-9._/-]+$/);

export const publishNoticeSchema = z.strictObject({
  schema: z.literal(1),
  /** The current release. */
  release: releaseId,
  /** The instant that it is for. */
  now: instantText,
  /** Fronts of which a file below `public/` changed. */
  fronts: z.array(frontCode),
  /** Paths whose content changed, or that were a 404 before: pointers, and damaged editions that were repaired. What a cache must purge. */
  changed: z.array(urlPath),
  /** The pointers of removed fronts, and editions that no kept release needs. */
  removed: z.array(urlPath),
  /** Editions under new names, which no cache has yet. */
  added: z.array(urlPath),
  /** Whether the edge's key ring changed. It is not below `public/`. */
  isKeyRingChanged: z.boolean(),
});

export type PublishNotice = z.infer<typeof publishNoticeSchema>;
