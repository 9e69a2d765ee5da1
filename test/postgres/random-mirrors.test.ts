// The random mirrors of test/property/mirror.test.ts, on PostgreSQL: each ends in exactly the input
// or changes nothing, and rows that stay as they are are not written, which triggers count.

import { test } from 'vitest';
import { TABLE_NAMES, TABLE_RULES } from '../../src/database/contract/tables.ts';
import { IS_SOAK, LENGTH } from '../speeds.ts';
import type { CatalogueRow } from '../support/catalogue.ts';
import { createShape, type Shape } from '../support/postgres/copy.ts';
import { newSchema, type OwnSchema } from '../support/postgres/own-schema.ts';
import {
  expectEveryKind,
  expectRandomMirrors,
  type Row,
  type State,
  type WatchedDatabase,
  type Written,
} from '../support/random-mirrors.ts';

const WATCHES = `
  CREATE TABLE written (id serial, name text, kind text, key text);
  CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE found jsonb; key text;
    BEGIN
      IF tg_op = 'DELETE' THEN found := to_jsonb(old); ELSE found := to_jsonb(new); END IF;
      SELECT string_agg(found ->> name, ',' ORDER BY n) INTO key FROM unnest(tg_argv) WITH ORDINALITY AS of_key(name, n);
      INSERT INTO written (name, kind, key) VALUES (tg_table_name, lower(tg_op), key);
      RETURN NULL;
    END $$;
  ${TABLE_NAMES.map((table) => `CREATE TRIGGER watch AFTER INSERT OR UPDATE OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION watch(${TABLE_RULES[table].key.map((column) => `'${column}'`).join()});`).join('\n')}`;

const literal = (value: string | number | null): string =>
  value === null ? 'NULL' : `'${String(value).replaceAll("'", "''")}'`;

async function watchedSchema(shape: Shape, schema: OwnSchema): Promise<WatchedDatabase> {
  await createShape(schema, shape);
  await schema.client.query(WATCHES);
  return {
    path: schema.url,
    fill: async (rows: readonly CatalogueRow[]) => {
      const inserts = rows.map(
        ({ table, row }) =>
          `INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${Object.values(row).map(literal).join()})`,
      );
      const emptied = `BEGIN; TRUNCATE ${TABLE_NAMES.join()}`;
      await schema.client.query([emptied, ...inserts, 'TRUNCATE written', 'COMMIT'].join(';'));
    },
    written: async () => {
      const rows = await schema.client.query('SELECT name, kind, key AS id FROM written ORDER BY written.id');
      return rows as unknown as readonly Written[];
    },
  };
}

/** PostgreSQL's text holds no NUL. */
function withoutNul(state: State): State {
  const mended = (row: Row): Row =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'string' ? value.replaceAll('\0', '') : value,
      ]),
    );
  return new Map(
    [...state].map(([table, rows]) => [table, new Map([...rows].map(([key, row]) => [key, mended(row)]))]),
  );
}

/** As many at once: a mirror waits for its server most of the time. */
const PARTS = 4;

test.each<[Shape, number]>([
  ['contract', (IS_SOAK ? 80 : 16) * LENGTH],
  ['native', (IS_SOAK ? 40 : 8) * LENGTH],
])('as %s: each of %i mirrors ends in exactly the input, or changes nothing', async (shape, total) => {
  const part = async () => {
    await using schema = await newSchema();
    return await expectRandomMirrors(await watchedSchema(shape, schema), total / PARTS, withoutNul);
  };
  expectEveryKind(await Promise.all(Array.from({ length: PARTS }, part)), total);
});
