// A tree in a bucket, as a person uses it: the bill, what is looked at by listings alone, and
// settings of the command line.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { pruneResultSchema, releasesResultSchema, rollbackResultSchema } from '../../src/contract/results/history.ts';
import { buildResultSchema } from '../../src/contract/results/build.ts';
import { statusResultSchema } from '../../src/contract/results/status.ts';
import { terminalOn, type Terminal } from '../../src/cli/output/terminal.ts';
import { bucketOfFile, leaveEnvironmentAtEnd, textsOf } from '../support/cli/bucket.ts';
import { testContext } from '../support/cli/parser.ts';
import { outputOf, playbill } from '../support/cli/run.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import type { MemoryStore } from '../support/objects/memory-store.ts';
import { buildTree, catalogueAt, filesOf, instant, temporaryFolderOfFile } from '../support/trees.ts';

leaveEnvironmentAtEnd();
const folder = temporaryFolderOfFile();
const [one, two] = [join(folder, 'one.sqlite'), join(folder, 'two.sqlite')];
const LATER = '2026-05-01T09:05:00Z';
let store: MemoryStore;
afterAll(() => store.close());
beforeAll(async () => {
  store = await bucketOfFile();
  const size = { fronts: ['alpha', 'bravo'], productsPerFront: 1, sessionsPerProduct: 2 };
  catalogueAt(one, smallCatalogue({ ...size, edition: 'one' }));
  catalogueAt(two, smallCatalogue({ ...size, edition: 'two' }));
});

const build = (db: string, out: string, now: string, ...more: string[]) =>
  playbill(['build', '--db', db, '--out', out, '--now', now, ...more]);

/** A tree of two releases below a prefix. */
async function twoReleases(prefix: string): Promise<string> {
  const out = `s3://bucket/${prefix}`;
  for (const [db, now] of [
    [one, NOW],
    [two, LATER],
  ] as const)
    expect((await build(db, out, now)).status).toBe(0);
  return out;
}

/** Requests that the store has seen while something was done. */
async function loggedDuring(work: () => Promise<unknown>) {
  const from = store.log.length;
  await work();
  const seen = store.log.slice(from);
  const countOf = (method: string, isList = false): number =>
    seen.filter((one) => one.method === method && (one.key === '') === isList).length;
  return { puts: countOf('PUT'), gets: countOf('GET'), lists: countOf('GET', true), deletes: countOf('DELETE'), seen };
}

const BILL = /^Requests: (\d+) PUT \([\d.]+ k?B sent\), (\d+) GET, (\d+) LIST, (\d+) DELETE, 0 repeated$/m;

