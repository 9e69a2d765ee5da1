// data/schema-postgres.sql says what data/schema.sql says: the same tables, and for any value the
// same verdict. That data/schema.sql and the column rules of tables.ts agree,
// test/unit/database-schema.test.ts sees to.

import type Database from 'better-sqlite3';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TABLE_NAMES, TABLE_RULES, TABLES, type TableName } from '../../src/database/contract/tables.ts';
import type { Column } from '../../src/database/contract/columns.ts';
import { runs } from '../speeds.ts';
import { everyColumn, goodCatalogue, GOOD_ROWS } from '../support/database-rows.ts';
import { createShape } from '../support/postgres/copy.ts';
import { newSchema, type OwnSchema } from '../support/postgres/own-schema.ts';
import { AWKWARD_INTEGERS, AWKWARD_TEXTS, nearly } from '../support/postgres/awkward-values.ts';

let sqlite: Database.Database;
let schema: OwnSchema;

beforeAll(async () => {
  sqlite = goodCatalogue(':memory:', false);
  // References have tests of their own.
  sqlite.pragma('foreign_keys = OFF');
  schema = await newSchema();
  await createShape(schema, 'contract');
  await insertGoodRows(schema, TABLE_NAMES);
  await schema.client.query(VERDICT);
});
afterAll(async () => {
  sqlite.close();
  await schema.drop();
});

