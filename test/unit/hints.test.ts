// The hints of check-db are SQL for a view. Each is written into one, in SQLite, over a column with
// values that are usually found there: then check-db finds nothing any more.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hintFor } from '../../src/database/contract/hints.ts';
import { TABLES, type TableName } from '../../src/database/contract/tables.ts';
import { findingsOf, goodCatalogue } from '../support/database-rows.ts';
import { conversionAt, everyConversion, selectWith } from '../support/conversions.ts';
import { temporaryFolder } from '../support/trees.ts';

const UTC = 'text in UTC or with its offset';
const SECONDS = 'seconds since 1970';
const LOCAL = 'the local time of the venue';
const YES = 'words, with yours for yes';
const TEXT = 'numbers, or text that is too long';

/** Of each conversion, what is made good by it. */
const FOUND: readonly [table: TableName, column: string, from: string, values: readonly unknown[]][] = [
  ['sessions', 'starts_at', UTC, ['2026-05-05 16:00', '2026-05-05T19:00:00+03:00', '2026-05-05 16:00:00.250', '']],
  ['sessions', 'starts_at', SECONDS, [1_777_996_800, '1777996800']],
  ['sessions', 'ends_at', SECONDS, [1_778_004_000]],
  ['sessions', 'starts_at', 'milliseconds', [1_777_996_800_250]],
  ['sessions', 'starts_at', LOCAL, ['2026-05-05 19:00', '2026-05-05 19:00:00+03:00']],
  ['sessions', 'ends_at', UTC, ['2026-05-05 18:00:00', '']],
  ['sessions', 'ends_at', 'milliseconds', [1_778_004_000_000]],
  ['sessions', 'starts_local', 'text', ['2026-05-05 19:00', '2026-05-05T19:00:00Z', '2026-05-05 19:00:00+03:00', '']],
  ['products', 'paused', YES, ['true', 'Y', 'On']],
  ['products', 'paused', 'numbers', [-1, 2]],
  ['sessions', 'paused', YES, ['false', 'No']],
  ['price_tiers', 'is_public', YES, ['t', null]],
  ['price_tiers', 'is_public', 'numbers', [7]],
  ['price_tiers', 'amount_minor', 'whole units of a currency of two decimals', [19.99, '19.99', '20.00', 500.5]],
  ['price_tiers', 'amount_minor', 'minor units', ['1999', 1998.9999999999998]],
  ['products', 'id', 'digits', ['14']],
  ['sessions', 'product_id', 'digits', ['14']],
  ['sessions', 'available', 'digits', ['40']],
  ['front_products', 'sort_weight', 'digits', ['5']],
  ['fronts', 'currency_exponent', 'digits', ['2']],
  ['products', 'age_rating', 'digits', ['12']],
  ['groups', 'card_type', 'digits', ['1']],
  ['products', 'status', '', ['yours', null]],
  ['front_keys', 'alg', '', ['yours']],
  ['fronts', 'code', 'text in which only case differs', ['Moscow']],
  ['fronts', 'currency', 'text in which only case differs', ['rub']],
  ['fronts', 'weekend_days', 'a number', [67]],
  ['products', 'slug', 'text with blanks', ['the seagull']],
  ['fronts', 'channel', 'text with blanks', ['own box office']],
  ['price_tiers', 'channels', 'names with commas', ['own,city', 'own, city']],
  ['fronts', 'day_starts_at', 'a time with seconds', ['05:00:00']],
  ['texts', 'id', 'an integer', [14]],
  ['badges', 'color', 'six digits without #', ['ff0000']],
  ['images', 'url', 'http, where the same is there over https', ['http://example.org/a.jpg']],
  ['products', 'name', TEXT, [1984, 'x'.repeat(65_537)]],
  ['price_tiers', 'name', TEXT, [1984]],
];

