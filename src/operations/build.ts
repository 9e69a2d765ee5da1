// The main job, as a table of contents: load → render products → key ring → render, plan and publish front by front → prune → summary.
// Everything that may refuse the run is checked before the first file is written.

import { setImmediate } from 'node:timers/promises';
import type { Finding } from '../findings.ts';
import { localDateText } from '../catalogue/calendar.ts';
import type { Front } from '../catalogue/front.ts';
import { instantOf, type Instant } from '../catalogue/instant.ts';
import type { HoldCode } from '../contract/manifest.ts';
import type { BuildResultJson, PlanEntry } from '../contract/results.ts';
import { checkContract } from '../database/schema/check-schema.ts';
import { openCatalogue, type CatalogueReader } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { replaceKeyRing, swapKeyRing } from './publish-keys.ts';
import { renderProducts, type FrontsToRender } from './render-products.ts';
import type { GuardOptions } from '../release/publish/guards.ts';
import { readHold } from '../release/history/hold.ts';
import { PlannedDiffs } from '../release/diff/planned-diff.ts';
import { prune } from '../release/history/prune.ts';
import { frontTasks, publish } from '../release/publish/publish.ts';
import { renderFront, type FrontResult, type FrontTask } from '../release/publish/render-front.ts';
import { PublishedTree } from '../release/tree/published.ts';
import type { ReleaseStore } from '../release/tree/store.ts';
import type { Compression } from '../release/tree/files.ts';
import { RELEASES_FOLDER } from '../render/paths.ts';
import { dryRunStore } from '../storage/dry-run.ts';
import { precompressingStore } from '../storage/precompress.ts';
import type { OnTransfer } from '../storage/locked-tree.ts';
import { unlockedStore } from '../storage/open-tree.ts';
import { writingTree, type Billed } from './writing-tree.ts';

