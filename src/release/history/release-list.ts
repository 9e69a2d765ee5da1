// The list of a tree's releases, for `playbill releases`.

import type { Manifest } from '../../contract/manifest.ts';
import type { ReleasesResultJson } from '../../contract/results/history.ts';
import { editionIndexAt } from '../../render/edition-choice.ts';
import { priceSummaryOf } from '../../render/edition-prices.ts';
import type { Finding } from '../../findings.ts';
import { problemCode } from '../tree/codec.ts';
import type { TreeFiles } from '../tree/files.ts';
import { orNull } from '../tree/found.ts';
import { heldFrontsJson, holdJson, readHold } from '../tree/hold.ts';
import { readManifest } from '../tree/manifest.ts';
import { readCurrent } from '../tree/read.ts';
import { keptReleases } from '../tree/releases.ts';

/** Among the five numbers of a summary. */
const MEDIAN = 2;

/**
 * Lists the releases, newest first and at most so many, with one manifest in memory at a time.
 * @throws AppError tree-unreadable, tree-newer-schema
 */
export async function listReleases(
  files: TreeFiles,
  last: number = Number.POSITIVE_INFINITY,
): Promise<ReleasesResultJson> {
  const current = orNull(await readCurrent(files));
  const kept = await keptReleases(files);
  const releases: ReleasesResultJson['releases'] = [];
  const findings: Finding[] = [];
  for (const release of [...kept.releases, ...kept.older]) {
    if (releases.length >= last) break;
    const { id, name } = release;
    const manifest = await readManifest(release, files);
    if (manifest.ok) {
      const { now, fronts, files: listed } = manifest.value;
      const cards = fronts.reduce((sum, front) => sum + front.cards, 0);
      const bytes = listed.reduce((sum, file) => sum + file.bytes, 0);
      const validUntil = validUntilOf(manifest.value);
      const prices = medianPrices(manifest.value);
      const isCurrent = name === current?.name;
      releases.push({ id, now, validUntil, fronts: fronts.length, cards, prices, bytes, isCurrent });
    } else {
      const { location: place, message } = manifest;
      const severity = manifest.why === 'older' ? 'warning' : 'error';
      findings.push({ severity, code: problemCode('manifest', manifest), place, message });
    }
  }
  const hold = await readHold(files);
  return { releases, hold: holdJson(hold), heldFronts: heldFrontsJson(hold), findings };
}

/** The instant until which every front of a release is right; null if it has no fronts. */
export function validUntilOf({ fronts }: Pick<Manifest, 'fronts'>): string | null {
  return fronts.map(({ pointer }) => pointer.validUntil).sort()[0] ?? null;
}

/** The median of the fronts' median prices at the release's instant, by currency. */
function medianPrices({ fronts, now }: Manifest): ReleasesResultJson['releases'][number]['prices'] {
  const medians = new Map<string, number[]>();
  for (const { currency, pointer, prices } of fronts) {
    const median = prices?.[editionIndexAt(pointer.products, now)]?.prices[MEDIAN];
    if (currency !== undefined && median !== undefined)
      medians.set(currency, [...(medians.get(currency) ?? []), median]);
  }
  return [...medians]
    .map(([currency, all]) => {
      const { prices, count } = priceSummaryOf(all.sort((a, b) => a - b));
      return { currency, median: prices[MEDIAN] ?? 0, fronts: count };
    })
    .sort((a, b) => b.fronts - a.fronts || (a.currency < b.currency ? -1 : 1));
}