/** In one transaction, in the order given. */
async function insertGoodRows({ client }: OwnSchema, tables: readonly TableName[]): Promise<void> {
  await client.session(async (session) => {
    await session.query('BEGIN');
    for (const table of tables) {
      const columns = Object.keys(GOOD_ROWS[table]);
      const places = columns.map((_, i) => `$${i + 1}`).join(', ');
      const values = Object.values(GOOD_ROWS[table]);
      await session.query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`, values);
    }
    await session.query('COMMIT');
  });
}

/**
 * The code of the error with which an update of all rows is refused, NULL where it is not; the rows
 * stay as they were.
 */
const VERDICT = `
CREATE FUNCTION verdict(of_table text, of_column text, value text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('UPDATE %I SET %I = %L', of_table, of_column, value);
  RAISE EXCEPTION USING ERRCODE = 'LETIN';
EXCEPTION
  WHEN SQLSTATE 'LETIN' THEN RETURN NULL;
  WHEN OTHERS THEN RETURN SQLSTATE;
END $$`;

type Value = string | number | bigint | null;

/** Whether PostgreSQL lets each value into a column. */
async function letIn(table: TableName, column: string, values: readonly Value[]): Promise<boolean[]> {
  const texts = values.map((value) => (value === null ? null : String(value)));
  const rows = await schema.client.query(
    'SELECT verdict($1, $2, v) AS code FROM unnest($3::text[]) WITH ORDINALITY AS u(v, n) ORDER BY n',
    [table, column, texts],
  );
  for (const { code } of rows) expect([null, ...REFUSALS]).toContain(code);
  return rows.map(({ code }) => code === null);
}

/**
 * Not NULL, a CHECK, no number, a number too large: a refusal of the value, and not a fault of the
 * test.
 */
const REFUSALS = ['23502', '23514', '22P02', '22003'];

/** The same in SQLite; but its strftime() knows years before 0, which no other rule lets in. */
function letInBySqlite(table: TableName, column: string, values: readonly Value[]): boolean[] {
  const isTime = columnsOf(table).some(([name, { time }]) => name === column && time !== undefined);
  const update = sqlite.prepare(`UPDATE ${table} SET ${column} = ?`);
  return values.map((value) => {
    if (isTime && String(value).startsWith('-')) return false;
    sqlite.exec('BEGIN');
    try {
      update.run(value);
      return true;
    } catch {
      return false;
    } finally {
      sqlite.exec('ROLLBACK');
    }
  });
}

function columnsOf(table: TableName): [string, Column<unknown>][] {
  return Object.entries<Column<unknown>>(TABLES[table]);
}

describe('the tables are those of data/schema.sql', () => {
  test('the same names', async () => {
    const rows = await schema.client.query(
      "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY oid",
    );
    expect(rows.map(({ relname }) => relname)).toEqual(TABLE_NAMES);
  });

  test.each(TABLE_NAMES)('%s: the same columns in the same order, with types, NULL and defaults', async (table) => {
    const rows = await schema.client.query(
      `SELECT attname AS name, format_type(atttypid, atttypmod) AS type, NOT attnotnull AS nullable,
         regexp_replace(pg_get_expr(adbin, adrelid), '::text$', '') AS "default"
       FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
       WHERE attrelid = $1::regclass AND attnum > 0 ORDER BY attnum`,
      [table],
    );
    expect(rows).toEqual(
      columnsOf(table).map(([name, rule]) => ({
        name,
        type: typeFor(rule),
        // A view may have no ids of price tiers; our own table has them.
        nullable: rule.isNullable && !TABLE_RULES[table].key.includes(name),
        default: rule.defaultSql === 'NULL' ? null : rule.defaultSql,
      })),
    );
  });

  test.each(TABLE_NAMES)('%s: the same key, unique columns and references', async (table) => {
    const rows = await schema.client.query(
      `SELECT contype AS kind, condeferrable AND condeferred AS deferred, confrelid::regclass::text AS parent,
         (SELECT string_agg(attname, ',' ORDER BY n) FROM unnest(conkey) WITH ORDINALITY AS k(num, n)
          JOIN pg_attribute ON attrelid = conrelid AND attnum = num) AS columns,
         (SELECT string_agg(attname, ',' ORDER BY n) FROM unnest(confkey) WITH ORDINALITY AS k(num, n)
          JOIN pg_attribute ON attrelid = confrelid AND attnum = num) AS keys,
         CASE confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'r' THEN 'RESTRICT' WHEN 'n' THEN 'SET NULL' END AS action
       FROM pg_constraint WHERE conrelid = $1::regclass AND contype IN ('p', 'u', 'f')`,
      [table],
    );
    const of = (kind: string) => rows.filter((row) => row['kind'] === kind);
    expect(of('p').map(({ columns }) => columns)).toEqual([TABLE_RULES[table].key.join()]);
    const unique = [...TABLE_RULES[table].unique, ...(table === 'sessions' ? ['id,product_id'] : [])];
    expect(of('u').map(({ columns }) => columns)).toEqual(unique);
    // An import may give rows in any order; ON CONFLICT takes no key that is looked at later.
    expect(of('f').every(({ deferred }) => deferred === true)).toBe(true);
    expect([...of('p'), ...of('u')].every(({ deferred }) => deferred === false)).toBe(true);
    const references = of('f').map(({ columns, parent, keys, action }) => [columns, parent, keys, action].join(' '));
    expect(references.sort()).toEqual(referencesIn(table).sort());
  });

  test('the same indexes by name', async () => {
    const query = `SELECT c.relname AS name FROM pg_index JOIN pg_class AS c ON c.oid = indexrelid
      WHERE c.relnamespace = current_schema()::regnamespace AND NOT indisunique`;
    const names = (await schema.client.query(query)).map(({ name }) => String(name));
    const inSqlite = sqlite.prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL",
    );
    // There the key of this table is its index: PostgreSQL does not scan what it is asked for by.
    const without = inSqlite
      .pluck()
      .all()
      .filter((name) => name !== 'front_products_load');
    expect(names.sort()).toEqual(without.sort());
  });
});

/** smallint only where the rule lets nothing in that does not fit into it. */
function typeFor(rule: Column<unknown>): string {
  if (rule.declared === 'TEXT') return 'text';
  return rule.accepts(32_768) ? 'bigint' : 'smallint';
}

/** What SQLite says of references, as `columns parent keys action`. */
function referencesIn(table: TableName): string[] {
  const rows = sqlite
    .prepare<[string], { id: number; table: string; from: string; to: string; on_delete: string }>(
      'SELECT id, "table", "from", "to", on_delete FROM pragma_foreign_key_list(?) ORDER BY id, seq',
    )
    .all(table);
  const ids = [...new Set(rows.map(({ id }) => id))];
  return ids.map((id) => {
    const parts = rows.filter((row) => row.id === id);
    const [from, to] = [parts.map((part) => part.from).join(), parts.map((part) => part.to).join()];
    return `${from} ${parts[0]?.table} ${to} ${parts[0]?.on_delete}`;
  });
}

/** Of the columns that hold text by the same rule, one. */
const ONE_OF_EACH_RULE = [
  ...new Map(
    TABLE_NAMES.flatMap((table) =>
      columnsOf(table)
        .filter(([, { declared }]) => declared === 'TEXT')
        .map(([column, { expected }]): [string, [TableName, string]] => [expected, [table, column]]),
    ),
  ).values(),
];

describe('a value is let in or refused as by data/schema.sql', () => {
  test.each(everyColumn())('%s.%s', async (table, column, bad) => {
    const rule = columnsOf(table).find(([name]) => name === column)?.[1];
    const own = bad.filter((value): value is string | number | null => isForBoth(value));
    const values = [null, ...own, ...(rule?.declared === 'TEXT' ? AWKWARD_TEXTS : AWKWARD_INTEGERS)];
    const [found, expected] = [await letIn(table, column, values), letInBySqlite(table, column, values)];
    expect(values.filter((_, i) => found[i] !== expected[i])).toEqual([]);
    // The good row's own value is among those let in; what is bad by the rules is not.
    expect(await letIn(table, column, [GOOD_ROWS[table][column] as Value])).toEqual([true]);
    expect(found.slice(1, 1 + own.length)).toEqual(own.map(() => false));
  });

  test.each(ONE_OF_EACH_RULE)('%s.%s, text that is nearly good', async (table, column) => {
    const good = String(GOOD_ROWS[table][column] ?? '2026-05-05T16:00:00Z');
    const property = fc.asyncProperty(fc.array(nearly(good), { minLength: 20, maxLength: 40 }), async (values) => {
      const [found, expected] = [await letIn(table, column, values), letInBySqlite(table, column, values)];
      expect(values.filter((_, i) => found[i] !== expected[i])).toEqual([]);
    });
    await fc.assert(property, { numRuns: runs(12) });
  });

  test('but for NUL, which is in no text of PostgreSQL', async () => {
    for (const table of TABLE_NAMES)
      for (const [column, { declared }] of columnsOf(table))
        if (declared === 'TEXT') await expect(letIn(table, column, ['a\0b'])).rejects.toMatchObject({ code: '22021' });
  });
});

/** A text column holds no BLOB, no NUL, and PostgreSQL is asked for no such thing. */
function isForBoth(value: unknown): boolean {
  return !Buffer.isBuffer(value) && !(typeof value === 'string' && value.includes('\0'));
}

describe('rules of more than one value', () => {
  test.each([
    ['only a pause has an end', 'UPDATE products SET paused = 0'],
    ['a session says when it starts', 'UPDATE sessions SET starts_at = NULL, starts_local = NULL'],
  ])('%s', async (_, update) => {
    await expect(schema.client.query(update)).rejects.toMatchObject({ code: '23514' });
    expect(() => sqlite.exec(update)).toThrow(/CHECK/);
  });

  test.each<[TableName, string]>(
    TABLE_NAMES.flatMap((table) =>
      Object.keys(TABLE_RULES[table].references).map((column): [TableName, string] => [table, column]),
    ),
  )('%s.%s may dangle until the transaction ends, and no longer', async (table, column) => {
    await schema.client.session(async (session) => {
      await session.query('BEGIN');
      await session.query(`UPDATE ${table} SET ${column} = 999`);
      await expect(session.query('COMMIT')).rejects.toMatchObject({ code: '23503' });
    });
  });

  test('rows may come in any order', async () => {
    await using other = await newSchema();
    await createShape(other, 'contract');
    await insertGoodRows(other, [...TABLE_NAMES].reverse());
    expect(await other.client.query('SELECT count(*)::int AS count FROM product_badges')).toEqual([{ count: 1 }]);
  });

  test.each(TABLE_NAMES)('what goes with a row of %s is the same', async (table) => {
    const deletion = `DELETE FROM ${table}`;
    const counts = `SELECT ${TABLE_NAMES.map((name) => `(SELECT count(*) FROM ${name}) AS ${name}`).join(', ')}`;
    const images = 'SELECT count(*) AS count FROM products WHERE image_id IS NULL';
    const left = await schema.client.session(async (session) => {
      await session.query('BEGIN');
      const code = await session.query(deletion).then(
        () => null,
        (error: unknown) => error,
      );
      if (code !== null) return 'refused';
      const [all, without] = [await session.query(counts), await session.query(images)];
      return { ...numbersIn(all.rows[0]), imageless: Number((without.rows[0] as { count: string }).count) };
    });
    sqlite.pragma('foreign_keys = ON');
    sqlite.exec('BEGIN');
    let leftInSqlite: unknown = 'refused';
    try {
      sqlite.exec(deletion);
      const imageless = sqlite.prepare<[], number>(images).pluck().get();
      leftInSqlite = { ...numbersIn(sqlite.prepare(counts).get()), imageless };
    } catch {
      expect(table).toBe('venues');
    }
    sqlite.exec('ROLLBACK');
    sqlite.pragma('foreign_keys = OFF');
    expect(left).toEqual(leftInSqlite);
  });
});

function numbersIn(row: unknown): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(row as Record<string, unknown>).map(([name, count]) => [name, Number(count)]),
  );
}
