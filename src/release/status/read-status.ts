// Reads what a monitor needs from a tree: the current release, the hold, and the pointer of every
// front that has or should have one. Reads no editions, so that it may run every minute. Damage
// becomes a finding; `verify` has the details.

import { formatInstant, parseInstant, type Instant } from '../../catalogue/instant.ts';
import type { Manifest, ManifestFront } from '../../contract/manifest.ts';
import type { Pointer } from '../../contract/pointer.ts';
import type { Release } from '../../contract/release-name.ts';
import type { Finding } from '../../findings.ts';
import { ENDPOINTS, pathOf } from '../../render/paths.ts';
import { asOf } from '../tree/as-of.ts';
import { entryOf } from '../../contract/pointer-entry.ts';
import { pointerText, problemCode, type PROBLEM_CODE } from '../tree/codec.ts';
import type { TreeFolders } from '../tree/files.ts';
import { damaged, type Failure, type Found } from '../tree/found.ts';
import { readHoldFile, type Hold } from '../tree/hold.ts';
import { missingKeys, validKeysOf } from '../tree/key-validity.ts';
import { readManifest } from '../tree/manifest.ts';
import { listedFronts, readCurrent, readKeyRing, readPointer } from '../tree/read.ts';
import { readAhead } from '../tree/read-ahead.ts';

export interface TreeStatus {
  /** The current release; null if missing, damaged or of an earlier version. */
  readonly release: (Pick<Release, 'id' | 'name'> & { readonly manifest: Manifest }) | null;
  /** The hold of a rollback; null if the tree is not held. */
  readonly hold: Hold | null;
  /** By code. */
  readonly fronts: readonly PublishedFront[];
  /** What is wrong with the current release or a pointer. */
  readonly findings: readonly Finding[];
}

export type PublishedFront = WholeFront | BrokenFront;

interface WholeFront {
  readonly code: string;
  readonly pointer: Pointer;
  /** The instant as of which the front is right. */
  readonly asOf: string;
  /** The current release's entry for the front; null if it has none, or with another pointer. */
  readonly listing: ManifestFront | null;
}

/** A front for which an edge can serve nothing. */
interface BrokenFront {
  readonly code: string;
  readonly pointer: null;
  readonly problem: 'pointer-missing' | 'pointer-invalid';
}

/** Reads what a monitor needs of a tree. @throws AppError tree-newer-schema, tree-unreadable */
export async function readTreeStatus(files: TreeFolders): Promise<TreeStatus> {
  const findings: Finding[] = [];
  // Pointers are read before the release. Otherwise, after a publish in between, the release would
  // not list any of them.
  const pointers = new Map<string, Found<Pointer>>();
  const read = (code: string) => readDatedPointer(code, files);
  for await (const [code, pointer] of readAhead(await listedFronts(files), read)) pointers.set(code, pointer);
  const release = await readCurrentRelease(files, findings);
  const listings = new Map(release?.manifest.fronts.map((front) => [front.front, front]));
  const unseen = [...listings.keys()].filter((code) => !pointers.has(code));
  for await (const [code, pointer] of readAhead(unseen, read)) pointers.set(code, pointer);
  const held = await readHoldFile(files);
  // A damaged file also holds the tree.
  const hold: Hold | null = held.ok ? held.value : held.why === 'missing' ? null : { kind: 'damaged' };
  const fronts = [...pointers].map(([code, read]): PublishedFront => {
    if (!read.ok) {
      const isMissing = read.why === 'missing';
      const message = `expected a pointer: release ${release?.id} lists the front; run build again`;
      const failure = isMissing ? { ...read, message } : read;
      findings.push({ ...findingOf('pointer', failure, 'error'), ...(isMissing ? { code: 'pointer-missing' } : {}) });
      return { code, pointer: null, problem: isMissing ? 'pointer-missing' : 'pointer-invalid' };
    }
    const pointer = read.value;
    const listing = listings.get(code);
    const isListed = listing !== undefined && pointerText(listing.pointer) === pointerText(pointer);
    const own = isListed ? listing : undefined;
    return { code, pointer, asOf: asOf(pointer, own, release?.manifest ?? null), listing: own ?? null };
  });
  fronts.sort((a, b) => (a.code < b.code ? -1 : 1));
  return { release, hold, fronts, findings };
}

/**
 * How many valid keys each of these published fronts has, and what is wrong with the key ring.
 * @throws AppError tree-newer-schema
 */
export async function readKeyStatus(
  fronts: readonly string[],
  files: TreeFolders,
  now: Instant,
): Promise<{ readonly validKeys: Readonly<Record<string, number>>; readonly findings: readonly Finding[] }> {
  const at = formatInstant(now);
  const ring = await readKeyRing(files);
  const validKeys = Object.fromEntries(validKeysOf(fronts, ring.ok ? ring.value : null, at));
  if (ring.ok) return { validKeys, findings: missingKeys(fronts, ring.value, at) };
  return { validKeys, findings: fronts.length === 0 ? [] : [findingOf('key-ring', ring, 'error')] };
}

/**
 * Reads a pointer and checks that its instants exist in the calendar, which the schema does not.
 */
async function readDatedPointer(code: string, files: TreeFolders): Promise<Found<Pointer>> {
  const read = await readPointer(code, files);
  if (!read.ok) return read;
  const { pointer } = read.value;
  const starts = ENDPOINTS.flatMap((endpoint) => pointer[endpoint].map((entry) => entryOf(entry).from));
  const wrong = [pointer.now, pointer.validUntil, ...starts].find((text) => parseInstant(text) === undefined);
  return wrong === undefined
    ? { ok: true, value: pointer }
    : damaged(pathOf({ kind: 'pointer', front: code }), `expected an instant, found ${wrong}`);
}

/**
 * The current release. If it is damaged, that is only a warning: it does not affect what is served,
 * and the next build replaces it.
 */
async function readCurrentRelease(files: TreeFolders, findings: Finding[]): Promise<TreeStatus['release']> {
  const current = await readCurrent(files);
  if (!current.ok) {
    if (current.why !== 'missing') findings.push(findingOf('current', current, 'warning'));
    return null;
  }
  const manifest = await readManifest(current.value, files);
  if (manifest.ok) return { ...current.value, manifest: manifest.value };
  findings.push(findingOf('manifest', manifest, 'warning'));
  return null;
}

function findingOf(kind: keyof typeof PROBLEM_CODE, failure: Failure, severity: Finding['severity']): Finding {
  return { severity, code: problemCode(kind, failure), place: failure.location, message: failure.message };
}
