// The copy of a tree, made while real builds publish: whoever reads it sees every front whole at
// every moment.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Command } from '../support/fault/command.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { catalogueAt, filesOf, temporaryFolderOfFile } from '../support/trees.ts';
import { recipe, RECIPES, run, type Ran } from '../support/recipe.ts';

const root = temporaryFolderOfFile();
const command = new Command();
const FRONTS = ['alpha', 'bravo', 'charlie'];

function copyTree(tree: string, copy: string, environment: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const words = [join(RECIPES, 'copy-tree.sh'), tree, `${copy}/`, `${copy}-state`];
  return run(words, { PATH: '/usr/bin:/bin', ...environment });
}

function catalogue(edition: string, fronts: readonly string[] = FRONTS): string {
  const small = { fronts, productsPerFront: 1, sessionsPerProduct: 2, edition };
  return catalogueAt(join(root, `${edition}.sqlite`), smallCatalogue(small));
}

async function build(database: string, tree: string, minute: number): Promise<void> {
  const now = new Date(Date.parse(NOW) + minute * 60_000).toISOString().replace('.000', '');
  const built = await command.run(['build', '--db', database, '--out', tree, '--now', now]);
  expect(built.code, built.stderr).toBe(0);
}

/**
 * Every front of a copy as a reader sees it: its `now`. Throws where a pointer names anything that
 * is not there, whole.
 */
function readCopy(copy: string): Map<string, string> {
  const seen = new Map<string, string>();
  const folder = join(copy, 'public/fronts');
  for (const front of existsSync(folder) ? readdirSync(folder) : []) {
    const path = join(folder, front, 'pointer.json');
    if (!existsSync(path)) continue;
    const pointer = JSON.parse(readFileSync(path, 'utf8')) as { now: string; products: string[]; categories: string[] };
    for (const endpoint of ['products', 'categories'] as const) {
      for (const entry of pointer[endpoint]) {
        const digest = entry.slice(21);
        const bytes = readFileSync(join(folder, front, `${endpoint}.${digest}.json`));
        const found = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
        if (found !== digest) throw new Error(`${front} ${entry}: found ${found}`);
      }
    }
    seen.set(front, pointer.now);
  }
  return seen;
}

test('a reader of the copy sees every front whole at every moment, and never an older one after a newer', async () => {
  const tree = join(root, 'busy');
  const copy = join(root, 'busy-copy');
  const databases = [catalogue('one'), catalogue('other')];
  await build(databases[0] ?? '', tree, 0);
  const over = new AbortController();
  let copies = 0;
  const moments = new Set<string>();
  const building = async (): Promise<void> => {
    for (let minute = 1; !over.signal.aborted; minute++) await build(databases[minute % 2] ?? '', tree, minute);
  };
  const copying = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const done = await copyTree(tree, copy, { GRACE_SECONDS: '1' });
      expect(done).toEqual({ status: 0, stdout: '', stderr: '' });
      copies += 1;
      if (copies >= 5 && moments.size >= 5) over.abort();
    }
  };
  const reading = async (): Promise<void> => {
    const last = new Map<string, string>();
    while (!over.signal.aborted) {
      for (const [front, now] of readCopy(copy)) {
        expect(now >= (last.get(front) ?? '')).toBe(true);
        last.set(front, now);
      }
      moments.add(JSON.stringify([...last]));
      await sleep(10);
    }
  };
  // Where one has failed, the others end, too.
  const works = [building, copying, reading].map((work) => work().finally(() => over.abort()));
  for (const result of await Promise.allSettled(works)) if (result.status === 'rejected') throw result.reason;

  await copyTree(tree, copy);
  expect(filesOf(copy)).toEqual(filesOf(tree));
  expect((await command.run(['verify', '--out', copy])).stdout).toContain(' 0 errors, 0 warnings');
});

test.each([2, 3, 4])('a release published just before step %s of the copy leaves it whole', async (step) => {
  const tree = join(root, `step-${step}`);
  const copy = `${tree}-copy`;
  const [first, before, after] = ['first', 'before', 'after'].map((edition) => catalogue(`${edition}-${step}`));
  await build(first ?? '', tree, 0);
  await copyTree(tree, copy);
  await build(before ?? '', tree, 1);

  // An rsync that lets a build go first, the given time it is called.
  const bin = join(root, `bin-${step}`);
  mkdirSync(bin);
  const program = `${command.folderForPath}/playbill build --db ${after} --out ${tree} --now 2026-05-01T09:02:00Z`;
  const script = `#!/bin/sh\necho x >> ${bin}/calls\nif [ $(wc -l < ${bin}/calls) -eq ${step} ]; then ${program} > ${bin}/built || exit 99; fi\n`;
  writeFileSync(join(bin, 'rsync'), `${script}exec /usr/bin/rsync "$@"\n`, { mode: 0o755 });
  expect(await copyTree(tree, copy, { PATH: `${bin}:/usr/bin:/bin` })).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(readFileSync(join(bin, 'built'), 'utf8')).toContain('Published 3 of 3 fronts');
  const shown = new Set(readCopy(copy).values());
  expect([...shown]).toEqual(['2026-05-01T09:01:00Z']);
});

