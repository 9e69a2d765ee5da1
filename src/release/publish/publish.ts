// Publishing: snapshot.md, "Publish protocol", steps 2 to 5. One order of writes holds law 4 (whole) and law 5 (immutable):
//
//   content, front by front  →  all of it durable  →  manifest  →  pointers  →  current
//
// A stop after any single write leaves every front its old snapshot or its new one. A retry finds the content that is there
// already, writes what is missing, and ends in the same tree. The caller holds the tree's lock.

import { formatInstant, type Instant } from '../../catalogue/instant.ts';
import type { Finding } from '../../findings.ts';
import type { HoldCode, Manifest } from '../../contract/manifest.ts';
import { TREE_SCHEMA } from '../../contract/primitives.ts';
import { digestOf, pathOf } from '../../render/paths.ts';
import { sha256Of } from '../tree/digest.ts';
import type { Guarded, GuardOptions } from './guards.ts';
import { obstructionFinding } from '../tree/obstruction.ts';
import { Plan, type PlanEntry } from './plan.ts';
import { activateRelease } from './activate.ts';
import type { PublishedTree } from '../tree/published.ts';
import { heldResult, type FrontResult, type FrontTask } from './render-front.ts';
import { replaceIfChanged } from '../tree/replace-if-changed.ts';
import type { ReleaseStore } from '../tree/store.ts';
import { manifestText } from '../tree/codec.ts';

export interface PublishInput {
  /** What became of the fronts that were to be rendered (render-front.ts, `frontTasks`). */
  readonly results: readonly FrontResult[];
  /** Fronts that are not rendered, and why: their pointers stay. */
  readonly held: ReadonlyMap<string, HoldCode>;
  /** Why a published front that is in neither list keeps its pointer all the same; null where it is gone and loses it. */
  readonly removalHold: HoldCode | null;
  /** Fronts that lose their pointers because their operator disabled them; others that go have no row any more. */
  readonly disabledCodes: ReadonlySet<string>;
  readonly horizonSeconds: number;
  readonly toolVersion: string;
  readonly tzdata: string;
  readonly guards: GuardOptions;
}

/** What became of one front; a held one is listed as it was, or not at all where it has never been published. */
export type FrontOutcome = FrontResult;

export interface Publication {
  /** The release's id; that of the release in force where every front was held and nothing was written. */
  readonly releaseId: string | null;
  readonly outcomes: readonly FrontOutcome[];
  /** What happened to files that are no front's content: pointers removed, manifest, current. */
  readonly plan: readonly PlanEntry[];
  readonly findings: readonly Finding[];
}

/** The fronts that can be put, each with what is published of it; and those in the place of whose pointer something else stands. */
export async function frontTasks(
  fronts: readonly Omit<FrontTask, 'before'>[],
  published: PublishedTree,
  now: Instant,
): Promise<{ readonly tasks: readonly FrontTask[]; readonly obstructed: readonly FrontResult[] }> {
  const tasks: FrontTask[] = [];
  const obstructed: FrontResult[] = [];
  for (const front of fronts) {
    const { code } = front;
    const obstruction = await published.obstructionOf(code);
    if (obstruction === null) tasks.push({ ...front, before: await beforeOf(code, published, now) });
    else obstructed.push(heldResult(code, 'file-kind-wrong', [], [obstructionFinding(obstruction)]));
  }
  return { tasks, obstructed };
}

/** Publishes a release over what the store holds, once the content of all fronts is on its way there. @throws AppError tree-full, tree-not-writable, tree-unreadable */
export async function publish(
  input: PublishInput,
  published: PublishedTree,
  store: ReleaseStore,
  now: Instant,
): Promise<Publication> {
  const plan = new Plan();
  const done: FrontOutcome[] = [];
  for (const result of input.results) {
    const { code, held, guards, findings } = result;
    done.push(held === null ? result : await keepPublished(code, held, published, guards, findings));
  }
  for (const [code, reason] of input.held) done.push(await keepPublished(code, reason, published));
  // State after a stop here: content that nothing points at, under temporary names.
  await store.settle();
  // State after a stop here: content that nothing points at, under its own names.

  const listed = new Set(done.map((outcome) => outcome.code));
  const publishedCodes = await published.fronts();
  const gone = publishedCodes.filter((code) => !listed.has(code));
  const guard = input.removalHold === null ? removalGuard(gone, publishedCodes.length, input) : null;
  const isRemoving = input.removalHold === null && guard?.isOverridden !== false;
  const removed = isRemoving ? gone : [];
  const reason = input.removalHold ?? 'max-shrink';
  const guards = guard === null ? [] : [guard];
  const kept = isRemoving ? [] : gone.map((code) => keepPublished(code, reason, published, guards));
  const outcomes = [...done, ...(await Promise.all(kept))].sort((a, b) => (a.code < b.code ? -1 : 1));
  const isAnyNew = outcomes.some((outcome) => outcome.held === null);
  // Gone fronts that only the release in force still lists: a run was stopped between their pointers and `current`.
  const isAnyLeft = isRemoving && published.listedFronts.some((code) => !listed.has(code));
  if (!isAnyNew && !isAnyLeft && removed.length === 0) {
    return {
      releaseId: published.currentId,
      outcomes,
      plan: plan.entries,
      findings: published.findings,
    };
  }

  const manifest = manifestOf(outcomes, input, now);
  const manifestBytes = new TextEncoder().encode(manifestText(manifest));
  const releaseId = digestOf(sha256Of(manifestBytes));
  await replaceIfChanged(pathOf({ kind: 'manifest', id: releaseId }), manifestBytes, store, plan);
  // State after a stop here: a manifest of a release that is not in force.

  const listings = outcomes.flatMap(({ held, listing }) => (held === null ? (listing ?? []) : []));
  await activateRelease({ releaseId, listings, gone: removed }, published, store, plan);
  return { releaseId, outcomes, plan: plan.entries, findings: published.findings };
}

/**
 * The guard on fronts that have vanished from the catalogue: an empty table, or a view that gives nothing for a moment, must not
 * take everything off the air. As with cards, more than the allowed share is absurd; a disabled front is no accident.
 */
function removalGuard(gone: readonly string[], publishedTotal: number, input: PublishInput): Guarded | null {
  const vanished = gone.filter((code) => !input.disabledCodes.has(code)).length;
  if (vanished <= publishedTotal * input.guards.maxShrink) return null;
  const message = `${vanished} of ${publishedTotal} published fronts have vanished from the catalogue`;
  return { code: 'max-shrink', message, isOverridden: input.guards.allowShrink || input.guards.force };
}

/** What is published of a front, as far as guards compare with it; null where nothing is. */
async function beforeOf(code: string, published: PublishedTree, now: Instant): Promise<FrontTask['before']> {
  const pointer = await published.pointer(code);
  return pointer === null ? null : { now: pointer.now, cards: await published.cardsAt(pointer, now) };
}

/** A front whose pointer stays as it is: held back, not selected, or guarded. */
async function keepPublished(
  code: string,
  held: HoldCode,
  published: PublishedTree,
  guards: readonly Guarded[] = [],
  findings: readonly Finding[] = [],
): Promise<FrontOutcome> {
  const pointer = await published.pointer(code);
  if (pointer === null) return heldResult(code, held, guards, findings);
  const { front, files } = await published.keptFront(pointer, held);
  return { code, held, guards, listing: front, files, plan: [], findings };
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