export interface BuildOptions {
  readonly databasePath: string;
  readonly outPath: string;
  readonly horizonSeconds: number;
  /** Only these fronts; all active ones where null. */
  readonly frontCodes: readonly string[] | null;
  readonly isDryRun: boolean;
  /** In which forms new editions are put beside the plain one. */
  readonly precompress: readonly Compression[];
  readonly guards: GuardOptions;
  /** How long a superseded release is kept in any case; null where nothing is pruned. */
  readonly pruneGraceSeconds: number | null;
  readonly toolVersion: string;
  readonly tzdata: string;
  readonly onProgress: (phase: 'load' | 'publish', done: number, total: number) => void;
  /** Called as files get into a bucket. */
  readonly onTransfer?: OnTransfer;
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
 * Builds the catalogue as of `now` and publishes it.
 * @throws AppError database-…, contract-…, front-unknown, tree-…
 */
export async function build(options: BuildOptions, now: Instant): Promise<BuildResult & Billed> {
  const { outPath } = options;
  await using reader = await openCatalogue(options.databasePath);
  const views = await checkContract(reader);
  if (options.isDryRun) {
    const store = dryRunStore(await unlockedStore(outPath));
    const planned = await buildInto(store, await PublishedTree.read(store), reader, views, options, now);
    return { ...planned, requests: null };
  }
  return await writingTree(
    outPath,
    (published, { store }) =>
      buildInto(precompressingStore(store, options.precompress), published, reader, views, options, now),
    options.onTransfer,
  );
}

/** What `build` does once the tree is read and nobody else writes it, on a store of the caller's. @throws as `build` @internal */
export async function buildInto(
  store: ReleaseStore,
  published: PublishedTree,
  reader: CatalogueReader,
  views: ReadonlySet<string>,
  options: BuildOptions,
  now: Instant,
): Promise<BuildResult> {
  const { isDryRun, guards, frontCodes, tzdata } = options;
  const until = instantOf(now + options.horizonSeconds);
  // A tree that a rollback holds gets no release, only the plan of one. Keys alone are still published.
  const hold = await readHold(store);
  const releaseStore = hold === null ? store : dryRunStore(store);
  // The transaction begins here. What was committed while another run held the lock is seen: nothing older may follow what that
  // run published.
  await reader.restart();
  const rendered = await renderProducts(
    reader,
    { frontCodes, until, tzdata, views, publishedKeyRing: published.keyRing },
    (done, total) => options.onProgress('load', done, total),
    now,
  );
  // A revocation does not wait for the guards.
  const keyRingEntry = isDryRun
    ? await swapKeyRing(rendered.keyRing, store)
    : await replaceKeyRing({ ring: rendered.keyRing, before: published.keyRing }, store, options.databasePath);

  const diffs = isDryRun ? new PlannedDiffs(published, store, now) : null;
  const { tasks, obstructed } = await frontTasks(
    rendered.fronts.map((front) => frontTask(front, now)),
    published,
    now,
  );
  const settings = { guards, toolVersion: options.toolVersion, filesByRecipe: published.filesByRecipe };
  const results = [...obstructed];
  // Profile by profile: what the fronts of a profile share is computed once, and freed before the next.
  for (const task of tasks.toSorted((a, b) => rendered.profileIndexOf(a.code) - rendered.profileIndexOf(b.code))) {
    const editions = rendered.editionsOf(task.code);
    const result = await renderFront(task, editions, settings, diffs?.store ?? releaseStore, now);
    await diffs?.add(result);
    results.push(result);
    options.onProgress('publish', results.length, rendered.fronts.length);
    // Lets the process hear its signals between two of them.
    await setImmediate();
  }
  const { releaseId, outcomes, plan, findings } = await publish(
    {
      results,
      held: heldOf(rendered),
      // A front whose own code cannot be read has not been removed.
      removalHold: frontCodes !== null ? 'not-selected' : rendered.isEveryCodeKnown ? null : 'findings',
      hold,
      disabledCodes: rendered.disabledCodes,
      horizonSeconds: options.horizonSeconds,
      toolVersion: options.toolVersion,
      tzdata,
      guards,
    },
    published,
    releaseStore,
    now,
  );
  const isReplaced = releaseId !== published.currentId && hold === null && !isDryRun;
  const pruned = isReplaced ? await pruneAfter(published.currentId, options, store) : NOTHING_PRUNED;
  const treeFindings = [...findings, ...outcomes.flatMap((outcome) => outcome.findings), ...pruned.findings];
  return {
    releaseId: hold === null ? releaseId : published.currentId,
    hold,
    outcomes,
    plan: [keyRingEntry, ...plan, ...pruned.plan],
    isEveryFrontKnown: rendered.isEveryCodeKnown,
    findings: [...rendered.findings, ...treeFindings],
    findingsTotal: rendered.findingsTotal + treeFindings.length,
    ...(diffs === null ? {} : { differences: await diffs.result(plan) }),
  };
}

const NOTHING_PRUNED: { readonly plan: readonly PlanEntry[]; readonly findings: readonly Finding[] } = {
  plan: [],
  findings: [],
};

/** Prunes as the last step of a build. The release is published by now: a failure here is a finding. */
async function pruneAfter(
  replacedId: string | null,
  { pruneGraceSeconds: graceSeconds }: BuildOptions,
  store: ReleaseStore,
): Promise<typeof NOTHING_PRUNED> {
  if (graceSeconds === null) return NOTHING_PRUNED;
  try {
    const { plan } = await prune({ graceSeconds, replacedId }, store);
    return { plan, findings: [] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const message = `pruning was broken off, and the next build tries again: ${error.message} (${error.hint})`;
    return { plan: [], findings: [{ severity: 'warning', code: 'not-pruned', place: RELEASES_FOLDER, message }] };
  }
}

function frontTask(front: Front, now: Instant): Omit<FrontTask, 'before'> {
  const { code, zone, weekendDays, currency, minCards } = front;
  return { code, timezone: zone.name, weekendDays, currency, today: localDateText(zone, now), minCards };
}

function heldOf(rendered: FrontsToRender): Map<string, HoldCode> {
  return new Map<string, HoldCode>([
    ...rendered.badCodes.map((code): [string, HoldCode] => [code, 'findings']),
    ...rendered.unselectedCodes.map((code): [string, HoldCode] => [code, 'not-selected']),
  ]);
}
