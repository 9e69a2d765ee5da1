// Publishing: snapshot.md, "Publish protocol", steps 2 to 5. One order of writes holds law 4 (whole) and law 5 (immutable):
//
//   content, front by front  →  all of it durable  →  manifest  →  pointers  →  current
//
// A stop after any single write leaves every front its old snapshot or its new one. A retry finds the content that is there
// already, writes what is missing, and ends in the same tree. The caller holds the tree's lock.

import pLimit from 'p-limit';
import { formatInstant, type Instant } from '../catalogue/instant.ts';
import type { Finding } from '../catalogue/finding.ts';
import type { HoldCode, Manifest, ManifestFile, ManifestFront } from '../contract/manifest.ts';
import type { Pointer } from '../contract/pointer.ts';
import { TREE_SCHEMA } from '../contract/primitives.ts';
import type { FrontEditions } from '../snapshot/editions.ts';
import { digestOf, editionPath, pathOf } from '../snapshot/paths.ts';
import { sha256Of } from './digest.ts';
import { guardsTripped, type Guarded, type GuardOptions } from './guards.ts';
import { Plan, type PlanEntry } from './plan.ts';
import type { PublishedTree } from './published.ts';
import { putWhereDifferent } from './put-where-different.ts';
import type { ReleaseStore } from './release-store.ts';
import { manifestText, pointerText } from './wire.ts';

/** One front to publish, or to carry on as it is. */
export interface FrontJob {
  readonly code: string;
  readonly timezone: string;
  readonly weekendDays: string;
  /** `YYYY-MM-DD` in the front's zone at now. */
  readonly today: string;
  readonly minCards: number;
  /** Begins the rendering of the front's editions; asked for once, when its turn comes. */
  readonly render: () => Promise<FrontEditions>;
}

export interface PublishInput {
  readonly jobs: readonly FrontJob[];
  /** Fronts that are not rendered, and why: their pointers stay. */
  readonly held: ReadonlyMap<string, HoldCode>;
  /** Why a published front that is in neither list keeps its pointer all the same; null where it is gone and loses it. */
  readonly heldGone: HoldCode | null;
  /** Fronts that lose their pointers because their operator disabled them; others that go have no row any more. */
  readonly disabledCodes: ReadonlySet<string>;
  readonly horizonSeconds: number;
  readonly toolVersion: string;
  readonly tzdata: string;
  readonly guards: GuardOptions;
  /** Hears of each front as soon as its content is put, or it is held. */
  readonly onFront: (outcome: FrontOutcome) => void;
}

/** What became of one front. */
export interface FrontOutcome {
  readonly code: string;
  /** Why the old snapshot stays; null where the new one is published. */
  readonly held: HoldCode | null;
  readonly guards: readonly Guarded[];
  /** As the manifest lists the front; null where it was held and has never been published. */
  readonly listing: ManifestFront | null;
  readonly files: readonly ManifestFile[];
  readonly plan: readonly PlanEntry[];
  readonly findings: readonly Finding[];
}

export interface Publication {
  /** The release's id; that of the release in force where every front was held and nothing was written. */
  readonly releaseId: string | null;
  readonly outcomes: readonly FrontOutcome[];
  /** What happened to files that are no front's content: pointers removed, manifest, current. */
  readonly plan: readonly PlanEntry[];
  readonly findings: readonly Finding[];
}

/** How many fronts are rendered and written at the same time: bounds the open writes and the buffers alike. */
const FRONTS_AT_ONCE = 4;

