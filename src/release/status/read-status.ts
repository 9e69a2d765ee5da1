// What a monitor sees of a tree: the release in force, a rollback's hold, and the pointer of every front that has one or should. Reads no edition, so
// that it may be run every minute; what is damaged is a finding, and `verify` says more. Writes nothing.

import type { Finding } from '../../findings.ts';
import { parseInstant } from '../../catalogue/instant.ts';
import type { Manifest, ManifestFront } from '../../contract/manifest.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { ENDPOINTS, pathOf, RELEASES_FOLDER } from '../../render/paths.ts';
import type { Hold } from '../tree/hold.ts';
import { entryOf } from '../tree/published.ts';
import { publishedFronts } from './show.ts';
import type { TreeReader } from '../tree/reader.ts';
import { parseCurrent, parseManifest, parsePointer, pointerText, PROBLEM_CODE, type Parsed } from '../tree/codec.ts';

const CURRENT = pathOf({ kind: 'current' });
const HOLD = pathOf({ kind: 'hold' });

export interface TreeStatus {
  /** The release in force; null where there is none, or none that can be read. */
  readonly release: { readonly id: string; readonly manifest: Manifest } | null;
  /** The hold of a rollback; null where the tree is not held. */
  readonly hold: Hold | null;
  /** By code. */
  readonly fronts: readonly WatchedFront[];
  /** What is wrong with the release in force, or with a pointer. */
  readonly findings: readonly Finding[];
}

export type WatchedFront = SoundFront | BrokenFront;

interface SoundFront {
  readonly code: string;
  readonly pointer: Pointer;
  /** As the release in force lists the front; null where it lists none, or another pointer. */
  readonly listing: ManifestFront | null;
}

/** A front that an edge serves nothing of, although it should. */
interface BrokenFront {
  readonly code: string;
  readonly pointer: null;
  readonly problem: 'pointer-missing' | 'pointer-invalid';
}

/** Looks at a tree. @throws AppError tree-newer-schema */
export async function readTreeStatus(reader: TreeReader): Promise<TreeStatus> {
  const findings: Finding[] = [];
  // Pointers first, the release after them: the other way round a publish in between would make every pointer a stranger to it.
  const codes = await publishedFronts(reader);
  const pointers = new Map<string, Pointer | null>();
  for (const code of codes) {
    const path = pathOf({ kind: 'pointer', front: code });
    const { value, problem } = await parsedFile(path, reader, parsePointer);
    const message = problem ?? contradictionOf(value, code);
    pointers.set(code, message === null ? value : null);
    if (message !== null) findings.push({ severity: 'error', code: PROBLEM_CODE.pointer, place: path, message });
  }

  const { entries } = await reader.entries(RELEASES_FOLDER);
  const isThere = (path: string): boolean => entries.some((entry) => entry.path === path);
  const release = isThere(CURRENT) ? await releaseInForce(reader, findings) : null;
  // Whatever is there in its place: builds wait.
  const hold = isThere(HOLD) ? { releaseId: (await parsedFile(HOLD, reader, parseCurrent)).value } : null;
  const listings = new Map(release?.manifest.fronts.map((front) => [front.front, front]));
  const missing = [...listings.keys()].filter((code) => !pointers.has(code));
  for (const code of missing) {
    const message = `expected a pointer: release ${release?.id} lists the front; run build again`;
    const place = pathOf({ kind: 'pointer', front: code });
    findings.push({ severity: 'error', code: 'pointer-missing', place, message });
  }

  const fronts = [...codes, ...missing].sort().map((code): WatchedFront => {
    const pointer = pointers.get(code);
    if (pointer === undefined) return { code, pointer: null, problem: 'pointer-missing' };
    if (pointer === null) return { code, pointer, problem: 'pointer-invalid' };
    const listing = listings.get(code);
    const isListed = listing !== undefined && pointerText(listing.pointer) === pointerText(pointer);
    return { code, pointer, listing: isListed ? listing : null };
  });
  return { release, hold, fronts, findings };
}

/** What no schema sees: another front's pointer, or a 30 February. */
function contradictionOf(pointer: Pointer, code: string): string | null {
  if (pointer.front !== code) return `expected the pointer of ${code}, found that of ${pointer.front}`;
  const froms = ENDPOINTS.flatMap((endpoint) => pointer[endpoint].map((entry) => entryOf(entry).from));
  const wrong = [pointer.now, pointer.validUntil, ...froms].find((text) => parseInstant(text) === undefined);
  return wrong === undefined ? null : `expected instants, found ${wrong}`;
}

async function releaseInForce(reader: TreeReader, findings: Finding[]): Promise<TreeStatus['release']> {
  // It judges nothing that is served, so none of this makes a front stale: the next build writes it anew.
  const note = (kind: 'current' | 'manifest', place: string, message: string): null => {
    findings.push({ severity: 'warning', code: PROBLEM_CODE[kind], place, message });
    return null;
  };
  const current = await parsedFile(CURRENT, reader, parseCurrent);
  if (current.problem !== null) return note('current', CURRENT, current.problem);
  const id = current.value;
  const path = pathOf({ kind: 'manifest', id });
  const { value, problem } = await parsedFile(path, reader, parseManifest);
  return problem === null ? { id, manifest: value } : note('manifest', path, problem);
}

async function parsedFile<T>(
  path: string,
  reader: TreeReader,
  parse: (bytes: Uint8Array, path: string) => Parsed<T>,
): Promise<Parsed<T>> {
  const { bytes, problem } = await reader.read(path);
  return problem === null ? parse(bytes, path) : { value: null, problem };
}
