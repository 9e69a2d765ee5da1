// A tree damaged by hand, or by a disk: `verify` names what is wrong and nothing else, a build goes
// on around it (law 7), and what can be healed is. Each case damages front bravo or a file of all
// fronts; the next build has news of alpha and charlie only, so that it needs of bravo exactly what
// is published.

import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { catalogueAt, filesOf, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { findingsOf, lineOf } from '../support/verify-tree.ts';
import { buildHere, changeDatabase, wordsOf } from '../support/fault/build-with.ts';
import { Command, summaryOf, type Run } from '../support/fault/command.ts';
import { DAMAGES, FRONT, type Remedy } from '../support/fault/damages.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import type { Sees } from '../support/fault/matrix-text.ts';
import { wholeFrontsIn } from '../support/fault/readers-check.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { copyTree } from '../support/fault/tree-copy.ts';

const command = new Command();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url);

let base = '';
let database = '';
/** What an undisturbed build makes of the base. */
let expected: ReadonlyMap<string, string>;

beforeAll(async () => {
  const fronts = ['alpha', 'bravo', 'charlie'];
  const old = catalogueAt(
    join(folder, 'old.sqlite'),
    smallCatalogue({ fronts, productsPerFront: 2, sessionsPerProduct: 2, edition: 'old' }),
  );
  // The show that all share would bring news to bravo.
  changeDatabase(old, 'DELETE FROM front_products WHERE product_id = 1');
  database = join(folder, 'new.sqlite');
  copyFileSync(old, database);
  changeDatabase(database, "UPDATE products SET name = 'new ' || name WHERE id NOT BETWEEN 2000 AND 2999");
  base = join(folder, 'base');
  await buildHere(old, base);
  const undisturbed = copyTree(base, join(folder, 'undisturbed'));
  await buildHere(database, undisturbed);
  expected = filesOf(undisturbed);
  expect(await findingsOf(undisturbed)).toEqual([]);
  expect(await findingsOf(base)).toEqual([]);
});

/** Heals what a build has left; `damaged` is the path that is. */
async function heal(remedy: Remedy, tree: string, damaged: string, isHeld: boolean): Promise<void> {
  const forced = (): Promise<Run> => command.run([...wordsOf(database, tree), '--force']);
  if (remedy === 'force') {
    const run = await forced();
    return expect(run, run.stderr).toMatchObject({ code: 0 });
  }
  if (isHeld) {
    // Not even --force removes what may be somebody's.
    const before = readdirSync(dirname(join(tree, damaged)));
    expect(await forced()).toMatchObject({ code: 3 });
    expect(readdirSync(dirname(join(tree, damaged)))).toEqual(before);
  }
  rmSync(join(tree, damaged), { recursive: true });
  return buildHere(database, tree);
}

describe('a tree damaged by hand', () => {
  test.each(Object.entries(DAMAGES))(
    '%s',
    async (situation, { damage, blamed, sees, exit, held, remedy, heals, unpruned }) => {
      const tree = copyTree(base, join(temporaryFolder(), 'out'));
      const named = damage(tree);
      const outside = join(dirname(tree), 'outside');
      if (existsSync(outside)) cpSync(outside, `${outside}-before`, { recursive: true });
      expect((await findingsOf(tree)).map(lineOf).sort()).toEqual([...named].sort());
      const damaged = blamed?.(tree) ?? (named[0] ?? '').split(' ')[2] ?? '';

      const run = await command.run(wordsOf(database, tree));
      expect(run, run.stderr).toMatchObject({ code: exit });
      if (exit !== 6) {
        expectHeld(run, held);
        const stops = summaryOf(run).findings.filter(({ code }) => code === 'not-pruned');
        expect(stops.length, run.stdout).toBe(unpruned === true ? 1 : 0);
      }
      // What the old release has must outlast it, as edges go on asking for that.
      if (unpruned === true) expect(missingIn(tree)).toEqual([]);
      expect(seenIn(tree), 'what a reader sees').toBe(sees);
      if (remedy !== undefined) await heal(remedy, tree, damaged, held !== undefined);
      // Whatever was linked to is what it was: nothing is written outside the tree.
      if (existsSync(outside)) expect(contentOf(outside)).toEqual(contentOf(`${outside}-before`));

      // Of a release that nobody can read any more the editions stay, which nothing names.
      const isLeft = (line: string): boolean =>
        damaged.startsWith('releases/') && line.startsWith('warning unexpected ');
      expect(
        (await findingsOf(tree)).map(lineOf).filter((line) => !isLeft(line)),
        'healed',
      ).toEqual([]);
      expect(withoutReleases(filesOf(tree))).toEqual(withoutReleases(expected));
      tellFault({ situation, sees, heals }, run.code);
    },
  );

  test('strangers are named and left alone', async () => {
    const tree = copyTree(base, join(temporaryFolder(), 'out'));
    const strangers = ['public/index.html', `${FRONT}/notes.txt`, 'edge/nginx.conf', 'releases/latest'];
    for (const path of strangers) writeFileSync(join(tree, path), 'mine');
    mkdirSync(join(tree, 'public/assets'));
    const run = await command.run(wordsOf(database, tree));
    expect(run, run.stderr).toMatchObject({ code: 0, stderr: '' });
    for (const path of strangers) expect(readFileSync(join(tree, path), 'utf8')).toBe('mine');
    const lines = (await findingsOf(tree)).map(lineOf).sort();
    expect(lines).toEqual(strangers.map((path) => `warning unexpected ${path}`).sort());
    const heals = 'nothing: their owner can remove them';
    tellFault(
      { situation: 'foreign files lie in the tree', sees: 'the new release', heals },
      run.code,
      strangers.length,
    );
  });
});

/** The files of a tree but for manifests: a release that held bravo back has left its own. */
function withoutReleases(files: ReadonlyMap<string, string>): string[] {
  return [...files].filter(([path]) => !/^releases\/.*\.json$/.test(path)).map(([path, text]) => `${path} ${text}`);
}

/** Public files of the base that a tree has no more. */
function missingIn(tree: string): string[] {
  return [...filesOf(base).keys()].filter((path) => path.startsWith('public/') && !existsSync(join(tree, path)));
}

/** A file, or all files of a folder. */
function contentOf(path: string): unknown {
  return statSync(path).isDirectory() ? [...filesOf(path)] : readFileSync(path, 'utf8');
}

function expectHeld(run: Run, held: string | undefined): void {
  const summary = summaryOf(run);
  expect(summary.fronts.map((front) => front.held)).toEqual([null, held ?? null, null]);
  const errors = summary.findings.filter(({ severity }) => severity === 'error');
  expect(errors.map(({ code }) => code)).toEqual(held === undefined ? [] : [held]);
}

/** What a reader sees, in the words of the table. */
function seenIn(tree: string): Sees {
  const whole = wholeFrontsIn(tree);
  const isNew = (code: string): boolean => {
    const path = `public/fronts/${code}/pointer.json`;
    return readFileSync(join(tree, path), 'utf8') === expected.get(path);
  };
  const others = ['alpha', 'charlie'].map((code) => whole.includes(code) && isNew(code));
  if (others.every((isOther) => !isOther)) return 'the old release';
  expect(others).toEqual([true, true]);
  if (!whole.includes('bravo')) return 'this front nothing whole, the others new';
  // Bravo has no news, so it shows what it showed; that it is held back and by what is looked at in
  // the summary.
  return 'the new release';
}
