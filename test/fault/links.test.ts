// Symbolic links in a tree, put there by somebody who may write it: whoever writes the tree,
// perhaps as root, neither writes nor removes anything beyond one.

import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { DirectoryStore } from '../../src/storage/folder/store.ts';
import { replaceTextFile } from '../../src/storage/text-file.ts';
import { Command } from '../support/fault/command.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { copyTree, stampsOf } from '../support/fault/tree-copy.ts';
import { buildTree, catalogueAt, instant, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

const command = new Command();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url);
const LATER = '2026-05-01T10:00:00Z';

let base = '';
let other = '';

beforeAll(async () => {
  const size = { fronts: ['alpha', 'bravo'], productsPerFront: 1, sessionsPerProduct: 1 };
  const rows = catalogueAt(join(folder, 'rows.sqlite'), smallCatalogue({ ...size, edition: 'x' }));
  base = join(folder, 'base');
  await buildTree(rows, base, instant(NOW));
  // Another front, so that the next build replaces every kind of file: the key ring too.
  other = catalogueAt(
    join(folder, 'other.sqlite'),
    smallCatalogue({ ...size, fronts: ['alpha', 'charlie'], edition: 'y' }),
  );
});

/** A copy of the tree, and a file outside it that nobody may change. */
function treeAndVictim(): { tree: string; victim: string } {
  const victim = join(temporaryFolder(), 'victim');
  writeFileSync(victim, 'precious');
  return { tree: copyTree(base, join(temporaryFolder(), 'out')), victim };
}

const buildWords = (tree: string): string[] => ['build', '--db', other, '--out', tree, '--now', LATER, '--force'];

const issueWords = (tree: string): string[] => {
  const to = join(temporaryFolder(), 'key.pem');
  const db = join(temporaryFolder(), 'db.sqlite');
  writeFileSync(db, readFileSync(join(folder, 'rows.sqlite')));
  return ['keys', 'issue', '--front', 'alpha', '--db', db, '--out', tree, '--to', to];
};

describe('a link at the name of a temporary file is removed, and what it names is not written', () => {
  test.each([
    ['edge/.keyring.json.tmp', 'edge/keyring.json', 'build', buildWords],
    ['edge/.keyring.json.tmp', 'edge/keyring.json', 'keys issue', issueWords],
    ['public/fronts/alpha/.pointer.json.tmp', 'public/fronts/alpha/pointer.json', 'build', buildWords],
    ['releases/.current.tmp', 'releases/current', 'build', buildWords],
  ])('%s, before %s is written by %s', async (temporary, path, _, wordsOf) => {
    const { tree, victim } = treeAndVictim();
    const before = readFileSync(join(tree, path), 'utf8');
    symlinkSync(victim, join(tree, temporary));
    const run = await command.run(wordsOf(tree));
    expect(run, run.stderr).toMatchObject({ code: 0 });
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(lstatSync(join(tree, path)).isFile()).toBe(true);
    expect(readFileSync(join(tree, path), 'utf8')).not.toBe(before);
    expect(readdirSync(tree, { recursive: true }).filter((name) => String(name).endsWith('.tmp'))).toEqual([]);
    const situation = 'a symbolic link at the name of a temporary file';
    tellFault({ situation, sees: 'the new release', heals: 'that run' }, run.code);
  });

  test('a link that appears after the sweep', async () => {
    const { tree, victim } = treeAndVictim();
    const store = DirectoryStore.forWriting(tree);
    symlinkSync(victim, join(tree, 'edge/.keyring.json.tmp'));
    await store.replace([{ path: 'edge/keyring.json', bytes: Buffer.from('{}') }]);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(readFileSync(join(tree, 'edge/keyring.json'), 'utf8')).toBe('{}');
  });

  test('beside a textfile', () => {
    const { victim } = treeAndVictim();
    const textfiles = temporaryFolder();
    const path = join(textfiles, 'playbill.prom');
    symlinkSync(victim, join(textfiles, '.playbill.prom.1.tmp'));
    replaceTextFile(path, 'text', '1');
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect([lstatSync(path).isFile(), readFileSync(path, 'utf8')]).toEqual([true, 'text']);
  });
});

describe.each(['public', 'public/fronts', 'releases', 'edge', 'runs'])('%s as a link', (name) => {
  test.each([
    ['build', buildWords],
    ['a dry run', (tree: string) => [...buildWords(tree), '--dry-run']],
    [
      'a shard',
      (tree: string) => [...buildWords(tree).filter((word) => word !== '--force'), '--shard', '0/1', '--run', 'r'],
    ],
    ['prune', (tree: string) => ['prune', '--grace', '0', '--out', tree]],
    ['rollback', (tree: string) => ['rollback', 'current', '--out', tree]],
    ['keys issue', issueWords],
  ])('is refused by %s, which changes nothing there', async (_, wordsOf) => {
    const { tree } = treeAndVictim();
    const elsewhere = join(temporaryFolder(), 'elsewhere');
    if (name === 'runs') mkdirSync(elsewhere);
    else renameSync(join(tree, name), elsewhere);
    symlinkSync(elsewhere, join(tree, name));
    writeFileSync(join(elsewhere, '.mine.tmp'), 'precious');
    const stamps = [stampsOf(tree), stampsOf(elsewhere)];
    const run = await command.run(wordsOf(tree));
    expect(run, run.stderr).toMatchObject({ code: 6 });
    const found = `error tree-not-writable: ${join(tree, name)}: expected a folder, found a symbolic link`;
    expect(run.stderr).toContain(found);
    expect([stampsOf(tree), stampsOf(elsewhere)]).toEqual(stamps);
    const situation = 'a folder of the tree is a symbolic link';
    tellFault({ situation, sees: 'the old release', heals: 'the folder itself' }, run.code);
  });
});

test('what is beyond the link of a front is not removed', async () => {
  const { tree } = treeAndVictim();
  const elsewhere = join(temporaryFolder(), 'elsewhere');
  renameSync(join(tree, 'public/fronts/alpha'), elsewhere);
  symlinkSync(elsewhere, join(tree, 'public/fronts/alpha'));
  const stamps = stampsOf(elsewhere);
  const paths = readdirSync(elsewhere).map((file) => `public/fronts/alpha/${file}`);
  await DirectoryStore.forWriting(tree).remove(paths);
  expect(stampsOf(elsewhere)).toEqual(stamps);
});