/** Publishes a release over what the store holds. @throws AppError tree-full, tree-not-writable, tree-unreadable */
export async function publish(
  input: PublishInput,
  published: PublishedTree,
  store: ReleaseStore,
  now: Instant,
): Promise<Publication> {
  const plan = new Plan();
  const rendering = input.jobs.map((job) => () => putFront(job, input, published, store, now));
  const carrying = [...input.held].map(
    ([code, reason]) =>
      () =>
        carryFront(code, reason, published),
  );
  const done = await frontByFront([...rendering, ...carrying], input.onFront);
  // State after a stop here: content that nothing points at, under temporary names.
  await store.settle();
  // State after a stop here: content that nothing points at, under its own names.

  const listed = new Set(done.map((outcome) => outcome.code));
  const publishedCodes = await published.fronts();
  const gone = publishedCodes.filter((code) => !listed.has(code));
  const guard = input.heldGone === null ? goneGuard(gone, publishedCodes.length, input) : null;
  const isRemoving = input.heldGone === null && guard?.isOverridden !== false;
  const removed = isRemoving ? gone : [];
  const reason = input.heldGone ?? 'max-shrink';
  const guards = guard === null ? [] : [guard];
  const kept = isRemoving ? [] : gone.map((code) => carryFront(code, reason, published, guards));
  const outcomes = [...done, ...(await Promise.all(kept))].sort((a, b) => (a.code < b.code ? -1 : 1));
  const isAnyNew = outcomes.some((outcome) => outcome.held === null);
  // Gone fronts that only the release in force still lists: a run was stopped between their pointers and `current`.
  const isAnyLeft = isRemoving && published.listedFronts.some((code) => !listed.has(code));
  if (!isAnyNew && !isAnyLeft && removed.length === 0) {
    return { releaseId: published.currentId, outcomes, plan: plan.entries, findings: published.findings };
  }

  const manifest = manifestOf(outcomes, input, now);
  const manifestBytes = new TextEncoder().encode(manifestText(manifest));
  const releaseId = digestOf(sha256Of(manifestBytes));
  await putWhereDifferent(pathOf({ kind: 'manifest', id: releaseId }), manifestBytes, store, plan);
  // State after a stop here: a manifest of a release that is not in force.

  await swapPointers(outcomes, published, store, plan);
  for (const code of removed) {
    const path = pathOf({ kind: 'pointer', front: code });
    plan.add('remove', path, 0, 'front-gone');
    await store.remove(path);
  }
  // State after a stop here: some fronts have their new snapshot, the others their old one, each whole.

  await putWhereDifferent(pathOf({ kind: 'current' }), new TextEncoder().encode(`${releaseId}\n`), store, plan);
  return { releaseId, outcomes, plan: plan.entries, findings: published.findings };
}

