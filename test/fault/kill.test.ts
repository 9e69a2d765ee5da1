// A real run, killed for real: before every single call that changes a file, and at
// random instants. What it leaves is the old release or the new one for each front, and the next
// run finishes.

import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { catalogueAt, filesOf, temporaryFolderOfFile } from '../support/trees.ts';
import { buildHere, twoAtATime, wordsOf } from '../support/fault/build-with.ts';
import { Command, type Running } from '../support/fault/command.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { randomOf } from '../support/fault/random.ts';
import { checkAsReader, stateOf, type Sight, type TreeState } from '../support/fault/readers-check.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { IS_SOAK, sample, SEED } from '../speeds.ts';
import { copyTree } from '../support/fault/tree-copy.ts';

const command = new Command();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url, IS_SOAK);

/** Says how often a run was ended by a signal in a situation. */
function tellStops(situation: string, signal: NodeJS.Signals, times: number): void {
  tellFault({ situation, sees: 'each front old or new, whole', heals: 'the next build' }, signal, times);
}

/**
 * One release that takes the place of another: the tree as it was, and as an undisturbed run leaves
 * it.
 */
interface Passage {
  readonly database: string;
  readonly base: string;
  readonly before: TreeState;
  readonly after: TreeState;
  readonly expected: ReadonlyMap<string, string>;
}

async function passageOf(name: string, from: string, to: string): Promise<Passage> {
  const base = join(folder, `${name}-base`);
  await runWell(from, base);
  const undisturbed = copyTree(base, join(folder, `${name}-undisturbed`));
  await runWell(to, undisturbed);
  const [before, after] = [stateOf(base), stateOf(undisturbed)];
  checkAsReader(undisturbed, before, after);
  return { database: to, base, before, after, expected: filesOf(undisturbed) };
}

async function runWell(database: string, out: string): Promise<void> {
  const run = await command.run(wordsOf(database, out));
  expect(run, run.stderr).toMatchObject({ code: 0, stderr: '' });
}

/** Looks at a tree that a stopped run has left, lets the next run finish, and looks again. */
async function judge(passage: Passage, tree: string, finish: typeof runWell): Promise<Sight> {
  const sight = checkAsReader(tree, passage.before, passage.after);
  await finish(passage.database, tree);
  expectSame(filesOf(tree), passage.expected);
  rmSync(tree, { recursive: true });
  return sight;
}

/** Byte for byte the same files; a thousand comparisons are too many for `toEqual`. */
function expectSame(found: ReadonlyMap<string, string>, expected: ReadonlyMap<string, string>): void {
  expect([...found.keys()].join(' ')).toBe([...expected.keys()].join(' '));
  expect([...found].filter(([path, text]) => text !== expected.get(path)).map(([path]) => path)).toEqual([]);
}

/** Some fronts show the old release and some the new one. */
function isMixed({ fronts }: Sight): boolean {
  const shown = [...fronts.values()];
  return shown.includes('old') && shown.includes('new');
}

/** Anywhere between the first new file and `current`. */
function isHalfway(sight: Sight): boolean {
  return sight.temporaries + sight.newEditions > 0 && !sight.isCurrentNew;
}

/**
 * A passage of few files, each made durable by itself, and two of many, there and back, made
 * durable all at once.
 */
let few: Passage;
let there: Passage;
let back: Passage;

beforeAll(async () => {
  const small = { fronts: ['alpha', 'bravo'], productsPerFront: 1, sessionsPerProduct: 0 };
  const large = {
    fronts: Array.from({ length: 12 }, (_, i) => `front-${i}`),
    productsPerFront: 2,
    sessionsPerProduct: 4,
  };
  const database = (size: typeof small, edition: string): string =>
    catalogueAt(join(folder, `${edition}.sqlite`), smallCatalogue({ ...size, edition }));
  few = await passageOf('few', database(small, 'few'), database(small, 'fewer'));
  const [one, other] = [database(large, 'one'), database(large, 'other')];
  there = await passageOf('there', one, other);
  back = await passageOf('back', other, one);
});

