// Going back and cleaning up on a store that breaks at every write: the readers see the old or the
// new, no build undoes what is half done, and a retry ends in the same tree as a run that nothing
// disturbed.

import Database from 'better-sqlite3';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { instantOf } from '../../src/catalogue/instant.ts';
import { openCatalogue } from '../../src/database/open.ts';
import { AppError } from '../../src/errors.ts';
import { rollBackTree } from '../../src/operations/history.ts';
import { prune } from '../../src/release/history/prune.ts';
import { heldFronts, liftFronts, readHold } from '../../src/release/tree/hold.ts';
import type { ReleaseStore } from '../../src/release/tree/store.ts';
import { rollBackFronts } from '../../src/release/history/rollback-fronts.ts';
import { PublishedTree } from '../../src/release/tree/published.ts';
import { rollBack } from '../../src/release/history/rollback.ts';
import { DirectoryStore } from '../../src/storage/folder/store.ts';
import { buildTree, catalogueAt, filesOf, instant, NO_GRACE, temporaryFolderOfFile } from '../support/trees.ts';
import { findingsOf } from '../support/verify-tree.ts';
import { BreakingStore, Breakage } from '../support/fault/breaking-store.ts';
import { buildWith } from '../support/fault/build-with.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { checkAsReader, stateOf, wholeFrontsIn, type Sight } from '../support/fault/readers-check.ts';
import { manifestOf } from '../support/manifests.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { changedEditions, copyTree, rewrittenInVain, stampsOf } from '../support/fault/tree-copy.ts';

const LATER = instant('2026-05-01T10:00:00Z');
const LATEST = instant('2026-05-01T10:05:00Z');
const PRUNED = { keep: NO_GRACE, replaced: null };
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url);
/** Fronts alpha, bravo and charlie at NOW, alpha, charlie and delta at LATER. */
const base = join(folder, 'base');
/**
 * The same with twelve releases more, two days later and a second apart: without grace, three go.
 */
const crowded = join(folder, 'crowded');
/** The catalogue of LATER. */
let database = '';
let oldId = '';

beforeAll(async () => {
  const size = { productsPerFront: 1, sessionsPerProduct: 1 };
  const fronts = ['alpha', 'bravo', 'charlie', 'delta'];
  const oldDatabase = catalogueAt(join(folder, 'old.sqlite'), smallCatalogue({ ...size, fronts, edition: 'old' }));
  change(oldDatabase, `UPDATE fronts SET status = 'disabled' WHERE code = 'delta'`);
  oldId = (await buildTree(oldDatabase, base, instant(NOW))).releaseId ?? '';
  database = catalogueAt(join(folder, 'new.sqlite'), smallCatalogue({ ...size, fronts, edition: 'young' }));
  change(database, `UPDATE fronts SET status = 'disabled' WHERE code = 'bravo'`);
  await buildTree(database, base, LATER);

  copyTree(base, crowded);
  const raised = catalogueAt(join(folder, 'raised.sqlite'), smallCatalogue({ ...size, fronts, edition: 'raised' }));
  change(raised, `UPDATE fronts SET status = 'disabled' WHERE code = 'bravo'`);
  const guards = { maxShrink: 1, maxBad: 0.05, allow: ['max-shrink', 'min-cards'] as const, force: false };
  for (let i = 0; i < 12; i += 1) {
    change(raised, 'UPDATE price_tiers SET amount_minor = amount_minor + 100');
    const now = instant(`2026-05-03T10:00:${10 + i}Z`);
    await buildTree(raised, crowded, now, { horizonSeconds: 0, keep: null, guards });
  }
});

function change(path: string, sql: string): void {
  const handle = new Database(path);
  handle.exec(sql);
  handle.close();
}

function breakingStore(root: string, breakAt: number): BreakingStore {
  return new BreakingStore(new DirectoryStore(root), new DirectoryStore(root), breakAt);
}

