// The hold: `releases/hold` says that a rollback has restored a release. While the file exists,
// builds render and plan but publish nothing, so that the next cron job does not undo the rollback.
// It is `{"all":"<release>"}`, or `{"fronts":{"<code>":"<release>"}}` if only these fronts were
// restored. Earlier versions wrote the id of a release alone.

import * as z from 'zod';
import { frontCode } from '../../contract/primitives.ts';
import { parseRelease, type Release } from '../../contract/release-name.ts';
import type { HoldJson, PlanEntry } from '../../contract/results/parts.ts';
import { pathOf } from '../../render/paths.ts';
import { AppError } from '../../errors.ts';
import { parseJson, parseReleaseName } from './codec.ts';
import { replaceIfChanged } from './replace-if-changed.ts';
import type { TreeFiles } from './files.ts';
import { damaged, found, orNull, type Found } from './found.ts';
import type { ReleaseStore } from './store.ts';
import { beginGrace } from './rollback-grace.ts';

export const HOLD_PATH = pathOf({ kind: 'hold' });

/** What a rollback holds. */
export type Hold =
  | { readonly kind: 'all'; readonly release: Release }
  /** These fronts, by code: builds publish the others. */
  | { readonly kind: 'fronts'; readonly releases: ReadonlyMap<string, Release> }
  /** The file cannot be read: it may hold anything. */
  | { readonly kind: 'damaged' };

const releaseName = z.string().transform((name, context) => {
  const release = parseRelease(name);
  if (release === undefined) context.addIssue('expected the name of a release');
  return release ?? z.NEVER;
});

const holdSchema = z.union([
  z.strictObject({ all: releaseName }).transform(({ all }): Hold => ({ kind: 'all', release: all })),
  z
    .strictObject({ fronts: z.record(frontCode, releaseName) })
    .transform(({ fronts }): Hold => ({ kind: 'fronts', releases: new Map(Object.entries(fronts)) })),
]);

/** What is in `releases/hold`. */
export async function readHoldFile(files: TreeFiles): Promise<Found<Hold>> {
  const bytes = await files.read(HOLD_PATH);
  if (!bytes.ok) return bytes;
  const ofEarlier = parseReleaseName(bytes.value, HOLD_PATH);
  if (ofEarlier.ok) return found({ kind: 'all', release: ofEarlier.value });
  const json = parseJson(bytes.value, HOLD_PATH);
  const hold = holdSchema.safeParse(json.ok ? json.value : null);
  return hold.success ? found(hold.data) : damaged(HOLD_PATH, 'expected {"all":"<release>"} or {"fronts":{…}}');
}

/**
 * The hold of a tree, or null. A damaged file also holds the tree.
 * @throws AppError tree-unreadable
 */
export async function readHold(files: TreeFiles): Promise<Hold | null> {
  const hold = await readHoldFile(files);
  return !hold.ok && hold.why === 'missing' ? null : (orNull(hold) ?? { kind: 'damaged' });
}

/** Holds a tree at a release. @throws AppError tree-full, tree-not-writable, tree-unreadable */
export async function putHold({ name }: Release, store: ReleaseStore): Promise<PlanEntry> {
  return replaceIfChanged(HOLD_PATH, `${JSON.stringify({ all: name })}\n`, store);
}

/** Holds these fronts, each at a release. @throws as `putHold` */
export async function holdFronts(releases: ReadonlyMap<string, Release>, store: ReleaseStore): Promise<PlanEntry> {
  const fronts = Object.fromEntries(
    [...releases].sort(([a], [b]) => (a < b ? -1 : 1)).map(([code, { name }]) => [code, name]),
  );
  return replaceIfChanged(HOLD_PATH, `${JSON.stringify({ fronts })}\n`, store);
}

/** Whether builds publish nothing. */
export function holdsAll(hold: Hold | null): boolean {
  return hold !== null && hold.kind !== 'fronts';
}

/** The fronts that builds keep as they are, each with the release that it was put back to. */
export function heldFronts(hold: Hold | null): ReadonlyMap<string, Release> {
  return hold?.kind === 'fronts' ? hold.releases : new Map();
}

/**
 * Lets builds publish again. `current` is the release that they will supersede.
 * @throws AppError tree-full, tree-not-writable
 */
export async function liftHold(current: Release | null, store: ReleaseStore): Promise<void> {
  await beginGrace(current?.id ?? null, store);
  // State after a stop here: the tree is still held, and every release is kept.
  await store.remove([HOLD_PATH]);
}

/**
 * Lets builds publish some fronts again.
 * @throws AppError front-not-held, tree-full, tree-not-writable
 */
export async function liftFronts(codes: readonly string[], hold: Hold | null, store: ReleaseStore): Promise<void> {
  const held = heldFronts(hold);
  const unknown = codes.find((code) => !held.has(code));
  if (unknown !== undefined) throw notHeld(unknown, hold);
  const left = new Map([...held].filter(([code]) => !codes.includes(code)));
  if (left.size > 0) await holdFronts(left, store);
  else await store.remove([HOLD_PATH]);
}

function notHeld(code: string, hold: Hold | null): AppError {
  const codes = [...heldFronts(hold).keys()];
  const all = holdsAll(hold) ? 'the whole tree is held: playbill rollback --resume' : 'no front is held';
  const hint = codes.length > 0 ? `held fronts: ${codes.join(', ')}` : all;
  return new AppError('front-not-held', `expected a front that a rollback holds, found ${JSON.stringify(code)}`, hint);
}

/** Whether nothing began or ended between two readings of a hold. */
export function isSameHold(a: Hold | null, b: Hold | null): boolean {
  return JSON.stringify(namesIn(a)) === JSON.stringify(namesIn(b));
}

/** The releases that a hold names, by front if it names any; null if there is no hold. */
function namesIn(hold: Hold | null): readonly (readonly string[])[] | null {
  if (hold === null) return null;
  switch (hold.kind) {
    case 'all':
      return [[hold.release.name]];
    case 'fronts':
      return [...hold.releases].map(([front, { name }]) => [front, name]);
    case 'damaged':
      return [];
  }
}

/** As results print it; null unless the whole tree is held. */
export function holdJson(hold: Hold | null): HoldJson | null {
  if (hold === null || hold.kind === 'fronts') return null;
  return { release: hold.kind === 'all' ? hold.release.id : null };
}

/** The held fronts as results print them: ids of releases by code. */
export function heldFrontsJson(hold: Hold | null): Record<string, string> {
  return Object.fromEntries([...heldFronts(hold)].map(([code, { id }]) => [code, id]));
}
