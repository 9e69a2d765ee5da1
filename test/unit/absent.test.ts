// A catalogue may lack tables and columns (catalogue.md, "What may be absent"): it is published as
// if they were there, empty or with their defaults; and NULL in a column with a default is that
// default. The same in PostgreSQL is in test/postgres/absent.test.ts.

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { findingLine } from '../../src/findings.ts';
import { findingsOf } from '../support/database-rows.ts';
import {
  ABSENCES,
  lackingCatalogueAt,
  nameOf,
  NEAR_TABLES,
  REQUIRED,
  rowsWithout,
  WHOLE,
  type Absence,
} from '../support/absences.ts';
import { viewsAt } from '../support/fault/rich-catalogue.ts';
import { NOW } from '../support/fault/small-catalogue.ts';
import { manifestOf } from '../support/manifests.ts';
import { buildTree, filesOf, instant, temporaryFolder } from '../support/trees.ts';

/** What a build publishes for readers. */
async function servedFrom(database: string): Promise<ReadonlyMap<string, unknown>> {
  const out = join(temporaryFolder(), 'out');
  const guards = { maxShrink: 1, maxBad: 1, allow: [], force: false };
  await buildTree(database, out, instant(NOW), { guards });
  return new Map([...filesOf(out)].filter(([name]) => /^(?:public|edge)\//.test(name)));
}

/** A file of views, of which those of these tables are others, or not there. */
function lackingFile(absence: Absence): string {
  const path = join(temporaryFolder(), 'lacking.sqlite');
  if (!absence.isNull) return lackingCatalogueAt(path, WHOLE, absence);
  viewsAt(path, rowsWithout(absence, null)).close();
  return path;
}

test.for(ABSENCES.map((one) => [nameOf(one), one] as const))('%s: as if it had the default', async ([, absence]) => {
  const whole = join(temporaryFolder(), 'whole.sqlite');
  viewsAt(whole, rowsWithout(absence, 'default')).close();
  const lacking = lackingFile(absence);
  expect(await servedFrom(lacking)).toEqual(await servedFrom(whole));
  const errors = (await findingsOf(lacking)).filter(({ severity }) => severity === 'error');
  expect(errors.map(findingLine)).toEqual([]);
});

test.for(REQUIRED)('%s may not be absent', async (name) => {
  const [table = '', column] = name.split('.');
  const path = join(temporaryFolder(), 'lacking.sqlite');
  const database = viewsAt(path, WHOLE);
  const columns = database.prepare(`SELECT * FROM ${table}`).columns();
  const others = columns.map((one) => one.name).filter((one) => one !== column);
  database.exec(`DROP VIEW ${table}`);
  if (column !== undefined) database.exec(`CREATE VIEW ${table} AS SELECT ${others.join(', ')} FROM theirs_${table}`);
  database.close();
  const code = column === undefined ? 'contract-table-missing' : 'contract-column-missing';
  await expect(servedFrom(path)).rejects.toMatchObject({ code, exitCode: 2 });
});

describe('a column under a name that is nearly right', () => {
  test.each([
    ['sessions', 'previousStartsAt', 'previous_starts_at'],
    ['sessions', 'Paused', 'paused'],
    ['sessions', 'puased', 'paused'],
    ['venues', 'ciity', null],
    ['products', 'paused_untill', 'paused_until'],
    ['price_tiers', 'valid_form', 'valid_from'],
    ['front_products', 'baner', 'banner'],
    ['front_products', 'flag', null],
    ['venues', 'ctiy', null],
  ])('%s.%s for %s', async (table, found, meant) => {
    const path = join(temporaryFolder(), 'misspelled.sqlite');
    const database = viewsAt(path, WHOLE);
    const column = meant ?? 'city';
    const lacks = database
      .prepare(`SELECT * FROM ${table}`)
      .columns()
      .map(({ name }) => name)
      .filter((name) => name !== column);
    database.exec(
      `DROP VIEW ${table}; CREATE VIEW ${table} AS SELECT ${lacks.join(', ')}, 0 AS "${found}" FROM theirs_${table}`,
    );
    database.close();
    const codes = (await findingsOf(path)).map(({ code, place }) => `${code} ${place}`);
    if (meant === null) {
      expect(codes.filter((one) => one.startsWith('column-'))).toEqual([]);
      return;
    }
    expect(codes).toContain(`column-misspelled ${table}.${meant}`);
    await expect(servedFrom(path)).rejects.toMatchObject({ code: 'contract-column-misspelled' });
  });
});

describe('a table under a name that is nearly right is a warning', () => {
  test.each(NEAR_TABLES)('%s for %s', async (found, meant) => {
    const path = join(temporaryFolder(), 'near.sqlite');
    const absent = meant ?? 'tags';
    const database = viewsAt(path, WHOLE);
    database.exec(`DROP VIEW ${absent}; CREATE VIEW "${found}" AS SELECT * FROM theirs_${absent}`);
    database.close();
    const warnings = (await findingsOf(path)).filter(({ code }) => code === 'table-misspelled');
    expect(warnings.map(findingLine)).toEqual(
      meant === null ? [] : [expect.stringContaining(`expected a table or view "${meant}", or none, found "${found}"`)],
    );
    expect(warnings.every(({ severity, place }) => severity === 'warning' && place === meant)).toBe(true);
    // It is nothing but a warning.
    expect([...(await servedFrom(path)).keys()].length).toBeGreaterThan(2);
  });

  test('also where it is a table, and beside the error that one must be there', async () => {
    const path = join(temporaryFolder(), 'near.sqlite');
    const database = viewsAt(path, WHOLE);
    database.exec('DROP VIEW venues; CREATE TABLE venue (id INTEGER)');
    database.close();
    const lines = (await findingsOf(path)).filter(({ place }) => place === 'venues');
    expect(lines.map(({ severity, code }) => `${severity} ${code}`)).toEqual([
      'error table-missing',
      'warning table-misspelled',
    ]);
    expect(lines[1]?.message).toBe(
      'expected a table or view "venues", found "venue": it was taken for a table of your own',
    );
  });

  test('but not where the contract has its table', async () => {
    const path = join(temporaryFolder(), 'near.sqlite');
    const database = viewsAt(path, WHOLE);
    database.exec('CREATE TABLE tag (id INTEGER); CREATE VIEW image AS SELECT 1 AS id');
    database.close();
    expect((await findingsOf(path)).map(({ code }) => code)).not.toContain('table-misspelled');
  });
});

describe('what a catalogue has lost since it was published', () => {
  test('a build of one front keeps in mind what the rows of others use', async () => {
    const path = join(temporaryFolder(), 'used.sqlite');
    const out = join(temporaryFolder(), 'out');
    const database = viewsAt(path, WHOLE);
    // Of a product that alpha alone shows.
    database.exec(`UPDATE theirs_sessions SET visible_from = '2026-04-01T00:00:00Z' WHERE product_id = 1010`);
    database.close();
    const usesAfter = async (more: { readonly frontCodes?: readonly string[] }) => {
      const { releaseId } = await buildTree(path, out, instant(NOW), more);
      return manifestOf(filesOf(out), releaseId ?? '').uses ?? [];
    };
    const all = await usesAfter({});
    expect(all).toContain('sessions.visible_from');
    expect(await usesAfter({ frontCodes: ['bravo'] })).toEqual(all);
  });

  test('ends a build, and is allowed by name', async () => {
    const path = join(temporaryFolder(), 'lost.sqlite');
    const out = join(temporaryFolder(), 'out');
    viewsAt(path, WHOLE).close();
    const buildNow = (allow: readonly 'contract-lost'[] = [], more = {}) =>
      buildTree(path, out, instant(NOW), { guards: { maxShrink: 1, maxBad: 1, allow, force: false }, ...more });
    await buildNow();
    const before = filesOf(out);
    const database = new Database(path);
    database.exec(`DROP VIEW product_badges; DROP VIEW venues;
      CREATE VIEW venues AS SELECT id, name, timezone FROM theirs_venues`);
    await expect(buildNow()).rejects.toMatchObject({
      code: 'contract-lost',
      exitCode: 2,
      message: expect.stringMatching(/found no venues\.city, product_badges$/),
    });
    // Of what came after the first contract, what was used.
    database.exec('DROP VIEW front_allocations');
    await expect(buildNow()).rejects.toMatchObject({
      message: expect.stringContaining(', front_allocations') as string,
    });
    database.exec('CREATE VIEW front_allocations AS SELECT * FROM theirs_front_allocations');
    // What is lost is lost for all: a build of one front cannot let it pass for the others.
    await expect(buildNow(['contract-lost'], { frontCodes: ['alpha'] })).rejects.toMatchObject({
      code: 'contract-lost',
      hint: expect.stringContaining('without --front') as string,
    });
    expect(filesOf(out)).toEqual(before);
    await buildNow(['contract-lost']);
    const manifests = [...filesOf(out)].filter(([name]) => /^releases\/\d.*\.json$/.test(name));
    expect(manifests.map(([, bytes]) => JSON.parse(bytes) as object)).toContainEqual(
      expect.objectContaining({
        absent: ['venues.city', 'product_badges'],
        allowed: expect.arrayContaining([{ code: 'contract-lost', fronts: null }]),
      }),
    );
    // From then on it is known to be absent; a column of a table that is absent is not lost again.
    await buildNow();
    database.exec('DROP VIEW tags');
    database.close();
    await expect(buildNow()).rejects.toMatchObject({ code: 'contract-lost' });
  });
});
