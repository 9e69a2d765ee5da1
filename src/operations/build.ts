// The main job, from top to bottom: open the catalogue, lock the tree, load the catalogue and
// render its products, publish the keys, render the fronts one by one, publish the release, prune.
// Whatever can refuse the run as a whole is checked before the first file is written.

import { setImmediate } from 'node:timers/promises';
import { instantOf, type Instant } from '../catalogue/instant.ts';
import type { HeldReason } from '../contract/held-reasons.ts';
import { AppError } from '../errors.ts';
import { checkContract, type ContractFound } from '../database/contract/check-schema.ts';
import { FindingLog } from '../database/contract/row-checker.ts';
import { heldCodes, loadCatalogue, loadProducts, type LoadedCatalogue } from '../database/load/load-catalogue.ts';
import { openCatalogue } from '../database/open.ts';
import type { CatalogueReader } from '../database/reader.ts';
import { replaceKeyRing, swapKeyRing } from './publish-keys.ts';
import { publishRelease, type BuildResult, type ReleaseSettings, type RenderedRelease } from './publish-release.ts';
import { retriedRead, type OnRetry } from '../database/retried-read.ts';
import { sha256BytesOf } from '../release/tree/digest.ts';
import { holdsAll, readHold } from '../release/tree/hold.ts';
import { withHeldFronts } from './held-fronts.ts';
import { PlannedDiffs } from '../release/diff/planned-diff.ts';
import { refuseLost } from '../release/publish/lost-contract.ts';
import { renderFronts } from '../release/publish/render-fronts.ts';
import type { FrontResult } from '../release/publish/render-front.ts';
import { PublishedTree } from '../release/tree/published.ts';
import type { ReleaseStore } from '../release/tree/store.ts';
import { CatalogueRenderer } from '../render/catalogue-renderer.ts';
import { dryRunStore } from '../storage/dry-run.ts';
import { precompressingStore } from '../storage/precompress.ts';
import type { OnTransfer } from '../storage/locked-tree.ts';
import { unlockedStore } from '../storage/open-tree.ts';
import { writingTree, type RequestsMade } from './writing-tree.ts';

export interface BuildOptions extends ReleaseSettings {
  /** Whether `now` is this machine's clock, and not what somebody typed. */
  readonly isNowOfClock?: boolean;
  readonly databasePath: string;
  readonly outPath: string;
  /** The fronts to build; null for all active ones. */
  readonly frontCodes: readonly string[] | null;
  /** Plan and compare, but write nothing. */
  readonly isDryRun: boolean;
  /** Called after each batch of products, then when everything is read, then after each front. */
  readonly onProgress: (phase: 'load' | 'publish', done: number, total: number) => void;
  /** Called while files are uploaded to a bucket. */
  readonly onTransfer?: OnTransfer;
  readonly onRetry?: OnRetry;
}

/**
 * Builds the catalogue as of `now` and publishes it. Begins again, once, where the database is
 * busy.
 * @throws AppError database-…, contract-…, front-unknown, tree-…
 */
export function build(options: BuildOptions, now: Instant): Promise<BuildResult & RequestsMade> {
  return retriedRead(() => buildOnce(options, now), options.onRetry);
}

async function buildOnce(options: BuildOptions, now: Instant): Promise<BuildResult & RequestsMade> {
  const { outPath, precompress } = options;
  await using reader = await openCatalogue(options.databasePath);
  const contract = await checkContract(reader);
  if (options.isDryRun) {
    const store = dryRunStore(await unlockedStore(outPath));
    const published = await PublishedTree.read(store);
    return { ...(await buildInto(store, published, reader, contract, options, now)), requests: null };
  }
  return await writingTree(
    outPath,
    (published, { store, storeSeconds }) => {
      const aheadSeconds = options.isNowOfClock === true ? now - (storeSeconds() ?? now) : 0;
      const target = precompressingStore(store, precompress);
      return buildInto(target, published, reader, contract, options, now, aheadSeconds);
    },
    options.onTransfer,
  );
}

/**
 * The build itself, for a tree that has been read and that nobody else is writing. Closes the
 * reader. `aheadSeconds`: how far this machine's clock is ahead of that of a bucket's store.
 * @throws as `build`, and AppError clock-skewed @internal
 */
