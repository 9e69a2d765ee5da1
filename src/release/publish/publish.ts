// Publishing: snapshot.md, "Publish protocol", steps 2 to 5. One order of writes holds law 4 (whole) and law 5 (immutable):
//
//   content, front by front  →  all of it durable  →  manifest  →  pointers  →  current
//
// A stop after any single write leaves every front its old snapshot or its new one. A retry finds the content that is there
// already, writes what is missing, and ends in the same tree. The caller holds the tree's lock.

import { formatInstant, type Instant } from '../../catalogue/instant.ts';
import type { HoldCode, Manifest } from '../../contract/manifest.ts';
import { TREE_SCHEMA } from '../../contract/primitives.ts';
import type { Guard, Hold, PlanEntry } from '../../contract/results.ts';
import { AppError } from '../../errors.ts';
import type { Finding } from '../../findings.ts';
import { digestOf, folderOf, pathOf } from '../../render/paths.ts';
import { manifestText } from '../tree/codec.ts';
import { sha256Of } from '../tree/digest.ts';
import { obstructionFinding } from '../tree/found.ts';
import type { PublishedTree } from '../tree/published.ts';
import { replaceIfChanged } from './replace-if-changed.ts';
import type { RefusedFile, ReleaseStore } from '../tree/store.ts';
import { activateRelease } from './activate.ts';
import type { GuardedBefore, GuardOptions } from './guards.ts';
import { readHold } from '../history/hold.ts';
import { withQuietPointer } from './quiet-pointer.ts';
import { heldResult, type FrontResult, type FrontTask } from './render-front.ts';

export interface PublishInput {
  /** What became of the fronts that were to be rendered (`frontTasks`). */
  readonly results: readonly FrontResult[];
  /** Fronts that are not rendered, and why: their pointers stay. */
  readonly held: ReadonlyMap<string, HoldCode>;
  /** Why a published front that is in neither list keeps its pointer; null where it has left the catalogue and loses it. */
  readonly removalHold: HoldCode | null;
  /** The rollback that held the tree when the run began. */
  readonly hold: Hold | null;
  /** Fronts that lose their pointers because their operator disabled them; others that are removed have no row any more. */
  readonly disabledCodes: ReadonlySet<string>;
  readonly horizonSeconds: number;
  readonly toolVersion: string;
  readonly tzdata: string;
  readonly guards: GuardOptions;
}

export interface Publication {
  /** The release's id; that of the current release where every front was held and nothing was written. */
  readonly releaseId: string | null;
  /** What became of each front, by code; a held one is listed as it was, or not at all where it has never been published. */
  readonly outcomes: readonly FrontResult[];
  /** What happened to files that are no front's content: pointers removed, manifest, current. */
  readonly plan: readonly PlanEntry[];
  readonly findings: readonly Finding[];
}

/** The fronts that can be published, each with what is published of it; and those whose pointer's place is taken by something else. */
export async function frontTasks(
  fronts: readonly Omit<FrontTask, 'before'>[],
  published: PublishedTree,
  now: Instant,
): Promise<{ readonly tasks: readonly FrontTask[]; readonly obstructed: readonly FrontResult[] }> {
  const tasks: FrontTask[] = [];
  const obstructed: FrontResult[] = [];
  for (const front of fronts) {
    const obstruction = await published.obstructionOf(front.code);
    if (obstruction !== null) {
      obstructed.push(heldResult(front.code, 'file-kind-wrong', [], [obstructionFinding(obstruction)]));
      continue;
    }
    tasks.push({ ...front, before: await guardedBefore(front.code, published, now) });
  }
  return { tasks, obstructed };
}

/** What the guards compare a front with; null where nothing of it is published. */
export async function guardedBefore(
  code: string,
  published: PublishedTree,
  now: Instant,
): Promise<GuardedBefore | null> {
  const pointer = published.pointer(code);
  return pointer && { now: published.asOf(pointer), cards: await published.cardsAt(pointer, now) };
}

/**
 * Publishes a release over what the store holds, once the content of all fronts is on its way there.
 * @throws AppError tree-full, tree-not-writable, tree-unreadable
 */
export async function publish(
  input: PublishInput,
  published: PublishedTree,
  store: ReleaseStore,
  now: Instant,
): Promise<Publication> {
  // State after a stop here: content that nothing points at, under temporary names.
  const results = await settled(input.results, store);
  // State after a stop here: content that nothing points at, under its own names.

  const { outcomes, removed, isRemoving } = await planRelease({ ...input, results }, published, now);
  // Fronts that only the current release still lists: a run was stopped between the removal of their pointers and `current`.
  const codes = new Set(outcomes.map(({ code }) => code));
  const isAnyLeft = isRemoving && published.listedFronts.some((code) => !codes.has(code));
  const listings = outcomes.flatMap(({ held, listing }) => (held === null ? (listing ?? []) : []));
  if (listings.length === 0 && removed.length === 0 && !isAnyLeft) {
    return { releaseId: published.currentId, outcomes, plan: [], findings: published.findings };
  }

  const manifest = manifestText(manifestOf(outcomes, input, now));
  const releaseId = digestOf(sha256Of(new TextEncoder().encode(manifest)));
  const manifestEntry = await replaceIfChanged(pathOf({ kind: 'manifest', id: releaseId }), manifest, store);
  // State after a stop here: a manifest of a release that is not the current one.

  await store.confirmLock();
  if ((await readHold(store))?.release !== input.hold?.release) throw heldMeanwhile(store.root);
  const swaps = await activateRelease({ releaseId, listings, removed }, published, store);
  return { releaseId, outcomes, plan: [manifestEntry, ...swaps], findings: published.findings };
}

