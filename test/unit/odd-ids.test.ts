// Ids and other cells of an operator's own views as no table of ours could hold them: what is read
// as JSON is what a driver would have handed over.

import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { TABLE_NAMES, TABLES } from '../../src/database/contract/tables.ts';
import { richCatalogue, viewsAt } from '../support/fault/rich-catalogue.ts';
import { NOW } from '../support/fault/small-catalogue.ts';
import { buildTree, filesOf, instant, temporaryFolder } from '../support/trees.ts';

/** Builds two fronts over views, with whole numbers stored as integers, and changed by `change`. */
async function built(change: (database: Database.Database) => void) {
  const root = temporaryFolder();
  const path = join(root, 'theirs.sqlite');
  const database = viewsAt(path, richCatalogue(['alpha', 'bravo']));
  for (const table of TABLE_NAMES) {
    for (const column of Object.keys(TABLES[table])) {
      database.exec(
        `UPDATE theirs_${table} SET ${column} = CAST(${column} AS INTEGER) WHERE typeof(${column}) = 'real'`,
      );
    }
  }
  change(database);
  database.close();
  const { findings, outcomes } = await buildTree(path, join(root, 'out'), instant(NOW));
  return { findings, held: outcomes.map(({ held }) => held), files: filesOf(join(root, 'out')) };
}

/** Most rows of front_products hold nothing but the product. */
const PLAIN = 'UPDATE theirs_front_products SET featured = 0, visible_from = NULL, visible_until = NULL';

test('an exclusion speaks of its session though an expression has made the id a REAL of sixteen digits', async () => {
  const far = (exclusion: string) => (database: Database.Database) => {
    for (const [table, column] of [
      ['sessions', 'id'],
      ['price_tiers', 'session_id'],
      ['front_session_exclusions', 'session_id'],
    ] as const) {
      database.exec(`UPDATE theirs_${table} SET ${column} = ${column} + 1234567890120000 WHERE ${column} IS NOT NULL`);
    }
    database.exec(`UPDATE theirs_front_session_exclusions SET session_id = ${exclusion}`);
  };
  const asInteger = await built(far('session_id'));
  const asReal = await built(far('CAST(session_id AS REAL)'));
  const without = await built((database) => {
    far('session_id')(database);
    database.exec('DELETE FROM theirs_front_session_exclusions');
  });
  expect(asReal).toEqual(asInteger);
  expect(asInteger.files).not.toEqual(without.files);
});

test('a product without an id is a finding, and takes nothing from the others', async () => {
  const whole = await built(() => undefined);
  const { findings, files, held } = await built((database) => {
    database.exec(`INSERT INTO theirs_products SELECT * FROM theirs_products WHERE id = (SELECT max(id) FROM theirs_products);
      UPDATE theirs_products SET id = NULL, slug = 'nameless' WHERE rowid = (SELECT max(rowid) FROM theirs_products)`);
  });
  expect(findings.map(({ code, place }) => `${code} ${place}`)).toContain('value-invalid products NULL');
  expect(held).toEqual(whole.held);
  expect([...files].filter(([path]) => path.startsWith('public/'))).toEqual(
    [...whole.files].filter(([path]) => path.startsWith('public/')),
  );
});

test('each row of a product whose id is text is a finding', async () => {
  const { findings } = await built((database) => {
    database.exec('UPDATE theirs_products SET id = CAST(id AS TEXT) WHERE id = (SELECT min(id) FROM theirs_products)');
    for (const table of ['sessions', 'price_tiers', 'product_tags']) {
      database.exec(
        `UPDATE theirs_${table} SET product_id = CAST(product_id AS TEXT) WHERE product_id = (SELECT min(product_id) FROM theirs_${table})`,
      );
    }
  });
  const tables = findings.map(({ place }) => place.split(' ')[0]);
  expect(tables).toEqual(expect.arrayContaining(['products', 'sessions', 'price_tiers', 'product_tags']));
});

test.each([
  ['a BLOB', "x'3132'", 'a BLOB of 2 bytes'],
  ['text', "'abc'", '"abc"'],
  ['a fraction', '1.5', '1.5'],
  [
    'beyond what a number holds',
    '9007199254740993',
    '9007199254740993, which is beyond -9007199254740991 to 9007199254740991',
  ],
])('a row that says nothing but the product, which is %s, leads nowhere', async (_, value, found) => {
  const good = await built((database) => database.exec(PLAIN));
  const { findings, held } = await built((database) => {
    database.exec(PLAIN);
    database.exec(
      `UPDATE theirs_front_products SET product_id = ${value} WHERE front_id = (SELECT min(front_id) FROM theirs_front_products)`,
    );
  });
  expect(good.held).toEqual([null, null]);
  expect(held).toEqual([null, null]);
  expect(findings.map(({ message }) => message).join('\n')).toContain(found);
});

test('ids beyond what a number holds are told apart, digit by digit', async () => {
  const ids = ['1152735103331642317', '1152735103331642318'];
  const { findings } = await built((database) => {
    // Rows of a product that cannot be read are not looked at: of those the first, of others the
    // last.
    for (const [table, end] of [
      ['venues', 'max'],
      ['products', 'min'],
      ['sessions', 'max'],
      ['price_tiers', 'max'],
    ] as const) {
      for (const id of ids) {
        database.exec(
          `UPDATE theirs_${table} SET id = ${id} WHERE id = (SELECT ${end}(id) FROM theirs_${table} WHERE id < 1000000000000
             ${table === 'price_tiers' ? 'AND session_id IS NULL' : ''})`,
        );
      }
    }
    database.exec(
      `UPDATE theirs_product_tags SET product_id = -${ids[0]} WHERE product_id = (SELECT max(product_id) FROM theirs_product_tags)`,
    );
  });
  for (const id of ids) {
    for (const [table, more] of [
      ['venues', ', or text of 1 to 200 characters'],
      ['products', ''],
      ['sessions', ', or text of 1 to 200 characters'],
      ['price_tiers', ', or NULL'],
    ] as const) {
      const found = findings.find(({ place }) => place === `${table} ${id}`);
      expect(found?.message, `${table} ${id}`).toBe(
        `id: expected an integer${more}, found ${id}, which is beyond -9007199254740991 to 9007199254740991`,
      );
      expect(found?.hint).toMatch(/those beyond 2\^53, .* \(data\/own-schema\.md, Ids\)$/);
    }
  }
  expect(findings.map(({ message }) => message).join('\n')).toContain(
    `product_id: expected the id of a row of products, found -${ids[0]}`,
  );
});

test('text that is too large is not read: its size is found', async () => {
  const large = `'${'x'.repeat(300_000)}'`;
  const { findings } = await built((database) => {
    database.exec(`UPDATE theirs_products SET name = ${large} WHERE id = (SELECT min(id) FROM theirs_products);
      UPDATE theirs_sessions SET status = ${large} WHERE id = (SELECT max(id) FROM theirs_sessions)`);
  });
  const found = findings.map(({ message }) => message);
  expect(found).toContain('name: expected text of at most 65536 characters, found text of 300000 bytes');
  expect(found).toContain(
    'status: expected one of draft, scheduled, rescheduled, postponed, cancelled, found text of 300000 bytes',
  );
});
