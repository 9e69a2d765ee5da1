// What is published before a run: the current release and each front's pointer. A damaged file
// becomes a finding and counts as absent, so that the next publish replaces it.

import { formatInstant, type Instant } from '../../catalogue/instant.ts';
import type { KeyRing } from '../../contract/key-ring.ts';
import type { Manifest, ManifestFile, ManifestFront } from '../../contract/manifest.ts';
import type { HeldReason } from '../../contract/held-reasons.ts';
import type { ProductsDocument } from '../../contract/documents.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { entryOf, nextStartIn } from '../../contract/pointer-entry.ts';
import type { Release } from '../../contract/release-name.ts';
import type { Finding } from '../../findings.ts';
import { priceSummaryOf, type PriceSummary } from '../../render/edition-prices.ts';
import { editionIndexAt } from '../../render/edition-choice.ts';
import { pathOf } from '../../render/paths.ts';
import { editionPathsOf, pointerText, problemCode, type PROBLEM_CODE } from './codec.ts';
import { asOf } from './as-of.ts';
import { sha256Of } from './digest.ts';
import { orNull, orThrow, type Failure, type Found } from './found.ts';
import { readThreeFiles } from './manifest.ts';
import { publishedFronts, readCurrent, readKeyRing, readPointer, readProducts, type ReadPointer } from './read.ts';
import { keptReleases } from './releases.ts';
import type { ReleaseStore } from './store.ts';

export class PublishedTree {
  /** null if missing or damaged. */
  readonly keyRing: KeyRing | null;
  /**
   * The current release and its manifest; each null if missing or damaged, the manifest also if an
   * earlier version wrote it.
   */
  readonly current: Release | null;
  readonly manifest: Manifest | null;
  /** The paths of its parts. */
  readonly parts: readonly string[];
  /** Codes of the fronts that have a pointer, readable or not; sorted. */
  readonly fronts: readonly string[];
  /** Damaged files, by path. */
  readonly findings: readonly Finding[];
  readonly #store: ReleaseStore;
  readonly #pointers: ReadonlyMap<string, Found<ReadPointer>>;
  readonly #listings: ReadonlyMap<string, ManifestFront>;
  readonly #files: ReadonlyMap<string, ManifestFile>;

  private constructor(
    store: ReleaseStore,
    parts: Pick<PublishedTree, 'keyRing' | 'current' | 'manifest' | 'parts' | 'fronts' | 'findings'>,
    pointers: ReadonlyMap<string, Found<ReadPointer>>,
  ) {
    this.#store = store;
    this.keyRing = parts.keyRing;
    this.current = parts.current;
    this.manifest = parts.manifest;
    this.parts = parts.parts;
    this.fronts = parts.fronts;
    this.findings = parts.findings;
    this.#pointers = pointers;
    this.#listings = new Map(parts.manifest?.fronts.map((listing) => [listing.front, listing]));
    this.#files = new Map(parts.manifest?.files.map((file) => [file.path, file]));
  }

  /**
   * Reads every file that publishing may replace, so that a newer tool's tree is refused before
   * anything is written.
   * @throws AppError tree-newer-schema, tree-unreadable
   */
  static async read(store: ReleaseStore): Promise<PublishedTree> {
    const findings: Finding[] = [];
    const valueOf = <T>(kind: keyof typeof PROBLEM_CODE, result: Found<T>, isExpected = true): T | null => {
      if (!result.ok && result.why !== 'unreadable' && (isExpected || result.why !== 'missing')) {
        const code = result.why === 'obstructed' ? 'file-kind-wrong' : problemCode(kind, result);
        const message = result.why === 'older' ? result.message : `${result.message}; treated as not published`;
        findings.push({ severity: 'warning', code, place: result.location, message });
      }
      return orNull(result);
    };
    const keyRing = valueOf('key-ring', await readKeyRing(store), false);
    const current = valueOf('current', await readCurrent(store), false);
    const files = current === null ? null : valueOf('manifest', await readThreeFiles(current, store));
    const { manifest, parts } = files ?? { manifest: null, parts: [] };
    const listed = await publishedFronts(store);
    const pointers = new Map<string, Found<ReadPointer>>();
    // A pointer that has not moved since the current release is not read where a listing says so. If a
    // build has stopped after that release, there is a later manifest, and if a rollback has, a hold:
    // then listings prove nothing, because they may show a pointer as it was before.
    const { releases, isHeld } = await keptReleases(store);
    const isSettled =
      !isHeld && releases.every(({ name, now }) => name === current?.name || now < (current?.now ?? now));
    const listings = isSettled ? (manifest?.fronts ?? []) : [];
    const likely = new Map(listings.map(({ front, pointer }) => [front, pointer]));
    const read = await Promise.all(
      listed.map(async (front) => [front, await readPointer(front, store, likely.get(front))] as const),
    );
    for (const [front, pointer] of read) {
      // A listing may show what has been removed.
      if (!pointer.ok && pointer.why === 'missing') continue;
      pointers.set(front, pointer);
      valueOf('pointer', pointer);
    }
    findings.sort((a, b) => (a.place < b.place ? -1 : 1));
    const fronts = [...pointers.keys()];
    return new PublishedTree(store, { keyRing, current, manifest, parts, fronts, findings }, pointers);
  }