/** Runs the fronts' work, a few at a time; after a failure none is begun, and the failure is thrown once all have stopped. */
async function frontByFront(
  works: readonly (() => Promise<FrontOutcome>)[],
  onFront: (outcome: FrontOutcome) => void,
): Promise<FrontOutcome[]> {
  const limit = pLimit(FRONTS_AT_ONCE);
  const outcomes: FrontOutcome[] = [];
  const failures: unknown[] = [];
  const run = async (work: () => Promise<FrontOutcome>): Promise<void> => {
    if (failures.length > 0) return;
    try {
      const outcome = await work();
      outcomes.push(outcome);
      onFront(outcome);
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(works.map((work) => limit(() => run(work))));
  if (failures.length > 0) throw failures[0];
  return outcomes;
}

/** Steps 2 to 4 for one front: render, let the guards decide, put what is new. */
async function putFront(
  job: FrontJob,
  input: PublishInput,
  published: PublishedTree,
  store: ReleaseStore,
  now: Instant,
): Promise<FrontOutcome> {
  const editions = await job.render();
  const before = await published.pointer(job.code);
  const beforeCards = before === null ? 0 : await published.cardsAt(before, now);
  const guards = guardsTripped(
    { cards: editions.cards, minCards: job.minCards },
    before === null ? null : { pointer: before, cards: beforeCards },
    input.guards,
    now,
  );
  const guard = guards.find((one) => !one.isOverridden);
  if (guard !== undefined) return carryFront(job.code, guard.code, published, guards);

  const plan = new Plan();
  const files = new Map<string, ManifestFile>();
  const entries = { products: [] as string[], categories: [] as string[] };
  const cardsByEdition: number[] = [];
  for (const { endpoint, from, bytes, cards } of editions.render()) {
    const sha256 = sha256Of(bytes);
    const path = editionPath(job.code, endpoint, digestOf(sha256));
    entries[endpoint].push(`${formatInstant(from)} ${digestOf(sha256)}`);
    if (endpoint === 'products') cardsByEdition.push(cards);
    if (files.has(path)) continue;
    files.set(path, { path, bytes: bytes.length, sha256 });
    const size = await store.size(path);
    if (size === undefined) {
      plan.add('put', path, bytes.length, 'new-content');
      await store.create(path, bytes);
    } else if (size === bytes.length) {
      plan.add('keep', path, bytes.length, 'same-content');
    } else if (input.guards.force) {
      plan.add('put', path, bytes.length, 'repaired');
      await store.replace([{ path, bytes }]);
    } else {
      return carryFront(job.code, 'file-size-wrong', published, guards, [wrongSize(path, bytes.length, size)]);
    }
  }
  const pointer: Pointer = {
    schema: TREE_SCHEMA,
    front: job.code,
    now: formatInstant(now),
    validUntil: formatInstant(editions.validUntil),
    today: job.today,
    timezone: job.timezone,
    products: entries.products,
    categories: entries.categories,
  };
  const listing: ManifestFront = {
    front: job.code,
    held: null,
    pointer,
    weekendDays: job.weekendDays,
    cards: editions.cards,
    editions: { products: entries.products.length, categories: entries.categories.length },
    cardsByEdition,
    dropped: editions.dropped,
    nextChange: entries.products[1]?.slice(0, 20) ?? null,
  };
  return { code: job.code, held: null, guards, listing, files: [...files.values()], plan: plan.entries, findings: [] };
}

/**
 * The guard on fronts that have vanished from the catalogue: an empty table, or a view that gives nothing for a moment, must not
 * take everything off the air. As with cards, more than the allowed share is absurd; a disabled front is no accident.
 */
function goneGuard(gone: readonly string[], publishedTotal: number, input: PublishInput): Guarded | null {
  const vanished = gone.filter((code) => !input.disabledCodes.has(code)).length;
  if (vanished <= publishedTotal * input.guards.maxShrink) return null;
  const message = `${vanished} of ${publishedTotal} published fronts have vanished from the catalogue`;
  return { code: 'max-shrink', message, isOverridden: input.guards.allowShrink || input.guards.force };
}

/** A front whose pointer stays as it is: held back, not selected, or guarded. */
async function carryFront(
  code: string,
  held: HoldCode,
  published: PublishedTree,
  guards: readonly Guarded[] = [],
  findings: readonly Finding[] = [],
): Promise<FrontOutcome> {
  const pointer = await published.pointer(code);
  if (pointer === null) return { code, held, guards, listing: null, files: [], plan: [], findings };
  const { front, files } = await published.carriedOn(pointer, held);
  return { code, held, guards, listing: front, files, plan: [], findings };
}

/** The pointers of the fronts that have a new snapshot, in the order of their codes. */
async function swapPointers(
  outcomes: readonly FrontOutcome[],
  published: PublishedTree,
  store: ReleaseStore,
  plan: Plan,
): Promise<void> {
  const swaps = [];
  for (const { code, held, listing } of outcomes) {
    if (held !== null || listing === null) continue;
    const path = pathOf({ kind: 'pointer', front: code });
    const text = pointerText(listing.pointer);
    const bytes = new TextEncoder().encode(text);
    const before = await published.pointer(code);
    if (before !== null && pointerText(before) === text && !published.isRewritten(code)) {
      plan.add('keep', path, bytes.length, 'same-content');
    } else {
      plan.add('put', path, bytes.length, before === null ? 'new-pointer' : 'pointer-moves');
      swaps.push({ path, bytes });
    }
  }
  await store.replace(swaps);
}

function manifestOf(outcomes: readonly FrontOutcome[], input: PublishInput, now: Instant): Manifest {
  const listings = outcomes.flatMap((outcome) => outcome.listing ?? []);
  const files = outcomes.flatMap((outcome) => outcome.files);
  return {
    schema: TREE_SCHEMA,
    tool: input.toolVersion,
    now: formatInstant(now),
    horizonSeconds: input.horizonSeconds,
    tzdata: input.tzdata,
    fronts: listings.sort((a, b) => (a.front < b.front ? -1 : 1)),
    files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

function wrongSize(path: string, expected: number, found: number): Finding {
  const message = `expected ${expected} bytes, found ${found}: the published file is damaged; build --force writes it anew`;
  return { severity: 'error', code: 'file-size-wrong', place: path, message };
}
