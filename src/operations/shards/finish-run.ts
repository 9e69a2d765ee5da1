// The end of a run of shards (`finish`): reads their results as if it had just rendered the fronts,
// and publishes as a build does. Opens no database.

import { setTimeout } from 'node:timers/promises';
import { formatInstant } from '../../catalogue/instant.ts';
import type { HeldReason } from '../../contract/held-reasons.ts';
import type { AllowableGuard } from '../../contract/allowable-guards.ts';
import type { RunSettings, ShardResult } from '../../contract/run.ts';
import { AppError, shellWord } from '../../errors.ts';
import { FINDINGS_KEPT, type Finding } from '../../findings.ts';
import type { Keep } from '../../release/history/retention.ts';
import { heldFronts, holdJson, holdsAll, readHold } from '../../release/tree/hold.ts';
import { refuseLost } from '../../release/publish/lost-contract.ts';
import { recheckFront } from '../../release/publish/recheck-front.ts';
import type { FrontResult } from '../../release/publish/render-front.ts';
import type { TreeFiles, TreeFolders } from '../../release/tree/files.ts';
import type { PublishedTree } from '../../release/tree/published.ts';
import { ALL_AGAIN, frontsOfShard, orRunDamaged, readRunSettings, readShardResult } from '../../release/tree/runs.ts';
import type { ReleaseStore } from '../../release/tree/store.ts';
import { pathOf, RUNS_FOLDER } from '../../render/paths.ts';
import { dryRunStore } from '../../storage/dry-run.ts';
import type { OnTransfer } from '../../storage/locked-tree.ts';
import { unlockedStore } from '../../storage/open-tree.ts';
import { withHeldFronts } from '../held-fronts.ts';
import { removeKeys, type KeyRingChange } from '../publish-keys.ts';
import { publishRelease, type BuildResult, type Phase, type RenderedRelease } from '../publish-release.ts';
import { nowOf, refuseOtherSettings } from './run-settings.ts';
import { writingTree, type RequestsMade } from '../writing-tree.ts';

export interface FinishOptions {
  readonly outPath: string;
  readonly run: string;
  /** How many shards there are. */
  readonly shards: number;
  /** How long to wait for missing results. */
  readonly waitSeconds: number;
  /** How much history is kept; null: nothing is pruned. */
  readonly keep: Keep | null;
  /** Guards to override beside those that the shards override. */
  readonly allow?: readonly AllowableGuard[];
  readonly toolVersion: string;
  readonly onPhase?: (phase: Phase) => void;
  readonly onTransfer?: OnTransfer;
}

/**
 * What was published, and the settings of the run: null if no shard has started because a rollback
 * holds the tree.
 */
export interface FinishedRun extends BuildResult {
  readonly settings: RunSettings | null;
}

/** How often to look for missing results. */
const LOOK_EVERY_SECONDS = 1;

/** Publishes what the shards of a run have rendered. @throws AppError run-…, tree-… */
export async function finishRun(options: FinishOptions): Promise<FinishedRun & RequestsMade> {
  const store = await unlockedStore(options.outPath);
  await waitForShards(options, store);
  // Before taking the lock, which would create the folder.
  const begun = await readRunSettings(options.run, store);
  if (!begun.ok && begun.why === 'missing' && !holdsAll(await readHold(store))) throw missingRun(options, store.root);
  return writingTree(
    options.outPath,
    (published, tree) => finishInto(tree.store, published, options),
    options.onTransfer,
  );
}

/** Returns when every shard has written its result, or the time is up. */
async function waitForShards({ run, shards, waitSeconds }: FinishOptions, files: TreeFolders): Promise<void> {
  for (let waited = 0; waited < waitSeconds; waited += LOOK_EVERY_SECONDS) {
    const folder = await files.entries(`${RUNS_FOLDER}/${run}`);
    const paths = new Set(folder.ok ? folder.value.map(({ path }) => path) : []);
    const isThere = (shard: number): boolean => paths.has(pathOf({ kind: 'shard', run, shard }));
    // While a rollback holds the tree, no result will come.
    if (indexesOf(shards).every(isThere) || holdsAll(await readHold(files))) return;
    await setTimeout(LOOK_EVERY_SECONDS * 1000);
  }
}

async function finishInto(store: ReleaseStore, published: PublishedTree, options: FinishOptions): Promise<FinishedRun> {
  const hold = await readHold(store);
  const { run, shards, toolVersion, keep, onPhase } = options;
  onPhase?.('read');
  const found = await resultsOf(options, store);
  const [first] = found.values();
  if (first === undefined) {
    if (!holdsAll(hold)) throw missingRun(options, store.root);
    // The shards have seen the hold too, and rendered nothing.
    const { current } = published;
    const same = { release: current, releaseId: current?.id ?? null, replaced: current };
    return { ...NOTHING_RENDERED, ...same, settings: null, hold: holdJson(hold) };
  }
  const { settings, catalogue } = first;
  const rows = rowsOf(found, shards, published);
  const keyRing = await finishKeyRing(found, options.allow ?? [], published, store);
  const now = nowOf(settings);
  const results: FrontResult[] = [];
  // A release for a later instant knows better which fronts there are.
  const isLate = !settings.guards.force && formatInstant(now) < (published.manifest?.now ?? '');
  const guards = { ...settings.guards, allow: [...settings.guards.allow, ...(options.allow ?? [])] };
  refuseLost(published.manifest, catalogue.absent, guards);
  const recheck = { guards, isLate, isPlan: holdsAll(hold) };
  for (const { fronts } of found.values())
    for (const front of fronts)
      if (!heldFronts(hold).has(front.code)) results.push(await recheckFront(front, published, recheck, now));
  const missing = indexesOf(shards).filter((shard) => !found.has(shard));
  const frontsOf = (shard: number): string[] => frontsOfShard(shard, catalogue.shardOf);
  const held = new Map<string, HeldReason>(Object.entries(catalogue.held));
  for (const code of missing.flatMap(frontsOf)) held.set(code, 'shard-missing');
  const findings = missing.map((shard) => missingShard(run, shard, frontsOf(shard).length));
  const release = await publishRelease(
    withHeldFronts(
      {
        results,
        held,
        absent: catalogue.absent,
        uses: rows.uses,
        removalGuard: isLate ? 'now-earlier' : catalogue.removalGuard,
        disabledCodes: new Set(catalogue.disabledCodes),
        keyRing,
        isEveryFrontKnown: catalogue.isEveryFrontKnown,
        findings: [...catalogue.findings, ...rows.findings, ...findings],
        findingsTotal: catalogue.findingsTotal + rows.findingsTotal + findings.length,
      },
      hold,
    ),
    { ...settings, guards, toolVersion, keep, ...(onPhase === undefined ? {} : { onPhase }) },
    hold,
    published,
    { releaseStore: holdsAll(hold) ? dryRunStore(store) : store, store },
    now,
  );
  return { ...release, settings };
}

