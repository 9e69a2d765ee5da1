// data/own-schema.md, run: the tables of data/box-office.sql are made and filled, the views are
// created as they stand in the guide, and the command is asked whether that is the same catalogue.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { beforeAll, expect, test } from 'vitest';
import { findingsResultSchema, type FindingsResultJson } from '../../src/contract/results/check.ts';
import { printedBy } from '../support/cli/parser.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { buildTree, filesOf, instant, temporaryFolderOfFile } from '../support/trees.ts';
import { fillBoxOffice } from '../support/docs/box-office.ts';

const dataFile = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../data/${name}`, import.meta.url)), 'utf8');

const page = dataFile('own-schema.md');
const NOW = '2026-05-01T09:00:00Z';
const folder = temporaryFolderOfFile();
const ours = `${folder}/ours.sqlite`;
const theirs = `${folder}/box-office.sqlite`;

beforeAll(() => {
  const [views = '', keys = '', ...rest] = [...page.matchAll(/^```sql\n([^]*?)^```$/gm)].map(([, block = '']) => block);
  expect(rest).toEqual([]);
  demoCatalogueAt(ours, NOW);
  const [own, boxOffice] = [new Database(ours, { readonly: true }), new Database(theirs)];
  boxOffice.exec(dataFile('box-office.sql'));
  boxOffice.transaction(() => fillBoxOffice(own, boxOffice))();
  boxOffice.exec(views);
  boxOffice.exec(keys);
  boxOffice.prepare('ATTACH ? AS ours').run(ours);
  boxOffice.exec('INSERT INTO front_keys SELECT * FROM ours.front_keys');
  own.close();
  boxOffice.close();
});

/** What check-db says under --json. */
async function checkOf(database: string): Promise<FindingsResultJson> {
  return findingsResultSchema.parse(JSON.parse(await printedBy(['check-db', '--db', database, '--json'])));
}

test('every table but front_keys is a view', () => {
  const database = new Database(theirs, { readonly: true });
  const views = database.prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'view'").pluck().get();
  database.close();
  expect(views).toBe(20);
});

test('check-db finds no more in it than in the demo: cards without a price', async () => {
  const { checked, findings } = await checkOf(theirs);
  expect(new Set(findings.map(({ code }) => code))).toEqual(new Set(['currency-untiered']));
  expect(Object.keys(checked)).toHaveLength(21);
});

test('build gives the same tree, byte for byte', async () => {
  const seconds: number[] = [];
  const trees = [];
  for (const database of [ours, theirs]) {
    const before = performance.now();
    await buildTree(database, `${database}-out`, instant(NOW));
    seconds.push((performance.now() - before) / 1000);
    trees.push(filesOf(`${database}-out`));
  }
  process.stderr.write(`build from tables ${seconds[0]?.toFixed(2)} s, from views ${seconds[1]?.toFixed(2)} s\n`);
  const [own, other] = trees;
  expect(own?.size).toBeGreaterThan(50);
  expect(other).toEqual(own);
});

test('with the offset of some starts beside them it is still the same tree', async () => {
  const [, expression = ''] = /`(strftime\([^`]* AS starts_at)`/.exec(page) ?? [];
  const path = `${folder}/offsets.sqlite`;
  const database = new Database(theirs);
  await database.backup(path);
  database.close();
  const offsets = new Database(path);
  const view = String(offsets.prepare("SELECT sql FROM sqlite_schema WHERE name = 'sessions'").pluck().get());
  const changed = view.replace('NULL AS starts_at', expression);
  expect(changed).toContain('utc_offset');
  offsets.exec(`ALTER TABLE performance ADD COLUMN utc_offset TEXT;
    UPDATE performance SET utc_offset = '+03:00' WHERE hall_no IN (SELECT hall_no FROM hall WHERE zone = 'Europe/Moscow');
    DROP VIEW sessions; ${changed}`);
  const count = offsets.prepare('SELECT count(starts_at) > 0 AND count(starts_at) < count(*) FROM sessions').pluck();
  expect(count.get()).toBe(1);
  offsets.close();
  expect((await checkOf(path)).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  await buildTree(path, `${path}-out`, instant(NOW));
  expect(filesOf(`${path}-out`)).toEqual(filesOf(`${ours}-out`));
});

test('what differs in the tables differs in the tree, and what is wrong is found', async () => {
  const database = new Database(theirs);
  database.exec("UPDATE show SET title = title || ' *' WHERE show_no = (SELECT min(show_no) FROM shop_show)");
  await buildTree(theirs, `${folder}/changed`, instant(NOW));
  expect(filesOf(`${folder}/changed`)).not.toEqual(filesOf(`${ours}-out`));
  database.exec(
    'UPDATE performance SET begins = NULL, hall_no = 999 WHERE perf_no = (SELECT min(perf_no) FROM performance)',
  );
  database.close();
  const { findings } = await checkOf(theirs);
  const places = findings.map(({ severity, code, place }) => `${severity} ${code} ${place}`);
  expect(places).toContainEqual(expect.stringMatching(/^error value-invalid sessions \d+$/));
});

test('a key is issued into its table', async () => {
  const words = ['keys', 'issue', '--front', 'moscow', '--keyid', 'new', '--db', theirs, '--out', `${folder}/none`];
  expect(await printedBy(words)).toMatch(/^\{"keyid":"new",/);
  expect(await printedBy(['keys', 'list', '--db', theirs])).toMatch(/^new +moscow/m);
});
