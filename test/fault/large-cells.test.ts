// Cells of tens of megabytes in a process that has no room for them: findings by their size, where
// reading them would end it. What is in the way of a row is not read either to sort it, or to say
// what is wrong with it.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { Command, summaryOf, type Run } from '../support/fault/command.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { newSchema } from '../support/postgres/own-schema.ts';
import { copyCatalogue } from '../support/postgres/copy.ts';
import { catalogueAt, temporaryFolder } from '../support/trees.ts';
import { sample } from '../speeds.ts';

const command = new Command();
const tellFault = matrixOf(import.meta.url);

/** Node.js takes about two thirds of this address space before it has done anything. */
const LIMITED = ['sh', '-c', 'ulimit -v 1800000; exec "$@"', 'sh'];
const BYTES = 45_000_000;
/** A different one of each row, so that none is computed once for all. */
const LARGE = `hex(zeroblob(${BYTES / 2} + id))`;
/** More than fit together. */
const ROWS = 18;

const rows = smallCatalogue({
  fronts: ['alpha', 'bravo'],
  productsPerFront: ROWS,
  sessionsPerProduct: 1,
  edition: 'x',
});

function run(words: readonly string[]): Promise<Run> {
  return command.run(words, { through: LIMITED });
}

/**
 * Large cells take out products or sessions of the front alpha, and none of bravo; the other commands that read
 * rows end as for any bad value.
 */
async function expectFound(database: string, column: RegExp, isExplained = true): Promise<void> {
  const out = join(temporaryFolder(), 'out');
  const build = await run(['build', '--db', database, '--out', out, '--now', NOW, '--json']);
  expect([4, 7]).toContain(build.code);
  const { fronts, findings } = summaryOf(build);
  const isAffected = fronts.map(({ held, snapshot }) => held === 'max-bad' || (snapshot?.leftOut ?? null) !== null);
  expect(isAffected).toEqual([true, false]);
  const large = findings.filter(({ message }) => column.test(message));
  expect(large.length).toBeGreaterThanOrEqual(ROWS);
  const situation = `${ROWS} cells of 45 MB in rows of one front`;
  tellFault({ situation, sees: 'this front old, the others new', heals: 'fix the rows, and build' }, build.code);
  const check = await run(['check-db', '--db', database, '--all']);
  // By now the sessions are over, so that some of these errors are warnings.
  expect([0, 1], check.stderr).toContain(check.code);
  expect(check.stdout).toMatch(/found (text|a BLOB) of \d{8} bytes/);
  const exported = await run(['export', '--db', database]);
  expect(exported, exported.stderr).toMatchObject({ code: 2 });
  expect(exported.stderr).toContain('error export-value-unprintable');
  if (isExplained) {
    const explained = await run([
      'explain',
      '--db',
      database,
      '--front',
      'alpha',
      '--product',
      'show-1001',
      '--at',
      NOW,
    ]);
    expect(explained, explained.stderr).toMatchObject({ code: 0 });
    expect(explained.stdout).toMatch(/Errors leave (the product out|out some of its sessions)/);
  }
  const keys = await run(['keys', 'list', '--db', database]);
  expect(keys, keys.stderr).toMatchObject({ code: 0 });
}

/** A catalogue in which `change` makes cells large; it is gone after the test. */
async function withCatalogue(change: (database: Database.Database) => void, use: (path: string) => Promise<void>) {
  const folder = temporaryFolder();
  const path = catalogueAt(join(folder, 'large.sqlite'), rows);
  const database = new Database(path);
  database.pragma('synchronous = OFF');
  database.pragma('journal_mode = DELETE');
  database.pragma('foreign_keys = OFF');
  database.pragma('legacy_alter_table = ON');
  change(database);
  database.close();
  try {
    await use(path);
  } finally {
    rmSync(path);
  }
}

const OF_ALPHA = `> 1000 AND product_id < 2000`;
const LOOSE_SESSIONS =
  'ALTER TABLE sessions RENAME TO strict_sessions; CREATE TABLE sessions AS SELECT * FROM strict_sessions; DROP TABLE strict_sessions;';
/** One of each product's two sessions. */
const FIRST = `id % 100 = 1 AND product_id ${OF_ALPHA}`;

interface Large {
  readonly what: string;
  readonly sql: string;
  readonly column: RegExp;
  /** Not where it would look for each product among all rows. */
  readonly isExplained?: boolean;
}

const OF_NAME = /^name: .* found text of 45\d{6} bytes$/;
const LOOSE_WORDS = `${LOOSE_SESSIONS} UPDATE sessions SET status = ${LARGE} WHERE ${FIRST};
  UPDATE sessions SET starts_local = zeroblob(${BYTES}) WHERE id = 100101;`;
const OF_STATUS = /^status: .* found text of 45\d{6} bytes$/;

const IN_SQLITE: readonly Large[] = [
  {
    what: 'names in tables of data/schema.sql',
    sql: `UPDATE products SET name = ${LARGE} WHERE id > 1000 AND id < 2000`,
    column: OF_NAME,
  },
  {
    what: 'words and BLOBs in tables of an operator, with an index',
    sql: `${LOOSE_WORDS} CREATE INDEX theirs ON sessions (product_id)`,
    column: OF_STATUS,
  },
  {
    what: 'ids in tables that have to be sorted',
    sql: `${LOOSE_SESSIONS}
      INSERT INTO sessions (id, product_id, venue_id, starts_at, status, paused)
        SELECT id + 50, 'x' || ${LARGE}, venue_id, starts_at, status, paused FROM sessions WHERE ${FIRST};
      UPDATE sessions SET status = 'x' WHERE ${FIRST}`,
    column: /^product_id: .* found text of 45\d{6} bytes$/,
    isExplained: false,
  },
  { what: 'words and BLOBs in tables of an operator, that have to be sorted', sql: LOOSE_WORDS, column: OF_STATUS },
  {
    what: 'what a view computes',
    sql: `ALTER TABLE products RENAME TO own; CREATE VIEW products AS
      SELECT id, slug, CASE WHEN id > 1000 AND id < 2000 THEN ${LARGE} ELSE name END AS name,
        age_rating, sale_schema, pushka, paused, paused_until, image_id, status FROM own`,
    column: OF_NAME,
  },
];

test.each(sample(IN_SQLITE, 2))('in SQLite: $what', ({ sql, column, isExplained }) =>
  withCatalogue(
    (database) => database.exec(sql),
    (path) => expectFound(path, column, isExplained),
  ),
);

test('in PostgreSQL', () =>
  withCatalogue(
    () => undefined,
    async (path) => {
      await using schema = await newSchema();
      await copyCatalogue(path, schema, 'contract');
      // Compressed, so that the server has little to write.
      await schema.client.query(`UPDATE products SET name = repeat('x', ${BYTES}) WHERE id > 1000 AND id < 2000`);
      await expectFound(schema.url, /^name: .* found text of 45\d{6} bytes$/);
    },
  ));
