// What `build --on-publish` and `keys revoke --on-change` send to the operator's command or URL.

import * as z from 'zod';
import { allowedSchema } from './manifest.ts';
import { frontCode, instantText, releaseId } from './primitives.ts';

/** A path from the CDN's origin root: the path below `public/`, with a leading slash. */
const urlPath = z.string().regex(/^\/[A-Za-z0-9._/-]+$/);

export const publishNoticeSchema = z.strictObject({
  schema: z.literal(1),
  /** The current release. */
  release: releaseId,
  /** The instant that the release is for. */
  now: instantText,
  /** Fronts with a changed file below `public/`. */
  fronts: z.array(frontCode),
  /**
   * What a cache must purge: paths with new content or that used to be a 404, that is pointers and
   * repaired editions.
   */
  changed: z.array(urlPath),
  /** The pointers of removed fronts, and editions that no kept release needs. */
  removed: z.array(urlPath),
  /** New editions, which no cache has yet. */
  added: z.array(urlPath),
  /** Whether the edge's key ring, which is not below `public/`, changed. */
  isKeyRingChanged: z.boolean(),
  /** Guards that were let pass, as the manifests say. */
  allowed: allowedSchema,
});

export type PublishNotice = z.infer<typeof publishNoticeSchema>;
