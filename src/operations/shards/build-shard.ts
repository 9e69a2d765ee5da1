// One shard of a build (`build --shard`): reads and checks everything, renders its own fronts, and leaves their content in the tree, with a
// result that says what became of them. Writes nothing that a reader looks for but the key ring, and takes no lock: `finish` does the rest.
//
//   run.json, by the first shard  →  content, durable  →  shard-<index>.json
//
// A shard that is stopped anywhere has left content that nothing points at; begun again, it finds what is there and writes what is missing.

import { setImmediate } from 'node:timers/promises';
import { formatInstant, instantOf, parseInstant, type Instant } from '../../catalogue/instant.ts';
import { TREE_SCHEMA } from '../../contract/primitives.ts';
import type { Hold } from '../../contract/results.ts';
import type { RunSettings, ShardResult } from '../../contract/run.ts';
import { openCatalogue } from '../../database/open.ts';
import { checkContract } from '../../database/schema/check-schema.ts';
import { StateReader } from '../../database/state-reader.ts';
import { AppError } from '../../errors.ts';
import { readHold } from '../../release/history/hold.ts';
import { settled } from '../../release/publish/publish.ts';
import type { FrontResult } from '../../release/publish/render-front.ts';
import { keyRingText } from '../../release/tree/codec.ts';
import { PublishedTree } from '../../release/tree/published.ts';
import { orRunDamaged, readRunSettings, readShardResult } from '../../release/tree/runs.ts';
import { pathOf, RUNS_FOLDER } from '../../render/paths.ts';
import type { Shard } from '../../render/shards.ts';
import { sharedTree } from '../../storage/open-tree.ts';
import { precompressingStore } from '../../storage/precompress.ts';
import type { SharedTree } from '../../storage/shared-tree.ts';
import { releaseOf, type BuildOptions } from '../build.ts';
import { publishKeys } from '../publish-keys.ts';
import { renderFronts } from '../../release/publish/render-fronts.ts';
import { renderProducts, type FrontsToRender } from '../render-products.ts';
import { refuseOtherSettings } from './run-settings.ts';
import type { Billed } from '../writing-tree.ts';

export interface ShardOptions extends Omit<BuildOptions, 'frontCodes' | 'isDryRun' | 'pruneGraceSeconds'> {
  readonly run: string;
  readonly shard: Shard;
  /** Whether `now` was asked for; otherwise it is that of the shard that began first. */
  readonly isNowGiven: boolean;
  /** A held state of a catalogue on a server; null: that of now. */
  readonly snapshot: string | null;
}

export interface ShardBuilt {
  readonly now: Instant;
  /** The rollback that holds the tree: then nothing was rendered. */
  readonly hold: Hold | null;
  /** Whether an earlier start has left the result. */
  readonly isRepeated: boolean;
  readonly results: readonly FrontResult[];
}

/** How old a run may be that a shard joins without saying so. */
const AGE_SECONDS_MAX = 3600;

/** Renders the fronts of one shard. @throws AppError database-…, contract-…, run-…, tree-… */
export async function buildShard(options: ShardOptions, now: Instant): Promise<ShardBuilt & Billed> {
  const { databasePath, outPath, run, onTransfer } = options;
  await using reader = new StateReader(await openCatalogue(databasePath, options.snapshot));
  const unguarded = reader.unguarded(await checkContract(reader));
  const tree = await sharedTree(outPath, `${RUNS_FOLDER}/${run}`, onTransfer);
  let built: ShardBuilt;
  try {
    built = await buildIntoShared(tree, reader, unguarded, options, now);
  } finally {
    await tree.release();
  }
  return { ...built, requests: tree.requests() };
}