describe('the bill', () => {
  test('build, rollback and prune print what the store has seen, and --json has it', async () => {
    const out = 's3://bucket/bill';
    for (const words of [
      ['build', '--db', one, '--now', NOW],
      ['build', '--db', two, '--now', LATER],
      ['rollback', 'current~1'],
      ['rollback', '--resume'],
      ['prune', '--grace', '0'],
    ]) {
      let stdout = '';
      const { seen: _, ...logged } = await loggedDuring(async () => {
        ({ stdout } = await playbill([...words, '--out', out]));
      });
      const [, ...bill] = BILL.exec(stdout) ?? [];
      const { puts, gets, lists, deletes } = logged;
      // A rollback looks its release up before it takes the lease: by a few requests of its own.
      const [printedPuts, printedGets, printedLists, printedDeletes] = bill.map(Number);
      expect([words, printedPuts, printedDeletes]).toEqual([words, puts, deletes]);
      expect(printedGets).toBeGreaterThan(0);
      expect(printedGets).toBeLessThanOrEqual(gets);
      expect(printedLists).toBeLessThanOrEqual(lists);
      if (words[0] === 'build') expect([printedGets, printedLists]).toEqual([gets, lists]);
    }
    const json = async (...words: string[]): Promise<unknown> =>
      JSON.parse((await playbill([...words, '--out', out, '--json'])).stdout);
    const later = '2026-05-01T09:10:00Z';
    const built = buildResultSchema.parse(await json('build', '--db', two, '--now', later));
    expect(built.requests).toMatchObject({ retries: 0 });
    expect(built.requests?.bytesSent).toBeGreaterThan(1000);
    expect(rollbackResultSchema.parse(await json('rollback', 'current')).requests?.puts).toBeGreaterThan(2);
    expect(rollbackResultSchema.parse(await json('rollback', '--resume')).requests?.puts).toBeGreaterThan(2);
    expect(pruneResultSchema.parse(await json('prune')).requests).toMatchObject({ deletes: 0 });
  });

  test('has none for a folder, or a dry run', async () => {
    const out = join(folder, 'tree');
    for (const place of [out, 's3://bucket/dry']) {
      const { stdout } = await build(one, place, NOW, ...(place === out ? [] : ['--dry-run']), '--json');
      expect(buildResultSchema.parse(JSON.parse(stdout)).requests).toBeUndefined();
    }
    expect((await textsOf(store, 'dry')).size).toBe(0);
  });

  test('is in the textfile of a build, and stays there for status', async () => {
    const [out, textfile] = ['s3://bucket/metrics', join(folder, 'playbill.prom')];
    await build(one, out, NOW, '--prometheus', textfile);
    const text = readFileSync(textfile, 'utf8');
    for (const method of ['put', 'get', 'list', 'delete'])
      expect(text).toMatch(new RegExp(`^playbill_build_bucket_requests\\{method="${method}"\\} \\d+$`, 'm'));
    expect(text).toMatch(/^playbill_build_bucket_retries 0$/m);
    expect(text).toMatch(/^playbill_build_bucket_sent_bytes \d{4,}$/m);
    await playbill(['status', '--out', out, '--at', NOW, '--prometheus', textfile]);
    expect(readFileSync(textfile, 'utf8')).toContain('playbill_build_bucket_requests{method="put"}');
  });
});

test('a notice of what was published names the same paths as that of a folder', async () => {
  const notices = [];
  for (const out of ['s3://bucket/notified', join(folder, 'notified')]) {
    const file = join(folder, 'notice.json');
    for (const [db, now] of [
      [one, NOW],
      [two, LATER],
    ] as const)
      await build(db, out, now, '--on-publish', `cat > ${file}`);
    notices.push(JSON.parse(readFileSync(file, 'utf8')) as unknown);
  }
  expect(notices[0]).toMatchObject({
    fronts: ['alpha', 'bravo'],
    changed: expect.arrayContaining(['/fronts/alpha/pointer.json']),
  });
  expect(notices[0]).toEqual(notices[1]);
});

describe('verify --sizes', () => {
  test('reads no edition, in a handful of requests', async () => {
    const out = await twoReleases('sizes');
    const { seen } = await loggedDuring(async () => {
      const { status, stdout } = await playbill(['verify', '--sizes', '--out', out]);
      expect([status, stdout]).toEqual([0, expect.stringMatching(/^Checked 2 fronts, \d+ edition files .*: 0 errors/)]);
      expect(stdout).toContain('Checked by name and size only; to check the content of editions');
    });
    expect(seen.filter(({ key }) => /\/(products|categories)\./.test(key))).toEqual([]);
  });

  test.each([
    ['a missing one', (): null => null, ['file-missing'], ['file-missing']],
    ['a truncated one', (text: string): string => text.slice(0, -2), ['file-size-wrong'], ['file-size-wrong']],
    ['one that was altered and has its size', (text: string): string => ` ${text.slice(1)}`, [], ['file-digest-wrong']],
  ] as const)('%s', async (name, damage, bySize, byContent) => {
    const prefix = `damaged-${name.replaceAll(' ', '-')}`;
    const out = await twoReleases(prefix);
    const [path = '', text = ''] =
      [...(await textsOf(store, prefix))].find(([one]) => one.includes('/products.')) ?? [];
    const damaged = damage(text);
    if (damaged === null) await store.delete(`${prefix}/${path}`);
    else await store.put(`${prefix}/${path}`, damaged);
    for (const [words, codes] of [
      [['verify', '--sizes'], bySize],
      [['verify'], byContent],
    ] as const) {
      const { status, stdout } = await playbill([...words, '--out', out, '--json']);
      const { findings } = JSON.parse(stdout) as { findings: { code: string; place: string }[] };
      expect(findings).toMatchObject(codes.map((code) => ({ code, place: path })));
      expect(status).toBe(codes.length === 0 ? 0 : 1);
    }
  });

  test('names files of a bucket by their addresses', async () => {
    const out = await twoReleases('annotated');
    await store.put('annotated/public/robots.txt', '');
    const { stdout } = await playbill(['verify', '--out', out, '--report', 'github']);
    expect(stdout).toContain('file=s3%3A//bucket/annotated/public/robots.txt');
  });
});

