// What a tree holds before a build: the release in force and each front's pointer. A torn file is a finding and counts as
// absent: the next publish heals it.

import pLimit from 'p-limit';
import type { Finding } from '../../findings.ts';
import type { Instant } from '../../catalogue/instant.ts';
import { formatInstant } from '../../catalogue/instant.ts';
import { productsDocumentSchema } from '../../contract/documents.ts';
import type { KeyRing } from '../../contract/key-ring.ts';
import type { Manifest, ManifestFile, ManifestFront } from '../../contract/manifest.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { editionIndexAt } from '../../render/edition-choice.ts';
import { editionPath, ENDPOINTS, FRONTS_FOLDER, pathOf, treeFileOf, type Endpoint } from '../../render/paths.ts';
import { sha256Of } from './digest.ts';
import { Obstruction, orObstruction } from './obstruction.ts';
import type { ReleaseStore } from './store.ts';
import { parseCurrent, parseKeyRing, parseManifest, parsePointer, pointerText, PROBLEM_CODE } from './codec.ts';

/** How many pointers are open at the same time. */
const POINTERS_AT_ONCE = 16;

export class PublishedTree {
  /** What the key ring in force says; null where there is none that can be read. */
  readonly keyRing: KeyRing | null;
  /** Id and manifest of the release in force; null where there is none that can be read. */
  readonly currentId: string | null;
  readonly manifest: Manifest | null;
  readonly findings: Finding[];
  readonly #store: ReleaseStore;
  readonly #pointers = new Map<string, Promise<Pointer | null>>();
  readonly #rewritten = new Set<string>();
  readonly #obstructions = new Map<string, Obstruction>();
  readonly #recordedFronts: ReadonlyMap<string, ManifestFront>;
  readonly #recordedFiles: ReadonlyMap<string, ManifestFile>;

  private constructor(
    store: ReleaseStore,
    keyRing: KeyRing | null,
    currentId: string | null,
    manifest: Manifest | null,
    findings: Finding[],
  ) {
    this.#store = store;
    this.keyRing = keyRing;
    this.currentId = currentId;
    this.manifest = manifest;
    this.findings = findings;
    this.#recordedFronts = new Map(manifest?.fronts.map((front) => [front.front, front]));
    this.#recordedFiles = new Map(manifest?.files.map((file) => [file.path, file]));
  }

  /**
   * Reads every file that a release changes, so that a newer tool's tree is refused before anything is written.
   * @throws AppError tree-newer-schema, tree-unreadable
   */
  static async read(store: ReleaseStore): Promise<PublishedTree> {
    const findings: Finding[] = [];
    const note = (kind: keyof typeof PROBLEM_CODE, place: string, message: string): void =>
      void findings.push({ severity: 'warning', code: PROBLEM_CODE[kind], place, message });
    const keyRingPath = pathOf({ kind: 'key-ring' });
    const keyRingBytes = await readNoting(keyRingPath, store, findings);
    const keyRing = keyRingBytes === undefined ? null : parseKeyRing(keyRingBytes, keyRingPath);
    if (keyRing !== null && keyRing.problem !== null) note('key-ring', keyRingPath, keyRing.problem);

    const currentPath = pathOf({ kind: 'current' });
    const currentBytes = await readNoting(currentPath, store, findings);
    const current = currentBytes === undefined ? null : parseCurrent(currentBytes);
    if (current !== null && current.problem !== null) note('current', currentPath, current.problem);
    const currentId = current?.value ?? null;
    let manifest: Manifest | null = null;
    if (currentId !== null) {
      const path = pathOf({ kind: 'manifest', id: currentId });
      const bytes = await readNoting(path, store, findings);
      const parsed =
        bytes === undefined ? { value: null, problem: 'the manifest in force is missing' } : parseManifest(bytes, path);
      if (parsed.problem !== null) note('manifest', path, parsed.problem);
      manifest = parsed.value;
    }

    const tree = new PublishedTree(store, keyRing?.value ?? null, currentId, manifest, findings);
    const limit = pLimit(POINTERS_AT_ONCE);
    await Promise.all((await tree.fronts()).map((code) => limit(() => tree.pointer(code))));
    // Pointers are read side by side, findings are told in one order.
    findings.sort((a, b) => (a.place < b.place ? -1 : 1));
    return tree;
  }

  /** The pointer of a front as it was published before this build, or null. */
  pointer(front: string): Promise<Pointer | null> {
    let pointer = this.#pointers.get(front);
    if (pointer === undefined) {
      pointer = this.#readPointer(front);
      this.#pointers.set(front, pointer);
    }
    return pointer;
  }

