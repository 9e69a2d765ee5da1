// `playbill check-db` as a person runs it: one finding a line, a closing line, and an exit code that a script can rely on.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { errorResultSchema, findingsResultSchema } from '../../src/contract/results.ts';
import { TABLE_NAMES } from '../../src/database/schema/tables.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';
import { playbill } from '../support/cli/run.ts';

const folder = temporaryFolderOfFile();
const demo = join(folder, 'demo.sqlite');
beforeAll(() => void demoCatalogueAt(demo, '2026-05-01T09:00:00Z'));

let serial = 0;

/** A copy of the demo with a fault in it. */
function spoiled(sql: string): string {
  const path = join(folder, `spoiled-${(serial += 1)}.sqlite`);
  cpSync(demo, path);
  const database = new Database(path);
  database.pragma('ignore_check_constraints = ON');
  database.pragma('foreign_keys = OFF');
  database.exec(sql);
  database.close();
  return path;
}

test('the demo is good', async () => {
  const { status, stdout, stderr } = await playbill(['check-db', '--db', demo]);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^Checked \d+ rows of 19 tables: 0 errors, 0 warnings\n$/);
  expect(status).toBe(0);
});

test('errors: one finding a line, and exit 1; --json validates and says the same', async () => {
  const path = spoiled(`UPDATE venues SET timezone = '+03:00' WHERE id = 1;
    UPDATE fronts SET currency = 'rub' WHERE id = 1; UPDATE products SET image_id = 999 WHERE id = 1`);
  const { status, stdout } = await playbill(['check-db', '--db', path]);
  expect(status).toBe(1);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.slice(0, 3)).toEqual([
    'error value-invalid fronts 1: currency: expected a currency of three capitals, such as EUR, found "rub"',
    'error dangling-id products 1: image_id: expected the id of a row of images, found 999',
    'error zone-unknown venues 1: timezone: expected an IANA time zone known to this runtime, such as Europe/Berlin (no offset), found "+03:00"',
  ]);
  expect(lines.at(-1)).toMatch(/^Checked \d+ rows of 19 tables: 3 errors, 0 warnings$/);

  const json = await playbill(['check-db', '--json', '--db', path]);
  expect(json.status).toBe(1);
  const result = findingsResultSchema.parse(JSON.parse(json.stdout));
  expect(result).toMatchObject({ errors: 3, warnings: 0 });
  expect(Object.keys(result.checked)).toEqual(TABLE_NAMES);
  expect(
    result.findings.map(({ severity, code, place, message }) => `${severity} ${code} ${place}: ${message}`),
  ).toEqual(lines.slice(0, -1));
});

test('warnings alone are exit 0', async () => {
  const path = spoiled(
    "UPDATE sessions SET starts_local = '2026-05-01T12:34:56' WHERE id = 1; PRAGMA journal_mode = DELETE",
  );
  const { status, stdout } = await playbill(['check-db', '--db', path]);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^warning journal-mode-not-wal database: /);
  expect(stdout).toContain(
    '\nwarning zone-drift sessions 1: time-zone drift: starts_local says 2026-05-01T12:34:56, but ',
  );
  expect(stdout).toContain(` by the rules of tzdata ${process.versions['tz'] ?? ''}\n`);
  expect(stdout).toMatch(/: 0 errors, 2 warnings\n$/);
});

test('a thousand findings are kept under --json, all are counted, and as lines all are printed', async () => {
  const path = spoiled(`WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
    INSERT INTO venues (id, name, timezone) SELECT 10000 + i, 'V', 'Mars/Olympus' FROM n`);
  const json = await playbill(['check-db', '--json', '--db', path]);
  const result = findingsResultSchema.parse(JSON.parse(json.stdout));
  expect(result.errors).toBe(3000);
  expect(result.findings.length).toBe(1000);
  const text = await playbill(['check-db', '--db', path]);
  expect(text.stdout.match(/^error zone-unknown /gm)?.length).toBe(3000);
  expect(text.status).toBe(1);
});

test('a broken contract is findings, not an end', async () => {
  const path = spoiled("DROP TABLE badges; UPDATE tags SET slug = 'Not A Slug' WHERE id = 1");
  const { status, stdout } = await playbill(['check-db', '--db', path]);
  expect(status).toBe(1);
  expect(stdout).toContain('error table-missing badges: expected a table or view "badges", found none\n');
  expect(stdout).toContain('error value-invalid tags 1: slug: expected a slug, ');
  expect(stdout).toMatch(/Checked \d+ rows of 18 tables: 2 errors, 0 warnings\n$/);
});

describe('exit 2', () => {
  test.each([
    ['there is no such database', join(folder, 'gone.sqlite'), 'database-missing'],
    ['it is no database', 'package.json', 'database-unreadable'],
    ['it is a folder', 'src', 'database-unreadable'],
  ])('where %s', async (_case, path, code) => {
    const { status, stdout, stderr } = await playbill(['check-db', '--json', '--db', path]);
    expect(errorResultSchema.parse(JSON.parse(stdout)).error.code).toBe(code);
    expect(stderr).toContain(`error ${code}: `);
    expect(status).toBe(2);
  });
});
