// `playbill check-db` as a person runs it: findings by column or one a line, a closing line, and an
// exit code that a script can rely on.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { findingsResultSchema } from '../../src/contract/results/check.ts';
import { errorResultSchema } from '../../src/contract/results/parts.ts';
import { TABLE_NAMES } from '../../src/database/contract/tables.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { instant, temporaryFolderOfFile } from '../support/trees.ts';
import { playbillAt } from '../support/cli/run.ts';

const folder = temporaryFolderOfFile();
const demo = join(folder, 'demo.sqlite');
const NOW = '2026-05-01T09:00:00Z';
beforeAll(() => void demoCatalogueAt(demo, NOW));

/** Of the demo as it is then: of sessions that are over, less is said. */
const checkDb = (...words: readonly string[]) => playbillAt(() => instant(NOW), ['check-db', ...words]);

let serial = 0;

/** Cards of the demo that have no price in the currency of their front: check-db warns of them. */
const PRICELESS = `FROM front_products AS l WHERE EXISTS (SELECT 1 FROM price_tiers WHERE product_id = l.product_id)
  AND NOT EXISTS (SELECT 1 FROM price_tiers JOIN fronts USING (currency)
    WHERE product_id = l.product_id AND fronts.id = l.front_id)`;

/** A copy of the demo without those, and with a fault in it. */
function spoiled(sql: string): string {
  const path = join(folder, `spoiled-${(serial += 1)}.sqlite`);
  cpSync(demo, path);
  const database = new Database(path);
  database.pragma('ignore_check_constraints = ON');
  database.pragma('foreign_keys = OFF');
  database.exec(`DELETE ${PRICELESS}`);
  database.exec(sql);
  database.close();
  return path;
}

test('the demo is good, but for products that are not sold in the currency of one of their fronts', async () => {
  const { status, stdout, stderr } = await checkDb('--db', demo);
  expect(stderr).toBe('');
  expect(stdout).toMatch(
    /^warning currency-untiered front_products: 3 findings\n(?: {2}.*\n){3}Checked \d+ rows of 21 tables: 0 errors, 3 warnings\n$/,
  );
  expect(status).toBe(0);
});

test('errors: with --all one finding a line, and exit 1; --json validates and says the same', async () => {
  const path = spoiled(`UPDATE venues SET timezone = '+03:00' WHERE id = 1;
    UPDATE fronts SET currency = 'rub' WHERE id = 1; UPDATE products SET image_id = 999 WHERE id = 1`);
  const { status, stdout } = await checkDb('--all', '--db', path);
  expect(status).toBe(1);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.slice(0, 3)).toEqual([
    'error value-invalid fronts 1: currency: expected a currency of three capitals, such as EUR, found "rub"',
    'error dangling-id products 1: image_id: expected the id of a row of images, found 999',
    'error zone-unknown venues 1: timezone: expected an IANA time zone known to this runtime, such as Europe/Berlin (no offset), found "+03:00"',
  ]);
  expect(lines.at(-1)).toMatch(/^Checked \d+ rows of 21 tables: 3 errors, 0 warnings$/);

  const json = await checkDb('--json', '--db', path);
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
  const { status, stdout } = await checkDb('--db', path);
  expect(status).toBe(0);
  expect(stdout).toMatch(/\nwarning journal-mode-not-wal database: .*\nChecked /);
  expect((await checkDb('--all', '--db', path)).stdout).toMatch(
    /\nwarning journal-mode-not-wal database: .*\nChecked /,
  );
  expect(stdout).toContain(
    'warning zone-drift sessions 1: time-zone drift: starts_local says 2026-05-01T12:34:56, but ',
  );
  expect(stdout).toContain(` by the rules of tzdata ${process.versions['tz'] ?? ''}\n`);
  expect(stdout).toMatch(/: 0 errors, 2 warnings\n$/);
});

test('a thousand findings are kept under --json, all are counted, and --all prints all', async () => {
  const path = spoiled(`WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
    INSERT INTO venues (id, name, timezone) SELECT 10000 + i, 'V', 'Mars/Olympus' FROM n;
    INSERT INTO sessions (product_id, venue_id, starts_at)
      SELECT 1, id, '2026-05-05T09:00:00Z' FROM venues WHERE id > 10000`);
  const json = await checkDb('--json', '--db', path);
  const result = findingsResultSchema.parse(JSON.parse(json.stdout));
  expect(result.errors).toBe(3000);
  expect(result.findings.length).toBe(1000);
  const text = await checkDb('--all', '--db', path);
  expect(text.stdout.match(/^error zone-unknown /gm)?.length).toBe(3000);
  expect(text.status).toBe(1);
});

test('a broken contract is findings, not an end', async () => {
  const path = spoiled(
    "DROP TABLE front_products; DROP TABLE badges; UPDATE tags SET slug = 'Not A Slug' WHERE id = 1",
  );
  const { status, stdout } = await checkDb('--db', path);
  expect(status).toBe(1);
  expect(stdout).toContain(
    'error table-missing front_products: expected a table or view "front_products", found none\n',
  );
  expect(stdout).toContain('error value-invalid tags 1: slug: expected a slug, ');
  expect(stdout).toMatch(/Checked \d+ rows of 19 tables: 2 errors, 0 warnings\nAbsent, so taken as empty: badges\n$/);
});