  async #readPointer(front: string): Promise<Pointer | null> {
    const path = pathOf({ kind: 'pointer', front });
    const found = await orObstruction(this.#store.read(path));
    if (found instanceof Obstruction) {
      // Told of by the publish that is held back by it; what gives way is healed as a torn pointer is.
      if (!found.isReplaceable) this.#obstructions.set(front, found);
      else note(found, this.findings);
    }
    if (found === undefined || found instanceof Obstruction) return null;
    const { value, problem } = parsePointer(found, path);
    if (value?.front === front) {
      // Right in meaning, but not as we write it: an edge searches the text.
      if (pointerText(value) !== new TextDecoder().decode(found)) this.#rewritten.add(front);
      return value;
    }
    const message = `${problem ?? `expected the pointer of ${front}, found that of ${value?.front}`}; treated as not published`;
    this.findings.push({ severity: 'warning', code: PROBLEM_CODE.pointer, place: path, message });
    return null;
  }

  /** What stands in the place of a front's pointer and does not give way to it; null where nothing does. */
  async obstructionOf(front: string): Promise<Obstruction | null> {
    await this.pointer(front);
    return this.#obstructions.get(front) ?? null;
  }

  /** Codes of the fronts that have a pointer. */
  async fronts(): Promise<readonly string[]> {
    const paths = await this.#store.list(FRONTS_FOLDER);
    return paths.flatMap((path) => {
      const file = treeFileOf(path);
      return file?.kind === 'pointer' ? [file.front] : [];
    });
  }

  /** Whether somebody has written a front's pointer in another form than ours. */
  isRewritten(front: string): boolean {
    return this.#rewritten.has(front);
  }

  /** Codes of the fronts that the release in force lists. */
  get listedFronts(): readonly string[] {
    return [...this.#recordedFronts.keys()];
  }

  /** How many cards a published pointer shows at an instant. */
  async cardsAt(pointer: Pointer, now: Instant): Promise<number> {
    const index = editionIndexAt(pointer.products, formatInstant(now));
    const recorded = this.#recordOf(pointer)?.cardsByEdition[index];
    return recorded ?? (await this.#cardsOf(pointer, index));
  }

  /** A published front as the manifest of a later release carries it on. */
  async keptFront(
    pointer: Pointer,
    held: NonNullable<ManifestFront['held']>,
  ): Promise<{ front: ManifestFront; files: ManifestFile[] }> {
    const files: ManifestFile[] = [];
    for (const path of new Set(editionPathsOf(pointer))) {
      const recorded = this.#recordedFiles.get(path);
      if (recorded !== undefined) files.push(recorded);
      else {
        const bytes = await orObstruction(this.#store.read(path));
        if (bytes !== undefined && !(bytes instanceof Obstruction))
          files.push({ path, bytes: bytes.length, sha256: sha256Of(bytes) });
      }
    }
    const record = this.#recordOf(pointer);
    if (record !== undefined) return { front: { ...record, held }, files };
    // The manifest that knew this pointer is lost: say what the tree itself still tells.
    const cardsByEdition: number[] = [];
    for (const index of pointer.products.keys()) cardsByEdition.push(await this.#cardsOf(pointer, index));
    const front: ManifestFront = {
      front: pointer.front,
      held,
      pointer,
      weekendDays: null,
      cards: cardsByEdition[0] ?? 0,
      editions: { products: pointer.products.length, categories: pointer.categories.length },
      cardsByEdition,
      dropped: {},
      nextChange: pointer.products[1]?.slice(0, 20) ?? null,
    };
    return { front, files };
  }

  #recordOf(pointer: Pointer): ManifestFront | undefined {
    const record = this.#recordedFronts.get(pointer.front);
    return record !== undefined && pointerText(record.pointer) === pointerText(pointer) ? record : undefined;
  }

  async #cardsOf(pointer: Pointer, index: number): Promise<number> {
    const digest = pointer.products[index]?.slice(21) ?? '';
    const bytes = await orObstruction(this.#store.read(editionPath(pointer.front, 'products', digest)));
    if (bytes === undefined || bytes instanceof Obstruction) return 0;
    try {
      const parsed = productsDocumentSchema.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
      return parsed.success ? parsed.data.productCards.length : 0;
    } catch {
      return 0;
    }
  }
}

/** The bytes of a file; something that is no file counts as absent, as a torn file does. */
async function readNoting(path: string, store: ReleaseStore, findings: Finding[]): Promise<Uint8Array | undefined> {
  const found = await orObstruction(store.read(path));
  if (!(found instanceof Obstruction)) return found;
  note(found, findings);
  return undefined;
}

function note({ path, problem }: Obstruction, findings: Finding[]): void {
  const message = `${problem}; treated as not published`;
  findings.push({ severity: 'warning', code: 'file-kind-wrong', place: path, message });
}

/** Where an entry of a pointer begins and what it names. */
export function entryOf(entry: string): { readonly from: string; readonly digest: string } {
  return { from: entry.slice(0, 20), digest: entry.slice(21) };
}

/** The paths of all editions a pointer names, repeated ones repeated. */
export function editionPathsOf(pointer: Pointer): string[] {
  return ENDPOINTS.flatMap((endpoint: Endpoint) =>
    pointer[endpoint].map((entry) => editionPath(pointer.front, endpoint, entryOf(entry).digest)),
  );
}