test('a store that breaks while going back', async () => {
  const undisturbed = copyTree(base, join(folder, 'undisturbed'));
  await rollBackTree(undisturbed, oldId);
  const [before, after] = [stateOf(base), stateOf(undisturbed)];
  const expected = filesOf(undisturbed);
  expect(await findingsOf(undisturbed)).toEqual([]);

  const sights: Sight[] = [];
  for (let breakAt = 1; ; breakAt += 1) {
    const root = copyTree(base, join(folder, `back-${breakAt}`));
    const untouched = stampsOf(root);
    const store = breakingStore(root, breakAt);
    const published = await PublishedTree.read(store);
    const thrown = await rollBack(oldId, published, store).catch((error: unknown) => error);
    sights.push(checkAsReader(root, before, after));
    const broken = stampsOf(root);
    expect(rewrittenInVain(untouched, broken), `${breakAt}`).toEqual([]);
    expect(changedEditions(untouched, broken), `${breakAt}`).toEqual([]);
    // What is there between two snapshots is no damage.
    expect((await findingsOf(root)).filter(({ severity }) => severity === 'error')).toEqual([]);
    if (!(thrown instanceof Breakage)) {
      expect(filesOf(root)).toEqual(expected);
      break;
    }

    // The next run from cron comes first: once anything has moved, it changes nothing.
    if (existsSync(join(root, 'releases/hold'))) {
      const { hold } = await buildTree(database, root, LATEST);
      expect(hold).toEqual({ release: oldId });
      expect(stampsOf(root)).toEqual(broken);
    } else expect(filesOf(root)).toEqual(filesOf(base));
    await rollBackTree(root, oldId);
    expect(filesOf(root), `the retry after ${breakAt}`).toEqual(expected);
    expect(rewrittenInVain(broken, stampsOf(root)), `the retry after ${breakAt}`).toEqual([]);
    rmSync(root, { recursive: true });
  }
  // Hold and current 2 ways each, three pointers 4, one pointer to remove 2; and the run that
  // nothing breaks.
  expect(sights).toHaveLength(11);
  const isMixed = ({ fronts }: Sight): boolean =>
    ['old', 'new'].every((one) => [...fronts.values()].some((f) => f === one));
  expect(sights.filter(isMixed)).toHaveLength(4);
  const situation = 'a rollback’s store breaks in a write, before or after its effect';
  const heals = 'the same rollback; a build changes nothing before';
  tellFault({ situation, sees: 'each front old or new, whole', heals }, null, sights.length - 1);
});

/**
 * A run on a store that breaks at each of its writes. Whoever reads sees each front old or new, and
 * the same run, after a build from cron under which no held front has moved, ends as one that
 * nothing disturbed.
 */
async function breakEverywhere(
  from: string,
  run: (store: ReleaseStore) => Promise<unknown>,
  next: ((root: string) => Promise<void>) | null,
): Promise<Sight[]> {
  const undisturbed = copyTree(from, join(folder, 'fronts-undisturbed'));
  await run(new DirectoryStore(undisturbed));
  const [before, after] = [stateOf(from), stateOf(undisturbed)];
  const expected = filesOf(undisturbed);
  expect(await findingsOf(undisturbed)).toEqual([]);
  rmSync(undisturbed, { recursive: true });
  const sights: Sight[] = [];
  for (let breakAt = 1; ; breakAt += 1) {
    const root = copyTree(from, join(folder, `fronts-${breakAt}`));
    const thrown = await run(breakingStore(root, breakAt)).catch((error: unknown) => error);
    if (thrown instanceof Error && !(thrown instanceof Breakage)) throw thrown;
    const sight = checkAsReader(root, before, after);
    expect((await findingsOf(root)).filter(({ severity }) => severity === 'error')).toEqual([]);
    if (!(thrown instanceof Breakage)) {
      expect(filesOf(root)).toEqual(expected);
      rmSync(root, { recursive: true });
      return sights;
    }
    sights.push(sight);
    const other = copyTree(root, join(folder, `fronts-other-${breakAt}`));
    await next?.(other);
    await run(new DirectoryStore(root));
    expect(filesOf(root), `the retry after ${breakAt}`).toEqual(expected);
    for (const one of [root, other]) rmSync(one, { recursive: true });
  }
}

