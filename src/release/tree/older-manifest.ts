// Manifests of schema 1, which earlier versions wrote: one file each, named by its id alone. They
// count as lost: what they published is served, and a build compares with what pointers name. But
// until pruning removes them, the files that they list stay. Refuses to tell anything else of them.

import * as z from 'zod';
import { parseInstant } from '../../catalogue/instant.ts';
import { MANIFEST_SCHEMA, manifestFileSchema, type ManifestFile } from '../../contract/manifest.ts';
import { instantText } from '../../contract/primitives.ts';
import type { DatedRelease, Release } from '../../contract/release-name.ts';
import { pathOf } from '../../render/paths.ts';
import { parserOf } from './codec.ts';
import { alteredFrom } from './digest.ts';
import type { TreeFiles } from './files.ts';
import { damaged, found, missing, type Failure, type Found } from './found.ts';

/** What is read of a manifest that is there. */
export function olderManifest(path: string): Failure {
  return damaged(
    path,
    'an earlier version of Playbill wrote this manifest; a build replaces it, and pruning removes it',
    'older',
  );
}

const parse = parserOf(
  z.object({ schema: z.literal(1), now: instantText, files: z.array(manifestFileSchema) }),
  MANIFEST_SCHEMA,
);

/** A release of an earlier version, and the files that it lists. */
export interface OlderRelease extends DatedRelease {
  readonly files: readonly ManifestFile[];
}

export async function readOlderRelease(release: Release, files: TreeFiles): Promise<Found<OlderRelease>> {
  const path = pathOf({ kind: 'manifest', release });
  const bytes = await files.read(path);
  if (!bytes.ok) return bytes.why === 'missing' ? missing(path, 'a manifest') : bytes;
  const content = alteredFrom(release.id, bytes.value, path) ?? parse(bytes.value, path);
  if (!content.ok) return content;
  const now = parseInstant(content.value.now);
  return now === undefined
    ? damaged(path, `now: expected a date of the calendar, found ${content.value.now}`)
    : found({ ...release, now, files: content.value.files });
}
