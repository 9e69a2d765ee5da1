// The hints of check-db are SQL: what they make of the value that was found is run in SQLite, and judged by the column's own rule.

import Database from 'better-sqlite3';
import { afterAll, describe, expect, test } from 'vitest';
import type { Column } from '../../src/database/schema/columns.ts';
import { conversionOf, hintOf } from '../../src/database/schema/conversions.ts';
import { TABLE_NAMES, TABLES } from '../../src/database/schema/tables.ts';
import { BAD_VALUES } from '../support/database-rows.ts';

const database = new Database(':memory:');
afterAll(() => database.close());

/** What SQL makes of a value that a view has under a column's name. */
function madeBy(sql: string, name: string, value: unknown): unknown {
  return database.prepare(`SELECT ${sql} FROM (SELECT ? AS ${name})`).pluck().get(value);
}

function columnAt(location: string): [name: string, column: Column<unknown>] {
  const [table = '', name = ''] = location.split('.');
  const columns: Readonly<Record<string, Readonly<Record<string, Column<unknown>>>>> = TABLES;
  const column = columns[table]?.[name];
  if (column === undefined) throw new Error(`no column ${location}`);
  return [name, column];
}

const UTC = 'where it is UTC (to local time, append its offset first)';
const LOCAL_START =
  "where it is the local time of the venue: NULL AS starts_at, strftime('%Y-%m-%dT%H:%M:%S', starts_at) AS starts_local; where it is UTC";
const AMOUNT = 'for a currency of two decimals';

describe('a value that has a hint becomes what is meant', () => {
  test.each<[location: string, found: unknown, condition: string, made: unknown]>([
    ['sessions.starts_at', '2026-12-01 19:00:00', LOCAL_START, '2026-12-01T19:00:00Z'],
    ['sessions.ends_at', '2026-12-01 19:00', UTC, '2026-12-01T19:00:00Z'],
    ['sessions.ends_at', '2026-12-01T19:00:00.125', UTC, '2026-12-01T19:00:00Z'],
    ['sessions.ends_at', '2026-12-01T19:00:00.000Z', '', '2026-12-01T19:00:00Z'],
    ['sessions.ends_at', '2026-12-01 19:00:00+03:00', '', '2026-12-01T16:00:00Z'],
    ['sessions.ends_at', '', '', null],
    ['sessions.starts_at', 1_796_151_600, '', '2026-12-01T19:00:00Z'],
    ['sessions.starts_at', '1796151600', '', '2026-12-01T19:00:00Z'],
    ['sessions.starts_at', 1_796_151_600_250, '', '2026-12-01T19:00:00Z'],
    ['sessions.starts_local', '2026-12-01 19:00', '', '2026-12-01T19:00:00'],
    ['sessions.starts_local', '2026-12-01 19:00:00+03:00', '', '2026-12-01T19:00:00'],
    ['sessions.starts_local', '2026-12-01T19:00:00Z', '', '2026-12-01T19:00:00'],
    ['price_tiers.amount_minor', 19.99, AMOUNT, 1999],
    ['price_tiers.amount_minor', '19.99', AMOUNT, 1999],
    ['price_tiers.amount_minor', '20.00', AMOUNT, 2000],
    ['price_tiers.amount_minor', 1998.9999999999998, '', 1999],
    ['price_tiers.amount_minor', '1999', '', 1999],
    ['products.id', '17', '', 17],
    ['products.paused', 'true', '', 1],
    ['products.paused', 'Y', '', 1],
    ['products.paused', 'No', '', 0],
    ['products.paused', '0', '', 0],
    ['products.paused', -1, '', 1],
    ['products.paused', null, '', 0],
    ['products.status', null, '', 'published'],
    ['products.status', 'Draft', '', 'draft'],
    ['badges.color', 'ff0000', '', '#ff0000'],
    ['products.slug', 'the_seagull', '', 'the-seagull'],
    ['products.slug', 'Hamlet', '', 'hamlet'],
    ['products.slug', 'The_Seagull', '', 'the-seagull'],
    ['fronts.code', 'Moscow', '', 'moscow'],
    ['fronts.currency', 'rub', '', 'RUB'],
    ['images.url', 'http://example.org/a.jpg', '', 'https://example.org/a.jpg'],
    ['products.age_rating', null, 'where NULL is for all ages', 0],
    ['fronts.weekend_days', 67, '', '67'],
    ['products.name', 1984, '', '1984'],
  ])('%s: %j', (location, found, condition, made) => {
    const [name, column] = columnAt(location);
    expect(column.accepts(found)).toBe(false);
    const hint = conversionOf(name, column, found);
    expect(hint?.condition).toBe(condition);
    expect(madeBy(hint?.sql ?? '', name, found)).toBe(made);
    expect(column.accepts(made)).toBe(true);
  });
});