test('killed before every call that changes a file', async () => {
  const steps = await stepsOf(few);
  // Nothing that a reader or the next run could see happens in an fsync.
  const visible = steps.flatMap((step, i) => (step.startsWith('fsync') ? [] : [i + 1]));
  expect(visible.length).toBeGreaterThan(30);
  // Between the renames of two pointers a reader sees some fronts of each release.
  const ofPointers = visible.filter((number) => /^rename .*pointer\.json/.test(steps[number - 1] ?? ''));
  const numbers = [...new Set([...sample(visible, 7), ...ofPointers])];
  const sights: Sight[] = [];
  await twoAtATime(
    numbers.map((number) => async () => {
      const tree = copyTree(few.base, join(folder, `step-${number}`));
      const run = await command.run(wordsOf(few.database, tree), { steps: { tree, signal: `SIGKILL ${number}` } });
      expect(run, `${steps[number - 1]}: ${run.stderr}`).toMatchObject({ signal: 'SIGKILL', stdout: '', stderr: '' });
      sights.push(await judge(few, tree, buildHere));
    }),
  );
  expect(sights.filter(isMixed).length).toBeGreaterThan(0);
  expect(sights.filter(({ isCurrentNew }) => isCurrentNew)).toEqual([]);
  tellStops('killed before each call that changes a file', 'SIGKILL', numbers.length);
}, 600_000);

test('what a killed run leaves is cleared by the next one, be that for another catalogue', async () => {
  const tree = copyTree(there.base, join(folder, 'left'));
  const number = (await stepsOf(there)).findIndex((step) => step.startsWith('rename public/')) + 1;
  const killed = await command.run(wordsOf(there.database, tree), { steps: { tree, signal: `SIGKILL ${number}` } });
  expect(killed, killed.stderr).toMatchObject({ signal: 'SIGKILL' });
  expect(checkAsReader(tree, there.before, there.after).temporaries).toBeGreaterThan(50);
  // The catalogue that the tree was made from: there is nothing to write but the key ring.
  await runWell(back.database, tree);
  expectSame(filesOf(tree), filesOf(there.base));
  tellStops('killed; the next build is for another catalogue', 'SIGKILL', 1);
});

/**
 * Every call of an undisturbed run that changes the tree, in order, as step-signal.ts writes them.
 */
async function stepsOf(passage: Passage): Promise<string[]> {
  const tree = copyTree(passage.base, join(folder, 'traced'));
  const trace = join(folder, 'trace');
  const run = await command.run(wordsOf(passage.database, tree), { steps: { tree, trace } });
  expect(run, run.stderr).toMatchObject({ code: 0 });
  expectSame(filesOf(tree), passage.expected);
  rmSync(tree, { recursive: true });
  const steps = readFileSync(trace, 'utf8').trimEnd().split('\n');
  rmSync(trace);
  return steps;
}

test('killed at random instants', async () => {
  const KILLS = IS_SOAK ? 100 : 6;
  const random = randomOf(SEED ?? 20260501);
  const sights: Sight[] = [];
  // How long files keep changing, as undisturbed runs show it; the last few count.
  const durations: number[] = [];
  let rounds = 0;
  const round = async (): Promise<void> => {
    const number = (rounds += 1);
    const passage = number % 2 === 0 ? there : back;
    const tree = copyTree(passage.base, join(folder, `round-${number}`));
    const running = command.start(wordsOf(passage.database, tree));
    await firstChange(tree, running);
    const changedAt = performance.now();
    if (number > 4) {
      await sleep(random() * 0.9 * median(durations.slice(-5)));
      running.child.kill('SIGKILL');
    }
    const { signal, code } = await running.ended;
    if (signal === null) durations.push(performance.now() - changedAt);
    expect([signal, code]).toEqual(signal === null ? [null, 0] : ['SIGKILL', null]);
    const sight = await judge(passage, tree, number % 5 === 0 ? runWell : buildHere);
    if (signal !== null) sights.push(sight);
  };
  // As many as it takes: a machine that is busy now and idle then misses the moment more often.
  const isEnough = (): boolean =>
    sights.length >= KILLS &&
    sights.filter(isHalfway).length > KILLS / 2 &&
    sights.filter(({ temporaries }) => temporaries > 0).length > KILLS / 5 &&
    sights.filter((sight) => isHalfway(sight) && sight.newEditions > 0).length > KILLS / 20;
  await twoAtATime(roundsUntil(isEnough, round));
  tellStops('killed at a random instant', 'SIGKILL', KILLS);
}, 1_800_000);

function* roundsUntil(isEnough: () => boolean, round: () => Promise<void>): Generator<() => Promise<void>> {
  while (!isEnough()) yield round;
}