/**
 * What the shards have found. Without one of them it is not known what its rows say: then the fronts
 * that keep their snapshots use what the published release did.
 */
function rowsOf(
  found: ReadonlyMap<number, ShardResult>,
  shards: number,
  { manifest }: PublishedTree,
): Pick<RenderedRelease, 'uses' | 'findings' | 'findingsTotal'> {
  const all = [...found.values()];
  const before = all.length < shards ? (manifest?.uses ?? []) : [];
  const kept = all.flatMap(({ findings }) => findings);
  return {
    uses: [...new Set([...before, ...all.flatMap(({ uses }) => uses)])],
    findings: kept.slice(0, FINDINGS_KEPT),
    findingsTotal: all.reduce((sum, { findingsTotal }) => sum + findingsTotal, 0),
  };
}

/**
 * The key ring, which the shards have published. What they have kept of vanished keys goes now if
 * that is allowed.
 */
async function finishKeyRing(
  found: ReadonlyMap<number, ShardResult>,
  allow: readonly AllowableGuard[],
  { keyRing }: PublishedTree,
  store: ReleaseStore,
): Promise<KeyRingChange> {
  const guards = [...found.values()].flatMap(({ keyGuards }) => keyGuards);
  const overridden = guards.filter(({ isOverridden }) => isOverridden).slice(0, 1);
  const kept = guards.find(({ isOverridden }) => !isOverridden);
  // They may have gone since, by a build.
  const keyids = kept?.keyids.filter((keyid) => Object.hasOwn(keyRing?.keys ?? {}, keyid)) ?? [];
  if (kept === undefined || keyids.length === 0) return { plan: [], guards: overridden, findings: [] };
  if (!allow.includes(kept.code)) return { plan: [], guards: [kept, ...overridden], findings: [] };
  return { plan: [await removeKeys(keyids, store)], guards: [{ ...kept, isOverridden: true }], findings: [] };
}

const NOTHING_RENDERED = {
  outcomes: [],
  allowed: [],
  guards: [],
  plan: [],
  isEveryFrontKnown: true,
  findings: [],
  findingsTotal: 0,
  history: null,
} as const satisfies Partial<BuildResult>;

/**
 * The results that there are, by shard. They must belong to one run and one state.
 * @throws AppError run-differs, run-damaged, run-state-differs
 */
async function resultsOf(
  { run, shards, toolVersion }: FinishOptions,
  files: TreeFiles,
): Promise<ReadonlyMap<number, ShardResult>> {
  const results = new Map<number, ShardResult>();
  const begun = await readRunSettings(run, files);
  if (!begun.ok && begun.why === 'missing') return results;
  const settings = orRunDamaged(begun, files.root);
  refuseOtherSettings(settings, { shards, tool: toolVersion });
  let state: string | null = null;
  for (const shard of indexesOf(shards)) {
    const read = await readShardResult(run, shard, files);
    if (!read.ok && read.why === 'missing') continue;
    const result = orRunDamaged(read, files.root);
    refuseOtherSettings(settings, result.settings);
    state ??= result.state;
    if (result.state !== state) throw otherState(run, [...results.keys()], shard);
    results.set(shard, result);
  }
  return results;
}

function indexesOf(shards: number): readonly number[] {
  return Array.from({ length: shards }, (_, index) => index);
}

function missingRun({ run, shards }: FinishOptions, root: string): AppError {
  const message = `expected the results of ${shards} shards in ${root}/runs/${run}, found none`;
  return new AppError('run-missing', message, `start them: playbill build --shard 0/${shards} --run ${shellWord(run)}`);
}

function otherState(run: string, shards: readonly number[], shard: number): AppError {
  const others = shards.length === 1 ? `shard ${shards[0]}` : `shards ${shards.join(', ')}`;
  const message = `expected one state of the catalogue in run ${run}, found that it changed between ${others} and shard ${shard}`;
  const hint = `${ALL_AGAIN}; of a file, read one copy: playbill snapshot --to COPY; from PostgreSQL, one snapshot: playbill snapshot --hold`;
  return new AppError('run-state-differs', message, hint);
}

function missingShard(run: string, shard: number, fronts: number): Finding {
  const message = `expected the result of shard ${shard}, found none: its fronts (${fronts}) keep their snapshots`;
  const hint = 'start that shard again, then run finish again';
  return { severity: 'error', code: 'shard-missing', place: pathOf({ kind: 'shard', run, shard }), message, hint };
}
