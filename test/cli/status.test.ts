// `playbill status`, `playbill next` and the Prometheus textfile, as a person, a scheduler and a
// collector see them.

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { errorResultSchema } from '../../src/contract/results/parts.ts';
import { nextResultSchema, statusResultSchema } from '../../src/contract/results/status.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { currentManifestPath, currentName, idIn } from '../support/manifests.ts';
import { buildTree, catalogueAt, documentAt, filesOf, instant, temporaryFolderOfFile } from '../support/trees.ts';
import { playbill } from '../support/cli/run.ts';
import { samplesOf } from '../support/textfile.ts';

const root = temporaryFolderOfFile();
const database = join(root, 'small.sqlite');
const sound = join(root, 'sound');
const longCode = `front-${'x'.repeat(57)}`;

beforeAll(async () => {
  const fronts = ['alpha', 'bravo', longCode];
  catalogueAt(database, smallCatalogue({ fronts, productsPerFront: 2, sessionsPerProduct: 3, edition: 'one' }));
  await buildTree(database, sound, instant(NOW));
});

function copyOfTree(name: string): string {
  const out = join(root, name);
  cpSync(sound, out, { recursive: true });
  return out;
}

const pointerIn = (out: string, front: string): string => join(out, `public/fronts/${front}/pointer.json`);

