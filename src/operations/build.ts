// The main job, as a table of contents: load → render products → key ring → render, plan and publish front by front → prune → summary.
// Everything that may refuse the run is checked before the first file is written.

import { setImmediate } from 'node:timers/promises';
import { instantOf, type Instant } from '../catalogue/instant.ts';
import type { HoldCode } from '../contract/manifest.ts';
import { checkContract } from '../database/schema/check-schema.ts';
import { openCatalogue } from '../database/open.ts';
import type { CatalogueReader } from '../database/reader.ts';
import { replaceKeyRing, swapKeyRing } from './publish-keys.ts';
import { publishRelease, type BuildResult, type ReleaseSettings, type RenderedRelease } from './publish-release.ts';
import { renderProducts, type FrontsToRender } from './render-products.ts';
import { readHold } from '../release/history/hold.ts';
import { PlannedDiffs } from '../release/diff/planned-diff.ts';
import { renderFronts } from '../release/publish/render-fronts.ts';
import type { FrontResult } from '../release/publish/render-front.ts';
import { PublishedTree } from '../release/tree/published.ts';
import type { ReleaseStore } from '../release/tree/store.ts';
import type { Compression } from '../release/tree/files.ts';
import { dryRunStore } from '../storage/dry-run.ts';
import { precompressingStore } from '../storage/precompress.ts';
import type { OnTransfer } from '../storage/locked-tree.ts';
import { unlockedStore } from '../storage/open-tree.ts';
import { writingTree, type Billed } from './writing-tree.ts';

export interface BuildOptions extends ReleaseSettings {
  readonly databasePath: string;
  readonly outPath: string;
  /** Only these fronts; all active ones where null. */
  readonly frontCodes: readonly string[] | null;
  readonly isDryRun: boolean;
  /** In which forms new editions are put beside the plain one. */
  readonly precompress: readonly Compression[];
  readonly onProgress: (phase: 'load' | 'publish', done: number, total: number) => void;
  /** Called as files get into a bucket. */
  readonly onTransfer?: OnTransfer;
}

/**
 * Builds the catalogue as of `now` and publishes it.
 * @throws AppError database-…, contract-…, front-unknown, tree-…
 */
export async function build(options: BuildOptions, now: Instant): Promise<BuildResult & Billed> {
  const { outPath } = options;
  await using reader = await openCatalogue(options.databasePath);
  const unguarded = reader.unguarded(await checkContract(reader));
  if (options.isDryRun) {
    const store = dryRunStore(await unlockedStore(outPath));
    const planned = await buildInto(store, await PublishedTree.read(store), reader, unguarded, options, now);
    return { ...planned, requests: null };
  }
  return await writingTree(
    outPath,
    (published, { store }) =>
      buildInto(precompressingStore(store, options.precompress), published, reader, unguarded, options, now),
    options.onTransfer,
  );
}

/** What `build` does once the tree is read and nobody else writes it, on a store of the caller's. Ends the reader. @throws as `build` @internal */
export async function buildInto(
  store: ReleaseStore,
  published: PublishedTree,
  reader: CatalogueReader,
  unguarded: ReadonlySet<string>,
  options: BuildOptions,
  now: Instant,
): Promise<BuildResult> {
  const { isDryRun, frontCodes, tzdata } = options;
  const until = instantOf(now + options.horizonSeconds);
  // A tree that a rollback holds gets no release, only the plan of one. Keys alone are still published.
  const hold = await readHold(store);
  const releaseStore = hold === null ? store : dryRunStore(store);
  // The transaction begins here. What was committed while another run held the lock is seen: nothing older may follow what that
  // run published.
  await reader.restart();
  const rendered = await renderProducts(
    reader,
    { frontCodes, shard: null, until, tzdata, unguarded, publishedKeyRing: published.keyRing },
    (done, total) => options.onProgress('load', done, total),
    now,
  );
  // While files are uploaded, a snapshot would keep the database from removing old rows.
  await reader[Symbol.asyncDispose]();
  // A revocation does not wait for the guards.
  const keyRingEntry = isDryRun
    ? await swapKeyRing(rendered.keyRing, store)
    : await replaceKeyRing({ ring: rendered.keyRing, before: published.keyRing }, store, options.databasePath);

  const diffs = isDryRun ? new PlannedDiffs(published, store, now) : null;
  const results: FrontResult[] = [];
  for await (const result of renderFronts(rendered, published, options, diffs?.store ?? releaseStore, now)) {
    await diffs?.add(result);
    results.push(result);
    options.onProgress('publish', results.length, rendered.fronts.length);
    // Lets the process hear its signals between two of them.
    await setImmediate();
  }
  const release = await publishRelease(
    { ...releaseOf(rendered, frontCodes), results },
    isDryRun ? { ...options, pruneGraceSeconds: null } : options,
    hold,
    published,
    { releaseStore, store },
    now,
  );
  return {
    ...release,
    plan: [keyRingEntry, ...release.plan],
    ...(diffs === null ? {} : { differences: await diffs.result(release.plan) }),
  };
}

/** What a catalogue says of its release, besides the fronts that were rendered. */
export function releaseOf(
  rendered: FrontsToRender,
  frontCodes: readonly string[] | null,
): Omit<RenderedRelease, 'results'> {
  const { isEveryCodeKnown, disabledCodes, findings, findingsTotal } = rendered;
  return {
    held: heldOf(rendered),
    // A front whose own code cannot be read has not been removed.
    removalHold: frontCodes !== null ? 'not-selected' : isEveryCodeKnown ? null : 'findings',
    disabledCodes,
    isEveryFrontKnown: isEveryCodeKnown,
    findings,
    findingsTotal,
  };
}

function heldOf(rendered: FrontsToRender): Map<string, HoldCode> {
  return new Map<string, HoldCode>([
    ...rendered.badCodes.map((code): [string, HoldCode] => [code, 'findings']),
    ...rendered.unselectedCodes.map((code): [string, HoldCode] => [code, 'not-selected']),
  ]);
}