/** Puts alpha and charlie back. */
async function rollBackTwo(store: ReleaseStore): Promise<void> {
  const published = await PublishedTree.read(store);
  await rollBackFronts(oldId, ['alpha', 'charlie'], published, store, { isBySize: false }, instantOf(LATER + 60));
}

/** Lets builds publish alpha again; where a broken run has lifted its hold, there is nothing to do. */
async function resumeAlpha(store: ReleaseStore): Promise<void> {
  const hold = await readHold(store);
  if (heldFronts(hold).has('alpha')) await liftFronts(['alpha'], hold, store);
}

test('a store that breaks while fronts go back, in a build beside them, and while one is resumed', async () => {
  const sees = 'each front old or new, whole';
  const tell = (situation: string, heals: string, sights: readonly Sight[]): void =>
    tellFault(
      { situation: `${situation} breaks in a write, before or after its effect`, sees, heals },
      null,
      sights.length,
    );
  const pointersOf = (root: string) => [...stateOf(root).pointers].filter(([code]) => code !== 'delta');

  const sights = await breakEverywhere(base, rollBackTwo, async (root) => {
    // Once these fronts are held, a build publishes delta alone, and none of it moves them.
    const isHeld = stateOf(root).hold !== null;
    const before = pointersOf(root);
    const { outcomes } = await buildTree(database, root, LATEST);
    const held = outcomes.filter((one) => one.held === 'rolled-back').map(({ code }) => code);
    expect(held).toEqual(isHeld ? ['alpha', 'charlie'] : []);
    if (isHeld) expect(pointersOf(root)).toEqual(before);
    // The same rollback then ends with both of them as they were.
    await rollBackTwo(new DirectoryStore(root));
    const shown = new Map(pointersOf(root));
    const listed = manifestOf(filesOf(root), oldId).fronts;
    for (const code of ['alpha', 'charlie'])
      expect(shown.get(code)).toBe(`${JSON.stringify(listed.find(({ front }) => front === code)?.pointer)}\n`);
    expect(await findingsOf(root)).toEqual([]);
  });
  // Hold, two parts, manifest and current 2 ways each, two pointers 3.
  expect(sights).toHaveLength(13);
  expect(sights.filter(({ fronts }) => fronts.get('alpha') !== fronts.get('charlie'))).toHaveLength(1);
  tell('a rollback of fronts’ store', 'the same rollback; a build publishes the other fronts before', sights);

  const held = copyTree(base, join(folder, 'held'));
  await rollBackTwo(new DirectoryStore(held));
  const { hold } = stateOf(held);
  const builds = await breakEverywhere(
    held,
    async (store) => {
      await using reader = await openCatalogue(join(folder, 'raised.sqlite'));
      await buildWith(reader, store, LATEST);
    },
    async (root) => {
      expect(stateOf(root).hold).toBe(hold);
      expect(pointersOf(root)).toEqual(pointersOf(held));
      await resumeAlpha(new DirectoryStore(root));
      const { outcomes } = await buildTree(database, root, LATEST);
      expect(outcomes.filter((one) => one.held === 'rolled-back').map(({ code }) => code)).toEqual(['charlie']);
    },
  );
  expect(builds.length).toBeGreaterThan(8);
  tell('the store of a build under a hold of fronts', 'the next build', builds);

  const resumed = await breakEverywhere(held, resumeAlpha, null);
  expect(resumed).toHaveLength(2);
  tell('the store of a resumption of a front', 'the same resumption', resumed);
});

