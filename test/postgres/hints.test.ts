// The hints of check-db are SQL: what they make in PostgreSQL of the value that was found is of a type that its column may have, and the
// column accepts it.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from 'kysely';
import { openCatalogue } from '../../src/database/open.ts';
import { examineContract } from '../../src/database/contract/check-schema.ts';
import type { Column } from '../../src/database/contract/columns.ts';
import { conversionOf } from '../../src/database/contract/conversions.ts';
import { checkedRows } from '../../src/database/contract/query-builders.ts';
import { TABLE_NAMES, TABLES } from '../../src/database/contract/tables.ts';
import { findingsOf } from '../support/database-rows.ts';
import { columnAt, HINTED, ODD_VALUES } from '../support/hinted-values.ts';
import { Overlay } from '../support/postgres/overlay.ts';

let overlay: Overlay;
beforeAll(async () => {
  overlay = await Overlay.create();
});
afterEach(() => overlay.clear());
afterAll(() => overlay[Symbol.asyncDispose]());

/** A value as SQL; NULL has the type that the column should have. Undefined where PostgreSQL has no such value. */
function literal(value: unknown, { declared }: Column<unknown>): string | undefined {
  if (value === null) return declared === 'TEXT' ? 'NULL::text' : 'NULL::bigint';
  if (typeof value === 'number') return `${value}::numeric`;
  return typeof value !== 'string' || value.includes('\0') ? undefined : `'${value.replaceAll("'", "''")}'::text`;
}

const applied = (hint: string, name: string, value: string): string =>
  `(SELECT ${hint} FROM (SELECT ${value} AS ${name}) AS found)`;

describe('a value that has a hint becomes what is meant', () => {
  test.each(HINTED)('%s: %j', async (location, found, condition, made) => {
    const [name, column] = columnAt(location);
    const table = TABLE_NAMES.find((one) => location.startsWith(`${one}.`)) ?? 'fronts';
    const hint = conversionOf('postgres', name, column, found);
    expect(hint?.condition === '').toBe(condition === '');
    await overlay.replace(table, { [name]: applied(hint?.sql ?? '', name, literal(found, column) ?? '') });
    await using reader = await openCatalogue(overlay.url);
    expect((await examineContract(reader)).problems).toEqual([]);
    expect(await reader.rows(checkedRows({ table, columns: [name] }, []))).toEqual([[made]]);
    expect(column.accepts(made)).toBe(true);
  });
});

test.each<[location: string, found: string, type: string]>([
  ['products.status', 'NULL::stage', 'CREATE TYPE stage AS ENUM ()'],
  ['products.status', "'Draft'::stage", "CREATE TYPE stage AS ENUM ('Draft')"],
  ['products.paused', 'NULL::boolean', ''],
  ['products.paused', 'NULL::numeric', ''],
])('%s: the hint on %s is applied to what the column is', async (location, found, type) => {
  const [name] = columnAt(location);
  await overlay.client.query(type);
  await overlay.replace('products', { [name]: found });
  const [finding] = await findingsOf(overlay.url);
  await overlay.client.query(`ALTER VIEW products RENAME TO theirs`);
  await overlay.replace('products', { [name]: `(SELECT ${finding?.hint} FROM theirs)` });
  expect((await findingsOf(overlay.url)).filter(({ column }) => column === name)).toEqual([]);
});

test('of a start that is local time, the SQL for a view makes a wall time', async () => {
  const [name, column] = columnAt('sessions.starts_at');
  const condition = conversionOf('postgres', name, column, '2026-12-01 19:00')?.condition ?? '';
  const [, startsAt = '', startsLocal = ''] = /: (.*) AS starts_at, (.*) AS starts_local/.exec(condition) ?? [];
  const made = applied(startsLocal, name, "'2026-12-01 19:00'::text");
  await overlay.replace('sessions', { starts_at: startsAt, starts_local: made });
  await using reader = await openCatalogue(overlay.url);
  expect((await examineContract(reader)).problems).toEqual([]);
  expect(await reader.rows(checkedRows({ table: 'sessions', columns: ['starts_at', 'starts_local'] }, []))).toEqual([
    [null, '2026-12-01T19:00:00'],
  ]);
});

test('whatever is found anywhere: a hint makes a value of a type that its column may have, and that it accepts', async () => {
  const cases = TABLE_NAMES.flatMap((table) =>
    Object.entries<Column<unknown>>(TABLES[table]).flatMap(([name, column]) =>
      ODD_VALUES.flatMap((found) => {
        const value = literal(found, column);
        // Text in a column of numbers is refused by its type.
        const isRefused = column.declared === 'INTEGER' && found === '';
        const hint = column.accepts(found) || isRefused ? null : conversionOf('postgres', name, column, found);
        return hint === null || value === undefined
          ? []
          : [{ table, name, column, made: applied(hint.sql, name, value) }];
      }),
    ),
  );
  expect(cases.length).toBeGreaterThan(400);
  await using reader = await openCatalogue(overlay.url);
  for (let start = 0; start < cases.length; start += 200) {
    const batch = cases.slice(start, start + 200);
    const list = batch.map(({ made }) => `${made}, pg_typeof(${made})::text`);
    const [row = []] = await reader.rows(sql.raw(`SELECT ${list.join(', ')}`));
    for (const [i, { table, name, column, made }] of batch.entries()) {
      const [value, type] = [row[2 * i], String(row[2 * i + 1])];
      expect(typesFor(column), `${table}.${name}: ${made}`).toContain(type);
      expect(column.accepts(value), `${table}.${name}: ${made} is ${String(value)}`).toBe(true);
    }
  }
});

function typesFor({ declared, time, accepts }: Column<unknown>): string[] {
  if (time === 'instant') return ['timestamp with time zone', 'text'];
  if (time === 'wall') return ['timestamp without time zone', 'text'];
  if (declared === 'TEXT') return ['text'];
  return ['smallint', 'integer', 'bigint', 'numeric', ...(accepts(2) ? [] : ['boolean'])];
}