describe('no hint where a person must decide', () => {
  test.each<[location: string, found: unknown]>([
    ['sessions.starts_at', '2026-12-01'],
    ['sessions.starts_at', '2026-02-30 19:00:00'],
    ['sessions.starts_at', '01.12.2026 19:00'],
    ['sessions.starts_at', 20_261_201],
    ['sessions.starts_at', 20_261_201_190_000],
    ['venues.timezone', null],
    ['sessions.starts_local', 1_796_151_600],
    ['products.id', 'b7c1'],
    ['products.id', 'yes'],
    ['products.id', 1.5],
    ['products.paused', 'maybe'],
    ['products.status', 'live'],
    ['products.slug', 'чайка'],
    ['products.slug', 'the seagull'],
    ['products.slug', '\u212Aing'],
    ['badges.color', 'red'],
    ['price_tiers.amount_minor', '19,99'],
    ['price_tiers.amount_minor', -19.99],
  ])('%s: %j', (location, found) => {
    const [name, column] = columnAt(location);
    expect(column.accepts(found)).toBe(false);
    expect(conversionOf(name, column, found)).toBe(null);
  });
});

test('the words of an enumeration are in the hint, for a person to assign', () => {
  const [name, column] = columnAt('products.status');
  expect(hintOf('products', name, column, 'on_sale')).toBe(
    "CASE status WHEN '<yours>' THEN 'draft' WHEN '<yours>' THEN 'published' WHEN '<yours>' THEN 'archived' END",
  );
  expect(hintOf('products', name, column, 'Draft')).toBe('lower(status)');
});

test('of a start that is local time, the SQL for a view makes a wall time', () => {
  const [, sql = ''] = /NULL AS starts_at, (.*) AS starts_local/.exec(LOCAL_START) ?? [];
  expect(madeBy(sql, 'starts_at', '2026-12-01 19:00')).toBe('2026-12-01T19:00:00');
});

test('whatever is found anywhere: a hint makes a value that its column accepts', () => {
  const odd = [
    'Yes',
    'f',
    '1',
    '0',
    'ff8800',
    'A_B',
    'Ab',
    'rub',
    '67',
    '5',
    '-7',
    '1.50',
    '0.1',
    3,
    -1,
    0.5,
    67,
    1e9,
    1e12,
  ];
  const times = ['2026-12-01 19:00', '2026-12-01T19:00:00+14:00', '2024-02-29 23:59:59.999Z', '2026-12-01T19:00-09:30'];
  const pool = [...odd, ...times, ...TABLE_NAMES.flatMap((table) => Object.values(BAD_VALUES[table]).flat())];
  let hints = 0;
  for (const table of TABLE_NAMES) {
    for (const [name, column] of Object.entries<Column<unknown>>(TABLES[table])) {
      for (const found of pool) {
        const hint = column.accepts(found) ? null : conversionOf(name, column, found);
        if (hint === null) continue;
        hints += 1;
        const made = madeBy(hint.sql, name, found);
        expect(column.accepts(made), `${table}.${name}: ${hint.sql} of ${String(found)} is ${String(made)}`).toBe(true);
      }
    }
  }
  expect(hints).toBeGreaterThan(500);
});
