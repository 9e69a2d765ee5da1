// Publishes a release: snapshot.md, "Publish protocol", steps 2 to 5. The order of writes upholds
// law 4 (whole) and law 5 (immutable):
//
//   content, front by front  →  all of it durable  →  parts of the manifest  →  manifest
//     →  pointers  →  current
//
// Wherever this stops, each front has either its old or its new snapshot, and the next run
// completes the work. The caller holds the lock.

import { formatInstant, type Instant } from '../../catalogue/instant.ts';
import { MANIFEST_SCHEMA, type Allowed, type Manifest } from '../../contract/manifest.ts';
import type { HeldReason } from '../../contract/held-reasons.ts';
import type { Release } from '../../contract/release-name.ts';
import type { Guard, KeysGuard, PlanEntry } from '../../contract/results/parts.ts';
import { AppError } from '../../errors.ts';
import type { Finding } from '../../findings.ts';
import { folderOf, pathOf } from '../../render/paths.ts';
import type { Compression } from '../tree/files.ts';
import { manifestText } from '../tree/manifest.ts';
import { putParts } from '../tree/put-parts.ts';
import type { PublishedTree } from '../tree/published.ts';
import { replaceIfChanged } from '../tree/replace-if-changed.ts';
import type { ReleaseStore } from '../tree/store.ts';
import { activateRelease } from '../tree/activate.ts';
import {
  allowedOf,
  isAllowed,
  isMoreThanShare,
  type GuardedBefore,
  type GuardOptions,
  type PassedGuard,
} from './guards.ts';
import { contractEntries, lostSince } from './lost-contract.ts';
import { isSameHold, readHold, type Hold } from '../tree/hold.ts';
import { withQuietPointer } from './quiet-pointer.ts';
import { heldResult, type FrontResult } from './render-front.ts';

export interface PublishInput {
  /** The results of the fronts that were to be rendered (`renderFronts`). */
  readonly results: readonly FrontResult[];
  /** Fronts that were not rendered, by code, and why. They keep their pointers. */
  readonly held: ReadonlyMap<string, HeldReason>;
  /**
   * Why published fronts in neither `results` nor `held` keep their pointers; null if they have
   * left the catalogue and lose them.
   */
  readonly removalGuard: HeldReason | null;
  /** What the catalogue lacks of the contract, and may lack. */
  readonly absent: readonly string[];
  /** Tables and columns in which a row says something. */
  readonly uses: readonly string[];
  /** The hold by a rollback when the run began; null if there was none. */
  readonly hold: Hold | null;
  /** Fronts that the operator has disabled. */
  readonly disabledCodes: ReadonlySet<string>;
  readonly horizonSeconds: number;
  readonly toolVersion: string;
  readonly tzdata: string;
  /** The compressed copies that were written of new editions. */
  readonly precompress: readonly Compression[];
  readonly guards: GuardOptions;
  /** The guards on the key ring that tripped. */
  readonly keyGuards: readonly KeysGuard[];
}

export interface Publication {
  /** The new release; the current one if there was nothing to publish. */
  readonly release: Release | null;
  /**
   * The result of each front, sorted by code. A held front keeps the listing of its published
   * snapshot, if it has one.
   */
  readonly outcomes: readonly FrontResult[];
  /** The guards that were let pass. */
  readonly allowed: Allowed;
  /** The plan for manifest, pointers and `current`. */
  readonly plan: readonly PlanEntry[];
  readonly findings: readonly Finding[];
}

/** The published state that the guards compare a front with; null if it is not published. */
export async function guardedBefore(
  code: string,
  published: PublishedTree,
  now: Instant,
): Promise<GuardedBefore | null> {
  const pointer = published.pointer(code);
  if (pointer === null) return null;
  return {
    now: published.asOf(pointer),
    cards: await published.cardsAt(pointer, now),
    prices: {
      summaryAt: (at) => published.priceSummaryAt(pointer, at),
      pricesAt: (at) => published.pricesAt(pointer, at),
    },
  };
}

/**
 * Publishes a release. `store` must have received the content of all fronts.
 * @throws AppError tree-full, tree-not-writable, tree-unreadable
 */
