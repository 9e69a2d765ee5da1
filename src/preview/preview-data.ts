// Reads the tree for the page: releases, current pointers, editions, and how much editions change.
// Reads and checks it on every request, so that the page need not check anything.

import { formatInstant, type Instant } from '../catalogue/instant.ts';
import type { SessionKey } from '../catalogue/product.ts';
import type { ProductsDocument } from '../contract/documents.ts';
import type { ManifestFront } from '../contract/manifest.ts';
import type { Pointer } from '../contract/pointer.ts';
import { entryOf } from '../contract/pointer-entry.ts';
import { AppError } from '../errors.ts';
import { pointerText } from '../release/tree/codec.ts';
import { diffDocuments } from '../release/diff/document-diff.ts';
import { frontHistory } from '../release/diff/front-history.ts';
import { isAlarming, readStatusAt } from '../release/status/status.ts';
import type { TreeFolders } from '../release/tree/files.ts';
import { orNull, orThrow } from '../release/tree/found.ts';
import { readManifest } from '../release/tree/manifest.ts';
import {
  parseProducts,
  listedFronts,
  readCurrent,
  readEdition,
  readPointer,
  readProducts,
} from '../release/tree/read.ts';
import { readAhead } from '../release/tree/read-ahead.ts';
import { keptReleases } from '../release/tree/releases.ts';
import { editionIndexAt } from '../render/edition-choice.ts';
import { FRONTS_FOLDER, pathOf, RELEASES_FOLDER, treeFileOf } from '../render/paths.ts';
import {
  CURRENT,
  type Contingent,
  type CurrentRelease,
  type DaySessions,
  type EditionChange,
  type EditionChanges,
  type FrontAlarms,
  type HistoryEntry,
  type MissingProduct,
  type Overview,
  type PreviewFront,
  type PreviewRelease,
  type ProductLabels,
} from './messages.ts';

/**
 * The catalogue that the tree was built from. It knows what a tree does not: which products have no
 * card, and why.
 */
export interface PreviewCatalogue {
  readonly path: string;
  /**
   * The products that the front lists, except those with one of `cards`, that have no card at `at`.
   * Takes milliseconds for each; gives up once `signal` is aborted.
   * @throws AppError database-…, front-unknown
   */
  missing(
    front: string,
    at: Instant,
    cards: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<readonly MissingProduct[]>;
  /**
   * The categories and tags of the products that the front lists.
   * @throws AppError database-…
   */
  labels(front: string): Promise<readonly ProductLabels[]>;
  /**
   * The sessions that the front offers and has a contingent of, by product and start; gives up like
   * `missing`.
   * @throws AppError database-…, front-unknown
   */
  contingents(front: string, at: Instant, signal: AbortSignal): Promise<readonly Contingent[]>;
  /**
   * The output of `explain`, untitled; `session`: of one session alone.
   * @throws AppError database-…, front-unknown, product-unknown
   */
  explain(front: string, slug: string, at: Instant, session: SessionKey | null): Promise<string>;
  /**
   * The sessions that start on the day of the front that contains `at`; gives up like `missing`.
   * @throws AppError database-…, front-unknown
   */
  day(front: string, at: Instant, signal: AbortSignal): Promise<DaySessions>;
}

export class PreviewData {
  /** Opens the tree as it is now. */
  readonly #fresh: () => TreeFolders;

  constructor(fresh: () => TreeFolders) {
    this.#fresh = fresh;
  }

  /**
   * Kept releases and the current one, as of the server's clock.
   * @throws AppError tree-newer-schema, tree-unreadable
   */
  async overview(now: Instant, database: string | null): Promise<Overview> {
    const files = this.#fresh();
    const kept = await keptReleases(files);
    const releases = kept.releases.map((release) => ({ id: release.id, now: formatInstant(release.now) }));
    return { ...(await this.current(now)), root: files.root, database, releases };
  }

