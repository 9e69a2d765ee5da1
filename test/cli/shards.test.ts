// Builds in shards as a person runs them: what each says and how it ends, when all goes well, and
// when a shard is missing, late, started twice, or does not belong to the others.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildResultSchema } from '../../src/contract/results/build.ts';
import { errorResultSchema } from '../../src/contract/results/parts.ts';
import { shardSummarySchema } from '../../src/contract/run.ts';
import { changeDatabase } from '../support/fault/build-with.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { playbill } from '../support/cli/run.ts';
import { releasedFilesOf } from '../support/shards.ts';
import { idIn } from '../support/manifests.ts';
import { catalogueAt, filesOf, pointerOf, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

const NOW = '2026-05-01T09:00:00Z';
const FRONTS = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot'];
const folder = temporaryFolderOfFile();

/** A database that tests share, and none of them changes. */
let database: string;
/** What a build of its own makes of it. */
let single: ReadonlyMap<string, string>;

function catalogue(name: string, edition = name): string {
  const small = { fronts: FRONTS, productsPerFront: 2, sessionsPerProduct: 2, edition };
  return catalogueAt(join(folder, `${name}.sqlite`), smallCatalogue(small));
}

beforeAll(async () => {
  database = catalogue('one');
  await well(['build', '--db', database, '--out', join(folder, 'single'), '--now', NOW]);
  single = releasedFilesOf(join(folder, 'single'));
});

async function well(words: readonly string[]): Promise<string> {
  const run = await playbill(words);
  expect(run.status, run.stdout + run.stderr).toBe(0);
  return run.stdout;
}

interface Start {
  readonly db?: string;
  readonly run?: string;
  readonly now?: string | null;
  readonly more?: readonly string[];
}

function shardWords(out: string, shard: string, { db = database, run = 'r', now = NOW, more = [] }: Start = {}) {
  const at = now === null ? [] : ['--now', now];
  return ['build', '--db', db, '--out', out, '--shard', shard, '--run', run, ...at, ...more, '--json'];
}

async function shard(out: string, which: string, start: Start = {}) {
  return shardSummarySchema.parse(JSON.parse(await well(shardWords(out, which, start))));
}

/** `finish`, with its exit code. */
async function finish(out: string, shards: number, run = 'r', more: readonly string[] = []) {
  const { status, stdout } = await playbill([
    'finish',
    '--out',
    out,
    '--run',
    run,
    '--shards',
    String(shards),
    '--json',
    ...more,
  ]);
  return { status, ...buildResultSchema.parse(JSON.parse(stdout)) };
}

async function refusal(words: readonly string[]) {
  const { status, stdout, stderr } = await playbill(words);
  const { error } = errorResultSchema.parse(JSON.parse(stdout));
  expect(stderr).toContain(`error ${error.code}: `);
  return { status, ...error };
}

function expectSingle(out: string): void {
  expect(releasedFilesOf(out)).toEqual(single);
}

test('two shards and their end, in words', async () => {
  const out = join(temporaryFolder(), 'out');
  const words = (index: number) => shardWords(out, `${index}/2`).filter((word) => word !== '--json');
  expect(await well(words(0))).toMatch(
    /^Rendered shard 0 of 2 as of 2026-05-01T09:00:00Z: 3 fronts\nFiles: \d+ put \(.*\), 0 kept \(0 B\)\nWhen all shards have ended: playbill finish --run r --shards 2\n$/,
  );
  expect(existsSync(join(out, 'releases'))).toBe(false);
  await well(words(1));
  const printed = await well(['finish', '--out', out, '--run', 'r', '--shards', '2']);
  expect(printed).toContain('Published 6 of 6 fronts as of 2026-05-01T09:00:00Z, horizon 6h; release ');
  expectSingle(out);
  expect(await well(['verify', '--out', out])).toMatch(/: 0 errors, 0 warnings$/m);
});

test('without --now all shards take that of the first to begin', async () => {
  const [out, other] = [join(temporaryFolder(), 'out'), join(temporaryFolder(), 'out')];
  const { now } = await shard(out, '0/3', { now: null });
  for (const which of ['1/3', '2/3']) expect((await shard(out, which, { now: null })).now).toBe(now);
  expect((await finish(out, 3)).status).toBe(0);
  await well(['build', '--db', database, '--out', other, '--now', now]);
  expect(releasedFilesOf(out)).toEqual(releasedFilesOf(other));
});

test('a run of another time is joined by those alone who say so: its name may have been used again', async () => {
  const out = join(temporaryFolder(), 'out');
  await shard(out, '0/2');
  const found = await refusal(shardWords(out, '1/2', { now: null }));
  expect(found).toMatchObject({ status: 2, code: 'run-differs', hint: expect.stringContaining(`--now ${NOW}`) });
  await shard(out, '1/2');
  expect((await finish(out, 2)).status).toBe(0);
});

test('more shards than fronts', async () => {
  const out = join(temporaryFolder(), 'out');
  for (let index = 0; index < 9; index++) await shard(out, `${index}/9`);
  expect((await finish(out, 9)).status).toBe(0);
  expectSingle(out);
});

test('a shard that is started twice, at the same time or later, does nothing twice', async () => {
  const out = join(temporaryFolder(), 'out');
  const [one, other] = await Promise.all([shard(out, '0/2'), shard(out, '0/2')]);
  // In a bucket two that write the same bytes have both written them.
  expect([one, other].filter((start) => start?.isRepeated).length).toBeLessThan(2);
  expect(await shard(out, '0/2')).toMatchObject({ isRepeated: true, put: { files: 0 } });
  await shard(out, '1/2');
  const { release } = await finish(out, 2);
  expectSingle(out);
  const before = filesOf(out);
  expect(await finish(out, 2)).toMatchObject({ status: 0, release, put: { files: 0 }, removed: { files: 0 } });
  expect(filesOf(out)).toEqual(before);
});

test('a missing shard: its fronts keep their snapshots, the others are published; and when it comes late they follow', async () => {
  const out = join(temporaryFolder(), 'out');
  const before = catalogue('before');
  await well(['build', '--db', before, '--out', out, '--now', '2026-05-01T08:00:00Z']);
  const old = filesOf(out);
  await shard(out, '0/2');
  const partly = await finish(out, 2);
  expect(partly.status).toBe(3);
  expect(partly.fronts.map(({ front, held }) => [front, held])).toEqual(
    FRONTS.map((front, i) => [front, i < 3 ? null : 'shard-missing']),
  );
  expect(partly.findings).toMatchObject([{ code: 'shard-missing', place: 'runs/r/shard-1.json', severity: 'error' }]);
  const files = filesOf(out);
  for (const [i, front] of FRONTS.entries()) {
    expect(pointerOf(files, front).now, front).toBe(i < 3 ? NOW : '2026-05-01T08:00:00Z');
    if (i >= 3) expect(pointerOf(files, front)).toEqual(pointerOf(old, front));
  }
  const text = await playbill(['finish', '--out', out, '--run', 'r', '--shards', '2']);
  expect(text).toMatchObject({
    status: 3,
    stdout: expect.stringContaining('delta: held back: the work of its shard is not there'),
  });
  await shard(out, '1/2');
  const whole = await finish(out, 2);
  expect(whole.status).toBe(0);
  expect(new Set(whole.fronts.map(({ held }) => held))).toEqual(new Set([null]));
  expect(whole.release).toBe(idIn([...single].find(([path]) => path === 'releases/current')?.[1].trim() ?? ''));
});

test('finish --wait goes on as soon as the last shard has ended', async () => {
  const out = join(temporaryFolder(), 'out');
  await shard(out, '0/2');
  const [finished] = await Promise.all([finish(out, 2, 'r', ['--wait', '10m']), shard(out, '1/2')]);
  expect(finished.status).toBe(0);
  expectSingle(out);
});

describe('what does not belong together is refused', () => {
  test.each([
    ['another now', '1/2', { now: '2026-05-01T09:00:01Z' }, /--now/],
    ['another number of shards', '1/3', {}, /number of shards/],
    ['another horizon', '1/2', { more: ['--horizon', '1h'] }, /--horizon/],
    [
      'another guard',
      '1/2',
      { more: ['--allow', 'max-shrink', 'min-cards'] },
      /--max-shrink, --max-bad, --allow or --force/,
    ],
    ['other compressed siblings', '1/2', { more: ['--precompress', 'gzip'] }, /--precompress/],
  ] as const)('a shard with %s', async (_, which, start, message) => {
    const out = join(temporaryFolder(), 'out');
    await shard(out, '0/2');
    const before = filesOf(out);
    const found = await refusal(shardWords(out, which, start));
    expect(found).toMatchObject({ status: 2, code: 'run-differs', message: expect.stringMatching(message) });
    // Who is to be asked.
    expect(found.message).toContain(`begun on ${hostname()} at 20`);
    expect(filesOf(out)).toEqual(before);
  });

  test.each([
    ['tool', '0.0.1', /version of Playbill/],
    ['tzdata', '1999a', /time-zone rules/],
  ])('a shard of another version: %s', async (name, value, message) => {
    const out = join(temporaryFolder(), 'out');
    await shard(out, '0/2');
    const path = join(out, 'runs/r/run.json');
    const settings = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify({ ...settings, [name]: value }));
    expect(await refusal(shardWords(out, '1/2'))).toMatchObject({
      status: 2,
      code: 'run-differs',
      message: expect.stringMatching(message),
    });
    // The result that is there is of this version.
    expect(await refusal(['finish', '--out', out, '--run', 'r', '--shards', '2', '--json'])).toMatchObject({
      status: 2,
      code: 'run-differs',
    });
  });

  test('a shard of another catalogue, be it the same but for one price', async () => {
    const changed = catalogue('changed', 'one');
    changeDatabase(changed, 'update price_tiers set amount_minor = amount_minor + 1 where id = 6002');
    const out = join(temporaryFolder(), 'out');
    await shard(out, '0/2');
    await shard(out, '1/2', { db: changed });
    const before = releasedFilesOf(out);
    const found = await refusal(['finish', '--out', out, '--run', 'r', '--shards', '2', '--json']);
    expect(found).toMatchObject({ status: 2, code: 'run-state-differs' });
    expect(releasedFilesOf(out)).toEqual(before);
    expect(await refusal(shardWords(out, '0/2', { db: changed }))).toMatchObject({
      status: 2,
      code: 'run-state-differs',
    });
  });

  test('finish in a folder where nothing is leaves nothing there', async () => {
    const out = join(temporaryFolder(), 'out');
    const found = await refusal(['finish', '--out', out, '--run', 'r', '--shards', '2', '--json']);
    expect(found).toMatchObject({ status: 2, code: 'run-missing' });
    expect(existsSync(out)).toBe(false);
  });

  test('finish with another number of shards, of no run, or of a damaged one', async () => {
    const out = join(temporaryFolder(), 'out');
    await shard(out, '0/1');
    const words = (run: string, shards: number) => [
      'finish',
      '--out',
      out,
      '--run',
      run,
      '--shards',
      String(shards),
      '--json',
    ];
    expect(await refusal(words('r', 2))).toMatchObject({ status: 2, code: 'run-differs' });
    expect(await refusal(words('none', 2))).toMatchObject({ status: 2, code: 'run-missing' });
    writeFileSync(join(out, 'runs/r/shard-0.json'), '{}');
    expect(await refusal(words('r', 1))).toMatchObject({ status: 2, code: 'run-damaged' });
    expect(existsSync(join(out, 'releases'))).toBe(false);
  });

  test.each([
    ['of another shard', 1, (text: string) => text, /expected the result of shard 1, found that of shard 0 of r$/],
    ['of another run', 0, (text: string) => text.replace('"run":"r"', '"run":"q"'), /found that of shard 0 of q$/],
    [
      'without one of its fronts',
      0,
      (text: string) => text.replace(/"fronts":\[\{"code":"\w+".*?\},\{"code"/s, '"fronts":[{"code"'),
      /expected the fronts "alpha, bravo, charlie", found "bravo, charlie"$/,
    ],
  ])('a result %s takes no front off the air', async (what, index, change, message) => {
    const out = join(temporaryFolder(), 'out');
    await well(['build', '--db', catalogue(what), '--out', out, '--now', '2026-05-01T08:00:00Z']);
    for (const which of ['0/2', '1/2']) await shard(out, which);
    const before = releasedFilesOf(out);
    const text = readFileSync(join(out, 'runs/r/shard-0.json'), 'utf8');
    writeFileSync(join(out, `runs/r/shard-${index}.json`), change(text));
    const found = await refusal(['finish', '--out', out, '--run', 'r', '--shards', '2', '--json']);
    expect(found).toMatchObject({ status: 2, code: 'run-damaged', message: expect.stringMatching(message) });
    expect(releasedFilesOf(out)).toEqual(before);
  });

  test('a run for an instant that is in no calendar', async () => {
    const out = join(temporaryFolder(), 'out');
    await shard(out, '0/2');
    const path = join(out, 'runs/r/run.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('2026-05-01T', '2026-02-31T'));
    expect(await refusal(shardWords(out, '1/2', { now: null }))).toMatchObject({ status: 2, code: 'run-damaged' });
    expect(existsSync(join(out, 'runs/r/shard-1.json'))).toBe(false);
  });

  test.each([
    [['--shard', '0/2']],
    [['--run', 'r']],
    [['--shard', '2/2', '--run', 'r']],
    [['--shard', '0/0', '--run', 'r']],
    [['--shard', '1', '--run', 'r']],
    [['--shard', '0/2', '--run', '../r']],
    [['--shard', '0/2', '--run', 'r', '--front', 'alpha']],
    [['--shard', '0/2', '--run', 'r', '--dry-run']],
    [['--shard', '0/2', '--run', 'r', '--on-publish', 'true']],
    [['--shard', '0/2', '--run', 'r', '--prometheus', 'x.prom']],
    [['--shard', '0/2', '--run', 'r', '--no-prune']],
  ])('%s', async (words) => {
    const out = join(temporaryFolder(), 'out');
    const found = await refusal(['build', '--db', database, '--out', out, ...words, '--json']);
    expect(found).toMatchObject({ status: 2, code: 'usage' });
    expect(existsSync(out)).toBe(false);
  });
});

test('guards hold the same fronts back, with the same exit code', async () => {
  const fewer = catalogue('fewer', 'one');
  changeDatabase(fewer, `delete from front_products where front_id = 2; update fronts set min_cards = 50 where id = 5`);
  const [out, other] = [join(temporaryFolder(), 'out'), join(temporaryFolder(), 'out')];
  for (const tree of [out, other])
    await well(['build', '--db', database, '--out', tree, '--now', '2026-05-01T08:00:00Z']);
  const heldBy = [];
  for (const which of ['0/2', '1/2']) heldBy.push((await shard(out, which, { db: fewer })).held);
  expect(heldBy.reduce((sum, held) => sum + held)).toBe(2);
  const finished = await finish(out, 2);
  const built = await playbill(['build', '--db', fewer, '--out', other, '--now', NOW, '--json']);
  expect(built.status).toBe(4);
  expect(finished.status).toBe(4);
  const { fronts, release } = buildResultSchema.parse(JSON.parse(built.stdout));
  expect(finished.fronts.map(({ held, guards }) => [held, guards])).toEqual(
    fronts.map(({ held, guards }) => [held, guards]),
  );
  expect(finished.release).toBe(release);
});

test('fronts that have vanished are removed once finish is allowed to', async () => {
  const changing = catalogue('vanishing', 'one');
  changeDatabase(changing, 'delete from front_keys');
  const out = join(temporaryFolder(), 'out');
  await well(['build', '--db', changing, '--out', out, '--now', '2026-05-01T08:00:00Z']);
  changeDatabase(changing, 'delete from fronts where id > 1');
  for (const which of ['0/2', '1/2']) await shard(out, which, { db: changing });
  expect((await finish(out, 2)).status).toBe(4);
  const { status, fronts, allowed } = await finish(out, 2, 'r', ['--allow', 'max-shrink']);
  expect([status, fronts.length, allowed.map(({ code }) => code)]).toEqual([0, 1, ['max-shrink']]);
});

test('a guard is asked once more: a build for a later now was published between the shards and their end', async () => {
  const out = join(temporaryFolder(), 'out');
  for (const which of ['0/2', '1/2']) await shard(out, which);
  await well(['build', '--db', database, '--out', out, '--now', '2026-05-01T09:05:00Z']);
  const before = releasedFilesOf(out);
  const finished = await finish(out, 2);
  expect(finished.status).toBe(4);
  expect(new Set(finished.fronts.map(({ held }) => held))).toEqual(new Set(['now-earlier']));
  expect(releasedFilesOf(out)).toEqual(before);
});

test.each([
  ['was taken off', 'active', 'disabled'],
  ['was put on', 'disabled', 'active'],
])('a late finish leaves a front as it is that %s meanwhile, by a build for a later now', async (_, before, after) => {
  const out = join(temporaryFolder(), 'out');
  const changing = catalogue(`${before}-${after}`, 'one');
  const setStatus = (status: string): void =>
    changeDatabase(changing, `update fronts set status = '${status}' where id = 2`);
  setStatus(before);
  await well(['build', '--db', changing, '--out', out, '--now', '2026-05-01T08:55:00Z']);
  for (const which of ['0/2', '1/2']) await shard(out, which, { db: changing });
  setStatus(after);
  await well(['build', '--db', changing, '--out', out, '--now', '2026-05-01T09:05:00Z']);
  const published = releasedFilesOf(out);
  const finished = await finish(out, 2);
  expect(finished.status).toBe(4);
  expect(finished.fronts.find(({ front }) => front === 'bravo')?.held).toBe('now-earlier');
  expect(releasedFilesOf(out)).toEqual(published);
});

test('two runs at once: each front shows the later one, whichever ends last', async () => {
  const later = '2026-05-01T09:10:00Z';
  const changed = catalogue('changed-meanwhile');
  const out = join(temporaryFolder(), 'out');
  await shard(out, '0/2', { run: 'a' });
  await shard(out, '0/2', { run: 'b', db: changed, now: later });
  await shard(out, '1/2', { run: 'a' });
  await shard(out, '1/2', { run: 'b', db: changed, now: later });
  // The content of the other run is in no release yet, and must stay.
  expect((await finish(out, 2, 'a')).status).toBe(0);
  expect((await finish(out, 2, 'b')).status).toBe(0);
  expect((await finish(out, 2, 'a')).status).toBe(4);
  for (const front of FRONTS) expect(pointerOf(filesOf(out), front).now).toBe(later);
  await well(['verify', '--out', out]);
});

describe('what else is done to the tree meanwhile', () => {
  test('pruning leaves what a run has written and no release names, until the run is over', async () => {
    const out = join(temporaryFolder(), 'out');
    const [old, other] = [catalogue('old'), catalogue('later')];
    await well(['build', '--db', old, '--out', out, '--now', '2026-05-01T08:50:00Z']);
    // Content that nobody names, and that may be the work of a shard that has not ended.
    await shard(out, '0/2');
    const written = [...filesOf(out).keys()];
    await well(['prune', '--out', out, '--grace', '10m']);
    expect([...filesOf(out).keys()]).toEqual(written);
    await shard(out, '1/2');
    const all = [...filesOf(out).keys()];
    await well(['prune', '--out', out, '--grace', '10m']);
    expect([...filesOf(out).keys()]).toEqual(all);
    // An hour later the run is over: what it has written goes, and its own files.
    await well(['build', '--db', other, '--out', out, '--now', '2026-05-01T10:00:01Z']);
    const left = [...filesOf(out).keys()];
    expect(left.filter((path) => path.startsWith('runs/'))).toEqual([]);
    const editions = [...single.keys()].filter((path) => /\/(products|categories)\./.test(path));
    expect(left.filter((path) => editions.includes(path))).toEqual([]);
    await well(['verify', '--out', out]);
  });

  test('what a run has published in part is not all that it has written', async () => {
    const out = join(temporaryFolder(), 'out');
    await shard(out, '0/2');
    expect((await finish(out, 2)).status).toBe(3);
    await shard(out, '1/2');
    await well(['prune', '--out', out]);
    const { status, release } = await finish(out, 2);
    expect([status, release]).toEqual([0, idIn(single.get('releases/current')?.trim() ?? '')]);
  });

  test('a run that was given up keeps editions that nobody names, which is said until it is removed', async () => {
    const out = join(temporaryFolder(), 'out');
    await shard(out, '0/2', { run: 'typo', now: '2062-05-01T09:00:00Z' });
    const words = ['build', '--db', database, '--out', out, '--now', NOW, '--json'];
    const { findings } = buildResultSchema.parse(JSON.parse(await well(words)));
    expect(findings).toMatchObject([{ severity: 'warning', code: 'not-pruned', place: 'runs/typo' }]);
    expect(await well(['prune', '--out', out])).toMatch(
      /^Pruned: 0 releases, 0 files.*\nNo edition is removed while a shard of run typo/,
    );
    rmSync(join(out, 'runs/typo'), { recursive: true });
    expect(await well(['prune', '--out', out])).toMatch(/^Pruned: 0 releases, [1-9]/);
    expectSingle(out);
  });

  test('content that is gone all the same holds its front back', async () => {
    const out = join(temporaryFolder(), 'out');
    for (const which of ['0/2', '1/2']) await shard(out, which);
    const fronts = join(out, 'public/fronts/bravo');
    for (const name of readdirSync(fronts)) rmSync(join(fronts, name));
    const finished = await finish(out, 2);
    expect(finished.status).toBe(3);
    expect(finished.fronts.filter(({ held }) => held !== null)).toMatchObject([
      { front: 'bravo', held: 'shard-missing' },
    ]);
    expect(finished.findings.map(({ code }) => code)).toContain('file-missing');
    await well(['verify', '--out', out]);
  });

  test('verify, status, releases, next, show and diff do not mind the files of runs', async () => {
    const out = join(temporaryFolder(), 'out');
    for (const which of ['0/2', '1/2']) await shard(out, which);
    await finish(out, 2);
    await shard(out, '0/2', { run: 'next', now: '2026-05-01T09:05:00Z' });
    const seen = { code: '', at: NOW };
    for (const words of [
      ['verify'],
      ['status', '--at', NOW],
      ['releases'],
      ['next', '--at', NOW],
      ['show', '--front', 'alpha', '--endpoint', 'products', '--at', NOW],
    ]) {
      const [found, expected] = await Promise.all(
        [out, join(folder, 'single')].map((tree) =>
          playbill([...words, '--out', tree, ...(words[0] === 'show' ? [] : ['--json'])]),
        ),
      );
      expect(found?.status, `${words[0]} ${seen.at}`).toBe(0);
      expect(found?.stdout.replaceAll(out, 'OUT'), words[0]).toBe(
        expected?.stdout.replaceAll(join(folder, 'single'), 'OUT'),
      );
    }
    await well(['diff', out, join(folder, 'single')]);
  });

  test('a tree that a rollback holds: no shard renders, finish publishes nothing', async () => {
    const out = join(temporaryFolder(), 'out');
    await well(['build', '--db', catalogue('held'), '--out', out, '--now', '2026-05-01T08:00:00Z']);
    const current = (await well(['releases', '--out', out, '--json'])).match(/"id":"([0-9a-f]{16})"/)?.[1] ?? '';
    await well(['rollback', current, '--out', out]);
    const before = filesOf(out);
    expect(await shard(out, '0/2')).toMatchObject({ hold: { release: current }, fronts: 0 });
    expect((await finish(out, 2, 'r', ['--wait', '366d'])).status).toBe(4);
    const after = filesOf(out);
    expect([...after.keys()]).toEqual([...before.keys()]);
    await well(['rollback', '--resume', '--out', out]);
    for (const which of ['0/2', '1/2']) await shard(out, which);
    // Held once more before the end: then what would be published is said, and nothing is.
    await well(['rollback', current, '--out', out]);
    expect(await finish(out, 2)).toMatchObject({ status: 4, hold: { release: current }, release: current });
    await well(['rollback', '--resume', '--out', out]);
    expect((await finish(out, 2)).status).toBe(0);
  });
});

test('a revoked key does not wait for the other shards', async () => {
  const out = join(temporaryFolder(), 'out');
  const keys = catalogue('keys', 'one');
  const ring = (): string => readFileSync(join(out, 'edge/keyring.json'), 'utf8');
  await well(['build', '--db', keys, '--out', out, '--now', '2026-05-01T08:00:00Z']);
  changeDatabase(keys, "update front_keys set revoked_at = '2026-05-01T08:30:00Z' where keyid = 'alpha-site'");
  expect(ring()).not.toContain('08:30');
  await shard(out, '1/2', { db: keys });
  expect(ring()).toContain('08:30');
});
