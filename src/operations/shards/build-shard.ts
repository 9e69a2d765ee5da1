// One shard of a build (`build --shard`): reads what its own fronts show, renders them, and puts
// their content and a result for `finish` into the tree. Of the files that readers use it writes only
// the key ring, and it takes no lock.
//
//   run.json, by the first shard  →  content, durable  →  shard-<index>.json
//
// A shard that is stopped anywhere leaves content that nothing points at. Started again, it writes
// what is missing.

import { setImmediate } from 'node:timers/promises';
import type { Front } from '../../catalogue/front.ts';
import { formatInstant, instantOf, type Instant } from '../../catalogue/instant.ts';
import { TREE_SCHEMA } from '../../contract/primitives.ts';
import type { HoldJson, KeysGuard } from '../../contract/results/parts.ts';
import type { RunSettings, ShardFront, ShardResult } from '../../contract/run.ts';
import { openCatalogue } from '../../database/open.ts';
import { checkContract, type ContractFound } from '../../database/contract/check-schema.ts';
import { FindingLog } from '../../database/contract/row-checker.ts';
import { loadCatalogue, loadProducts } from '../../database/load/load-catalogue.ts';
import type { CatalogueReader } from '../../database/reader.ts';
import { AppError, afterWriting } from '../../errors.ts';
import { holdJson, holdsAll, readHold } from '../../release/tree/hold.ts';
import { refuseLost } from '../../release/publish/lost-contract.ts';
import { nextKeyRing } from '../../release/publish/next-key-ring.ts';
import { settled } from '../../release/publish/publish.ts';
import type { FrontResult } from '../../release/publish/render-front.ts';
import { sha256BytesOf } from '../../release/tree/digest.ts';
import { keyRingText } from '../../release/tree/codec.ts';
import { PublishedTree } from '../../release/tree/published.ts';
import { ALL_AGAIN, orRunDamaged, readRunSettings, readShardResult } from '../../release/tree/runs.ts';
import { pathOf, RUNS_FOLDER } from '../../render/paths.ts';
import { CatalogueRenderer } from '../../render/catalogue-renderer.ts';
import { shardsOf, type Shard } from '../../render/shards.ts';
import { sharedTree } from '../../storage/open-tree.ts';
import { precompressingStore } from '../../storage/precompress.ts';
import { withHeldFronts } from '../held-fronts.ts';
import type { SharedTree } from '../../storage/shared-tree.ts';
import { checkedFronts, type BuildOptions } from '../build.ts';
import { publishKeysInto } from '../publish-keys.ts';
import { renderFronts } from '../../release/publish/render-fronts.ts';
import { retriedRead } from '../../database/retried-read.ts';
import { nowOf, refuseOtherSettings } from './run-settings.ts';
import type { RequestsMade } from '../writing-tree.ts';

export interface ShardOptions extends Omit<BuildOptions, 'frontCodes' | 'isDryRun' | 'keep'> {
  readonly run: string;
  readonly shard: Shard;
  /** Whether `now` was given; if not, the instant of the first shard counts. */
  readonly isNowGiven: boolean;
  /** Who is running this, and when: `on HOST at INSTANT`. */
  readonly begun: string;
  /** The id of a snapshot held on a server; null: read the present state. */
  readonly snapshot: string | null;
}

export interface ShardBuilt {
  readonly now: Instant;
  /** The rollback that holds the tree: nothing was rendered. */
  readonly hold: HoldJson | null;
  /** The guards on the key ring. */
  readonly guards: readonly KeysGuard[];
  /** Whether the result was there already, from an earlier start. */
  readonly isRepeated: boolean;
  readonly results: readonly FrontResult[];
}

/** How old a run may be that a shard without `--now` joins. */
const AGE_SECONDS_MAX = 3600;

/**
 * Renders the fronts of one shard. Begins again, once, where the database is busy; but not on a
 * snapshot, which stays as it is.
 * @throws AppError database-…, contract-…, run-…, tree-…; with exit code 6 in place of 2 if
 * something was written before
 */