export async function buildInto(
  store: ReleaseStore,
  published: PublishedTree,
  reader: CatalogueReader,
  { views, absent }: ContractFound,
  options: BuildOptions,
  now: Instant,
  aheadSeconds = 0,
): Promise<BuildResult> {
  const { isDryRun, frontCodes, tzdata, horizonSeconds, onProgress } = options;
  if (published.manifest !== null) options.checkCurrent?.(published.manifest);
  refuseLost(published.manifest, absent, options.guards, frontCodes !== null);
  // While a rollback holds the whole tree, a build only plans its release. It still publishes the
  // keys.
  const hold = await readHold(store);
  const releaseStore = holdsAll(hold) ? dryRunStore(store) : store;
  // The read transaction begins only now, under the lock: the run that held the lock before may
  // have published rows that were committed meanwhile, and older rows must not replace them.
  options.onPhase?.('read');
  await reader.restart();
  const findings = new FindingLog(reader);
  const load = { frontCodes, tzdata, withoutForeignKeys: reader.withoutForeignKeys(views) };
  const catalogue = await loadCatalogue(reader, load, findings, now);
  const renderer = new CatalogueRenderer(catalogue, sha256BytesOf, instantOf(now + horizonSeconds), now);
  for await (const { products, done, total } of loadProducts(reader, catalogue, load, findings, now)) {
    renderer.add(products);
    onProgress('load', done, total);
  }
  const rendered = renderer.rendered(findings.badProducts);
  const checked = withHeldFronts(checkedFronts(catalogue, findings, frontCodes), hold);
  const fronts = catalogue.fronts.filter(({ code }) => !checked.held.has(code));
  // Ends the transaction: during a long upload it would keep the database from removing old rows.
  await reader[Symbol.asyncDispose]();
  // Keys come first: a revocation must not wait for the guards.
  const keySettings = { guards: options.guards, frontCodes };
  const keyRing = isDryRun
    ? await swapKeyRing(catalogue.keys, published.keyRing, published, keySettings, store, now)
    : await replaceKeyRing(catalogue.keys, published, keySettings, store, options.databasePath, now);

  if (Math.abs(aheadSeconds) > CLOCK_AGREES_SECONDS) throw skewedClock(aheadSeconds, store.root);
  onProgress('publish', 0, fronts.length);
  options.onPhase?.('render');
  // A dry run keeps the new editions of one front at a time, to compare them with the published
  // ones.
  const diffs = isDryRun ? new PlannedDiffs(published, store, now) : null;
  const results: FrontResult[] = [];
  for await (const result of renderFronts(fronts, rendered, published, options, diffs?.store ?? releaseStore, now)) {
    await diffs?.add(result);
    results.push(result);
    onProgress('publish', results.length, fronts.length);
    // Lets the lease of a bucket be renewed, and uploads go on, between two fronts.
    await setImmediate();
  }
  // Of the products of other fronts no row was read.
  const before = frontCodes === null ? [] : (published.manifest?.uses ?? []);
  const uses = [...new Set([...before, ...catalogue.uses])];
  const release = await publishRelease(
    { ...checked, absent, uses, keyRing, results },
    isDryRun ? { ...options, keep: null } : options,
    hold,
    published,
    { releaseStore, store },
    now,
  );
  return {
    ...release,
    ...(diffs === null ? {} : { differences: await diffs.result(release.plan) }),
  };
}

/**
 * What the catalogue decides about a release apart from its rendered fronts: which fronts are held,
 * and which may be removed. @internal
 */
export function checkedFronts(
  catalogue: LoadedCatalogue,
  findings: FindingLog,
  frontCodes: readonly string[] | null,
): Omit<RenderedRelease, 'absent' | 'uses' | 'keyRing' | 'results'> {
  const { isEveryCodeKnown, disabledCodes } = catalogue;
  const held = new Map<string, HeldReason>();
  for (const code of heldCodes(catalogue, findings)) held.set(code, 'findings');
  for (const code of catalogue.unselectedCodes) held.set(code, 'not-selected');
  return {
    held,
    // A front that seems to be missing may be the one whose code cannot be read.
    removalGuard: frontCodes !== null ? 'not-selected' : isEveryCodeKnown ? null : 'findings',
    disabledCodes,
    isEveryFrontKnown: isEveryCodeKnown,
    findings: findings.kept,
    findingsTotal: findings.total,
  };
}

/** How far this machine's clock may be from that of a bucket's store. */
const CLOCK_AGREES_SECONDS = 300;

function skewedClock(aheadSeconds: number, root: string): AppError {
  const by = `${Math.round(Math.abs(aheadSeconds))} s ${aheadSeconds > 0 ? 'ahead' : 'behind'}`;
  const message = `expected a clock that agrees with that of the store of ${root}, found one that is ${by}`;
  return new AppError(
    'clock-skewed',
    message,
    'set the clock of this machine (timedatectl set-ntp true); or name the instant: --now',
  );
}
