// What a tree holds before a build, as read.ts finds it: the current release and each front's pointer. A damaged file is a finding and
// counts as absent: the next publish replaces it.

import { formatInstant, type Instant } from '../../catalogue/instant.ts';
import type { KeyRing } from '../../contract/key-ring.ts';
import type { HoldCode, Manifest, ManifestFile, ManifestFront } from '../../contract/manifest.ts';
import type { Pointer } from '../../contract/pointer.ts';
import type { Finding } from '../../findings.ts';
import { editionIndexAt } from '../../render/edition-choice.ts';
import { pathOf } from '../../render/paths.ts';
import { editionPathsOf, entryOf, pointerText, PROBLEM_CODE } from './codec.ts';
import { asOf } from './as-of.ts';
import { sha256Of } from './digest.ts';
import { orNull, orThrow, type Failure, type Found } from './found.ts';
import {
  publishedFronts,
  readCurrent,
  readKeyRing,
  readManifest,
  readPointer,
  readProducts,
  type ReadPointer,
} from './read.ts';
import type { ReleaseStore } from './store.ts';

export class PublishedTree {
  /** null where there is none that can be read. */
  readonly keyRing: KeyRing | null;
  /** Id and manifest of the current release; null where there is none that can be read. */
  readonly currentId: string | null;
  readonly manifest: Manifest | null;
  /** Codes of the fronts that have a pointer, sorted. */
  readonly fronts: readonly string[];
  /** What is damaged, by location. */
  readonly findings: readonly Finding[];
  readonly #store: ReleaseStore;
  readonly #pointers: ReadonlyMap<string, Found<ReadPointer>>;
  readonly #listings: ReadonlyMap<string, ManifestFront>;
  readonly #files: ReadonlyMap<string, ManifestFile>;

  private constructor(
    store: ReleaseStore,
    parts: Pick<PublishedTree, 'keyRing' | 'currentId' | 'manifest' | 'fronts' | 'findings'>,
    pointers: ReadonlyMap<string, Found<ReadPointer>>,
  ) {
    this.#store = store;
    this.keyRing = parts.keyRing;
    this.currentId = parts.currentId;
    this.manifest = parts.manifest;
    this.fronts = parts.fronts;
    this.findings = parts.findings;
    this.#pointers = pointers;
    this.#listings = new Map(parts.manifest?.fronts.map((listing) => [listing.front, listing]));
    this.#files = new Map(parts.manifest?.files.map((file) => [file.path, file]));
  }

  /**
   * Reads every file that a release changes, so that a newer tool's tree is refused before anything is written.
   * @throws AppError tree-newer-schema, tree-unreadable
   */
  static async read(store: ReleaseStore): Promise<PublishedTree> {
    const findings: Finding[] = [];
    const valueOf = <T>(kind: keyof typeof PROBLEM_CODE, result: Found<T>, isExpected = true): T | null => {
      if (!result.ok && result.why !== 'unreadable' && (isExpected || result.why !== 'missing')) {
        const code = result.why === 'obstructed' ? 'file-kind-wrong' : PROBLEM_CODE[kind];
        const message = `${result.message}; treated as not published`;
        findings.push({ severity: 'warning', code, place: result.location, message });
      }
      return orNull(result);
    };
    const keyRing = valueOf('key-ring', await readKeyRing(store), false);
    const currentId = valueOf('current', await readCurrent(store), false);
    const manifest = currentId === null ? null : valueOf('manifest', await readManifest(currentId, store));
    const fronts = await publishedFronts(store);
    const pointers = new Map<string, Found<ReadPointer>>();
    const read = await Promise.all(fronts.map(async (front) => [front, await readPointer(front, store)] as const));
    for (const [front, pointer] of read) {
      pointers.set(front, pointer);
      valueOf('pointer', pointer);
    }
    findings.sort((a, b) => (a.place < b.place ? -1 : 1));
    return new PublishedTree(store, { keyRing, currentId, manifest, fronts, findings }, pointers);
  }

  /** The pointer of a front as it was published before this run; null where there is none that can be read. */
  pointer(front: string): Pointer | null {
    const result = this.#pointers.get(front);
    return result?.ok === true ? result.value.pointer : null;
  }

  /** Whether somebody has written a front's pointer in another form than ours. */
  isRewritten(front: string): boolean {
    const result = this.#pointers.get(front);
    return result?.ok === true && !result.value.isCanonical;
  }

  /** What is in the place of a front's pointer and does not give way to one; null where nothing is. @throws AppError tree-unreadable */
  async obstructionOf(front: string): Promise<Failure | null> {
    // A folder in the place of a pointer is in no list of files.
    const result = this.#pointers.get(front) ?? (await this.#store.read(pathOf({ kind: 'pointer', front })));
    if (result.ok || result.isReplaceable) return null;
    return result.why === 'obstructed' ? result : orThrow(result);
  }

  /** Codes of the fronts that the current release lists. */
  get listedFronts(): readonly string[] {
    return [...this.#listings.keys()];
  }

  /** How many cards a published pointer shows at an instant. */
  async cardsAt(pointer: Pointer, now: Instant): Promise<number> {
    const index = editionIndexAt(pointer.products, formatInstant(now));
    return this.listingOf(pointer)?.cardsByEdition[index] ?? (await this.#cardsOf(pointer, index));
  }

  /** A published front as the manifest of a later release lists it, and its files. */
  async keptFront(pointer: Pointer, held: HoldCode | null): Promise<{ front: ManifestFront; files: ManifestFile[] }> {
    const files: ManifestFile[] = [];
    for (const path of new Set(editionPathsOf(pointer))) {
      const recorded = this.#files.get(path);
      const bytes = recorded === undefined ? orNull(await this.#store.read(path)) : null;
      if (recorded !== undefined) files.push(recorded);
      else if (bytes !== null) files.push({ path, bytes: bytes.length, sha256: sha256Of(bytes) });
    }
    const listing = this.listingOf(pointer);
    if (listing !== undefined) {
      const { asOf: _, ...front } = listing;
      const since = held === null ? pointer.now : this.asOf(pointer);
      return { front: { ...front, held, ...(since === pointer.now ? {} : { asOf: since }) }, files };
    }
    // The manifest that had this pointer is lost: the tree itself still says this much.
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

  /** Whether files are there, by their sizes. */
  async hasFiles(files: readonly ManifestFile[]): Promise<boolean> {
    for (const { path, bytes } of files) if (orNull(await this.#store.size(path)) !== bytes) return false;
    return true;
  }

  /** Whether the current release names a file. */
  lists(path: string): boolean {
    return this.#files.has(path);
  }

  /** The files of the current release whose recipe is known, by it. */
  get filesByRecipe(): ReadonlyMap<string, ManifestFile> {
    return new Map(this.manifest?.files.flatMap((file) => (file.recipe === undefined ? [] : [[file.recipe, file]])));
  }

  /** As of which instant a published front is right. */
  asOf(pointer: Pointer): string {
    return asOf(pointer, this.listingOf(pointer), this.manifest);
  }

  /** As the current release lists a front with this pointer. */
  listingOf(pointer: Pointer): ManifestFront | undefined {
    const listing = this.#listings.get(pointer.front);
    return listing !== undefined && pointerText(listing.pointer) === pointerText(pointer) ? listing : undefined;
  }

  async #cardsOf(pointer: Pointer, index: number): Promise<number> {
    const { digest } = entryOf(pointer.products[index] ?? '');
    return orNull(await readProducts(pointer.front, digest, this.#store))?.productCards.length ?? 0;
  }
}