  async current(now: Instant): Promise<CurrentRelease> {
    return { now: formatInstant(now), current: orNull(await readCurrent(this.#fresh()))?.id ?? null };
  }

  /**
   * A kept release by its id, or the current pointers for `CURRENT`.
   * @throws AppError nothing-published, tree-unreadable, tree-newer-schema
   */
  async release(id: string): Promise<PreviewRelease> {
    if (id === CURRENT) return this.#inForce();
    const files = this.#fresh();
    const { releases, older } = await keptReleases(files);
    const release = [...releases, ...older].find((one) => one.id === id);
    if (release === undefined) {
      const message = `expected the id of a kept release, found ${JSON.stringify(id)}`;
      throw new AppError('nothing-published', message, `see the kept releases in ${files.root}/${RELEASES_FOLDER}`);
    }
    const { fronts } = orThrow(await readManifest(release, files));
    return { id, fronts: fronts.map((record) => frontWith(record.pointer, record)) };
  }

  /**
   * The text of an edition as published. `path` is relative to the tree's fronts folder.
   * @throws AppError nothing-published, tree-unreadable
   */
  async edition(path: string): Promise<string> {
    const wholePath = `${FRONTS_FOLDER}/${path}`;
    const file = treeFileOf(wholePath);
    if (file?.kind !== 'edition' || file.encoding !== 'identity') {
      const message = `expected the path of an edition, found ${JSON.stringify(path)}`;
      throw new AppError('nothing-published', message, 'to find damaged files, run: playbill verify');
    }
    const bytes = orThrow(await readEdition(wholePath, file.digest, this.#fresh()));
    if (file.endpoint === 'products') orThrow(parseProducts(bytes, wholePath));
    return new TextDecoder().decode(bytes);
  }

  /**
   * What each edition of a front changes. `id` is that of a release, or `CURRENT`.
   * @throws AppError nothing-published, tree-unreadable
   */
  async changes(id: string, front: string): Promise<EditionChanges> {
    const { fronts } = await this.release(id);
    const files = this.#fresh();
    const products = fronts.find((view) => view.front === front)?.pointer?.products ?? [];
    const changes: (EditionChange | null)[] = [];
    let before: ProductsDocument | null = null;
    const digests = products.map((entry) => entryOf(entry).digest);
    for await (const [, read] of readAhead(digests, (digest) => readProducts(front, digest, files))) {
      const document: ProductsDocument | null = read.ok ? read.value : null;
      const isFirst = changes.length === 0;
      changes.push(isFirst ? { count: 0, products: [] } : before && document && changeOf(before, document));
      before = document;
    }
    return changes;
  }

  /**
   * Slugs of the products with a card at an instant; empty if the edition cannot be read.
   * @throws AppError nothing-published, tree-unreadable
   */
  async cards(id: string, front: string, at: Instant): Promise<ReadonlySet<string>> {
    const { fronts } = await this.release(id);
    const entries = fronts.find((view) => view.front === front)?.pointer?.products ?? [];
    const entry = entries[editionIndexAt(entries, formatInstant(at))];
    const read = entry === undefined ? null : await readProducts(front, entryOf(entry).digest, this.#fresh());
    return new Set(read?.ok === true ? read.value.productCards.map(({ slug }) => slug) : []);
  }

  /** The newest releases that the tree keeps of a front. @throws AppError tree-unreadable */
  async history(front: string): Promise<readonly HistoryEntry[]> {
    const history = await frontHistory(front, this.#fresh(), RELEASES_SHOWN);
    return history.map(({ now, listing, changes, ...release }) => ({
      ...release,
      now: formatInstant(now),
      listing: listing && entryListing(listing),
      since: changes?.since ?? null,
      changes: changes?.fronts[0] ?? null,
    }));
  }

  /**
   * What `playbill status` says of a front at an instant. @throws AppError tree-unreadable,
   * tree-newer-schema
   */
  async alarms(front: string, at: Instant): Promise<FrontAlarms> {
    const { status } = await readStatusAt(this.#fresh(), null, at);
    const others = new Set(status.fronts.filter((one) => one.front !== front).map((one) => placeOf(one.front)));
    return {
      at: status.at,
      exit: isAlarming(status) ? 1 : 0,
      fronts: status.fronts.length,
      stale: status.fronts.filter(({ stale }) => stale !== null).length,
      hold: status.hold,
      heldAt: status.heldFronts[front] ?? null,
      front: status.fronts.find((one) => one.front === front) ?? null,
      findings: status.findings.filter(({ place }) => !others.has(place)),
    };
  }

  async #inForce(): Promise<PreviewRelease> {
    const files = this.#fresh();
    const current = orNull(await readCurrent(files));
    const manifest = current === null ? null : await readManifest(current, files);
    const listed = manifest?.ok === true ? manifest.value.fronts : [];
    const records = new Map(listed.map((record) => [record.front, record]));
    const fronts: PreviewFront[] = [];
    const codes = new Set([...(await listedFronts(files)), ...records.keys()]);
    for await (const [front, read] of readAhead([...codes].toSorted(), (code) => readPointer(code, files))) {
      if (read.ok) fronts.push(frontWith(read.value.pointer, records.get(front)));
      else {
        const why = read.why === 'missing' ? POINTER_MISSING : read.message;
        const problem = `${placeOf(front)}: ${why}`;
        fronts.push({ front, pointer: null, problem, record: null });
      }
    }
    return { id: CURRENT, fronts };
  }
}

function changeOf(before: ProductsDocument, after: ProductsDocument): EditionChange {
  const changes = diffDocuments(before, after);
  const products = new Set(changes.flatMap(({ list, id }) => (list === 'productCards' ? [id] : [])));
  return { count: changes.length, products: [...products] };
}

/** Where findings about a front's pointer and keys are. */
function placeOf(front: string): string {
  return pathOf({ kind: 'pointer', front });
}

function entryListing(listing: ManifestFront): HistoryEntry['listing'] {
  const { pointer, held, cards, cardsByEdition, prices = [], currency } = listing;
  return { pointer, held, cards, cardsByEdition, prices, ...(currency === undefined ? {} : { currency }) };
}

/** More than a tree keeps of a day. */
const RELEASES_SHOWN = 30;

const POINTER_MISSING = 'missing, although the current release has this front; publish again with: playbill build';

/** `record` is used only if the manifest has this very pointer. */
function frontWith(pointer: Pointer, record: ManifestFront | undefined): PreviewFront {
  const view = { front: pointer.front, pointer, problem: null };
  if (record === undefined || pointerText(record.pointer) !== pointerText(pointer)) return { ...view, record: null };
  const { held, cards, dropped, currency } = record;
  return { ...view, record: { held, cards, dropped, currency } };
}
