// Publishes a release from the results of its fronts, then prunes. `build` and `finish` both end
// here.

import type { Finding } from '../findings.ts';
import type { Instant } from '../catalogue/instant.ts';
import type { BuildResultJson } from '../contract/results/build.ts';
import type { Allowed, Manifest } from '../contract/manifest.ts';
import type { Release } from '../contract/release-name.ts';
import type { PlanEntry } from '../contract/results/parts.ts';
import { AppError } from '../errors.ts';
import type { GuardOptions } from '../release/publish/guards.ts';
import { historyOf } from '../release/history/history-size.ts';
import { prune } from '../release/history/prune.ts';
import type { Keep } from '../release/history/retention.ts';
import { publish, type PublishInput } from '../release/publish/publish.ts';
import type { FrontResult } from '../release/publish/render-front.ts';
import type { Compression } from '../release/tree/files.ts';
import { holdJson, holdsAll, type Hold } from '../release/tree/hold.ts';
import type { PublishedTree } from '../release/tree/published.ts';
import type { ReleaseStore } from '../release/tree/store.ts';
import { RELEASES_FOLDER, RUNS_FOLDER } from '../render/paths.ts';
import type { KeyRingChange } from './publish-keys.ts';

/**
 * The results of the rendered fronts, what happens to the other fronts, and what is wrong with the
 * catalogue.
 */
export interface RenderedRelease extends Pick<
  PublishInput,
  'results' | 'held' | 'absent' | 'uses' | 'removalGuard' | 'disabledCodes'
> {
  /** What has become of the key ring, which is published before the release. */
  readonly keyRing: KeyRingChange;
  /** False if a front's id or code cannot be read. */
  readonly isEveryFrontKnown: boolean;
  readonly findings: readonly Finding[];
  readonly findingsTotal: number;
}

/** What a run does, one after the other. Fronts are rendered and written one by one. */
export type Phase = 'read' | 'render' | 'publish' | 'prune';

export interface ReleaseSettings {
  /** Called when a phase begins. */
  readonly onPhase?: (phase: Phase) => void;
  readonly horizonSeconds: number;
  readonly guards: GuardOptions;
  readonly toolVersion: string;
  readonly tzdata: string;
  /** The compressed copies to write of each new edition. */
  readonly precompress: readonly Compression[];
  /** Called before anything is written, if there is a current release; refuses the run by throwing. */
  readonly checkCurrent?: (manifest: Manifest) => void;
  /** How much history is kept; null: nothing is pruned. */
  readonly keep: Keep | null;
}

export interface BuildResult extends Pick<
  BuildResultJson,
  'hold' | 'guards' | 'isEveryFrontKnown' | 'findings' | 'findingsTotal' | 'differences' | 'history'
> {
  /** The current release after the run; in a dry run, the one that a real run would leave. */
  readonly release: Release | null;
  readonly releaseId: string | null;
  /** The release that was current before the run. */
  readonly replaced: Release | null;
  readonly outcomes: readonly FrontResult[];
  /** The guards that were let pass. */
  readonly allowed: Allowed;
  /** Pointers, manifest, `current`, key ring and pruned files. New editions are in `outcomes`. */
  readonly plan: readonly PlanEntry[];
}

/**
 * Publishes a release into `releaseStore`, then prunes `store`, the tree. They are the same store
 * unless a rollback holds the tree: then `releaseStore` writes nothing.
 * @throws AppError tree-…
 */
export async function publishRelease(
  rendered: RenderedRelease,
  settings: ReleaseSettings,
  hold: Hold | null,
  published: PublishedTree,
  { releaseStore, store }: { readonly releaseStore: ReleaseStore; readonly store: ReleaseStore },
  now: Instant,
): Promise<BuildResult> {
  const { keyRing } = rendered;
  const { current: replaced } = published;
  settings.onPhase?.('publish');
  const { release, outcomes, allowed, plan, findings } = await publish(
    { ...rendered, ...settings, hold, keyGuards: keyRing.guards },
    published,
    releaseStore,
    now,
  );
  const current = holdsAll(hold) ? replaced : release;
  const isReplaced = current?.name !== replaced?.name;
  settings.onPhase?.('prune');
  const named = new Set(outcomes.flatMap(({ files }) => files.map(({ path }) => path)));
  const pruned = await pruneAfter(replaced, { current, named, keep: isReplaced ? settings.keep : null }, store);
  const outcomeFindings = outcomes.flatMap((outcome) => outcome.findings);
  const treeFindings = [...keyRing.findings, ...findings, ...outcomeFindings, ...pruned.findings];
  return {
    release: current,
    releaseId: current?.id ?? null,
    replaced,
    hold: holdJson(hold),
    outcomes,
    allowed,
    guards: keyRing.guards,
    plan: [...keyRing.plan, ...plan, ...pruned.plan],
    history: pruned.history,
    isEveryFrontKnown: rendered.isEveryFrontKnown,
    findings: [...rendered.findings, ...treeFindings],
    findingsTotal: rendered.findingsTotal + treeFindings.length,
  };
}

/**
 * Prunes as the last step, unless `keep` is null. The release is already published, so a failure is
 * only a finding. `named`: the paths of the editions that the current release names.
 */
async function pruneAfter(
  replaced: Release | null,
  {
    current,
    named,
    keep,
  }: { readonly current: Release | null; readonly named: ReadonlySet<string>; readonly keep: Keep | null },
  store: ReleaseStore,
): Promise<Pick<BuildResult, 'plan' | 'findings' | 'history'>> {
  if (keep === null) return { plan: [], findings: [], history: null };
  try {
    const { plan, waitsFor } = await prune({ keep, replaced }, store);
    return { plan, findings: waitsFor.map(unfinishedRun), history: await historyOf(current, named, store) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const message = `pruning stopped early, and the next build will try again: ${error.message} (${error.hint})`;
    const finding: Finding = { severity: 'warning', code: 'not-pruned', place: RELEASES_FOLDER, message };
    return { plan: [], findings: [finding], history: null };
  }
}

function unfinishedRun(run: string): Finding {
  const message = `no edition is removed, because a shard of run ${run} has written no result and may be running`;
  const hint = 'start the shard again, or remove this folder to abandon the run';
  return { severity: 'warning', code: 'not-pruned', place: `${RUNS_FOLDER}/${run}`, message, hint };
}
