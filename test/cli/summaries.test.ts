// What the tables and closing lines of `build`, `status` and `next` say: nothing is cut, and
// nothing is said that did not happen.

import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { outputOf } from '../support/cli/run.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { buildTree, catalogueAt, instant, temporaryFolderOfFile } from '../support/trees.ts';

const root = temporaryFolderOfFile();
const database = join(root, 'small.sqlite');
const tree = join(root, 'tree');
const longCode = `front-${'x'.repeat(57)}`;
const size = { fronts: ['alpha', longCode], productsPerFront: 3, sessionsPerProduct: 1 };

beforeAll(async () => {
  catalogueAt(database, smallCatalogue({ ...size, edition: 'one' }));
  await buildTree(database, tree, instant(NOW));
});

test('a dry run never says that something was published or pruned', async () => {
  const out = join(root, 'nowhere');
  const { code, printed } = await outputOf(['build', '--dry-run', '--db', database, '--out', out]);
  expect(code).toBe(0);
  expect(printed).toMatch(/^alpha .* planned$/m);
  expect(printed).toMatch(/^Would publish 2 of 2 fronts/m);
  expect(printed).toMatch(/^Files: \d+ to put \(.*\), 0 to keep \(0 B\), 0 to remove$/m);
  expect(printed).not.toMatch(/published|Pruned/);
});

test('a dry run says what would change before the line for each file', async () => {
  const { printed } = await outputOf(['build', '--dry-run', '--db', database, '--out', tree]);
  const [differences, plan] = [printed.indexOf('\nWhat would change:'), printed.search(/^put /m)];
  expect(differences).toBeGreaterThan(0);
  expect(plan).toBeGreaterThan(differences);
});

test('a build says what it has done', async () => {
  const out = join(root, 'built');
  const { printed } = await outputOf(['build', '--db', database, '--out', out]);
  expect(printed).toMatch(/^alpha .* published$/m);
  expect(printed).toMatch(/^Published 2 of 2 fronts/m);
  expect(printed).toMatch(/^Files: \d+ put \(.*\), 0 kept \(0 B\), 0 removed$/m);
});

test.each(['status', 'next'])('%s shows the code of a front whole, however long it is', async (command) => {
  const { printed } = await outputOf([command, '--out', tree]);
  expect(printed.split('\n')).toContain(longCode);
});

test('status and next say how long ago a snapshot has ended', async () => {
  const status = await outputOf(['status', '--out', tree, '--at', '2027-10-01T00:00:00Z']);
  expect(status.printed).toMatch(/^alpha +517d15h +ended \d+d\d+h ago +\d+ .* expired$/m);
  const next = await outputOf(['next', '--out', tree, '--at', '2027-10-01T00:00:00Z']);
  expect(next.printed).toMatch(/^alpha +\S+Z +\d+d\d+h ago +the snapshot has expired$/m);
  expect(next.printed).toMatch(/^Next: \S+Z, \d+d\d+h ago$/m);
});

test('status says that a snapshot is for a later time', async () => {
  const { printed } = await outputOf(['status', '--out', tree, '--at', '2026-05-01T08:55:00Z']);
  expect(printed).toMatch(/^alpha +in 5m .* from-future$/m);
});

test('next says in how long a change comes', async () => {
  const { printed } = await outputOf(['next', '--out', tree, '--at', NOW]);
  expect(printed).toMatch(/^Next: \S+Z, in \d+m$/m);
});

test.each([
  ['max-shrink', ['--now', '2026-05-01T09:05:00Z'], 'build --dry-run shows what goes'],
  ['now-earlier', ['--now', '2026-05-01T08:00:00Z'], 'or build into another folder with --out'],
])('a front that is held back by %s names the flag that overrides it', async (guard, argv, hint) => {
  const few = join(root, `${guard}.sqlite`);
  const rows = smallCatalogue({ ...size, edition: 'one' });
  const isShown = ({ table, row }: (typeof rows)[number]): boolean =>
    table !== 'front_products' || row['front_id'] !== 1;
  catalogueAt(few, guard === 'max-shrink' ? rows.filter(isShown) : rows);
  const { code, printed } = await outputOf(['build', '--dry-run', '--db', few, '--out', tree, ...argv]);
  expect(code).toBe(4);
  expect(printed).toMatch(new RegExp(`^alpha: held back by ${guard}: `, 'm'));
  expect(printed).toContain(` (${hint}; --allow ${guard} --front alpha overrides it)\n`);
});
