// The kept releases as one front sees them: its cards and prices in each, what each changed, and
// what the guard on prices says of it afterwards. Reads no document of editions that are the same.

import type { Instant } from '../../catalogue/instant.ts';
import type { Allowed, ManifestFront } from '../../contract/manifest.ts';
import type { ReleaseChanges } from '../../contract/results/history.ts';
import { listingsOf } from './release-diff.ts';
import { changesSince } from './release-changes.ts';
import { firstPriceJump, type PriceJump } from '../publish/price-jump.ts';
import { editionIndexAt } from '../../render/edition-choice.ts';
import type { TreeFolders } from '../tree/files.ts';
import { orNull } from '../tree/found.ts';
import { readManifest } from '../tree/manifest.ts';
import { cardPrices } from '../tree/published.ts';
import { readCurrent, readProducts } from '../tree/read.ts';
import { DocumentReader, productsDigestAt, type ReleaseView } from '../tree/release-view.ts';
import { keptReleases } from '../tree/releases.ts';

export interface FrontRelease {
  readonly id: string;
  readonly now: Instant;
  readonly isCurrent: boolean;
  /** null if the release does not have the front. */
  readonly listing: ManifestFront | null;
  /** The guards that this front or the release tripped and that were let pass. */
  readonly allowed: readonly Allowed[number]['code'][];
  /** What it changed of the next older one that can be read; null if there is none. */
  readonly changes: ReleaseChanges | null;
  /**
   * What the guard on prices says of it, whether it was let pass or did not exist; null if nothing.
   */
  readonly priceJump: PriceJump | null;
}

/**
 * The newest releases of a front, newest first; those that cannot be read are left out: `status`
 * and `verify` report them.
 * @throws AppError of a store that cannot be reached
 */
export async function frontHistory(front: string, files: TreeFolders, last: number): Promise<readonly FrontRelease[]> {
  const current = orNull(await readCurrent(files));
  const documents = new DocumentReader((code, digest) => readProducts(code, digest, files), files.root);
  const history: FrontRelease[] = [];
  let older: ReleaseView | null = null;
  // The one below the last is only compared.
  for (const release of (await keptReleases(files)).releases.slice(0, last + 1).toReversed()) {
    const manifest = orNull(await readManifest(release, files));
    if (manifest === null) continue;
    const { id, now } = release;
    const newer: ReleaseView = { id, manifest, documents };
    const listing = listingsOf(newer).get(front) ?? null;
    const before = (older && listingsOf(older).get(front)) ?? null;
    const allowed = manifest.allowed.filter(({ fronts }) => fronts?.includes(front) ?? true);
    history.unshift({
      id,
      now,
      isCurrent: release.name === current?.name,
      listing,
      allowed: allowed.map(({ code }) => code),
      changes: older && (await changesSince(older, newer, [front])),
      priceJump: before && listing && (await priceJumpOf(before, listing, files)),
    });
    older = newer;
  }
  return history.slice(0, last);
}

/** What the guard on prices says of a snapshot that came after another. */
function priceJumpOf(before: ManifestFront, after: ManifestFront, files: TreeFolders): Promise<PriceJump | null> {
  const pricesOf = async (digest: string): Promise<ReadonlyMap<number, number>> =>
    cardPrices(orNull(await readProducts(after.front, digest, files)));
  const { pointer, prices } = before;
  return firstPriceJump(
    after,
    {
      summaryAt: async (at) => prices?.[editionIndexAt(pointer.products, at)] ?? null,
      pricesAt: (at) => pricesOf(productsDigestAt(pointer, at)),
    },
    pricesOf,
  );
}