export async function publish(
  input: PublishInput,
  published: PublishedTree,
  store: ReleaseStore,
  now: Instant,
): Promise<Publication> {
  // State after a stop here: temporary files.
  const results = await settled(input.results, store);
  // State after a stop here: content that no pointer names.

  const { outcomes, removed, isRemoving, allowed } = await planRelease({ ...input, results }, published, now);
  // An earlier run may have stopped after removing pointers and before replacing `current`, whose
  // release then still lists those fronts.
  const codes = new Set(outcomes.map(({ code }) => code));
  const isAnyLeft = isRemoving && published.listedFronts.some((code) => !codes.has(code));
  const listings = outcomes.flatMap(({ held, listing }) => (held === null ? (listing ?? []) : []));
  if (listings.length === 0 && removed.length === 0 && !isAnyLeft) {
    return { release: published.current, outcomes, allowed, plan: [], findings: published.findings };
  }

  const manifest = manifestText(manifestOf(outcomes, allowed, input, now));
  const { release, text } = manifest;
  const parts = await putParts(manifest, published, input.guards.force, store);
  // State after a stop here: parts that no manifest names.
  const head = await replaceIfChanged(pathOf({ kind: 'manifest', release }), text, store);
  // State after a stop here: the manifest of a release that is not current.

  await store.confirmLock();
  if (!isSameHold(await readHold(store), input.hold)) throw holdChanged(store.root);
  const swaps = await activateRelease({ release, listings, removed }, published, store);
  return { release, outcomes, allowed, plan: [...parts, head, ...swaps], findings: published.findings };
}

/**
 * Makes the content of fronts durable. A front with a file that could not be written is held in the
 * results returned.
 * @throws AppError as `publish`, and the first refused file's error if every front is held
 */
export async function settled(results: readonly FrontResult[], store: ReleaseStore): Promise<readonly FrontResult[]> {
  const refused = await store.settle();
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

/**
 * A rollback can change the hold in spite of this run's lock, if the run was suspended until the
 * lock was lost.
 */
function holdChanged(root: string): AppError {
  const message = `a rollback of ${root} began or ended during this run; no pointer was written`;
  return new AppError('tree-locked', message, 'run the same command again');
}

interface ReleasePlan {
  /** The fronts that stay, sorted by code. */
  readonly outcomes: readonly FrontResult[];
  /** Codes of the fronts that lose their pointers. */
  readonly removed: readonly string[];
  /** Whether fronts that have left the catalogue may be removed. */
  readonly isRemoving: boolean;
  /** The guards that were let pass. */
  readonly allowed: Allowed;
}

/** Decides for every front whether it is published, kept or removed. */
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
  const missed = vanished.filter((code) => !input.disabledCodes.has(code));
  const guard = input.removalGuard === null ? guardOnRemovals(missed.length, published.fronts.length, input) : null;
  const reason = input.removalGuard ?? (guard?.isOverridden === false ? 'max-shrink' : null);
  const guards = guard === null ? [] : [guard];
  if (reason !== null) {
    for (const code of vanished)
      outcomes.push(await keepPublished(heldResult(code, reason, guards), reason, published));
  }
  outcomes.sort((a, b) => (a.code < b.code ? -1 : 1));
  const passed = outcomes
    .filter(({ held }) => held === null)
    .flatMap(({ code: front, guards }) => guards.map(({ code }): PassedGuard => ({ code, front })));
  for (const { code, isOverridden } of input.keyGuards) if (isOverridden) passed.push({ code, front: null });
  if (lostSince(published.manifest, input.absent).length > 0) passed.push({ code: 'contract-lost', front: null });
  if (guard?.isOverridden === true) for (const front of missed) passed.push({ code: guard.code, front });
  return {
    outcomes,
    removed: reason === null ? vanished : [],
    isRemoving: reason === null,
    allowed: allowedOf(passed),
  };
}

/**
 * The guard on fronts that have vanished from the catalogue: an empty table, or a view that is
 * empty for a moment, must not unpublish everything. It allows the same share as the guard on
 * cards. Disabled fronts do not count: somebody chose to remove them.
 */
function guardOnRemovals(vanished: number, publishedTotal: number, input: PublishInput): Guard | null {
  if (!isMoreThanShare(vanished, publishedTotal, input.guards.maxShrink)) return null;
  const message = `${vanished} of ${publishedTotal} published fronts have vanished from the catalogue`;
  return { code: 'max-shrink', message, isOverridden: isAllowed('max-shrink', input.guards) };
}

/** The result of a held front, with the listing and files of its published snapshot. */
async function keepPublished(
  { code, guards, findings }: FrontResult,
  held: HeldReason,
  published: PublishedTree,
): Promise<FrontResult> {
  const pointer = published.pointer(code);
  if (pointer === null) return heldResult(code, held, guards, findings);
  const { front, files } = await published.keptFront(pointer, held);
  return { code, held, guards, listing: front, files, plan: [], findings };
}

function manifestOf(outcomes: readonly FrontResult[], allowed: Allowed, input: PublishInput, now: Instant): Manifest {
  const listings = outcomes.flatMap((outcome) => outcome.listing ?? []);
  const files = outcomes.flatMap((outcome) => outcome.files);
  return {
    schema: MANIFEST_SCHEMA,
    tool: input.toolVersion,
    now: formatInstant(now),
    horizonSeconds: input.horizonSeconds,
    tzdata: input.tzdata,
    precompress: input.precompress.toSorted(),
    allowed,
    ...contractEntries(input.absent, input.uses),
    fronts: listings.sort((a, b) => (a.front < b.front ? -1 : 1)),
    files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}
