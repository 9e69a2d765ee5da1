// What a dry run's build would change: each front compared with what is published, as it is rendered. Sees the new editions pass by
// on their way to a store that writes nothing; of each front under way it keeps one document, and of all differences their counts
// and the first few, so that memory does not grow with the number of fronts.

import { formatInstant, type Instant } from '../../catalogue/instant.ts';
import { AppError } from '../../errors.ts';
import { treeFileOf } from '../../render/paths.ts';
import { countChanges, type ChangeCounts, type DocumentChange, type ListName } from './document-diff.ts';
import type { PlanEntry } from '../publish/plan.ts';
import type { FrontResult } from '../publish/render-front.ts';
import type { PublishedTree } from '../tree/published.ts';
import { DocumentReader } from '../tree/release-view.ts';
import type { ReleaseStore } from '../tree/store.ts';
import { diffAtInstants, laterDifferences } from './snapshot-diff.ts';

/** How many changes are named for one reason on one front, and in all. */
const CHANGES_NAMED = 20;
const CHANGES_NAMED_IN_ALL = 1000;

/** Changes for one reason: all counted, the first named. */
export interface PlannedChanges {
  readonly counts: Readonly<Partial<Record<ListName, ChangeCounts>>>;
  readonly total: number;
  readonly named: readonly DocumentChange[];
}

export interface PlannedDiff {
  readonly front: string;
  /** `unknown`: what is published is damaged. */
  readonly state: 'added' | 'gone' | 'same' | 'changed' | 'unknown';
  /** null where nothing is published, or it is not known. */
  readonly cardsBefore: number | null;
  readonly cardsAfter: number | null;
  readonly clock: PlannedChanges;
  readonly data: PlannedChanges;
  /** As in SnapshotDiff. */
  readonly ambiguous: PlannedChanges;
  readonly comparableUntil: string | null;
  /** Whether other data shows in later editions, with or without a difference now. */
  readonly isLaterDifferent: boolean;
}

const NONE: PlannedChanges = { counts: {}, total: 0, named: [] };
const NOTHING = { clock: NONE, data: NONE, ambiguous: NONE, comparableUntil: null, isLaterDifferent: false } as const;

export class PlannedDiffs {
  readonly #published: PublishedTree;
  readonly #store: ReleaseStore;
  readonly #now: string;
  /** Of each front under way the first products edition that is new, which is the one for now where that is new at all. */
  readonly #firstNew = new Map<string, { readonly path: string; readonly bytes: Uint8Array }>();
  readonly #diffs: PlannedDiff[] = [];
  #namedTotal = 0;

  constructor(published: PublishedTree, store: ReleaseStore, now: Instant) {
    this.#published = published;
    this.#store = store;
    this.#now = formatInstant(now);
  }

  /** The store to publish to: the one given, watched. */
  get store(): ReleaseStore {
    const store = this.#store;
    return {
      read: (path) => store.read(path),
      size: (path) => store.size(path),
      list: (folder) => store.list(folder),
      create: async (path, bytes) => {
        this.#see(path, bytes);
        await store.create(path, bytes);
      },
      settle: () => store.settle(),
      replace: async (files) => {
        for (const { path, bytes } of files) this.#see(path, bytes);
        await store.replace(files);
      },
      remove: (path) => store.remove(path),
    };
  }

  #see(path: string, bytes: Uint8Array): void {
    const file = treeFileOf(path);
    if (file?.kind !== 'edition' || file.endpoint !== 'products' || this.#firstNew.has(file.front)) return;
    // The bytes are the renderer's again after this call.
    this.#firstNew.set(file.front, { path, bytes: bytes.slice() });
  }

  /** Compares one front, and lets go of its document. */
  async add({ code, held, listing }: Pick<FrontResult, 'code' | 'held' | 'listing'>): Promise<void> {
    const firstNew = this.#firstNew.get(code);
    this.#firstNew.delete(code);
    if (held !== null || listing === null) return;
    const documents = new DocumentReader(async (path) => {
      const bytes = path === firstNew?.path ? firstNew.bytes : await this.#store.read(path);
      return bytes === undefined ? { bytes: null, problem: 'is missing' } : { bytes, problem: null };
    });
    const products = (digest: string) => documents.products(code, digest);
    const after = { pointer: listing.pointer, at: this.#now, products };
    const cards = { cardsBefore: null, cardsAfter: listing.cards };
    const pointer = await this.#published.pointer(code);
    if (pointer === null) {
      this.#diffs.push({ front: code, state: 'added', ...cards, ...NOTHING });
      return;
    }
    const releaseNow = this.#published.manifest?.now ?? pointer.now;
    const before = { pointer, at: releaseNow > pointer.now ? releaseNow : pointer.now, products };
    const diff = await diffAtInstants(before, after).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'tree-unreadable') return null;
      throw error;
    });
    if (diff === null) {
      this.#diffs.push({ front: code, state: 'unknown', ...cards, ...NOTHING });
      return;
    }
    const isLaterDifferent = diff.comparableUntil === null && laterDifferences(before, after).length > 0;
    const isChanged = isLaterDifferent || diff.clock.length + diff.data.length + diff.ambiguous.length > 0;
    this.#diffs.push({
      front: code,
      state: isChanged ? 'changed' : 'same',
      cardsBefore: diff.cardsBefore,
      cardsAfter: diff.cardsAfter,
      clock: this.#planned(diff.clock),
      data: this.#planned(diff.data),
      ambiguous: this.#planned(diff.ambiguous),
      comparableUntil: diff.comparableUntil,
      isLaterDifferent,
    });
  }

  /** All fronts that would be published, by code, and those that would lose their pointers by the plan. */
  result(plan: readonly PlanEntry[]): readonly PlannedDiff[] {
    const gone = plan.flatMap(({ action, path }): PlannedDiff[] => {
      const file = treeFileOf(path);
      if (action !== 'remove' || file?.kind !== 'pointer') return [];
      return [{ front: file.front, state: 'gone', cardsBefore: null, cardsAfter: null, ...NOTHING }];
    });
    return [...this.#diffs, ...gone].sort((a, b) => (a.front < b.front ? -1 : 1));
  }

  #planned(changes: readonly DocumentChange[]): PlannedChanges {
    if (changes.length === 0) return NONE;
    const named = changes.slice(0, Math.min(CHANGES_NAMED, CHANGES_NAMED_IN_ALL - this.#namedTotal));
    this.#namedTotal += named.length;
    return { counts: countChanges(changes), total: changes.length, named };
  }
}