describe('playbill status', () => {
  test('a fresh tree: a table within 80 columns, exit 0', async () => {
    const run = await playbill(['status', '--out', sound, '--at', '2026-05-01T10:30:00Z']);
    expect(run).toMatchObject({ status: 0, stderr: '' });
    expect(run.stdout).toMatch(/^front +age +right for +cards +editions +state\n/);
    expect(run.stdout).toMatch(/^alpha +1h30m +\d+h\d+m +3 +\d+\+1 +fresh$/m);
    expect(run.stdout).toContain('3 fronts as of 2026-05-01T10:30:00Z: all fresh\nrelease ');
    for (const line of run.stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  test('--json validates and says the same', async () => {
    const run = await playbill(['status', '--out', sound, '--at', '2026-05-01T09:45:00Z', '--json']);
    const status = statusResultSchema.parse(JSON.parse(run.stdout));
    expect(status).toMatchObject({ at: '2026-05-01T09:45:00Z', isStale: false, hold: null, findings: [] });
    expect(status.release?.now).toBe(NOW);
    expect(status.fronts.map(({ front }) => front)).toEqual(['alpha', 'bravo', longCode]);
    expect(status.fronts[0]?.snapshot).toMatchObject({ now: NOW, ageSeconds: 2700, held: null, cards: 3 });
  });

  test('a stale one: exit 1', async () => {
    const run = await playbill(['status', '--out', sound, '--at', '2026-05-01T09:31:00Z', '--max-age', '30m']);
    expect(run.status).toBe(1);
    expect(run.stdout).toMatch(/^alpha .* too-old$/m);
    expect(run.stdout).toContain('3 stale');
  });

  test('a broken pointer, however broken, is stale and a finding; the others are not', async () => {
    const out = join(root, 'broken');
    const fronts = ['date', 'folder', 'gone', 'other', 'sound', 'torn', 'wiped'];
    const many = catalogueAt(
      join(root, 'many.sqlite'),
      smallCatalogue({ fronts, productsPerFront: 1, sessionsPerProduct: 1, edition: 'one' }),
    );
    await buildTree(many, out, instant(NOW));
    replaceIn(pointerIn(out, 'date'), NOW, '2026-02-30T09:00:00Z');
    rmSync(pointerIn(out, 'folder'));
    mkdirSync(pointerIn(out, 'folder'));
    rmSync(pointerIn(out, 'gone'));
    cpSync(pointerIn(out, 'sound'), pointerIn(out, 'other'));
    writeFileSync(pointerIn(out, 'torn'), '{"schema":1');
    rmSync(join(out, 'public/fronts/wiped'), { recursive: true });

    const file = join(root, 'broken.prom');
    const words = ['--out', out, '--at', '2026-05-01T09:01:00Z'];
    const run = await playbill(['status', ...words, '--prometheus', file]);
    const next = await playbill(['next', ...words, '--json']);
    expect([run.status, next.status]).toEqual([1, 1]);
    const result = nextResultSchema.parse(JSON.parse(next.stdout));
    const samples = samplesOf(readFileSync(file, 'utf8'));
    for (const [i, front] of fronts.entries()) {
      if (front === 'sound') continue;
      const state = front === 'gone' || front === 'wiped' ? 'pointer-missing' : 'pointer-invalid';
      expect(run.stdout).toMatch(new RegExp(`^${front} +- +- +- +- +${state}$`, 'm'));
      expect(run.stdout).toContain(`error ${state} public/fronts/${front}/pointer.json: `);
      expect(result.fronts[i]).toEqual({ front, kind: 'unknown', next: null, endpoints: [] });
      // Stale since ever, and no other sample.
      const own = [...samples].filter(([key]) => key.includes(`"${front}"`));
      expect(own).toEqual([[`playbill_front_stale_from_timestamp_seconds{front="${front}"}`, 0]]);
    }
    expect(run.stdout).toMatch(/^sound .* fresh$/m);
    expect(run.stdout).toContain('7 fronts as of 2026-05-01T09:01:00Z: 6 stale\n');
    expect(result.next).toBe(result.fronts[4]?.next);
  });

  test.each([
    [
      'its manifest is torn',
      (out: string) => {
        writeFileSync(join(out, currentManifestPath(out)), '{');
      },
      'warning manifest-invalid',
    ],
    ['current is torn', (out: string) => writeFileSync(join(out, 'releases/current'), 'x'), 'warning current-invalid'],
    ['it has no release', (out: string) => rmSync(join(out, 'releases'), { recursive: true }), 'no current release'],
  ])('fronts are served all the same where %s: exit 0', async (name, spoil, words) => {
    const out = copyOfTree(name);
    spoil(out);
    const run = await playbill(['status', '--out', out, '--at', '2026-05-01T09:01:00Z']);
    expect(run.status).toBe(0);
    expect(run.stdout).toContain(words);
    expect(run.stdout).toMatch(/^alpha +1m +\d+h\d+m +- .* fresh$/m);
  });

  test('a front that keeps an older snapshot is named; it goes stale when that does', async () => {
    const out = copyOfTree('held');
    const small = join(root, 'shrunk.sqlite');
    const rows = smallCatalogue({
      fronts: ['alpha', 'bravo', longCode],
      productsPerFront: 2,
      sessionsPerProduct: 3,
      edition: 'one',
    });
    catalogueAt(
      small,
      rows.filter(({ table, row }) => table !== 'front_products' || row['front_id'] !== 1),
    );
    const later = await playbill(['build', '--db', small, '--out', out, '--now', '2026-05-01T09:40:00Z']);
    expect(later.status).toBe(4);
    const run = await playbill(['status', '--out', out, '--at', '2026-05-01T09:41:00Z', '--max-age', '30m']);
    expect(run.status).toBe(1);
    expect(run.stdout).toMatch(/^alpha +41m .* too-old\n {2}keeps an older snapshot: max-shrink\nbravo +1m .* fresh$/m);
    expect(run.stdout).toContain('3 fronts as of 2026-05-01T09:41:00Z: 1 stale, 1 keeps an older snapshot\n');
  });

  test('a tree that a rollback holds says so first, in JSON and in the textfile; resumed, no more', async () => {
    const out = copyOfTree('rolled-back');
    const words = ['--out', out, '--at', '2026-05-01T09:10:00Z'];
    const back = idIn(currentName(out));
    const next = ['build', '--db', database, '--out', out, '--now', '2026-05-01T09:05:00Z'];
    expect((await playbill(next)).status).toBe(0);
    expect((await playbill(['rollback', back, '--out', out])).status).toBe(0);

    const file = join(root, 'hold.prom');
    const held = await playbill(['status', ...words, '--prometheus', file]);
    // Deliberate, and right for as long as its snapshots are.
    expect(held.status).toBe(0);
    const [first, ...rest] = held.stdout.split('\n');
    expect(first).toBe(`Held at release ${back}: builds publish nothing until: playbill rollback --resume`);
    expect(rest.join('\n')).toMatch(/^\nfront +age .*\nalpha .* fresh\n/);
    expect(samplesOf(readFileSync(file, 'utf8')).get('playbill_rollback_hold')).toBe(1);
    const json = await playbill(['status', ...words, '--json']);
    expect(statusResultSchema.parse(JSON.parse(json.stdout))).toMatchObject({
      hold: { release: back },
      isStale: false,
    });
    // Builds change nothing of it, and their textfile says so too.
    expect((await playbill([...next, '--prometheus', file])).status).toBe(4);
    expect(samplesOf(readFileSync(file, 'utf8')).get('playbill_rollback_hold')).toBe(1);
    // It goes stale as any other does.
    expect((await playbill(['status', ...words, '--max-age', '5m'])).status).toBe(1);

    // A rollback that was stopped behind the hold; a hold that cannot be read.
    const other = '0123456789abcdef';
    writeFileSync(join(out, 'releases/hold'), `{"all":"20260501T090000Z-${other}"}\n`);
    const stopped = await playbill(['status', ...words]);
    expect(stopped.stdout.split('\n')[1]).toBe(
      `That rollback was interrupted; finish it with: playbill rollback ${other}`,
    );
    writeFileSync(join(out, 'releases/hold'), 'rubbish');
    const damaged = await playbill(['status', ...words, '--json']);
    expect(statusResultSchema.parse(JSON.parse(damaged.stdout)).hold).toEqual({ release: null });
    expect((await playbill(['status', ...words])).stdout).toMatch(/^releases\/hold is damaged, which holds the tree: /);

    expect((await playbill(['rollback', '--resume', '--out', out])).status).toBe(0);
    const resumed = await playbill(['status', ...words, '--prometheus', file]);
    expect(resumed.stdout).toMatch(/^front +age /);
    expect(samplesOf(readFileSync(file, 'utf8')).get('playbill_rollback_hold')).toBe(0);
  });

  test('a tree in which nothing is published yet is stale; no tree is an error', async () => {
    const out = join(root, 'keys-only');
    mkdirSync(join(out, 'edge'), { recursive: true });
    const run = await playbill(['status', '--out', out, '--json']);
    expect(run.status).toBe(1);
    expect(statusResultSchema.parse(JSON.parse(run.stdout))).toMatchObject({
      isStale: true,
      release: null,
      fronts: [],
    });
    const next = await playbill(['next', '--out', out, '--json']);
    expect([next.status, errorResultSchema.parse(JSON.parse(next.stdout)).error.code]).toEqual([
      2,
      'nothing-published',
    ]);
    const none = await playbill(['status', '--out', join(root, 'none'), '--json']);
    expect([none.status, errorResultSchema.parse(JSON.parse(none.stdout)).error.code]).toEqual([2, 'tree-missing']);
  });
});

function replaceIn(path: string, from: string, to: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(from, to));
}

describe('playbill next', () => {
  test('a table within 80 columns, and the earliest of all', async () => {
    const run = await playbill(['next', '--out', sound, '--at', '2026-05-01T09:00:00Z']);
    expect(run).toMatchObject({ status: 0, stderr: '' });
    const json = await playbill(['next', '--out', sound, '--at', '2026-05-01T09:00:00Z', '--json']);
    const { next, fronts } = nextResultSchema.parse(JSON.parse(json.stdout));
    // The first session of all, of product 1001, begins twenty minutes after now.
    expect(next).toBe('2026-05-01T09:20:00Z');
    expect(fronts[0]).toEqual({ front: 'alpha', kind: 'edition', next, endpoints: ['products'] });
    expect(run.stdout).toContain('\nNext: 2026-05-01T09:20:00Z, in 20m\n');
    for (const line of run.stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  test('it agrees with the documents: they change at that instant and not before', async () => {
    const files = filesOf(sound);
    const shown = (at: number): string => documentAt(files, 'bravo', 'products', textOf(at));
    let at = Date.parse(NOW);
    for (let i = 0; i < 3; i++) {
      const { stdout } = await playbill(['next', '--out', sound, '--at', textOf(at), '--json']);
      const change = Date.parse(nextResultSchema.parse(JSON.parse(stdout)).fronts[1]?.next ?? '');
      expect(shown(change - 1000)).toBe(shown(at));
      expect(shown(change)).not.toBe(shown(at));
      at = change;
    }
  });
});

function textOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000', '');
}

describe('the textfile', () => {
  const at = ['--at', '2026-05-01T09:10:00Z'];

  test('status --prometheus: samples per front, one rename, no temporary name left', async () => {
    const folder = join(root, 'collector');
    mkdirSync(folder);
    const file = join(folder, 'playbill.prom');
    const first = await playbill(['status', '--out', sound, ...at, '--prometheus', file]);
    expect(first).toMatchObject({ status: 0, stderr: '' });
    const before = statSync(file);
    expect(before.mode & 0o777).toBe(0o644);
    await playbill(['status', '--out', sound, ...at, '--prometheus', file]);
    expect(statSync(file).ino).not.toBe(before.ino);
    expect(readdirSync(folder)).toEqual(['playbill.prom']);

    const samples = samplesOf(readFileSync(file, 'utf8'));
    expect(samples.get('playbill_stale')).toBe(0);
    expect(samples.get('playbill_front_age_seconds{front="alpha"}')).toBe(600);
    expect(samples.get('playbill_front_cards{front="alpha"}')).toBe(3);
    expect(samples.get('playbill_front_editions{front="alpha",endpoint="categories"}')).toBe(1);
    const until = samples.get('playbill_front_valid_until_timestamp_seconds{front="bravo"}') ?? 0;
    expect(samples.get('playbill_front_remaining_seconds{front="bravo"}')).toBe(
      until - Date.parse('2026-05-01T09:10:00Z') / 1000,
    );
    expect([...samples.keys()].filter((key) => key.startsWith('playbill_build_'))).toEqual([]);
  });

  test('build --prometheus: success, then failures that keep the last success, through status and back', async () => {
    const out = join(root, 'reported');
    const file = join(root, 'reported.prom');
    const build = (...words: string[]) => playbill(['build', '--out', out, '--prometheus', file, ...words]);
    const samples = () => samplesOf(readFileSync(file, 'utf8'));
    const startedAt = Math.floor(Date.now() / 1000);
    expect((await build('--db', database, '--now', NOW)).status).toBe(0);
    const success = samples().get('playbill_build_last_success_timestamp_seconds') ?? 0;
    expect(success).toBeGreaterThanOrEqual(startedAt);
    expect(success).toBeLessThanOrEqual(Date.now() / 1000);
    expect(samples().get('playbill_build_exit_code')).toBe(0);
    expect(samples().get('playbill_build_findings')).toBe(0);

    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect((await build('--db', join(root, 'none.sqlite'))).status).toBe(2);
    expect(samples().get('playbill_build_exit_code')).toBe(2);
    expect(samples().get('playbill_build_last_success_timestamp_seconds')).toBe(success);
    expect(samples().get('playbill_build_last_run_timestamp_seconds')).toBeGreaterThan(success);
    expect(samples().get('playbill_build_findings')).toBeUndefined();
    expect(samples().get('playbill_front_now_timestamp_seconds{front="bravo"}')).toBe(Date.parse(NOW) / 1000);

    await playbill(['status', '--out', out, ...at, '--prometheus', file]);
    expect(samples().get('playbill_build_exit_code')).toBe(2);
    expect(samples().get('playbill_build_last_success_timestamp_seconds')).toBe(success);
    expect(samples().get('playbill_front_age_seconds{front="bravo"}')).toBe(600);

    expect((await build('--db', database, '--now', '2026-05-01T08:00:00Z')).status).toBe(4);
    expect(samples().get('playbill_build_exit_code')).toBe(4);
    expect(samples().get('playbill_build_last_success_timestamp_seconds')).toBe(success);
    expect((await build('--db', database, '--now', '2026-05-01T09:10:00Z')).status).toBe(0);
    expect(samples().get('playbill_build_last_success_timestamp_seconds')).toBeGreaterThan(success);
  });

  test('before any success it is never; a dry run writes none', async () => {
    const file = join(root, 'never.prom');
    const words = ['build', '--out', join(root, 'never'), '--prometheus', file];
    await playbill([...words, '--db', database, '--dry-run']);
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
    await playbill([...words, '--db', join(root, 'none.sqlite')]);
    const samples = samplesOf(readFileSync(file, 'utf8'));
    expect(samples.get('playbill_build_last_success_timestamp_seconds')).toBe(0);
    expect([...samples.keys()].some((key) => key.startsWith('playbill_front'))).toBe(false);
  });

  test('what is not ours is never replaced, and refused before anything is built', async () => {
    const own = join(root, 'notes.txt');
    writeFileSync(own, 'buy milk\n');
    for (const file of [own, root, join(root, 'no such folder/p.prom'), database]) {
      const bytes = file === own || file === database ? readFileSync(file) : null;
      const out = join(root, 'refused');
      const run = await playbill(['build', '--db', database, '--out', out, '--prometheus', file, '--json']);
      expect([run.status, errorResultSchema.parse(JSON.parse(run.stdout)).error.code]).toEqual([
        2,
        'metrics-not-writable',
      ]);
      expect(statSync(out, { throwIfNoEntry: false })).toBeUndefined();
      if (bytes !== null) expect(readFileSync(file).equals(bytes)).toBe(true);
      expect(await playbill(['status', '--out', sound, '--prometheus', file])).toMatchObject({ status: 2 });
    }
  });
});
