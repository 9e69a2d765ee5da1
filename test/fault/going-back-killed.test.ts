// Going back and cleaning up by real runs of the command: killed before every call that changes a
// file, killed at random moments, and while storefronts go on asking an edge.

import { rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/edge/rule/settings.ts';
import { createServer } from '../../src/edge/node-server/server.ts';
import { pruneTree, rollBackTree } from '../../src/operations/history.ts';
import {
  buildTree,
  catalogueAt,
  documentAt,
  filesOf,
  instant,
  NO_GRACE,
  pointerOf,
  temporaryFolderOfFile,
} from '../support/trees.ts';
import { Command } from '../support/fault/command.ts';
import { Killer } from '../support/fault/killer.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { randomOf } from '../support/fault/random.ts';
import { checkAsReader, stateOf, type Sight, type TreeState } from '../support/fault/readers-check.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { IS_SOAK, SEED } from '../speeds.ts';
import { copyTree } from '../support/fault/tree-copy.ts';

const FRONTS = ['alpha', 'bravo', 'charlie', 'delta'];
const LATER = '2026-05-01T09:10:00Z';
const command = new Command();
const folder = temporaryFolderOfFile();
const killer = new Killer(command, folder);
const tellFault = matrixOf(import.meta.url, IS_SOAK);
/** Two releases; the older one has bravo in place of delta. */
const base = join(folder, 'base');
let oldId = '';
let newId = '';
let before: TreeState;
let after: TreeState;
let expected: ReadonlyMap<string, string>;

beforeAll(async () => {
  const size = { fronts: FRONTS, productsPerFront: 2, sessionsPerProduct: 3 };
  const build = async (edition: string, now: string, disabled: string): Promise<string> => {
    const database = catalogueAt(join(folder, `${edition}.sqlite`), smallCatalogue({ ...size, edition }));
    const handle = new Database(database);
    handle.exec(`UPDATE fronts SET status = 'disabled' WHERE code = '${disabled}'`);
    handle.close();
    return (await buildTree(database, base, instant(now))).releaseId ?? '';
  };
  oldId = await build('old', NOW, 'delta');
  newId = await build('young', LATER, 'bravo');
  const undisturbed = copyTree(base, join(folder, 'undisturbed'));
  await rollBackTree(undisturbed, oldId);
  [before, after, expected] = [stateOf(base), stateOf(undisturbed), filesOf(undisturbed)];
});

test('a rollback killed before every call that changes a file', async () => {
  const sights: Sight[] = [];
  const total = await killer.everywhere(
    ['rollback', oldId],
    base,
    () => true,
    async (tree) => {
      sights.push(checkAsReader(tree, before, after));
      await rollBackTree(tree, oldId);
      expect(filesOf(tree)).toEqual(expected);
    },
  );
  expect(total).toBeGreaterThan(20);
  expect(sights.filter(isMixed).length).toBeGreaterThan(2);
  expect(sights.filter(({ isCurrentNew }) => isCurrentNew)).toEqual([]);
  tellKilled('a rollback is killed before each call that changes a file', sights.length);
});

test('a rollback of fronts, a build beside them and their resumption, killed before calls that change a file', async () => {
  const now = '2026-05-01T09:11:00Z';
  const back = ['rollback', oldId, '--front', 'alpha', 'charlie', '--now', now];
  const held = copyTree(base, join(folder, 'fronts-held'));
  expect(await command.run([...back, '--out', held])).toMatchObject({ code: 0 });
  const beside = ['build', '--db', join(folder, 'old.sqlite'), '--now', '2026-05-01T09:15:00Z'];
  const guards = ['--allow', 'min-cards', 'max-shrink'];
  const resume = ['rollback', '--resume', '--front', 'alpha'];
  // What a killed run has lifted cannot be lifted again.
  const runs = [
    {
      what: 'a rollback of fronts',
      words: back,
      from: base,
      codes: [0],
      isStep: (i: number) => i % (IS_SOAK ? 2 : 5) === 0,
    },
    {
      what: 'a build beside held fronts',
      words: [...beside, ...guards],
      from: held,
      codes: [0],
      isStep: (i: number) => i % (IS_SOAK ? 3 : 7) === 0,
    },
    {
      what: 'a resumption of a front',
      words: resume,
      from: held,
      codes: [0, 2],
      isStep: (i: number) => IS_SOAK || i % 2 === 0,
    },
  ];
  for (const { what, words, from, codes, isStep } of runs) {
    const undisturbed = copyTree(from, join(folder, 'undisturbed-run'));
    expect(await command.run([...words, '--out', undisturbed])).toMatchObject({ code: 0 });
    const [start, end, files] = [stateOf(from), stateOf(undisturbed), filesOf(undisturbed)];
    rmSync(undisturbed, { recursive: true });
    let kills = 0;
    await killer.everywhere(words, from, isStep, async (tree, step) => {
      kills += 1;
      checkAsReader(tree, start, end);
      expect(codes, step).toContain((await command.run([...words, '--out', tree])).code);
      expect(filesOf(tree), step).toEqual(files);
    });
    expect(kills, what).toBeGreaterThan(IS_SOAK ? 3 : 1);
    const heals = 'the same command';
    const situation = `${what} is killed before calls that change a file`;
    tellFault({ situation, sees: 'each front old or new, whole', heals }, 'SIGKILL', kills);
  }
});

test('pruning killed as it removes releases, and among the editions', async () => {
  const crowded = copyTree(base, join(folder, 'crowded'));
  // Ten releases more, years later: the two before go.
  const options = { horizonSeconds: 0, keep: null };
  const guards = { maxShrink: 1, maxBad: 0.05, allow: ['max-shrink', 'min-cards'] as const, force: false };
  for (let i = 0; i < 10; i += 1) {
    await buildTree(join(folder, 'young.sqlite'), crowded, instant(`2028-05-01T09:00:0${i}Z`), { ...options, guards });
  }
  const words = ['prune', '--grace', '0'];
  const state = stateOf(crowded);
  const undisturbed = copyTree(crowded, join(folder, 'crowded-pruned'));
  await pruneTree(undisturbed, NO_GRACE, false);
  // Every single removal has its turn in going-back.test.ts.
  const isStep = (i: number): boolean => i < 5 || i % 8 === 0;
  let kills = 0;
  const total = await killer.everywhere(words, crowded, isStep, async (tree, step) => {
    kills += 1;
    checkAsReader(tree, state, state);
    await pruneTree(tree, NO_GRACE, false);
    expect(filesOf(tree), step).toEqual(filesOf(undisturbed));
  });
  expect(total).toBeGreaterThan(10);
  const situation = 'pruning is killed before calls that change a file';
  tellFault({ situation, sees: 'the new release', heals: 'the next pruning' }, 'SIGKILL', kills);
});

function tellKilled(situation: string, kills: number): void {
  tellFault({ situation, sees: 'each front old or new, whole', heals: 'the same rollback' }, 'SIGKILL', kills);
}

/** Some fronts show the old release and some the new one. */
function isMixed({ fronts }: Sight): boolean {
  const shown = new Set(fronts.values());
  return shown.has('old') && shown.has('new');
}

test('a rollback of many fronts killed at random moments', async () => {
  // Many pointers, so that there is something to be in the middle of.
  const fronts = Array.from({ length: 40 }, (_, i) => `front-${i}`);
  const wide = join(folder, 'wide');
  const build = async (edition: string, now: string): Promise<string> => {
    const catalogue = smallCatalogue({ fronts, productsPerFront: 1, sessionsPerProduct: 0, edition });
    const database = catalogueAt(join(folder, `wide-${edition}.sqlite`), catalogue);
    return (await buildTree(database, wide, instant(now), { horizonSeconds: 0 })).releaseId ?? '';
  };
  const id = await build('old', NOW);
  await build('young', LATER);
  const undisturbed = copyTree(wide, join(folder, 'wide-undisturbed'));
  await rollBackTree(undisturbed, id);
  const [from, to] = [stateOf(wide), stateOf(undisturbed)];

  // The moments are calls: a clock would miss most of them on a machine that has other things to
  // do.
  const random = randomOf(SEED ?? 20260502);
  const isChosen = (): boolean => random() < 0.15;
  const sights: Sight[] = [];
  const total = await killer.everywhere(['rollback', id], wide, isChosen, async (tree) => {
    sights.push(checkAsReader(tree, from, to));
    await rollBackTree(tree, id);
    expect(stateOf(tree)).toEqual(to);
  });
  expect(total).toBeGreaterThan(150);
  expect(sights.length).toBeGreaterThan(15);
  expect(sights.filter(isMixed).length).toBeGreaterThan(0);
  tellKilled('a rollback of many fronts is killed at random moments', sights.length);
});

/**
 * What one release answers for a front's endpoint at an instant: everything that tells it from
 * another.
 */
interface Answer {
  readonly body: string;
  readonly etag: string;
  readonly asOf: string;
}

test('storefronts that ask while the tree goes back and forth get one whole release or the other, never a mix', async () => {
  const tree = copyTree(base, join(folder, 'asked'));
  const at = '2026-05-01T09:30:00Z';
  const server = createServer({
    root: tree,
    settings: DEFAULT_SETTINGS,
    clock: () => instant(at),
    secretOf: () => null,
    at: null,
    isUnsigned: true,
    accessLog: () => undefined,
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const undisturbed = { [newId]: filesOf(base), [oldId]: expected };
  const answerOf = (id: string, front: string, endpoint: 'products' | 'categories'): Answer | null => {
    const files = undisturbed[id] ?? new Map<string, string>();
    if (!files.has(`public/fronts/${front}/pointer.json`)) return null;
    const pointer = pointerOf(files, front);
    const digest = pointer[endpoint].findLast((entry) => entry.slice(0, 20) <= at)?.slice(21);
    return { body: documentAt(files, front, endpoint, at), etag: `W/"${digest}"`, asOf: pointer.now };
  };
  const ask = async (front: string, endpoint: 'products' | 'categories'): Promise<Answer | null> => {
    const path = endpoint === 'products' ? 'products' : 'fronts/categories';
    const response = await fetch(`http://127.0.0.1:${port}/${path}/`, { headers: { 'X-Front': front } });
    const body = await response.text();
    if (response.status === 404) return null;
    expect(response.status, body).toBe(200);
    const { headers } = response;
    return { body, etag: headers.get('etag') ?? '', asOf: headers.get('catalogue-as-of') ?? '' };
  };

  const over = new AbortController();
  const seen = { [newId]: 0, [oldId]: 0, total: 0 };
  const storefront = async (front: string): Promise<void> => {
    while (!over.signal.aborted) {
      for (const endpoint of ['products', 'categories'] as const) {
        const answer = await ask(front, endpoint);
        const ids = [newId, oldId].filter(
          (id) => JSON.stringify(answerOf(id, front, endpoint)) === JSON.stringify(answer),
        );
        expect(ids, `${front} ${endpoint}: ${JSON.stringify(answer)}`).not.toEqual([]);
        for (const id of ids.length === 1 ? ids : []) seen[id] = (seen[id] ?? 0) + 1;
        seen.total += 1;
      }
    }
  };
  const seenAgain = async (id: string): Promise<void> => {
    const enough = (seen[id] ?? 0) + 10;
    while (!over.signal.aborted && (seen[id] ?? 0) < enough) await sleep(5);
  };
  const rollbacks = [oldId, newId, oldId, newId, oldId];
  const asking = Promise.all([...FRONTS, ...FRONTS].map(storefront));
  try {
    for (const id of rollbacks) {
      const run = await command.run(['rollback', id, '--out', tree, '--json']);
      expect(run.code, run.stderr).toBe(0);
      // However long storefronts wait for a processor, they see this release before the next
      // rollback.
      await Promise.race([asking, seenAgain(id)]);
    }
  } finally {
    over.abort();
    await asking;
  }
  expect(filesOf(tree)).toEqual(expected);
  for (const front of ['alpha', 'bravo', 'charlie']) {
    const words = ['show', '--out', tree, '--front', front, '--endpoint', 'products', '--at', at];
    expect((await command.run(words)).stdout).toBe(answerOf(oldId, front, 'products')?.body);
    expect((await ask(front, 'products'))?.body).toBe(answerOf(oldId, front, 'products')?.body);
  }
  const sees = 'each front old or new, whole';
  tellFault({ situation: 'a rollback while storefronts ask', sees, heals: 'nothing' }, 0, rollbacks.length);
});