/** What became of fronts, once their content is durable. @throws AppError as `publish` */
export async function settled(results: readonly FrontResult[], store: ReleaseStore): Promise<readonly FrontResult[]> {
  return withoutRefused(results, await store.settle());
}

/**
 * The same, but fronts that lack a file, because this run was not allowed to write it, are held. @throws AppError tree-not-writable, where that
 * is all of them: then it is no matter of a front
 */
function withoutRefused(results: readonly FrontResult[], refused: readonly RefusedFile[]): readonly FrontResult[] {
  const sorted = refused.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const held = results.map((result) => {
    const [first, ...others] = sorted.filter(({ path }) => path.startsWith(`${folderOf(result.code)}/`));
    if (first === undefined || result.held !== null) return result;
    const more = others.length === 0 ? '' : `; and ${others.length} more of this front`;
    const message = `${first.error.message}${more} (${first.error.hint})`;
    const finding: Finding = { severity: 'error', code: 'file-not-writable', place: first.path, message };
    return heldResult(result.code, 'file-not-writable', result.guards, [finding]);
  });
  const [first] = sorted;
  if (first !== undefined && held.every((result) => result.held !== null)) throw first.error;
  return held;
}

/** Somebody went back, or ended that, while this run slept for so long that its lock was over. */
function heldMeanwhile(root: string): AppError {
  const message = `another run has gone back to a release of ${root} meanwhile, or has ended that; no pointer was written`;
  return new AppError('tree-locked', message, 'run the same command again');
}

interface ReleasePlan {
  /** The fronts that stay, by code. */
  readonly outcomes: readonly FrontResult[];
  /** Codes of the fronts that lose their pointers. */
  readonly removed: readonly string[];
  /** Whether fronts that have left the catalogue are removed at all. */
  readonly isRemoving: boolean;
}

/** Decides of every front whether it is published, kept or removed. */
async function planRelease(input: PublishInput, published: PublishedTree, now: Instant): Promise<ReleasePlan> {
  const outcomes: FrontResult[] = [];
  for (const result of input.results) {
    if (result.held !== null) outcomes.push(await keepPublished(result, result.held, published));
    else if (input.guards.force) outcomes.push(result);
    else outcomes.push(await withQuietPointer(result, published, input.horizonSeconds, now));
  }
  for (const [code, reason] of input.held)
    outcomes.push(await keepPublished(heldResult(code, reason), reason, published));

  const listed = new Set(outcomes.map(({ code }) => code));
  const vanished = published.fronts.filter((code) => !listed.has(code));
  const guard = input.removalHold === null ? removalGuard(vanished, published.fronts.length, input) : null;
  const reason = input.removalHold ?? (guard?.isOverridden === false ? 'max-shrink' : null);
  const guards = guard === null ? [] : [guard];
  if (reason !== null) {
    for (const code of vanished)
      outcomes.push(await keepPublished(heldResult(code, reason, guards), reason, published));
  }
  outcomes.sort((a, b) => (a.code < b.code ? -1 : 1));
  return { outcomes, removed: reason === null ? vanished : [], isRemoving: reason === null };
}

/**
 * The guard on fronts that have vanished from the catalogue: an empty table, or a view that gives nothing for a moment, must not
 * take everything off the air. As with cards, more than the allowed share is absurd; a disabled front is no accident.
 */
function removalGuard(vanishedCodes: readonly string[], publishedTotal: number, input: PublishInput): Guard | null {
  const vanished = vanishedCodes.filter((code) => !input.disabledCodes.has(code)).length;
  if (vanished <= publishedTotal * input.guards.maxShrink) return null;
  const message = `${vanished} of ${publishedTotal} published fronts have vanished from the catalogue`;
  return { code: 'max-shrink', message, isOverridden: input.guards.allowShrink || input.guards.force };
}

/** A front whose pointer stays as it is: held back, not selected, or guarded. */
async function keepPublished(
  { code, guards, findings }: FrontResult,
  held: HoldCode,
  published: PublishedTree,
): Promise<FrontResult> {
  const pointer = published.pointer(code);
  if (pointer === null) return heldResult(code, held, guards, findings);
  const { front, files } = await published.keptFront(pointer, held);
  return { code, held, guards, listing: front, files, plan: [], findings };
}

function manifestOf(outcomes: readonly FrontResult[], input: PublishInput, now: Instant): Manifest {
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