describe('what a hint makes of a value is good', () => {
  test.each(
    FOUND.flatMap(([table, column, from, values]) => values.map((value) => [table, column, from, value] as const)),
  )('%s.%s from %s: %j', async (table, column, from, value) => {
    const path = join(temporaryFolder(), 'view.sqlite');
    const database = goodCatalogue(path, true);
    try {
      database.prepare(`UPDATE ${table} SET ${column} = ?`).run(value);
      // An open end may be text of no length, and a session has two ways to say when it starts.
      const before = (await findingsOf(path)).filter((one) => one.column === column);
      expect(before).toHaveLength(1);
      expect(before[0]?.hint).toContain(conversionAt('sqlite', table, column, from));
      database.exec(`ALTER TABLE ${table} RENAME TO theirs`);
      database.exec(
        `CREATE VIEW ${table} AS ${selectWith(table, column, conversionAt('sqlite', table, column, from))}`,
      );
      // Advice may be left: a channel that only a tier names, a text of another row.
      expect((await findingsOf(path)).filter(({ severity }) => severity === 'error')).toEqual([]);
    } finally {
      database.close();
    }
  });
});

/** What no conversion may turn into something that the value does not say. */
test.each([
  ['products', 'age_rating', 'digits', 'R18'],
  ['products', 'age_rating', 'digits', 'PG-13'],
  ['products', 'age_rating', 'digits', ''],
  ['fronts', 'currency_exponent', 'digits', ''],
  ['price_tiers', 'available', 'digits', '4 left'],
  ['price_tiers', 'amount_minor', 'whole units of a currency of two decimals', 'TBA'],
  ['price_tiers', 'amount_minor', 'whole units of a currency of two decimals', '20 EUR'],
  ['price_tiers', 'amount_minor', 'minor units', ''],
  ['products', 'paused', 'numbers', 'no'],
  ['sessions', 'ends_at', SECONDS, 'soon'],
  ['sessions', 'ends_at', 'milliseconds', 'soon'],
  ['sessions', 'ends_at', UTC, 20_261_201],
  ['sessions', 'ends_at', UTC, '20261201'],
  ['sessions', 'ends_at', UTC, 'in summer'],
] as const)('%s.%s from %s: %j stays a finding', async (table, column, from, value) => {
  const path = join(temporaryFolder(), 'view.sqlite');
  const database = goodCatalogue(path, true);
  try {
    database.prepare(`UPDATE ${table} SET ${column} = ?`).run(value);
    database.exec(`ALTER TABLE ${table} RENAME TO theirs`);
    database.exec(`CREATE VIEW ${table} AS ${selectWith(table, column, conversionAt('sqlite', table, column, from))}`);
    expect((await findingsOf(path)).filter((one) => one.column === column)).toHaveLength(1);
  } finally {
    database.close();
  }
});

test('every hint is tried', () => {
  expect(
    FOUND.map(([table, column, from]) => conversionAt('sqlite', table, column, from).replaceAll(column, 'x')),
  ).toEqual(expect.arrayContaining([...everyConversion('sqlite')]));
});

test.each(['2026-02-30 19:00', '20261201', '01.12.2026 19:00', '25:30'])(
  'what is no time stays none: %s',
  async (value) => {
    const path = join(temporaryFolder(), 'view.sqlite');
    const database = goodCatalogue(path, true);
    database.exec('ALTER TABLE sessions RENAME TO theirs');
    database.prepare('UPDATE theirs SET starts_local = ?').run(value);
    database.exec(
      `CREATE VIEW sessions AS ${selectWith('sessions', 'starts_local', conversionAt('sqlite', 'sessions', 'starts_local', 'text'))}`,
    );
    database.close();
    expect((await findingsOf(path)).map(({ code, column }) => [code, column])).toEqual([
      ['value-invalid', 'starts_local'],
    ]);
  },
);

test('a hint is one line, with the words of an enumeration for a person to assign, and what is to become of other ids', () => {
  expect(hintFor('sqlite', 'products', 'status', TABLES.products.status)).toBe(
    "CASE WHEN status = '<yours>' THEN 'draft' WHEN status = '<yours>' THEN 'published' WHEN status = '<yours>' THEN 'archived' WHEN status IS NULL THEN 'published' END",
  );
  expect(hintFor('postgres', 'products', 'id', TABLES.products.id)).toBe(
    'from digits: id::numeric::bigint; other ids, and those beyond 2^53, take numbers in a table of their own (data/own-schema.md, Ids)',
  );
});