export function buildShard(options: ShardOptions, now: Instant): Promise<ShardBuilt & RequestsMade> {
  const job = (): Promise<ShardBuilt & RequestsMade> => buildShardOnce(options, now);
  return options.snapshot === null ? retriedRead(job, options.onRetry) : job();
}

async function buildShardOnce(options: ShardOptions, now: Instant): Promise<ShardBuilt & RequestsMade> {
  const { databasePath, outPath, run, onTransfer } = options;
  await using reader = await openCatalogue(databasePath, options.snapshot);
  const contract = await checkContract(reader);
  const tree = await sharedTree(outPath, `${RUNS_FOLDER}/${run}`, onTransfer);
  let built: ShardBuilt;
  try {
    built = await buildIntoShared(tree, reader, contract, options, now);
  } catch (error) {
    throw tree.hasWritten() ? afterWriting(error) : error;
  } finally {
    await tree.release();
  }
  return { ...built, requests: tree.requests() };
}

async function buildIntoShared(
  tree: SharedTree,
  reader: CatalogueReader,
  { views, absent }: ContractFound,
  options: ShardOptions,
  proposedNow: Instant,
): Promise<ShardBuilt> {
  const { shard, databasePath } = options;
  const published = await PublishedTree.read(tree.store);
  const hold = await readHold(tree.store);
  const keySettings = { guards: options.guards, frontCodes: null };
  if (holdsAll(hold)) {
    const { guards } = await publishKeysInto(tree.store, databasePath, keySettings, proposedNow);
    return { now: proposedNow, hold: holdJson(hold), guards, isRepeated: false, results: [] };
  }
  if (published.manifest !== null) options.checkCurrent?.(published.manifest);
  refuseLost(published.manifest, absent, options.guards);
  const state = await reader.restartIdentified();
  const settings = await joinRun(tree, options, proposedNow);
  const now = nowOf(settings);
  const findings = new FindingLog(reader);
  const load = { frontCodes: null, tzdata: options.tzdata, withoutForeignKeys: reader.withoutForeignKeys(views) };
  const catalogue = await loadCatalogue(reader, load, findings, now);
  const shardOf = shardsOf(catalogue.fronts, shard.total);
  const indexOf = ({ code }: Front): number => shardOf.get(code) ?? 0;
  const own = { ...catalogue, fronts: catalogue.fronts.filter((front) => indexOf(front) === shard.index) };
  const part = {
    fronts: own.fronts,
    earlier: catalogue.fronts.filter((front) => indexOf(front) < shard.index),
    isFirst: shard.index === 0,
  };
  const ownFindings = new FindingLog(reader, findings);
  const renderer = new CatalogueRenderer(own, sha256BytesOf, instantOf(now + options.horizonSeconds), now);
  for await (const { products, done, total } of loadProducts(reader, catalogue, load, ownFindings, now, part)) {
    renderer.add(products);
    options.onProgress('load', done, total);
  }
  const rendered = renderer.rendered(findings.badProducts);
  const checked = withHeldFronts(checkedFronts(catalogue, findings, null), hold);
  const fronts = own.fronts.filter(({ code }) => !checked.held.has(code));
  await reader[Symbol.asyncDispose]();
  // A revocation does not wait for the other shards. The rows may be older than the ring, so the
  // present keys are read and published.
  const loaded = nextKeyRing(catalogue.keys, published.keyRing, published.fronts, keySettings, now);
  const isPublished = published.keyRing !== null && keyRingText(published.keyRing) === keyRingText(loaded.ring);
  const keyRing = isPublished ? loaded : await publishKeysInto(tree.store, databasePath, keySettings, now);

  options.onProgress('publish', 0, fronts.length);
  const store = precompressingStore(tree.store, options.precompress);
  const rendering: FrontResult[] = [];
  for await (const result of renderFronts(fronts, rendered, published, options, store, now)) {
    rendering.push(result);
    options.onProgress('publish', rendering.length, fronts.length);
    // Lets the lease of a bucket be renewed, and uploads go on, between two fronts.
    await setImmediate();
  }
  const results = await settled(rendering, store);
  // State after a stop here: content that nothing points at, and no result.
  const { held, disabledCodes, ...others } = checked;
  const result = {
    settings,
    shard: shard.index,
    state,
    catalogue: {
      ...others,
      absent,
      findings: [...checked.findings, ...keyRing.findings],
      findingsTotal: checked.findingsTotal + keyRing.findings.length,
      shardOf: Object.fromEntries([...shardOf].filter(([code]) => !held.has(code))),
      held: Object.fromEntries(held),
      disabledCodes: [...disabledCodes].sort(),
    },
    uses: [...catalogue.uses],
    findings: ownFindings.kept,
    findingsTotal: ownFindings.total,
    keyGuards: keyRing.guards,
    fronts: withMinCards(results, fronts),
  };
  return { now, hold: null, guards: keyRing.guards, isRepeated: await leaveResult(result, tree), results };
}