describe('status --deep', () => {
  const deep = async (out: string) => {
    const { status, stdout } = await playbill(['status', '--deep', '--json', '--at', LATER, '--out', out]);
    return { status, json: statusResultSchema.parse(JSON.parse(stdout)) };
  };

  test('asks the store again, and looks for every edition', async () => {
    const out = await twoReleases('deep');
    const { seen } = await loggedDuring(async () => {
      expect(await deep(out)).toMatchObject({
        status: 0,
        json: { isStale: false, deep: { conditions: 'kept', errors: 0, warnings: 0, checked: { fronts: 2 } } },
      });
    });
    expect(seen.some(({ method, key }) => method === 'PUT' && key.startsWith('deep/.probe/'))).toBe(true);
    expect([...(await store.objects()).keys()].filter((key) => key.includes('.probe'))).toEqual([]);
    const { stdout } = await playbill(['status', '--deep', '--at', LATER, '--out', out]);
    expect(stdout).toMatch(/^deep: \d+ edition files checked by name and size, none read: 0 errors, 0 warnings$/m);
    expect(stdout).toMatch(/^deep: the store honours conditional writes$/m);
    expect((await playbill(['status', '--at', LATER, '--json', '--out', out])).stdout).not.toContain('"deep"');
  });

  test('exits 1 where an edition is missing, although every front is fresh', async () => {
    const out = await twoReleases('deep-damaged');
    const path = [...(await textsOf(store, 'deep-damaged')).keys()].find((one) => one.includes('/products.')) ?? '';
    await store.delete(`deep-damaged/${path}`);
    expect(await deep(out)).toMatchObject({
      status: 1,
      json: { isStale: false, deep: { errors: 1, findings: [{ code: 'file-missing', place: path }] } },
    });
  });

  test('ends with an error where the store has stopped to keep conditions', async () => {
    const out = await twoReleases('deep-ignoring');
    store.conditions = 'ignored';
    const { status, stderr } = await playbill(['status', '--deep', '--at', LATER, '--out', out]);
    store.conditions = 'kept';
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^error store-not-conditional: /)]);
  });

  test('of a folder: sizes alone', async () => {
    const out = join(folder, 'deep-tree');
    await buildTree(one, out, instant(NOW));
    const before = filesOf(out);
    expect(await deep(out)).toMatchObject({ status: 0, json: { deep: { conditions: null, errors: 0 } } });
    expect((await playbill(['status', '--deep', '--at', NOW, '--out', out])).stdout).not.toContain('conditions');
    expect(filesOf(out)).toEqual(before);
  });
});

