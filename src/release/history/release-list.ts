// The list of a tree's releases, for `playbill releases`.

import type { Manifest } from '../../contract/manifest.ts';
import type { ReleasesResultJson } from '../../contract/results/history.ts';
import type { Finding } from '../../findings.ts';
import { PROBLEM_CODE } from '../tree/codec.ts';
import type { TreeFiles } from '../tree/files.ts';
import { orNull } from '../tree/found.ts';
import { readHold } from '../tree/hold.ts';
import { readCurrent, readManifest, releaseIds } from '../tree/read.ts';

/**
 * Lists the releases, one manifest in memory at a time.
 * @throws AppError tree-unreadable, tree-newer-schema
 */
export async function listReleases(files: TreeFiles): Promise<ReleasesResultJson> {
  const currentId = orNull(await readCurrent(files));
  const releases: ReleasesResultJson['releases'] = [];
  const findings: Finding[] = [];
  for (const id of await releaseIds(files)) {
    const manifest = await readManifest(id, files);
    if (manifest.ok) {
      const { now, fronts, files: listed } = manifest.value;
      const cards = fronts.reduce((sum, front) => sum + front.cards, 0);
      const bytes = listed.reduce((sum, file) => sum + file.bytes, 0);
      const validUntil = validUntilOf(manifest.value);
      releases.push({ id, now, validUntil, fronts: fronts.length, cards, bytes, isCurrent: id === currentId });
    } else {
      const { location: place, message } = manifest;
      findings.push({ severity: 'error', code: PROBLEM_CODE.manifest, place, message });
    }
  }
  releases.sort((a, b) => (a.now < b.now || (a.now === b.now && a.id < b.id) ? 1 : -1));
  return { releases, hold: await readHold(files), findings };
}

/** The instant until which every front of a release is right; null if it has no fronts. */
export function validUntilOf({ fronts }: Manifest): string | null {
  return fronts.map(({ pointer }) => pointer.validUntil).sort()[0] ?? null;
}