test('a key ring of the size and the second of the one before is copied', async () => {
  const tree = join(root, 'keys');
  await build(catalogue('keys'), tree, 0);
  const path = join(tree, 'edge/keyring.json');
  await copyTree(tree, `${tree}-copy`);
  const { mtime } = statSync(path);
  const before = readFileSync(path, 'utf8');
  const after = before.replace('"revokedAt":null                  ', '"revokedAt":"2026-05-01T09:00:00Z"');
  expect(after.length).toBe(before.length);
  writeFileSync(path, after);
  utimesSync(path, mtime, mtime);
  await copyTree(tree, `${tree}-copy`);
  expect(readFileSync(join(`${tree}-copy`, 'edge/keyring.json'), 'utf8')).toBe(after);
});

test('what a build is writing is not copied', async () => {
  const tree = join(root, 'writing');
  await build(catalogue('writing'), tree, 0);
  const whole = filesOf(tree);
  // Every file is written under such a name, and renamed when it is whole.
  const folders = new Set([...whole.keys()].map((path) => dirname(path)));
  for (const folder of folders) writeFileSync(join(tree, folder, '.half.json.tmp'), '{"half');
  expect(folders).toContain('edge');
  expect(await copyTree(tree, `${tree}-copy`)).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(filesOf(`${tree}-copy`)).toEqual(whole);
});

test('what is gone here is removed there after the grace time, the pointer of a front that is gone at once', async () => {
  const tree = join(root, 'shrinking');
  const copy = join(root, 'shrinking-copy');
  await build(catalogue('three'), tree, 0);
  await copyTree(tree, copy);
  await build(catalogue('two', FRONTS.slice(0, 2)), tree, 1);
  // As prune would, long after: no pointer names these any more.
  const named = FRONTS.slice(0, 2)
    .map((front) => readFileSync(join(tree, `public/fronts/${front}/pointer.json`), 'utf8'))
    .join('');
  const old = [...filesOf(tree).keys()].filter(
    (path) => /\.([0-9a-f]{16})\.json$/.test(path) && !named.includes(/\.([0-9a-f]{16})\./.exec(path)?.[1] ?? ''),
  );
  expect(old.length).toBeGreaterThan(3);
  for (const path of old) rmSync(join(tree, path));

  const quiet = { status: 0, stdout: '', stderr: '' };
  // Twice: the first run notes what is gone, the second might remove it.
  for (let i = 0; i < 2; i++) {
    expect(await copyTree(tree, copy, { GRACE_SECONDS: '3600' })).toEqual(quiet);
    expect([...readCopy(copy).keys()]).toEqual(FRONTS.slice(0, 2));
    for (const path of old) expect(existsSync(join(copy, path)), path).toBe(true);
  }
  await sleep(1100);
  expect(await copyTree(tree, copy, { GRACE_SECONDS: '1' })).toEqual(quiet);
  expect(filesOf(copy)).toEqual(filesOf(tree));
});

test('an empty mount or a wrong word copies nothing and removes nothing; a copy that fails moves no pointer', async () => {
  const tree = join(root, 'lost');
  const copy = join(root, 'lost-copy');
  await build(catalogue('lost'), tree, 0);
  await copyTree(tree, copy);
  const before = filesOf(copy);
  const empty = join(root, 'empty');
  mkdirSync(empty);
  expect(await copyTree(empty, copy)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('expected a tree') as string,
  });
  expect((await run([join(RECIPES, 'copy-tree.sh'), tree], { PATH: '/usr/bin:/bin' })).status).toBe(2);
  expect(filesOf(copy)).toEqual(before);

  await build(catalogue('found'), tree, 1);
  // Something stands in the place of a folder of the second front.
  rmSync(join(copy, 'public/fronts/bravo'), { recursive: true });
  const edition = [...filesOf(tree).keys()].find((path) => /alpha\/products/.test(path) && !before.has(path)) ?? '';
  mkdirSync(join(copy, edition, 'in the way'), { recursive: true });
  writeFileSync(join(copy, edition, 'in the way', 'x'), '');
  const failed = await copyTree(tree, copy);
  expect(failed.status).not.toBe(0);
  expect(readFileSync(join(copy, 'public/fronts/alpha/pointer.json'), 'utf8')).toBe(
    before.get('public/fronts/alpha/pointer.json'),
  );
});

test('of two at once the second waits', () => {
  expect(recipe('copy-tree.sh')).toMatch(/^flock 9$/m);
});