/** Waits until a run has swapped the key ring, the first file to change. */
async function firstChange(tree: string, running: Running): Promise<void> {
  const keyRing = join(tree, 'edge/keyring.json');
  const { ino } = statSync(keyRing);
  while (isRunning(running) && statSync(keyRing).ino === ino) await sleep(1);
}

function isRunning({ child }: Running): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

/** Where in the steps of a run a signal comes. */
const MOMENTS: readonly (readonly [string, (step: string) => boolean])[] = [
  ['as the key ring is swapped', (step) => step.startsWith('rename edge/')],
  ['as content is written', (step) => step.startsWith('write public/fronts/front-5/.products')],
  ['as content gets its names', (step) => step.startsWith('rename public/fronts/front-5/.products')],
  ['as pointers move', (step) => step.startsWith('rename public/fronts/front-5/.pointer')],
];

test.each(['SIGTERM', 'SIGINT'])('%s ends a run by that signal, in silence, and with a whole tree', async (name) => {
  const steps = await stepsOf(there);
  for (const [moment, isThere] of MOMENTS) {
    const tree = copyTree(there.base, join(folder, `${name}-tree`));
    const number = steps.findIndex(isThere) + 1;
    expect(number, moment).toBeGreaterThan(0);
    const run = await command.run(wordsOf(there.database, tree), { steps: { tree, signal: `${name} ${number}` } });
    expect(run, `${moment}: ${run.stderr}`).toMatchObject({ code: null, signal: name, stdout: '' });
    expect(run.stderr, moment).toBe('');
    expect((await judge(there, tree, runWell)).isCurrentNew, moment).toBe(false);
  }
  tellStops(`${name} at a chosen moment`, signalOf(name), MOMENTS.length);
});

function signalOf(name: string): 'SIGTERM' | 'SIGINT' {
  return name === 'SIGINT' ? 'SIGINT' : 'SIGTERM';
}

test('SIGTERM and Ctrl-C at random moments, from the first instant of a run on', async () => {
  const STOPS = IS_SOAK ? 12 : 5;
  const random = randomOf(SEED ?? 20260502);
  const begunAt = performance.now();
  const undisturbed = copyTree(there.base, join(folder, 'whole'));
  await runWell(there.database, undisturbed);
  const duration = performance.now() - begunAt;
  let started = 0;
  let stopped = 0;
  // A run may end before its signal comes, the more of them the less busy the machine has become.
  await twoAtATime(
    roundsUntil(
      () => started >= STOPS && stopped > STOPS / 3,
      async () => {
        const i = (started += 1);
        const tree = copyTree(there.base, join(folder, `stop-${i}`));
        const running = command.start(wordsOf(there.database, tree));
        await sleep(random() * duration);
        const signal = i % 2 === 0 ? 'SIGTERM' : 'SIGINT';
        running.child.kill(signal);
        const run = await running.ended;
        // The run may have ended before.
        expect([signal, null]).toContain(run.signal);
        expect([0, null]).toContain(run.code);
        expect(run.stderr).toBe('');
        if (run.signal !== null) stopped += 1;
        await judge(there, tree, buildHere);
      },
    ),
  );
  const situation = 'SIGTERM or Ctrl-C at a random moment';
  for (const signal of ['SIGTERM', 'SIGINT'] as const) tellStops(situation, signal, STOPS / 2);
});

test('whoever reads while a release is published sees each front old or new, whole, and never old after new', async () => {
  let isSeenHalfway = false;
  // A reader who waits for a processor may miss it all: then once more.
  for (let attempt = 0; !isSeenHalfway; attempt++) {
    const tree = copyTree(there.base, join(folder, `read-${attempt}`));
    const running = command.start(wordsOf(there.database, tree));
    await firstChange(tree, running);
    const sights: Sight[] = [];
    while (isRunning(running)) {
      sights.push(checkAsReader(tree, there.before, there.after));
      await sleep(0);
    }
    for (const [i, { fronts }] of sights.entries()) {
      const back = [...fronts].filter(([code, shown]) => shown === 'old' && sights[i - 1]?.fronts.get(code) === 'new');
      expect(back).toEqual([]);
    }
    isSeenHalfway = sights.some(isHalfway);
    expect([...checkAsReader(tree, there.before, there.after).fronts.values()]).not.toContain('old');
  }
});
