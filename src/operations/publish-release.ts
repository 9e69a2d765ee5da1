// From what became of each front to a release: plan, publish, prune. Builds end here, and so does `finish`, with the results of its shards.

import type { Finding } from '../findings.ts';
import type { Instant } from '../catalogue/instant.ts';
import type { BuildResultJson, FindingJson, Hold, PlanEntry } from '../contract/results.ts';
import { AppError } from '../errors.ts';
import type { GuardOptions } from '../release/publish/guards.ts';
import { prune } from '../release/history/prune.ts';
import { publish, type PublishInput } from '../release/publish/publish.ts';
import type { FrontResult } from '../release/publish/render-front.ts';
import type { PublishedTree } from '../release/tree/published.ts';
import type { ReleaseStore } from '../release/tree/store.ts';
import { RELEASES_FOLDER, RUNS_FOLDER } from '../render/paths.ts';

/** What became of a catalogue's fronts. */
export interface RenderedRelease extends Pick<PublishInput, 'results' | 'held' | 'removalHold' | 'disabledCodes'> {
  readonly isEveryFrontKnown: boolean;
  readonly findings: readonly FindingJson[];
  readonly findingsTotal: number;
}

export interface ReleaseSettings {
  readonly horizonSeconds: number;
  readonly guards: GuardOptions;
  readonly toolVersion: string;
  readonly tzdata: string;
  /** How long a superseded release is kept in any case; null where nothing is pruned. */
  readonly pruneGraceSeconds: number | null;
}

export interface BuildResult extends Pick<
  BuildResultJson,
  'hold' | 'isEveryFrontKnown' | 'findings' | 'findingsTotal' | 'differences'
> {
  /** The current release afterwards; in a dry run the one that would be. */
  readonly releaseId: string | null;
  readonly outcomes: readonly FrontResult[];
  /** Files that are no front's new content: pointers, manifest, current, key ring, and what was pruned. */
  readonly plan: readonly PlanEntry[];
}

/**
 * Publishes a release, and prunes. `releaseStore` is where it goes: the tree itself, `store`; or, of a tree that a rollback holds, one that
 * writes nothing. @throws AppError tree-…
 */
export async function publishRelease(
  rendered: RenderedRelease,
  settings: ReleaseSettings,
  hold: Hold | null,
  published: PublishedTree,
  { releaseStore, store }: { readonly releaseStore: ReleaseStore; readonly store: ReleaseStore },
  now: Instant,
): Promise<BuildResult> {
  const { releaseId, outcomes, plan, findings } = await publish(
    { ...rendered, ...settings, hold },
    published,
    releaseStore,
    now,
  );
  const isReplaced = releaseId !== published.currentId && hold === null;
  const pruned = isReplaced ? await pruneAfter(published.currentId, settings, store) : NOTHING_PRUNED;
  const treeFindings = [...findings, ...outcomes.flatMap((outcome) => outcome.findings), ...pruned.findings];
  return {
    releaseId: hold === null ? releaseId : published.currentId,
    hold,
    outcomes,
    plan: [...plan, ...pruned.plan],
    isEveryFrontKnown: rendered.isEveryFrontKnown,
    findings: [...rendered.findings, ...treeFindings],
    findingsTotal: rendered.findingsTotal + treeFindings.length,
  };
}

const NOTHING_PRUNED: { readonly plan: readonly PlanEntry[]; readonly findings: readonly Finding[] } = {
  plan: [],
  findings: [],
};

/** Prunes as the last step. The release is published by now: a failure here is a finding. */
async function pruneAfter(
  replacedId: string | null,
  { pruneGraceSeconds: graceSeconds }: ReleaseSettings,
  store: ReleaseStore,
): Promise<typeof NOTHING_PRUNED> {
  if (graceSeconds === null) return NOTHING_PRUNED;
  try {
    const { plan, waitsFor } = await prune({ graceSeconds, replacedId }, store);
    return { plan, findings: waitsFor.map(givenUp) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const message = `pruning was broken off, and the next build tries again: ${error.message} (${error.hint})`;
    return { plan: [], findings: [{ severity: 'warning', code: 'not-pruned', place: RELEASES_FOLDER, message }] };
  }
}

function givenUp(run: string): Finding {
  const message = `no edition is removed, because a shard of run ${run} has written no result and may be running`;
  const hint = 'start the shard again, or remove this folder to abandon the run';
  return { severity: 'warning', code: 'not-pruned', place: `${RUNS_FOLDER}/${run}`, message, hint };
}
