// Rollback of single fronts (containment.md, "Going back, front by front"): a new release, which is
// the current one with their listings replaced by those of an older one. Only these fronts are held,
// so builds publish the others. The hold is written first: wherever this stops, no build publishes
// over it, and running it again finishes it. The caller holds the tree's lock.

import { formatInstant, instantOf, instantOfText, type Instant } from '../../catalogue/instant.ts';
import type { Manifest, ManifestFront } from '../../contract/manifest.ts';
import type { Release } from '../../contract/release-name.ts';
import { AppError } from '../../errors.ts';
import { pathOf } from '../../render/paths.ts';
import { activateRelease } from '../tree/activate.ts';
import { asOf } from '../tree/as-of.ts';
import { editionPathsOf } from '../tree/codec.ts';
import { orThrow } from '../tree/found.ts';
import { heldFronts, holdsAll, holdFronts, readHold, type Hold } from '../tree/hold.ts';
import { manifestText, readManifest } from '../tree/manifest.ts';
import { putParts } from '../tree/put-parts.ts';
import type { PublishedTree } from '../tree/published.ts';
import { resolveRelease } from '../tree/releases.ts';
import { replaceIfChanged } from '../tree/replace-if-changed.ts';
import type { ReleaseStore } from '../tree/store.ts';
import { frontChanges, refuseUnlessWhole, type RollbackOptions } from './rollback.ts';

/**
 * Puts fronts back to what a release says of them, and holds them there. Writes nothing unless
 * every file of theirs is whole. `now` is the instant of the new release.
 * @returns the same as `rollBack`, of the new release
 * @throws AppError as `rollBack`, and tree-held, front-unknown
 */
export async function rollBackFronts(
  word: string,
  codes: readonly string[],
  published: PublishedTree,
  store: ReleaseStore,
  options: RollbackOptions,
  now: Instant,
) {
  const hold = await readHold(store);
  if (holdsAll(hold)) throw allHeld(store.root);
  const target = await resolveRelease(word, store);
  const targetManifest = orThrow(await readManifest(target, store), 'release-damaged', store.root);
  const current = published.manifest;
  if (current === null) throw noCurrent(store.root);
  const listings = codes.map((code) => listingIn(targetManifest, code, target));
  const paths = new Set(listings.flatMap(({ pointer }) => editionPathsOf(pointer)));
  const ownFiles = targetManifest.files.filter(({ path }) => paths.has(path));
  const restored = { ...targetManifest, fronts: listings, files: ownFiles };
  await refuseUnlessWhole(target.id, restored, store, options);
  const fronts = (await frontChanges(restored, published)).filter(({ front }) => codes.includes(front));

  const held = new Map([...heldFronts(hold), ...codes.map((code) => [code, target] as const)]);
  const holdEntry = await holdFronts(held, store);
  // State after a stop here: builds hold these fronts; every front has its old snapshot.

  const manifest = mergedManifest(await othersAsServed(codes, current, hold, published), restored, now);
  const text = manifestText(manifest);
  const parts = await putParts(text, published, false, store);
  const head = await replaceIfChanged(pathOf({ kind: 'manifest', release: text.release }), text.text, store);
  await store.confirmLock();
  const swaps = await activateRelease({ release: text.release, listings, removed: [] }, published, store);
  return { release: text.release, manifest, plan: [holdEntry, ...parts, head, ...swaps], fronts };
}

/**
 * The current release with the other fronts alone, as they are served: a run that stopped among the
 * pointers has left some that it does not list.
 */
async function othersAsServed(
  codes: readonly string[],
  current: Manifest,
  hold: Hold | null,
  published: PublishedTree,
): Promise<Manifest> {
  const held = heldFronts(hold);
  const kept = [];
  for (const code of published.fronts) {
    const pointer = published.pointer(code);
    if (pointer === null || codes.includes(code)) continue;
    const { front, files } = await published.keptFront(pointer, held.has(code) ? 'rolled-back' : null);
    kept.push({ listing: published.listingOf(pointer) ?? { ...front, asOf: pointer.now }, files });
  }
  return { ...current, fronts: kept.map(({ listing }) => listing), files: kept.flatMap(({ files }) => files) };
}

/** The other fronts of a release, and those of another one. */
function mergedManifest(others: Manifest, restored: Manifest, now: Instant): Manifest {
  const fronts = [
    ...others.fronts.map((one) => asOfLast(one, others)),
    ...restored.fronts.map((one) => ({ ...asOfLast(one, restored), held: 'rolled-back' as const })),
  ].sort((a, b) => (a.front < b.front ? -1 : 1));
  const fileOf = new Map([...restored.files, ...others.files].map((file) => [file.path, file]));
  const paths = [...new Set(fronts.flatMap(({ pointer }) => editionPathsOf(pointer)))].sort();
  return {
    ...others,
    now: formatInstant(instantOf(Math.max(now, instantOfText(others.now)))),
    allowed: [],
    fronts,
    files: paths.flatMap((path) => fileOf.get(path) ?? []),
  };
}

/** A listing in a release of a later instant: it does not know more than the release it is from. */
function asOfLast(listing: ManifestFront, manifest: Manifest): ManifestFront {
  const { asOf: _, ...rest } = listing;
  const last = asOf(listing.pointer, listing, manifest);
  return last === listing.pointer.now && listing.held !== null ? rest : { ...rest, asOf: last };
}

function listingIn({ fronts }: Manifest, code: string, { id }: Release): ManifestFront {
  const listing = fronts.find(({ front }) => front === code);
  if (listing !== undefined) return listing;
  const message = `expected a front of release ${id}, found ${JSON.stringify(code)}`;
  throw new AppError('front-unknown', message, `it has: ${fronts.map(({ front }) => front).join(', ') || 'none'}`);
}

function allHeld(root: string): AppError {
  const message = `expected a tree that no rollback holds as a whole, found ${root} held`;
  return new AppError(
    'tree-held',
    message,
    'let builds publish again: playbill rollback --resume; or go back without --front',
  );
}

function noCurrent(root: string): AppError {
  const message = `expected a current release whose manifest can be read in ${root}, found none`;
  return new AppError('release-damaged', message, 'go back without --front, or write one: playbill build');
}
