// A power cut cannot be staged, but the calls that guard against it can be watched: what a name
// promises must be on the disk before the name is. Follows the calls of real runs with a model of
// what the disk is sure to have.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { buildTree, catalogueAt, filesOf, instant, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { Command } from '../support/fault/command.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';

const command = new Command();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url);

/**
 * What a power cut would leave: files whose bytes, and names whose entries in their folders, are
 * not sure to be there.
 */
class Disk {
  readonly unsureBytes = new Set<string>();
  readonly unsureNames = new Set<string>();

  /** Takes one line of step-signal.ts. Throws where something is named before it is sure. */
  follow(step: string): void {
    const [call = '', path = '', to = ''] = step.split(' ');
    // Nobody misses the lock; and without the tree's own folder there is nothing to be half there.
    if (/^\.lock(-keyring)?$/.test(path) || (call === 'folder' && path === '')) return;
    if (call === 'open') this.unsureNames.add(path);
    if (call === 'open' || call === 'write') this.unsureBytes.add(path);
    if (call === 'folder') this.unsureNames.add(path);
    if (call === 'fsync') {
      this.unsureBytes.delete(path);
      for (const name of this.unsureNames) if (folderOf(name) === path) this.unsureNames.delete(name);
    }
    if (call === 'run') {
      assert.match(step, /^run sync -f \//);
      this.unsureBytes.clear();
      this.unsureNames.clear();
    }
    if (call === 'rename') this.#rename(path, to);
    if (call === 'remove') this.unsureNames.add(path);
  }

  #rename(path: string, to: string): void {
    assert.ok(!this.unsureBytes.has(path), `${to} is named before its bytes are sure`);
    this.unsureNames.delete(path);
    if (to.endsWith('/pointer.json')) this.#expectSure(/^(?!.*\/(?:pointer\.json|\.pointer\.json\.tmp)$)/, to);
    if (to === 'releases/current') this.#expectSure(/^(?!releases\/\.current\.tmp$)/, to);
    this.unsureNames.add(to);
  }

  #expectSure(pattern: RegExp, before: string): void {
    const unsure = [...this.unsureNames, ...this.unsureBytes].filter((name) => pattern.test(name));
    assert.deepEqual(unsure, [], `${before} is named before these are sure`);
  }
}

function folderOf(path: string): string {
  const parent = dirname(path);
  return parent === '.' ? '' : parent;
}

test.each([
  ['a few files, one by one, into an empty tree', 2, false, false],
  ['a few files, one by one, over an older release', 2, true, false],
  ['many files, all at once, into an empty tree', 20, false, true],
  ['many files, all at once, over an older release', 20, true, true],
])('everything is on the disk before anything that names it: %s', async (name, frontsTotal, isOverOlder, isOneSync) => {
  const fronts = Array.from({ length: frontsTotal }, (_, i) => `front-${i}`);
  const catalogue = { fronts, productsPerFront: 1, sessionsPerProduct: 1 };
  const tree = join(temporaryFolder(), 'out');
  if (isOverOlder) {
    const older = catalogueAt(join(folder, `${name} older.sqlite`), smallCatalogue({ ...catalogue, edition: 'older' }));
    await buildTree(older, tree, instant(NOW));
  }
  const database = catalogueAt(join(folder, `${name}.sqlite`), smallCatalogue({ ...catalogue, edition: 'newer' }));
  const trace = join(folder, `${name} trace`);
  const run = await command.run(['build', '--db', database, '--out', tree, '--now', NOW], { steps: { tree, trace } });
  expect(run, run.stderr).toMatchObject({ code: 0 });

  const steps = readFileSync(trace, 'utf8').trimEnd().split('\n');
  const disk = new Disk();
  for (const step of steps) disk.follow(step);
  expect([...disk.unsureNames, ...disk.unsureBytes]).toEqual([]);
  // The watch saw what it should have seen.
  const named = steps.flatMap((step) => (step.startsWith('rename ') ? (step.split(' ')[2] ?? '') : []));
  expect(named.filter((path) => path.endsWith('/pointer.json'))).toHaveLength(frontsTotal);
  expect(steps.some((step) => step.startsWith('run sync'))).toBe(isOneSync);
  expect([...filesOf(tree).keys()]).toEqual(expect.arrayContaining(named));
  const situation = 'the power is cut (the calls are followed: nothing is named before it is on the disk)';
  tellFault({ situation, sees: 'each front old or new, whole', heals: 'the next build' }, run.code);
});
