// What a catalogue may lack, in PostgreSQL: see test/unit/absent.test.ts. Views over tables without
// types stand for an operator's own.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { mayIdBeText, TABLES, type TableName } from '../../src/database/contract/tables.ts';
import { sample } from '../speeds.ts';
import { ABSENCES, nameOf, NEAR_TABLES, rowsWithout, WHOLE, type Absence } from '../support/absences.ts';
import type { CatalogueRow } from '../support/catalogue.ts';
import { viewsAt } from '../support/fault/rich-catalogue.ts';
import { NOW } from '../support/fault/small-catalogue.ts';
import { findingsOf } from '../support/database-rows.ts';
import { createLooseTables, looseRows, refillLooseTables, type IdType } from '../support/postgres/loose-tables.ts';
import { newSchema, type OwnSchema } from '../support/postgres/own-schema.ts';
import { withTextIds } from '../support/text-ids.ts';
import { buildTree, filesOf, instant, temporaryFolder } from '../support/trees.ts';

const schemas = new Map<IdType, OwnSchema>();
beforeAll(async () => {
  for (const ids of ['numeric', 'text'] as const) {
    const schema = await newSchema();
    schemas.set(ids, schema);
    await createLooseTables(schema, ids);
    const renamed = Object.keys(TABLES).map(
      (table) =>
        `ALTER TABLE ${table} RENAME TO theirs_${table}; CREATE VIEW ${table} AS SELECT * FROM theirs_${table};`,
    );
    await schema.client.query(renamed.join('\n'));
  }
});
afterAll(async () => {
  for (const schema of schemas.values()) await schema.drop();
});

function schemaOf(ids: IdType): OwnSchema {
  const schema = schemas.get(ids);
  if (schema === undefined) throw new Error(`no schema with ids as ${ids}`);
  return schema;
}

/** Fills the tables through the views. */
async function fill(rows: readonly CatalogueRow[], ids: IdType): Promise<string> {
  const path = `${temporaryFolder()}/rows.sqlite`;
  viewsAt(path, ids === 'text' ? withTextIds(rows) : rows).close();
  const loose = looseRows(path, ids);
  if (loose === null) throw new Error('PostgreSQL holds all of these rows');
  await refillLooseTables(schemaOf(ids), loose);
  return path;
}

async function servedFrom(database: string): Promise<ReadonlyMap<string, unknown>> {
  const out = `${temporaryFolder()}/out`;
  await buildTree(database, out, instant(NOW), { guards: { maxShrink: 1, maxBad: 1, allow: [], force: false } });
  return new Map([...filesOf(out)].filter(([name]) => /^(?:public|edge)\//.test(name)));
}

async function withViews(absence: Absence, { client }: OwnSchema, use: () => Promise<void>): Promise<void> {
  const kept = absence.isNull ? [] : [...absence.kept];
  const lacking = kept.map(([table, columns]) =>
    columns.length === 0
      ? `DROP VIEW ${table};`
      : `DROP VIEW ${table}; CREATE VIEW ${table} AS SELECT ${columns.join(', ')} FROM theirs_${table};`,
  );
  await client.query(lacking.join('\n'));
  await use();
  const whole = kept.map(
    ([table]) => `DROP VIEW IF EXISTS ${table}; CREATE VIEW ${table} AS SELECT * FROM theirs_${table};`,
  );
  await client.query(whole.join('\n'));
}

/** Where a column or table of ids is absent, the others say of which type they are. */
const OF_IDS = ABSENCES.filter(({ names }) =>
  names.some((name) => {
    const [table = '', column] = name.split('.');
    const columns = column === undefined ? Object.keys(TABLES[table as TableName]) : [column];
    return columns.some((one) => mayIdBeText(table as TableName, one));
  }),
);

// In SQLite, each of them is tried in `npm test`.
const TRIED = [
  ...ABSENCES.map((one) => [nameOf(one), 'numeric', one] as const),
  ...OF_IDS.map((one) => [nameOf(one), 'text', one] as const),
];

test.for(sample(TRIED, 3))('%s, with ids as %s: as if it had the default', async ([, ids, absence]) => {
  const expected = await servedFrom(await fill(rowsWithout(absence, 'default'), ids));
  await fill(absence.isNull ? rowsWithout(absence, null) : WHOLE, ids);
  await withViews(absence, schemaOf(ids), async () => {
    expect(await servedFrom(schemaOf(ids).url)).toEqual(expected);
    const errors = (await findingsOf(schemaOf(ids).url)).filter(({ severity }) => severity === 'error');
    expect(errors).toEqual([]);
  });
});

test('there are such with ids', () => {
  expect(OF_IDS.map(nameOf)).toEqual(
    expect.arrayContaining(['price_tiers', 'price_tiers.session_id', 'products.image_id']),
  );
});

test.each(NEAR_TABLES)('%s, a view or a table, for %s is a warning', async (found, meant) => {
  await fill(WHOLE, 'numeric');
  const schema = schemaOf('numeric');
  const absent = meant ?? 'tags';
  for (const create of [`CREATE VIEW "${found}" AS SELECT 1 AS id`, `CREATE TABLE "${found}" (id bigint)`]) {
    const kind = create.startsWith('CREATE VIEW') ? 'VIEW' : 'TABLE';
    await schema.client.query(`DROP VIEW ${absent}; ${create}`);
    const findings = await findingsOf(schema.url);
    await schema.client.query(`DROP ${kind} "${found}"; CREATE VIEW ${absent} AS SELECT * FROM theirs_${absent}`);
    const near = findings.filter(({ code }) => code === 'table-misspelled');
    expect(near.map(({ severity, place }) => `${severity} ${place}`)).toEqual(
      meant === null ? [] : [`warning ${meant}`],
    );
    expect(near.every(({ message }) => message.includes(`found "${found}"`))).toBe(true);
  }
});