describe('findings by column', () => {
  test('one of a kind is a line with its hint; of more there is a count and three examples', async () => {
    const path = spoiled(`UPDATE badges SET color = 'ff0000' WHERE id = 1;
      UPDATE sessions SET starts_at = '2026-12-01 19:00:00' WHERE id <= 4; UPDATE sessions SET starts_at = 1796151600 WHERE id = 5;
      UPDATE sessions SET ends_at = '' WHERE id IN (1, 3)`);
    const { status, stdout } = await checkDb('--db', path);
    expect(status).toBe(1);
    const expected = 'expected an instant as YYYY-MM-DDTHH:MM:SSZ, UTC, or NULL';
    const instants = (name: string): string =>
      `from text in UTC or with its offset: coalesce(strftime('%Y-%m-%dT%H:%M:%SZ', ${name}), nullif(${name}, '')); from seconds since 1970: iif(${name} = CAST(${name} AS REAL), strftime('%Y-%m-%dT%H:%M:%SZ', ${name}, 'unixepoch'), ${name}); from milliseconds: iif(${name} = CAST(${name} AS REAL), strftime('%Y-%m-%dT%H:%M:%SZ', ${name} / 1000, 'unixepoch'), ${name})`;
    expect(stdout.split('\n').slice(0, -2)).toEqual([
      'error value-invalid badges 1: color: expected a colour as #RRGGBB, found "ff0000"',
      "  hint: from six digits without #: '#' || color",
      'error value-invalid sessions.ends_at: 2 findings',
      `  sessions 1: ends_at: ${expected}, found ""`,
      `  sessions 3: ends_at: ${expected}, found ""`,
      `  hint: ${instants('ends_at')}`,
      'error value-invalid sessions.starts_at: 5 findings',
      `  sessions 1: starts_at: ${expected}, found "2026-12-01 19:00:00"`,
      `  sessions 2: starts_at: ${expected}, found "2026-12-01 19:00:00"`,
      `  sessions 3: starts_at: ${expected}, found "2026-12-01 19:00:00"`,
      '  and 2 more: --all',
      `  hint: ${instants('starts_at')}; from the local time of the venue: NULL AS starts_at, replace(substr(nullif(starts_at, '') || ':00', 1, 19), ' ', 'T') AS starts_local`,
    ]);
    expect(stdout).toMatch(/\nChecked \d+ rows of 21 tables: 8 errors, 0 warnings\n$/);

    const json = await checkDb('--json', '--db', path);
    const [, first] = findingsResultSchema.parse(JSON.parse(json.stdout)).findings;
    expect(first).toMatchObject({ place: 'sessions 1', column: 'ends_at', hint: instants('ends_at') });
  });

  test('their order is that of tables and columns, whichever row comes first', async () => {
    const titles = async (first: number, second: number): Promise<string[]> => {
      const path = spoiled(`UPDATE products SET status = 'published';
        UPDATE sessions SET starts_at = '2099-05-01T09:00:00Z', starts_local = NULL, sales_end_at = NULL, status = 'scheduled';
        UPDATE sessions SET ends_at = 'x' WHERE id IN (${first}, ${first + 2});
        UPDATE sessions SET starts_local = 'x' WHERE id IN (${second}, ${second + 2});
        UPDATE badges SET color = 'red'; UPDATE venues SET timezone = 'Mars/Olympus'`);
      const { stdout } = await checkDb('--db', path);
      return [...stdout.matchAll(/^error (.*): \d+ findings$/gm)].map(([, title = '']) => title);
    };
    expect(await titles(1, 2)).toEqual([
      'value-invalid badges.color',
      'value-invalid sessions.ends_at',
      'value-invalid sessions.starts_local',
      'zone-unknown venues.timezone',
    ]);
    expect(await titles(2, 1)).toEqual(await titles(1, 2));
  });

  test('prices in whole units are a warning, with every currency of the demo that has enough of them', async () => {
    const path = spoiled('UPDATE price_tiers SET amount_minor = amount_minor / 100');
    const { status, stdout } = await checkDb('--all', '--db', path);
    expect(status).toBe(0);
    const currencies = [...stdout.matchAll(/^warning whole-unit-prices price_tiers (\w+): /gm)].map(([, code]) => code);
    expect(currencies).toEqual(['CAD', 'EUR', 'INR', 'RUB']);
  });
});

describe('exit 2', () => {
  test.each([
    ['there is no such database', join(folder, 'gone.sqlite'), 'database-missing'],
    ['it is no database', 'package.json', 'database-unreadable'],
    ['it is a folder', 'src', 'database-unreadable'],
  ])('where %s', async (_case, path, code) => {
    const { status, stdout, stderr } = await checkDb('--json', '--db', path);
    expect(errorResultSchema.parse(JSON.parse(stdout)).error.code).toBe(code);
    expect(stderr).toContain(`error ${code}: `);
    expect(status).toBe(2);
  });
});
