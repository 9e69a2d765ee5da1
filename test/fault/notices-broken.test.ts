// Notices of `--on-publish` after runs whose store breaks at every write. Whatever comes next, be it
// the same run, another one or `playbill notify`: its notice names each front, and the key ring, of
// which readers see something else than when a notice last arrived.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { openCatalogue } from '../../src/database/open.ts';
import { releaseOfTree } from '../../src/operations/history.ts';
import { dueNotice, noteDelivery, type Published } from '../../src/operations/notices.ts';
import { rollBackFronts } from '../../src/release/history/rollback-fronts.ts';
import { rollBack } from '../../src/release/history/rollback.ts';
import { PublishedTree } from '../../src/release/tree/published.ts';
import type { ReleaseStore } from '../../src/release/tree/store.ts';
import { DirectoryStore } from '../../src/storage/folder/store.ts';
import { Breakage, BreakingStore } from '../support/fault/breaking-store.ts';
import { buildWith, changeDatabase } from '../support/fault/build-with.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { stateOf, type TreeState } from '../support/fault/readers-check.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { copyTree } from '../support/fault/tree-copy.ts';
import { buildTree, catalogueAt, instant, temporaryFolderOfFile } from '../support/trees.ts';

const LATER = instant('2026-05-01T09:05:00Z');
const LAST = instant('2026-05-01T09:10:00Z');
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url);
/** Alpha, bravo and charlie at NOW; alpha, bravo and delta at LATER, of which the hook knows. */
const base = join(folder, 'base');
let oldId = '';

beforeAll(async () => {
  const size = { fronts: ['alpha', 'bravo', 'charlie', 'delta'], productsPerFront: 1, sessionsPerProduct: 1 };
  for (const [edition, disabled] of [
    ['old', 'delta'],
    ['young', 'charlie'],
    ['last', 'delta'],
  ] as const) {
    const database = catalogueAt(databaseOf(edition), smallCatalogue({ ...size, edition }));
    changeDatabase(database, `UPDATE fronts SET status = 'disabled' WHERE code = '${disabled}'`);
  }
  oldId = (await buildTree(databaseOf('old'), base, instant(NOW))).releaseId ?? '';
  await deliver(base, await buildTree(databaseOf('young'), base, LATER));
  expect(await deliver(base, await byHand(base))).toBeNull();
});

function databaseOf(edition: string): string {
  return join(folder, `${edition}.sqlite`);
}

/** Delivers the notice that is due, if one is. */
async function deliver(tree: string, { plan, release, replaced }: Omit<Published, 'allowed'>) {
  const due = await dueNotice(tree, { plan, release, replaced, allowed: [] }, LAST);
  if (due !== null) await noteDelivery(due, tree);
  return due?.notice ?? null;
}

async function byHand(tree: string): Promise<Omit<Published, 'allowed'>> {
  return { plan: [], release: await releaseOfTree(tree, 'current'), replaced: null };
}

type Run = (store: ReleaseStore) => Promise<Omit<Published, 'allowed'>>;

const buildOf =
  (edition: string): Run =>
  async (store) => {
    await using reader = await openCatalogue(databaseOf(edition));
    const built = await buildWith(reader, store, LAST);
    // What the command does, too: a build that is held publishes keys alone.
    return built.hold === null ? built : { ...built, plan: [] };
  };

const goBack =
  (codes: readonly string[] | null): Run =>
  async (store) => {
    const published = await PublishedTree.read(store);
    const options = { isBySize: false };
    const done =
      codes === null
        ? await rollBack(oldId, published, store, options)
        : await rollBackFronts(oldId, codes, published, store, options, LAST);
    return { ...done, replaced: published.current };
  };

/** What readers see otherwise. */
function differences(before: TreeState, after: TreeState) {
  const pathOf = (code: string): string => `/fronts/${code}/pointer.json`;
  const changed = [...after.pointers].filter(([code, text]) => before.pointers.get(code) !== text);
  return {
    changed: changed.map(([code]) => pathOf(code)).sort(),
    removed: [...before.pointers.keys()].filter((code) => !after.pointers.has(code)).map(pathOf),
    isKeyRingChanged: before.keyRing !== after.keyRing,
  };
}

test.each([
  ['a build', buildOf('last')],
  ['a rollback of fronts', goBack(['alpha', 'bravo'])],
  ['a rollback', goBack(null)],
])('%s', async (name, run) => {
  const before = stateOf(base);
  const nexts: Readonly<Record<string, (tree: string) => Promise<Omit<Published, 'allowed'>>>> = {
    'the same': (tree) => run(new DirectoryStore(tree)),
    'playbill notify': byHand,
    'a build': (tree) => buildOf('last')(new DirectoryStore(tree)),
    'a build of what was': (tree) => buildOf('young')(new DirectoryStore(tree)),
  };
  const judged: TreeState[] = [];
  let breaks = 0;
  for (let isBroken = true; isBroken;) {
    const tree = copyTree(base, join(folder, 'broken'));
    const store = new BreakingStore(new DirectoryStore(tree), new DirectoryStore(tree), breaks + 1);
    isBroken = (await run(store).catch((error: unknown) => error)) instanceof Breakage;
    if (isBroken) breaks += 1;
    const broken = stateOf(tree);
    // Of breaks that leave the same to see, one is enough.
    const isNew = !judged.some((state) => isDeepStrictEqual(state, broken));
    judged.push(broken);
    for (const [next, go] of isNew ? Object.entries(nexts) : []) {
      const copy = copyTree(tree, join(folder, 'next'));
      const notice = await deliver(copy, await go(copy));
      const after = stateOf(copy);
      const [due, done] = [differences(before, after), differences(broken, after)];
      const what = `${next} after ${breaks}`;
      // What this run has changed is named even if that is as the last notice left it.
      for (const list of ['changed', 'removed'] as const) {
        expect(notice?.[list] ?? [], what).toEqual(expect.arrayContaining(due[list]));
        const pointers = notice?.[list].filter((path) => path.endsWith('/pointer.json')) ?? [];
        expect([...due[list], ...done[list]], what).toEqual(expect.arrayContaining(pointers));
      }
      expect(notice?.isKeyRingChanged ?? false, what).toBe(due.isKeyRingChanged || done.isKeyRingChanged);
      // The others may leave the tree as it is: then what they name is due until a run finishes.
      if (next === 'the same') expect(await deliver(copy, await go(copy)), `twice ${what}`).toBeNull();
      rmSync(copy, { recursive: true });
    }
    rmSync(tree, { recursive: true });
  }
  expect(breaks).toBeGreaterThan(9);
  const heals = 'the same run; any run’s notice names all that changed';
  const situation = `the store breaks in ${name} before its notice`;
  tellFault({ situation, sees: 'each front old or new, whole', heals }, null, breaks);
});
