// The system fails a real run, or kills it, in the very calls that change the tree's files:
// opening, writing, syncing, naming, removing, making folders. What it leaves is whole, it says why
// it stopped, and the next run finishes.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { catalogueAt, filesOf, temporaryFolderOfFile } from '../support/trees.ts';
import { findingsOf } from '../support/verify-tree.ts';
import { buildHere, changeDatabase, twoAtATime, wordsOf } from '../support/fault/build-with.ts';
import { Command, errorCodeOf } from '../support/fault/command.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import type { Ending } from '../support/fault/matrix-text.ts';
import { checkAsReader, EMPTY_TREE, stateOf, type TreeState } from '../support/fault/readers-check.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { runDisturbed, treeCallsOf, type Disturbance, type TreeCall } from '../support/fault/system-calls.ts';
import { copyTree, stampsOf } from '../support/fault/tree-copy.ts';
import { IS_SOAK } from '../speeds.ts';

const command = new Command();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url, IS_SOAK);

/** How many of all points are tried at least: spread evenly over the run. */
const POINTS = IS_SOAK ? 72 : 15;

interface Passage {
  readonly database: string;
  readonly base: string | null;
  readonly before: TreeState;
  readonly after: TreeState;
  readonly expected: ReadonlyMap<string, string>;
  readonly calls: readonly TreeCall[];
}

let over: Passage;
let into: Passage;

beforeAll(async () => {
  const size = { productsPerFront: 1, sessionsPerProduct: 0 };
  const old = catalogueAt(
    join(folder, 'old.sqlite'),
    smallCatalogue({ ...size, fronts: ['alpha', 'bravo'], edition: 'old' }),
  );
  const fronts = ['alpha', 'bravo', 'charlie'];
  const database = catalogueAt(join(folder, 'new.sqlite'), smallCatalogue({ ...size, fronts, edition: 'young' }));
  // One front has a new release, one loses its pointer, one comes.
  changeDatabase(database, "UPDATE fronts SET status = 'disabled' WHERE code = 'bravo'");
  const base = join(folder, 'base');
  await buildHere(old, base);
  over = await passageOf('over', database, base);
  into = await passageOf('into', old, null);
});

async function passageOf(name: string, database: string, base: string | null): Promise<Passage> {
  const tree = join(folder, `${name}-undisturbed`);
  if (base !== null) copyTree(base, tree);
  const calls = await treeCallsOf(command, wordsOf(database, tree), tree);
  const before = base === null ? EMPTY_TREE : stateOf(base);
  return { database, base, before, after: stateOf(tree), expected: filesOf(tree), calls };
}

/** What the system answers in earnest. */
const DISTURBANCES: Readonly<Record<string, readonly Disturbance[]>> = {
  openat: ['EACCES', 'ENOSPC', 'EINTR', 'SIGKILL'],
  write: ['EIO', 'ENOSPC', 'EINTR', 'SIGKILL'],
  fsync: ['EIO', 'EINTR', 'SIGKILL'],
  rename: ['EIO', 'EACCES', 'SIGKILL'],
  unlink: ['EIO', 'EACCES', 'SIGKILL'],
  rmdir: ['EIO', 'EACCES', 'SIGKILL'],
  mkdir: ['ENOSPC', 'EACCES', 'SIGKILL'],
};

interface Point {
  readonly passage: Passage;
  readonly call: TreeCall;
  readonly disturbance: Disturbance;
}

function pointsOf(passage: Passage): Point[] {
  return passage.calls.flatMap((call) =>
    (DISTURBANCES[call.name] ?? []).map((disturbance) => ({ passage, call, disturbance })),
  );
}

/**
 * So many of the elements, evenly spread, the first and the last among them; all of them where
 * there are no more.
 */
function spread<T>(elements: readonly T[], count: number): readonly T[] {
  if (elements.length <= count) return elements;
  const step = (elements.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, i) => elements[Math.round(i * step)]).filter((one) => one !== undefined);
}

/**
 * About POINTS of all points: of each kind of call and disturbance its share, evenly spread, and
 * two at least.
 */
