// The hints of check-db are SQL: what they make of the value that was found is run in SQLite, and judged by the column's own rule.

import Database from 'better-sqlite3';
import { afterAll, describe, expect, test } from 'vitest';
import type { Column } from '../../src/database/contract/columns.ts';
import { conversionOf, hintOf } from '../../src/database/contract/conversions.ts';
import { TABLE_NAMES, TABLES } from '../../src/database/contract/tables.ts';
import { columnAt, HINTED, LOCAL_START, ODD_VALUES } from '../support/hinted-values.ts';

const database = new Database(':memory:');
afterAll(() => database.close());

/** What SQL makes of a value that a view has under a column's name. */
function madeBy(sql: string, name: string, value: unknown): unknown {
  return database.prepare(`SELECT ${sql} FROM (SELECT ? AS ${name})`).pluck().get(value);
}

describe('a value that has a hint becomes what is meant', () => {
  test.each(HINTED)('%s: %j', (location, found, condition, made) => {
    const [name, column] = columnAt(location);
    expect(column.accepts(found)).toBe(false);
    const hint = conversionOf('sqlite', name, column, found);
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
    expect(conversionOf('sqlite', name, column, found)).toBe(null);
  });
});

test('the words of an enumeration are in the hint, for a person to assign', () => {
  const [name, column] = columnAt('products.status');
  expect(hintOf('sqlite', 'products', name, column, 'on_sale')).toBe(
    "CASE status WHEN '<yours>' THEN 'draft' WHEN '<yours>' THEN 'published' WHEN '<yours>' THEN 'archived' END",
  );
  expect(hintOf('sqlite', 'products', name, column, 'Draft')).toBe('lower(status)');
});

test('of a start that is local time, the SQL for a view makes a wall time', () => {
  const [, sql = ''] = /NULL AS starts_at, (.*) AS starts_local/.exec(LOCAL_START) ?? [];
  expect(madeBy(sql, 'starts_at', '2026-12-01 19:00')).toBe('2026-12-01T19:00:00');
});

test('whatever is found anywhere: a hint makes a value that its column accepts', () => {
  let hints = 0;
  for (const table of TABLE_NAMES) {
    for (const [name, column] of Object.entries<Column<unknown>>(TABLES[table])) {
      for (const found of ODD_VALUES) {
        const hint = column.accepts(found) ? null : conversionOf('sqlite', name, column, found);
        if (hint === null) continue;
        hints += 1;
        const made = madeBy(hint.sql, name, found);
        expect(column.accepts(made), `${table}.${name}: ${hint.sql} of ${String(found)} is ${String(made)}`).toBe(true);
      }
    }
  }
  expect(hints).toBeGreaterThan(500);
});