async function buildIntoShared(
  tree: SharedTree,
  reader: StateReader,
  unguarded: ReadonlySet<string>,
  options: ShardOptions,
  proposedNow: Instant,
): Promise<ShardBuilt> {
  const { shard, databasePath, outPath } = options;
  const published = await PublishedTree.read(tree.store);
  const hold = await readHold(tree.store);
  if (hold !== null) {
    await publishKeys(databasePath, outPath);
    return { now: proposedNow, hold, isRepeated: false, results: [] };
  }
  const settings = await joinRun(tree, options, proposedNow);
  const now = parseInstant(settings.now) ?? proposedNow;
  await reader.restart();
  const until = instantOf(now + options.horizonSeconds);
  const { tzdata } = options;
  const rendered = await renderProducts(
    reader,
    { frontCodes: null, shard, until, tzdata, unguarded, publishedKeyRing: published.keyRing },
    (done, total) => options.onProgress('load', done, total),
    now,
  );
  // With a snapshot as well: a server that has been started again may give another one the same id.
  const state = reader.digest();
  await reader[Symbol.asyncDispose]();
  // A revocation waits for no other shard. Where the rows are of an older state than the ring, those of now decide.
  const ring = published.keyRing;
  if (ring === null || keyRingText(ring) !== keyRingText(rendered.keyRing)) await publishKeys(databasePath, outPath);

  const store = precompressingStore(tree.store, options.precompress);
  const rendering: FrontResult[] = [];
  for await (const result of renderFronts(rendered, published, options, store, now)) {
    rendering.push(result);
    options.onProgress('publish', rendering.length, rendered.fronts.length);
    // Lets the process hear its signals between two of them.
    await setImmediate();
  }
  const results = await settled(rendering, store);
  // State after a stop here: content that nothing points at, and no result.
  const isRepeated = await leaveResult({ settings, shard: shard.index, state, ...resultOf(rendered, results) }, tree);
  return { now, hold: null, isRepeated, results };
}

/** The settings of the run: the given ones for its first shard, and for others the same, or they are refused. @throws AppError run-differs */
async function joinRun(tree: SharedTree, options: ShardOptions, now: Instant): Promise<RunSettings> {
  const { run, shard, horizonSeconds, toolVersion, tzdata, precompress, guards } = options;
  const { maxShrink, allowShrink, force } = guards;
  const settings: RunSettings = {
    schema: TREE_SCHEMA,
    run,
    shards: shard.total,
    now: formatInstant(now),
    horizonSeconds,
    tool: toolVersion,
    tzdata,
    precompress,
    guards: { maxShrink, allowShrink, force },
  };
  const path = pathOf({ kind: 'run', run });
  if (await tree.createOnce({ path, bytes: bytesOf(settings) })) return settings;
  const begun = orRunDamaged(await readRunSettings(run, tree.store), tree.store.root);
  if (!options.isNowGiven && now - (parseInstant(begun.now) ?? now) > AGE_SECONDS_MAX) throw oldRun(begun, now);
  refuseOtherSettings(begun, options.isNowGiven ? settings : { ...settings, now: begun.now });
  return begun;
}

/** A name that is used again would publish the old state once more. */
function oldRun({ run, now: begunFor }: RunSettings, now: Instant): AppError {
  const message = `run ${run}: expected one of the last hour, since --now is not given, found that it was begun for ${begunFor} (now is ${formatInstant(now)})`;
  return new AppError(
    'run-differs',
    message,
    `give each run a name of its own: --run; or go on with this one: --now ${begunFor}`,
  );
}

function resultOf(
  rendered: FrontsToRender,
  results: readonly FrontResult[],
): Pick<ShardResult, 'catalogue' | 'fronts'> {
  const { held, disabledCodes, ...release } = releaseOf(rendered, null);
  const minCardsOf = new Map(rendered.fronts.map(({ code, minCards }) => [code, minCards]));
  return {
    catalogue: {
      ...release,
      findings: [...release.findings],
      shardOf: Object.fromEntries(rendered.shardOf),
      held: Object.fromEntries(held),
      disabledCodes: [...disabledCodes].sort(),
    },
    fronts: results.map((result) => ({ ...result, minCards: minCardsOf.get(result.code) ?? 0 })),
  };
}

/** Leaves the result of a shard, unless there is one. @returns whether there was. @throws AppError run-state-differs */
async function leaveResult(result: ShardResult, tree: SharedTree): Promise<boolean> {
  const { settings, shard, state } = result;
  const path = pathOf({ kind: 'shard', run: settings.run, shard });
  if (await tree.createOnce({ path, bytes: bytesOf(result) })) return false;
  const { root } = tree.store;
  const before = orRunDamaged(await readShardResult(settings.run, shard, tree.store), root);
  refuseOtherSettings(before.settings, settings);
  if (before.state === state) return true;
  const message = `expected the state of the catalogue that ${root}/${path} was rendered from, found another`;
  throw new AppError('run-state-differs', message, 'start all shards again, as another run: --run');
}

function bytesOf(value: RunSettings | ShardResult): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value)}\n`);
}
