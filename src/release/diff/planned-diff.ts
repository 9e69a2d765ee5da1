// Compares what a dry run would publish with what is published, front by front. It collects new
// editions from a store that writes nothing. To bound memory, it holds the editions of one front at
// a time, and keeps only counts and the first few of all changes.

import { formatInstant, parseInstant, type Instant } from '../../catalogue/instant.ts';
import type { DocumentChange, PlannedDiffJson } from '../../contract/results/diff.ts';
import type { PlanEntry } from '../../contract/results/parts.ts';
import { AppError } from '../../errors.ts';
import { editionPath, treeFileOf } from '../../render/paths.ts';
import type { FrontResult } from '../publish/render-front.ts';
import type { PublishedTree } from '../tree/published.ts';
import { parseProducts, readProducts } from '../tree/read.ts';
import { DocumentReader } from '../tree/release-view.ts';
import type { ReleaseStore } from '../tree/store.ts';
import { wrap } from '../../wrap.ts';
import { countChanges } from './document-diff.ts';
import { diffSnapshots, upcomingChanges, type SnapshotView } from './snapshot-diff.ts';

/** How many changes are listed per kind and front, and in all. */
const CHANGES_LISTED = 20;
const CHANGES_LISTED_IN_ALL = 1000;

/**
 * How many bytes of a front's new editions are kept. If there are more, only the edition for now is
 * compared.
 */
const EDITION_BYTES_MAX = 64 * 1024 * 1024;

type PlannedChange = PlannedDiffJson['changed'][number];

export class PlannedDiffs {
  readonly #published: PublishedTree;
  readonly #store: ReleaseStore;
  readonly #now: string;
  /** The new products editions of the front being rendered, by path. */
  readonly #editions = new Map<string, Uint8Array>();
  #editionBytes = 0;
  readonly #result: PlannedDiffJson = { isDifferent: false, same: [], added: [], gone: [], changed: [], unknown: [] };
  #listedTotal = 0;

  constructor(published: PublishedTree, store: ReleaseStore, now: Instant) {
    this.#published = published;
    this.#store = store;
    this.#now = formatInstant(now);
  }

  /** The store to publish to. It passes everything on and collects new editions. */
  get store(): ReleaseStore {
    const store = this.#store;
    return wrap(store, {
      create: async (file) => {
        this.#collect(file.path, file.bytes);
        await store.create(file);
      },
      replace: async (files) => {
        for (const { path, bytes } of files) this.#collect(path, bytes);
        await store.replace(files);
      },
    });
  }

  #collect(path: string, bytes: Uint8Array): void {
    const file = treeFileOf(path);
    if (file?.kind !== 'edition' || file.endpoint !== 'products') return;
    this.#editionBytes += bytes.length;
    // The first new edition is the one for now, unless that is published already. Copied, because
    // the renderer reuses the bytes.
    if (this.#editions.size === 0 || this.#editionBytes <= EDITION_BYTES_MAX) this.#editions.set(path, bytes.slice());
  }

  /** Compares a front after all its editions have been collected, and drops them. */
  async add({ code, held, listing }: Pick<FrontResult, 'code' | 'held' | 'listing'>): Promise<void> {
    try {
      if (held !== null || listing === null) return;
      const pointer = this.#published.pointer(code);
      if (pointer === null) {
        this.#result.added.push({ front: code, cards: listing.cards });
        return;
      }
      const documents = new DocumentReader(async (front, digest) => {
        const path = editionPath(front, 'products', digest);
        const bytes = this.#editions.get(path);
        return bytes === undefined ? readProducts(front, digest, this.#store) : parseProducts(bytes, path);
      });
      const products = (digest: string) => documents.products(code, digest);
      const releaseNow = this.#published.manifest?.now ?? pointer.now;
      const at = releaseNow > pointer.now ? releaseNow : pointer.now;
      const asOf = this.#published.asOf(pointer);
      const after = { pointer: listing.pointer, at: this.#now, asOf: this.#now, products };
      await this.#compare({ pointer, at, asOf, products }, after);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'tree-unreadable') throw error;
      this.#result.unknown.push(code);
    } finally {
      this.#editions.clear();
      this.#editionBytes = 0;
    }
  }

  async #compare(before: SnapshotView, after: SnapshotView): Promise<void> {
    const diff = await diffSnapshots(before, after);
    const { clock, data, ambiguous } = diff;
    const isCompared = data.length === 0 && this.#editionBytes <= EDITION_BYTES_MAX;
    const upcoming = isCompared ? await upcomingChanges(before, after, diff) : null;
    const counts: PlannedChange['counts'] = {
      clock: countChanges(clock),
      data: countChanges(data),
      ambiguous: countChanges(ambiguous),
      upcoming: countChanges((upcoming ?? []).flatMap(({ changes }) => changes)),
    };
    if (upcoming !== null && Object.values(counts).every((ofLists) => Object.keys(ofLists).length === 0)) {
      this.#result.same.push(diff.front);
      return;
    }
    const lists = { clock: this.#listed(clock), data: this.#listed(data), ambiguous: this.#listed(ambiguous) };
    const listed = upcoming?.map(({ from, changes }) => ({ from, changes: this.#listed(changes) })) ?? null;
    this.#result.changed.push({ ...diff, ...lists, upcoming: listed, counts });
  }

  /**
   * The differences of all fronts, including those that lose their pointers by the plan; each list
   * by code.
   */
  async result(plan: readonly PlanEntry[]): Promise<PlannedDiffJson> {
    const { added, gone, changed, same, unknown } = this.#result;
    for (const { action, path } of plan) {
      const file = treeFileOf(path);
      if (action !== 'remove' || file?.kind !== 'pointer') continue;
      const pointer = this.#published.pointer(file.front);
      const at = parseInstant(this.#published.manifest?.now ?? pointer?.now ?? '');
      const isKnown = pointer !== null && at !== undefined;
      gone.push({ front: file.front, cards: isKnown ? await this.#published.cardsAt(pointer, at) : 0 });
    }
    for (const list of [added, gone, changed]) list.sort((a, b) => (a.front < b.front ? -1 : 1));
    for (const list of [same, unknown]) list.sort();
    return { ...this.#result, isDifferent: added.length + gone.length + changed.length + unknown.length > 0 };
  }

  #listed(changes: readonly DocumentChange[]): DocumentChange[] {
    const listed = changes.slice(0, Math.min(CHANGES_LISTED, CHANGES_LISTED_IN_ALL - this.#listedTotal));
    this.#listedTotal += listed.length;
    return listed;
  }
}
