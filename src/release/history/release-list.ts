// The list of a tree's releases, for `playbill releases`.

import * as z from 'zod';
import { MANIFEST_SCHEMA } from '../../contract/manifest.ts';
import type { Release } from '../../contract/release-name.ts';
import type { ReleasesResultJson } from '../../contract/results/history.ts';
import type { Finding } from '../../findings.ts';
import { editionIndexAt } from '../../render/edition-choice.ts';
import { priceSummaryOf } from '../../render/edition-prices.ts';
import { parserOf, problemCode } from '../tree/codec.ts';
import type { TreeSizes } from '../tree/files.ts';
import { found, orNull, type Found } from '../tree/found.ts';
import { heldFrontsJson, holdJson, readHold } from '../tree/hold.ts';
import { PartReader, readManifestHead, readReleasePaths } from '../tree/manifest.ts';
import { readAhead } from '../tree/read-ahead.ts';
import { readCurrent } from '../tree/read.ts';
import { keptReleases } from '../tree/releases.ts';
import { historyOf } from './history-size.ts';

/** Among the five numbers of a summary. */
const MEDIAN = 2;

/** Few: a part may have megabytes. */
const RELEASES_AHEAD = 4;

type Listed = ReleasesResultJson['releases'][number];

/**
 * Lists the releases, newest first and at most so many.
 * @throws AppError tree-unreadable, tree-newer-schema
 */
export async function listReleases(
  files: TreeSizes,
  last: number = Number.POSITIVE_INFINITY,
): Promise<ReleasesResultJson> {
  const current = orNull(await readCurrent(files));
  const kept = await keptReleases(files);
  const all = [...kept.releases, ...kept.older];
  const releases: Listed[] = [];
  const findings: Finding[] = [];
  const reader = new PartReader(files);
  for await (const [release, read] of readAhead(all, (one) => listedOf(one, reader), RELEASES_AHEAD)) {
    if (releases.length >= last) break;
    if (read.ok) releases.push({ ...read.value, isCurrent: release.name === current?.name });
    else {
      const { location: place, message } = read;
      const severity = read.why === 'older' ? 'warning' : 'error';
      findings.push({ severity, code: problemCode('manifest', read), place, message });
    }
  }
  const hold = await readHold(files);
  const history = await historyOf(current, await namedBy(current, files), files);
  return { releases, total: all.length, history, hold: holdJson(hold), heldFronts: heldFrontsJson(hold), findings };
}

/** The paths of the editions of the current release; none if it cannot be read. */
async function namedBy(current: Release | null, files: TreeSizes): Promise<ReadonlySet<string>> {
  const head = current && orNull(await readManifestHead(current, files));
  return new Set(current && head && orNull(await readReleasePaths(current, head, files)));
}

/** What is read of a front's listing: a third of the time that checking all of it takes. */
const listingSchema = z.object({
  cards: z.int(),
  currency: z.string().optional(),
  pointer: z.object({ validUntil: z.string(), products: z.array(z.string()) }),
  prices: z.array(z.object({ prices: z.array(z.number()) })).optional(),
});
type Listing = z.infer<typeof listingSchema>;

const parseListings = parserOf(z.array(listingSchema), MANIFEST_SCHEMA);
const parseSizes = parserOf(z.array(z.object({ bytes: z.int() })), MANIFEST_SCHEMA);

async function listedOf(release: Release, parts: PartReader): Promise<Found<Omit<Listed, 'isCurrent'>>> {
  const head = await readManifestHead(release, parts.files);
  if (!head.ok) return head;
  const [fronts, files] = await Promise.all([
    parts.read('fronts', release, head.value, parseListings),
    parts.read('files', release, head.value, parseSizes),
  ]);
  if (!fronts.ok) return fronts;
  if (!files.ok) return files;
  const { now } = head.value;
  return found({
    id: release.id,
    now,
    validUntil: validUntilOf({ fronts: fronts.value }),
    fronts: fronts.value.length,
    cards: fronts.value.reduce((sum, { cards }) => sum + cards, 0),
    prices: medianPrices(fronts.value, now),
    bytes: files.value.reduce((sum, { bytes }) => sum + bytes, 0),
  });
}

/** The instant until which every front of a release is right; null if it has no fronts. */
export function validUntilOf({
  fronts,
}: {
  readonly fronts: readonly { readonly pointer: { readonly validUntil: string } }[];
}): string | null {
  return fronts.map(({ pointer }) => pointer.validUntil).sort()[0] ?? null;
}

/** The median of the fronts' median prices at the release's instant, by currency. */
function medianPrices(fronts: readonly Listing[], now: string): Listed['prices'] {
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