test('a store that breaks while pruning', async () => {
  const state = stateOf(crowded);
  const undisturbed = copyTree(crowded, join(folder, 'pruned'));
  const { plan } = await prune(PRUNED, new DirectoryStore(undisturbed));
  expect(plan.filter(({ reason }) => reason === 'not-kept').length).toBe(3);
  expect(plan.filter(({ reason }) => reason === 'not-named').length).toBeGreaterThan(5);
  const expected = filesOf(undisturbed);
  expect(await findingsOf(undisturbed)).toEqual([]);
  // The folder of a front that no release has any more.
  expect(existsSync(join(crowded, 'public/fronts/bravo'))).toBe(true);
  expect(existsSync(join(undisturbed, 'public/fronts/bravo'))).toBe(false);

  let stops = 0;
  for (let breakAt = 1; ; breakAt += 1) {
    const root = copyTree(crowded, join(folder, `prune-${breakAt}`));
    const thrown = await prune(PRUNED, breakingStore(root, breakAt)).catch((error: unknown) => error);
    // Law 5: of every manifest all files are there; and nobody is served anything else.
    checkAsReader(root, state, state);
    if (thrown instanceof Breakage) {
      stops += 1;
      await prune(PRUNED, new DirectoryStore(root));
      expect(filesOf(root), `the retry after ${breakAt}`).toEqual(expected);
      rmSync(root, { recursive: true });
      continue;
    }
    expect(filesOf(root)).toEqual(expected);
    break;
  }
  // Each file that goes, and none at all of the manifests, of their parts and of the editions.
  expect(stops).toBe(plan.length + 3);
  const situation = 'the store breaks in a removal of pruning, before or after its effect';
  tellFault({ situation, sees: 'the new release', heals: 'the next pruning' }, null, stops);
});

test('a release that pointers are of is kept, though another is in force', async () => {
  const root = copyTree(crowded, join(folder, 'pointed-at'));
  const files = filesOf(root);
  const pointer = manifestOf(files, oldId).fronts.find((listing) => listing.pointer.front === 'charlie')?.pointer;
  const store = new DirectoryStore(root);
  const bytes = new TextEncoder().encode(`${JSON.stringify(pointer)}\n`);
  await store.replace([{ path: 'public/fronts/charlie/pointer.json', bytes }]);
  const { releases } = await prune(PRUNED, store);
  expect(releases.find(({ id }) => id === oldId)?.kept).toBe('pointed-at');
  checkAsReader(root, stateOf(root), stateOf(root));
  const situation = 'a tree is pruned in which a front still shows a release that has grown old';
  tellFault({ situation, sees: 'this front old, the others new', heals: 'the next build' }, null);

  // One that cannot be read keeps everything of its front, and of no other.
  const torn = new DirectoryStore(copyTree(crowded, join(folder, 'torn-pointer')));
  await torn.replace([{ path: 'public/fronts/charlie/pointer.json', bytes: bytes.subarray(0, 20) }]);
  const { plan } = await prune(PRUNED, torn);
  const gone = plan.flatMap(({ path }) => /^public\/fronts\/([a-z]+)\//.exec(path)?.[1] ?? []);
  expect(new Set(gone)).toEqual(new Set(['alpha', 'bravo', 'delta']));
  expect(wholeFrontsIn(join(folder, 'torn-pointer'))).toEqual(['alpha', 'delta']);
  const sees = 'this front nothing whole, the others new';
  const heals = 'the next build; nothing of this front is removed before';
  tellFault({ situation: 'a tree is pruned in which a pointer is torn', sees, heals }, null);
});

test('a build that cannot prune has published all the same, and says so', async () => {
  const root = copyTree(crowded, join(folder, 'unprunable'));
  const removals: string[] = [];
  class Unprunable extends DirectoryStore {
    override async remove(paths: readonly string[]): Promise<void> {
      removals.push(...paths);
      throw new AppError('tree-not-writable', 'not allowed', 'ask for it');
    }
  }
  const before = filesOf(root);
  await using reader = await openCatalogue(database);
  const result = await buildWith(reader, new Unprunable(root), instant('2026-05-03T12:00:00Z'));
  expect(removals.length).toBeGreaterThan(0);
  expect(result.release?.name).not.toBe(stateOf(base).current?.trimEnd());
  expect(result.findings.filter(({ code }) => code === 'not-pruned')).toEqual([
    { severity: 'warning', code: 'not-pruned', place: 'releases', message: expect.stringContaining('not allowed') },
  ]);
  const files = filesOf(root);
  expect([...before.keys()].filter((path) => !files.has(path))).toEqual([]);
  expect(files.get('releases/current')).toBe(`${result.release?.name}\n`);
  const heals = 'leave to remove, and the next release';
  tellFault({ situation: 'a build may not remove what it would prune', sees: 'the new release', heals }, null);
});