  /** A front's pointer as published before this run; null if missing or damaged. */
  pointer(front: string): Pointer | null {
    const result = this.#pointers.get(front);
    return result?.ok === true ? result.value.pointer : null;
  }

  /** Whether a front's pointer is valid but not in canonical form: another program rewrote it. */
  isRewritten(front: string): boolean {
    const result = this.#pointers.get(front);
    return result?.ok === true && !result.value.isCanonical;
  }

  /**
   * What is at the path of a front's pointer and cannot be replaced; null if nothing is.
   * @throws AppError tree-unreadable
   */
  async obstructionOf(front: string): Promise<Failure | null> {
    // A folder at the path is not among the listed files.
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

  /** A front with an unchanged pointer as the next release's manifest lists it, and its files. */
  async keptFront(pointer: Pointer, held: HeldReason | null): Promise<{ front: ManifestFront; files: ManifestFile[] }> {
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
    // The manifest with this pointer is lost. The rest is derived from the documents.
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
      nextChange: nextStartIn(pointer.products),
    };
    return { front, files };
  }

  /**
   * Whether a file exists with its right size. A listing is believed only where the current release
   * names the file.
   */
  async hasFile({ path, bytes }: ManifestFile): Promise<boolean> {
    const { askSize } = this.#store;
    const size = askSize === null || this.lists(path) ? await this.#store.size(path) : await askSize(path);
    return orNull(size) === bytes;
  }

  /** Whether the current release names a file. */
  lists(path: string): boolean {
    return this.#files.has(path);
  }

  /** The current release's files by recipe, as far as recipes are known. */
  get filesByRecipe(): ReadonlyMap<string, ManifestFile> {
    return new Map(this.manifest?.files.flatMap((file) => (file.recipe === undefined ? [] : [[file.recipe, file]])));
  }

  /** The instant as of which a published front is right. */
  asOf(pointer: Pointer): string {
    return asOf(pointer, this.listingOf(pointer), this.manifest);
  }

  /** The current release's entry for a front, if it has exactly this pointer. */
  listingOf(pointer: Pointer): ManifestFront | undefined {
    const listing = this.#listings.get(pointer.front);
    if (listing === undefined || listing.pointer === pointer) return listing;
    return pointerText(listing.pointer) === pointerText(pointer) ? listing : undefined;
  }

  /** The prices of a published pointer's edition in force at an instant; null if it cannot be read. */
  async priceSummaryAt(pointer: Pointer, at: string): Promise<PriceSummary | null> {
    const index = editionIndexAt(pointer.products, at);
    const listed = this.listingOf(pointer)?.prices?.[index];
    if (listed !== undefined) return listed;
    const prices = await this.pricesAt(pointer, at);
    return priceSummaryOf(Float64Array.from(prices.values()).sort());
  }

  /** The same prices by product id. */
  async pricesAt(pointer: Pointer, at: string): Promise<ReadonlyMap<number, number>> {
    const { digest } = entryOf(pointer.products[editionIndexAt(pointer.products, at)] ?? '');
    return this.pricesOf(pointer.front, digest);
  }

  /** The prices of an edition by product id, without cards that have none; none if it cannot be read. */
  async pricesOf(front: string, digest: string): Promise<ReadonlyMap<number, number>> {
    return cardPrices(orNull(await readProducts(front, digest, this.#store)));
  }

  async #cardsOf(pointer: Pointer, index: number): Promise<number> {
    const digest = entryOf(pointer.products[index] ?? '').digest;
    return orNull(await readProducts(pointer.front, digest, this.#store))?.productCards.length ?? 0;
  }
}

/** The prices of a document's cards by product id, without cards that have none. */
export function cardPrices(document: ProductsDocument | null): ReadonlyMap<number, number> {
  return new Map(
    document?.productCards.flatMap(({ productId, priceFrom }) => (priceFrom === null ? [] : [[productId, priceFrom]])),
  );
}