/**
 * The settings of the run, which the first shard writes; a shard with different ones is refused.
 * @throws AppError run-differs, run-damaged
 */
async function joinRun(tree: SharedTree, options: ShardOptions, now: Instant): Promise<RunSettings> {
  const { run, shard, begun, horizonSeconds, toolVersion, tzdata, precompress, guards } = options;
  const settings: RunSettings = {
    schema: TREE_SCHEMA,
    run,
    shards: shard.total,
    now: formatInstant(now),
    begun,
    horizonSeconds,
    tool: toolVersion,
    tzdata,
    precompress,
    guards,
  };
  const path = pathOf({ kind: 'run', run });
  if (await tree.createOnce({ path, bytes: bytesOf(settings) })) return settings;
  const first = orRunDamaged(await readRunSettings(run, tree.store), tree.store.root);
  if (!options.isNowGiven && now - nowOf(first) > AGE_SECONDS_MAX) throw oldRun(first, now);
  refuseOtherSettings(first, options.isNowGiven ? settings : { ...settings, now: first.now });
  return first;
}

/** A run's name that is used again, by a cron job for example. */
function oldRun({ run, now: begunFor }: RunSettings, now: Instant): AppError {
  const message = `run ${run}: expected a run of the last hour, since --now is not given, found one for ${begunFor} (now is ${formatInstant(now)})`;
  return new AppError(
    'run-differs',
    message,
    `use a new name for each run: --run; or continue this one: --now ${begunFor}`,
  );
}

/** With what `finish` needs to check the guards again. */
function withMinCards(results: readonly FrontResult[], fronts: readonly Front[]): ShardFront[] {
  const minCardsOf = new Map(fronts.map(({ code, minCards }) => [code, minCards]));
  return results.map((result) => ({ ...result, minCards: minCardsOf.get(result.code) ?? 0 }));
}

/**
 * Writes the result of a shard, unless there is one.
 * @returns whether there was.
 * @throws AppError run-differs, run-damaged, run-state-differs
 */
async function leaveResult(result: ShardResult, tree: SharedTree): Promise<boolean> {
  const { settings, shard, state } = result;
  const path = pathOf({ kind: 'shard', run: settings.run, shard });
  if (await tree.createOnce({ path, bytes: bytesOf(result) })) return false;
  const { root } = tree.store;
  const before = orRunDamaged(await readShardResult(settings.run, shard, tree.store), root);
  refuseOtherSettings(before.settings, settings);
  if (before.state === state) return true;
  const message = `expected the catalogue in the state that ${root}/${path} was rendered from, found it changed`;
  throw new AppError('run-state-differs', message, ALL_AGAIN);
}

function bytesOf(value: RunSettings | ShardResult): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value)}\n`);
}