describe('settings', () => {
  test('PLAYBILL_OUT names a bucket', async () => {
    const out = await twoReleases('named');
    const { status, stdout } = await playbill(['releases', '--json'], { PLAYBILL_OUT: out });
    expect(status).toBe(0);
    expect(releasesResultSchema.parse(JSON.parse(stdout)).releases).toHaveLength(2);
    const changes = await playbill(['releases', '--changes', '--last', '1', '--out', out]);
    expect(changes).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/ since [0-9a-f]{16}:\n +\S+: /) as string,
    });
  });

  test.each(['s3://AKID:S3CRET@shop/tree', 's3://AKID:S3/C/RET@shop/tree', 'https://AKID:S3/CRET@shop.example/tree'])(
    'no error and no list prints what was typed before the @ of %s',
    async (address) => {
      const refused = await playbill(['status', '--out', address]);
      const listed = await playbill(['config'], { PLAYBILL_OUT: address });
      for (const text of [refused.stderr, listed.stdout]) {
        expect(text).toContain('…@shop');
        expect(text).not.toMatch(/AKID|RET/);
      }
    },
  );

  test.each([
    ['no', 'tree-missing'],
    ['yes', 'expected AWS_ENDPOINT_URL to have a host name'],
    ['0', 'expected PLAYBILL_S3_VIRTUAL_HOSTS to be yes or no'],
  ])('PLAYBILL_S3_VIRTUAL_HOSTS=%s, where the store has an address and no name', async (value, expected) => {
    vi.stubEnv('PLAYBILL_S3_VIRTUAL_HOSTS', value);
    expect((await playbill(['status', '--out', 's3://bucket/nothing'])).stderr).toContain(expected);
  });

  test('--s3-virtual-hosts is the setting of that name', async () => {
    vi.stubEnv('PLAYBILL_S3_VIRTUAL_HOSTS', '');
    const setting = async (...words: string[]): Promise<string | undefined> => {
      await playbill(['releases', '--out', 's3://', ...words]);
      return process.env['PLAYBILL_S3_VIRTUAL_HOSTS'];
    };
    expect(await setting()).toBe('');
    expect(await setting('--s3-virtual-hosts')).toBe('yes');
    vi.stubEnv('PLAYBILL_S3_VIRTUAL_HOSTS', '');
  });

  test('a shell that completes asks no bucket', async () => {
    const { seen } = await loggedDuring(async () => {
      for (const [words, offered] of [
        [['build', '--front', ''], ''],
        [['keys', 'revoke', ''], ''],
        [['diff', 'cur'], 'current\ncurrent~1'],
      ] as const) {
        const environment = (name: string) => (name === 'PLAYBILL_OUT' ? 's3://bucket/named' : undefined);
        const run = await outputOf(['completion', 'bash', '--', ...words], { environment });
        expect(run).toEqual({ code: 0, printed: offered, logged: '' });
      }
    });
    expect(seen).toEqual([]);
  });
});

describe('progress', () => {
  /** What a build notes behind its bars. */
  async function notesOf(out: string): Promise<string[]> {
    const notes: string[] = [];
    const { terminal } = testContext();
    const progress: Terminal['progress'] = (label) => ({
      ...terminal.progress(label),
      note: (text) => void notes.push(text),
    });
    await outputOf(['build', '--db', one, '--out', out, '--now', NOW], { terminal: { ...terminal, progress } });
    return notes;
  }

  test('counts files and bytes as they get into a bucket, and none in a folder', async () => {
    const notes = await notesOf('s3://bucket/progress');
    const files = [...(await textsOf(store, 'progress')).values()];
    const counts = notes.map((note) => /^; uploading (\d+)\/(\d+) files, [\d.]+ k?B$/.exec(note)?.slice(1).map(Number));
    expect(counts).toHaveLength(files.length);
    expect(counts.map((pair) => pair?.[0])).toEqual(files.map((_, i) => i + 1));
    expect(counts.at(-1)).toEqual([files.length, files.length]);
    expect(await notesOf(join(folder, 'progress'))).toEqual([]);
  });

  test('is shown behind the bar of a terminal, and in no pipe', async () => {
    for (const isTTY of [true, false]) {
      const [stdout, stderr] = [0, 1].map(() => Object.assign(new PassThrough(), { isTTY, columns: 120 }));
      if (stdout === undefined || stderr === undefined) throw new Error('no streams');
      const bar = terminalOn(stdout, stderr, () => undefined).progress('publishing');
      bar.note('; uploading 1/5 files, 3.2 MB');
      bar.show(1, 2);
      bar.end();
      const text = String(stderr.read() ?? '');
      if (isTTY) expect(text).toMatch(/publishing .* 1\/2; uploading 1\/5 files, 3\.2 MB/);
      else expect(text).toBe('');
    }
  });
});