function sampleOf(points: readonly Point[]): readonly Point[] {
  const kinds = new Map<string, Point[]>();
  for (const point of points) {
    const kind = `${point.call.name} ${point.disturbance}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), point]);
  }
  const share = POINTS / points.length;
  return [...kinds.values()].flatMap((kind) => spread(kind, Math.max(2, Math.round(kind.length * share))));
}

test('the calls that change a tree are all of kinds that are disturbed here', () => {
  for (const { calls } of [over, into]) {
    expect(calls.length).toBeGreaterThan(20);
    expect([...new Set(calls.map(({ name }) => name))].filter((name) => !(name in DISTURBANCES))).toEqual([]);
  }
  expect(new Set(over.calls.map(({ name }) => name))).toEqual(new Set(Object.keys(DISTURBANCES)));
});

test.each(['EIO', 'ENOSPC', 'EMFILE'] as const)(
  'a lock that fails to open for writing once (%s) is no lock: nothing is written',
  async (errno) => {
    // The first opening makes the file where there is none; the second is the database's own, which
    // would fall back to reading.
    const tree = copyTree(over.base ?? '', join(folder, `lock-${errno}`));
    const stamps = stampsOf(tree);
    const call = { name: 'openat', path: '.lock', nth: 2 };
    const run = await runDisturbed(command, wordsOf(over.database, tree), tree, call, errno);
    expect(run, run?.stderr).toMatchObject({ code: 6 });
    expect(stampsOf(tree)).toEqual(stamps);
    await buildHere(over.database, tree);
    expect(filesOf(tree)).toEqual(over.expected);
    const situation = 'the lock fails to open for writing';
    tellFault({ situation, sees: 'the old release', heals: 'the next build' }, run?.code ?? null);
  },
);

test('whatever call the system fails, or the process is killed in, the tree is whole and the next run finishes', async () => {
  const points = sampleOf([...pointsOf(over), ...pointsOf(into)]);
  expect(points.length).toBeGreaterThanOrEqual(POINTS);
  const endings = new Map<Point, Ending>();
  await twoAtATime(
    points.map((point, i) => async () => void endings.set(point, await tryPoint(point, join(folder, `point-${i}`)))),
  );
  // In the order of the points, not in that in which two lanes came to their ends.
  for (const point of points) tellFault(situationOf(point.call, point.disturbance), endings.get(point) ?? null);
});

/** Tries one point, and gives back how the run ended. */
async function tryPoint({ passage, call, disturbance }: Point, tree: string): Promise<Ending> {
  const { database, base, before, after, expected } = passage;
  const place = `${disturbance} in ${call.name} ${call.nth} of ${call.path}`;
  if (base !== null) copyTree(base, tree);
  const run = await runDisturbed(command, wordsOf(database, tree), tree, call, disturbance);
  if (run === null) throw new Error(`${place}: that call was not made`);
  const sight = checkAsReader(tree, before, after);
  const isKilled = disturbance === 'SIGKILL';
  if (disturbance === 'EINTR') {
    expect(run, place).toMatchObject({ code: 0, stderr: '' });
    expect(filesOf(tree), place).toEqual(expected);
  } else if (isKilled) {
    expect(run, place).toMatchObject({ signal: 'SIGKILL', stdout: '' });
  } else {
    expect(run, `${place}: ${run.stderr}`).toMatchObject({ code: 6 });
    // The database reports what the system said of the lock, in words of its own.
    const isFull = disturbance === 'ENOSPC' && !call.path.startsWith('.lock');
    expect([isFull ? 'tree-full' : 'tree-not-writable', 'tree-full']).toContain(errorCodeOf(run));
    expect(sight.temporaries, `${place}: temporary files are cleared`).toBe(0);
  }
  if (stateOf(tree).keyRing !== null) expect(await errorsIn(tree), place).toEqual([]);
  await buildHere(database, tree);
  expect(filesOf(tree), `the retry after ${place}`).toEqual(expected);
  expect(await findingsOf(tree), `the retry after ${place}`).toEqual([]);
  rmSync(tree, { recursive: true });
  return run.signal ?? run.code;
}

async function errorsIn(tree: string): Promise<unknown[]> {
  return (await findingsOf(tree)).filter(({ severity }) => severity === 'error');
}

function situationOf({ name }: TreeCall, disturbance: Disturbance) {
  const sees = 'each front old or new, whole' as const;
  if (disturbance === 'SIGKILL') return { situation: `killed in a \`${name}\``, sees, heals: 'the next build' };
  if (disturbance === 'EINTR') {
    return {
      situation: `\`${name}\` is interrupted (EINTR)`,
      sees: 'the new release' as const,
      heals: 'the run itself, which repeats the request',
    };
  }
  return { situation: `\`${name}\` fails with ${disturbance}`, sees, heals: 'the next build' };
}
