// What a catalogue may lack, in PostgreSQL: see test/unit/absent.test.ts. Views over tables without
// types stand for an operator's own.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { TABLES } from '../../src/database/contract/tables.ts';
import { ABSENCES, nameOf, NEAR_TABLES, rowsWithout, WHOLE, type Absence } from '../support/absences.ts';
import type { CatalogueRow } from '../support/catalogue.ts';
import { findingsOf } from '../support/database-rows.ts';
import { viewsAt } from '../support/fault/rich-catalogue.ts';
import { NOW } from '../support/fault/small-catalogue.ts';
import { createLooseTables, looseRows, refillLooseTables } from '../support/postgres/loose-tables.ts';
import { newSchema, type OwnSchema } from '../support/postgres/own-schema.ts';
import { buildTree, filesOf, instant, temporaryFolder } from '../support/trees.ts';

let schema: OwnSchema;
beforeAll(async () => {
  schema = await newSchema();
  await createLooseTables(schema);
  const renamed = Object.keys(TABLES).map(
    (table) => `ALTER TABLE ${table} RENAME TO theirs_${table}; CREATE VIEW ${table} AS SELECT * FROM theirs_${table};`,
  );
  await schema.client.query(renamed.join('\n'));
});
afterAll(() => schema.drop());

/** Fills the tables through the views. */
async function fill(rows: readonly CatalogueRow[]): Promise<string> {
  const path = `${temporaryFolder()}/rows.sqlite`;
  viewsAt(path, rows).close();
  const loose = looseRows(path);
  if (loose === null) throw new Error('PostgreSQL holds all of these rows');
  await refillLooseTables(schema, loose);
  return path;
}

async function servedFrom(database: string): Promise<ReadonlyMap<string, unknown>> {
  const out = `${temporaryFolder()}/out`;
  await buildTree(database, out, instant(NOW), { guards: { maxShrink: 1, maxBad: 1, allow: [], force: false } });
  return new Map([...filesOf(out)].filter(([name]) => /^(?:public|edge)\//.test(name)));
}

async function withViews(absence: Absence, use: () => Promise<void>): Promise<void> {
  const kept = absence.isNull ? [] : [...absence.kept];
  const lacking = kept.map(([table, columns]) =>
    columns.length === 0
      ? `DROP VIEW ${table};`
      : `DROP VIEW ${table}; CREATE VIEW ${table} AS SELECT ${columns.join(', ')} FROM theirs_${table};`,
  );
  await schema.client.query(lacking.join('\n'));
  await use();
  const whole = kept.map(
    ([table]) => `DROP VIEW IF EXISTS ${table}; CREATE VIEW ${table} AS SELECT * FROM theirs_${table};`,
  );
  await schema.client.query(whole.join('\n'));
}

test.for(ABSENCES.map((one) => [nameOf(one), one] as const))('%s: as if it had the default', async ([, absence]) => {
  const expected = await servedFrom(await fill(rowsWithout(absence, 'default')));
  await fill(absence.isNull ? rowsWithout(absence, null) : WHOLE);
  await withViews(absence, async () => {
    expect(await servedFrom(schema.url)).toEqual(expected);
  });
});

test.each(NEAR_TABLES)('%s, a view or a table, for %s is a warning', async (found, meant) => {
  await fill(WHOLE);
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
