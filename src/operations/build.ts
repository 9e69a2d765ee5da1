// The main job, as a table of contents: load → render products → key ring → render, plan and publish front by front → prune → summary.
// Everything that can stand in the way has been looked at before the first file is written.

import { setImmediate } from 'node:timers/promises';
import type { Finding } from '../findings.ts';
import { localDateText } from '../catalogue/calendar.ts';
import type { Front } from '../catalogue/front.ts';
import { instantOf, type Instant } from '../catalogue/instant.ts';
import type { PlannedDiffJson } from '../contract/diff-results.ts';
import type { KeyRing } from '../contract/key-ring.ts';
import type { HoldCode } from '../contract/manifest.ts';
import { checkContract } from '../database/schema/check-schema.ts';
import { openCatalogue, type CatalogueReader } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { keysNow, replaceKeyRing } from './publish-keys.ts';
import { CatalogueRenderer, type FrontsToRender } from './render-products.ts';
import type { GuardOptions } from '../release/publish/guards.ts';
import { readHold, type Hold } from '../release/tree/hold.ts';
import type { PlanEntry } from '../release/publish/plan.ts';
import { PlannedDiffs } from '../release/diff/planned-diff.ts';
import { prune } from '../release/history/prune.ts';
import { frontTasks, publish, type FrontOutcome } from '../release/publish/publish.ts';
import { renderFront, type FrontTask } from '../release/publish/render-front.ts';
import { PublishedTree } from '../release/tree/published.ts';
import type { ReleaseStore } from '../release/tree/store.ts';
import type { Compression } from '../release/tree/reader.ts';
import { swapKeyRing } from '../release/publish/key-ring.ts';
import { keyRingText } from '../release/tree/codec.ts';
import { RELEASES_FOLDER } from '../render/paths.ts';
import { DirectoryStore } from '../storage/directory/store.ts';
import { dryRunStore } from '../storage/dry-run.ts';
import { lockTree } from '../storage/directory/lock.ts';
import { precompressingStore } from '../storage/precompress.ts';
import { refuseNoFolder } from '../storage/directory/folder.ts';

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
}

export interface BuildResult {
  /** The release in force afterwards; in a dry run the one that would be. */
  readonly releaseId: string | null;
  /** Why nothing was published: the tree is held after a rollback. null where it is not. */
  readonly hold: Hold | null;
  readonly outcomes: readonly FrontOutcome[];
  /** Files that are no front's new content: pointers, manifest, current, key ring, and what was pruned. */
  readonly plan: readonly PlanEntry[];
  /** Whether every front's code could be read: one that cannot be is built under no name, and appears in no outcome. */
  readonly isEveryFrontKnown: boolean;
  readonly findings: readonly Finding[];
  readonly findingsTotal: number;
  /** What publishing would change on each front; only of a dry run. */
  readonly differences: PlannedDiffJson | null;
}

/**
 * Builds the catalogue as of `now` and publishes it.
 * @throws AppError database-…, contract-…, front-unknown, tree-…
 */
export async function build(options: BuildOptions, now: Instant): Promise<BuildResult> {
  const reader = await openCatalogue(options.databasePath);
  try {
    const views = await checkContract(reader);
    if (options.isDryRun) {
      refuseNoFolder(options.outPath);
      const store = dryRunStore(new DirectoryStore(options.outPath));
      return await buildInto(store, await PublishedTree.read(store), reader, views, options, now);
    }
    const lock = lockTree(options.outPath);
    try {
      const store = new DirectoryStore(options.outPath);
      // A newer tool's tree is refused here, before even its temporary names are touched.
      const published = await PublishedTree.read(store);
      store.sweep();
      try {
        const into = precompressingStore(store, options.precompress);
        const putKeyRing = (loaded: KeyRing): Promise<readonly PlanEntry[]> =>
          putKeys(loaded, published.keyRing, store, options);
        return await buildInto(into, published, reader, views, options, now, putKeyRing);
      } catch (error) {
        // What was published stands; what was on its way is cleared, so that a full disk has its room back.
        store.sweep();
        throw error;
      }
    } finally {
      lock.release();
    }
  } finally {
    await reader.close();
  }
}

/**
 * Puts the keys that a build has loaded into force. If somebody has changed the key ring since the build looked at the tree, before its
 * transaction, the loaded keys may be older: the catalogue is asked once more, so that a revoked key does not come back.
 */
function putKeys(
  loaded: KeyRing,
  before: KeyRing | null,
  store: ReleaseStore,
  { databasePath, outPath }: BuildOptions,
): Promise<readonly PlanEntry[]> {
  const textOf = (ring: KeyRing | null): string | null => ring && keyRingText(ring);
  return replaceKeyRing(outPath, store, async (inForce) =>
    textOf(inForce) === textOf(before) ? loaded : keysNow(databasePath, inForce),
  );
}

/** What `build` does once the tree is known and nobody else writes it, on a store of the caller's; `putKeyRing` writes the keys. */
export async function buildInto(
  store: ReleaseStore,
  published: PublishedTree,
  reader: CatalogueReader,
  views: ReadonlySet<string>,
  options: BuildOptions,
  now: Instant,
  putKeyRing: (loaded: KeyRing) => Promise<readonly PlanEntry[]> = (loaded) => swapKeyRing(loaded, store),
): Promise<BuildResult> {
  const { isDryRun, guards, frontCodes, tzdata } = options;
  const until = instantOf(now + options.horizonSeconds);
  // A tree that a rollback holds gets no release, only the plan of one. Keys alone go on being put into force.
  const hold = await readHold(store);
  const releaseStore = hold === null ? store : dryRunStore(store);
  // The transaction begins here. What was committed while another run held the lock is seen: nothing older may follow what that
  // run published.
  await reader.restart();
  const renderer = await CatalogueRenderer.open(
    reader,
    { frontCodes, until, tzdata, views, keyRingInForce: published.keyRing },
    now,
  );
  const rendered = await renderer.products((done, total) => options.onProgress('load', done, total));
  // A revocation never waits for the guards.
  const keyRingPlan = await putKeyRing(rendered.keyRing);

  const diffs = isDryRun ? new PlannedDiffs(published, store, now) : null;
  const { tasks, obstructed } = await frontTasks(
    rendered.fronts.map((front) => frontTask(front, now)),
    published,
    now,
  );
  const results = [...obstructed];
  // Profile by profile: what fronts of a profile have in common is worked out once and then let go of.
  for (const task of tasks.toSorted((a, b) => renderer.profileIndexOf(a.code) - renderer.profileIndexOf(b.code))) {
    const editions = renderer.editionsOf(task.code, rendered.catalogue);
    const result = await renderFront(task, editions, guards, diffs?.store ?? releaseStore, now);
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
      // A front whose own code cannot be read is not gone.
      removalHold: frontCodes !== null ? 'not-selected' : rendered.isEveryCodeKnown ? null : 'findings',
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
    plan: [...keyRingPlan, ...plan, ...pruned.plan],
    isEveryFrontKnown: rendered.isEveryCodeKnown,
    findings: [...rendered.findings, ...treeFindings],
    findingsTotal: rendered.findingsTotal + treeFindings.length,
    differences: diffs?.result(plan) ?? null,
  };
}

const NOTHING_PRUNED: { readonly plan: readonly PlanEntry[]; readonly findings: readonly Finding[] } = {
  plan: [],
  findings: [],
};

/** Prunes as the last step of a build. What is published is published: a failure here is only told. */
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
