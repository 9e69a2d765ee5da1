// The list of a tree's releases, for `playbill releases`.

import type { Manifest } from '../../contract/manifest.ts';
import type { ReleasesResultJson } from '../../contract/results/history.ts';
import type { Finding } from '../../findings.ts';
import { problemCode } from '../tree/codec.ts';
import type { TreeFiles } from '../tree/files.ts';
import { orNull } from '../tree/found.ts';
import { holdJson, readHold } from '../tree/hold.ts';
import { readManifest } from '../tree/manifest.ts';
import { readCurrent } from '../tree/read.ts';
import { keptReleases } from '../tree/releases.ts';

/**
 * Lists the releases, newest first, with one manifest in memory at a time.
 * @throws AppError tree-unreadable, tree-newer-schema
 */
export async function listReleases(files: TreeFiles): Promise<ReleasesResultJson> {
  const current = orNull(await readCurrent(files));
  const kept = await keptReleases(files);
  const releases: ReleasesResultJson['releases'] = [];
  const findings: Finding[] = [];
  for (const release of [...kept.releases, ...kept.older]) {
    const { id, name } = release;
    const manifest = await readManifest(release, files);
    if (manifest.ok) {
      const { now, fronts, files: listed } = manifest.value;
      const cards = fronts.reduce((sum, front) => sum + front.cards, 0);
      const bytes = listed.reduce((sum, file) => sum + file.bytes, 0);
      const validUntil = validUntilOf(manifest.value);
      releases.push({ id, now, validUntil, fronts: fronts.length, cards, bytes, isCurrent: name === current?.name });
    } else {
      const { location: place, message } = manifest;
      const severity = manifest.why === 'older' ? 'warning' : 'error';
      findings.push({ severity, code: problemCode('manifest', manifest), place, message });
    }
  }
  return { releases, hold: holdJson(await readHold(files)), findings };
}

/** The instant until which every front of a release is right; null if it has no fronts. */
export function validUntilOf({ fronts }: Manifest): string | null {
  return fronts.map(({ pointer }) => pointer.validUntil).sort()[0] ?? null;
}
