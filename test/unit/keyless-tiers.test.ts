// Price tiers without ids: nothing refers to a tier, so a view need not make one up. What is wrong
// with a tier is then said of its product, session and price.

import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openCatalogue } from '../../src/database/open.ts';
import { TABLES } from '../../src/database/contract/tables.ts';
import { exportRows } from '../../src/database/write/export-rows.ts';
import { explainProduct } from '../../src/operations/explain.ts';
import { findingsOf } from '../support/database-rows.ts';
import { richCatalogue, viewsAt } from '../support/fault/rich-catalogue.ts';
import { NOW } from '../support/fault/small-catalogue.ts';
import { buildTree, filesOf, instant, temporaryFolder } from '../support/trees.ts';

const COLUMNS = Object.keys(TABLES.price_tiers).filter((column) => column !== 'id');

/** A catalogue of views, of which that of the tiers has no ids; changed by `change`. */
function keyless(change: (database: Database.Database) => void = () => undefined): string {
  const path = join(temporaryFolder(), 'theirs.sqlite');
  const database = viewsAt(path, richCatalogue(['alpha', 'bravo']));
  database.exec(`DROP VIEW price_tiers;
    CREATE VIEW price_tiers AS SELECT ${COLUMNS.join(', ')} FROM theirs_price_tiers`);
  change(database);
  database.close();
  return path;
}

async function built(path: string) {
  const out = join(temporaryFolder(), 'out');
  const { findings } = await buildTree(path, out, instant(NOW), {
    guards: { maxShrink: 1, maxBad: 1, allow: [], force: false },
  });
  const served = new Map([...filesOf(out)].filter(([name]) => name.startsWith('public/')));
  return { served, places: findings.map(({ code, place }) => `${code} ${place}`) };
}

test('a bad tier is located by its product, session and price, and takes out what it did with its id', async () => {
  const change = (database: Database.Database): void =>
    void database.exec(`UPDATE theirs_price_tiers SET kind = 'seat' WHERE id = 1016;
      UPDATE theirs_price_tiers SET currency = 'rub' WHERE id = 2015;
      UPDATE theirs_price_tiers SET session_id = 77 WHERE id = 2026`);
  const { served, places } = await built(keyless(change));
  expect(places.sort()).toEqual([
    'dangling-id price_tiers product_id 2020, session_id 77, amount_minor 50001, currency RUB',
    'value-invalid price_tiers product_id 1010, session_id 1011, amount_minor 50001, currency RUB',
    'value-invalid price_tiers product_id 2010, amount_minor 50000, currency rub',
  ]);
  const path = join(temporaryFolder(), 'theirs.sqlite');
  const database = viewsAt(path, richCatalogue(['alpha', 'bravo']));
  change(database);
  database.close();
  expect(served).toEqual((await built(path)).served);
});

test('check-db says the same, and calls no two of them one row', async () => {
  const path = keyless((database) =>
    database.exec(`INSERT INTO theirs_price_tiers SELECT * FROM theirs_price_tiers WHERE id = 1016;
      UPDATE theirs_price_tiers SET session_id = 2011 WHERE id = 1026;
      UPDATE theirs_price_tiers SET is_public = 2 WHERE id = 2015`),
  );
  const errors = (await findingsOf(path)).filter(({ severity }) => severity === 'error');
  expect(errors.map(({ code, place }) => `${code} ${place}`)).toEqual([
    'value-invalid price_tiers product_id 2010, amount_minor 50000, currency RUB',
    'dangling-id price_tiers product_id 1020, session_id 2011, amount_minor 50001, currency RUB',
  ]);
});

test('NULL in some of them is no id either', async () => {
  const path = join(temporaryFolder(), 'theirs.sqlite');
  const database = viewsAt(path, richCatalogue(['alpha', 'bravo']));
  database.exec('UPDATE theirs_price_tiers SET id = NULL WHERE product_id < 2000');
  database.close();
  expect(await built(path)).toEqual(await built(keyless()));
  expect((await findingsOf(path)).filter(({ severity }) => severity === 'error')).toEqual([]);
});

test('a name that is not text is found in a tier without an id', async () => {
  const path = keyless((database) =>
    database.exec("UPDATE theirs_price_tiers SET name = CAST(x'ff' AS TEXT) WHERE id IN (1015, 1026)"),
  );
  const errors = (await findingsOf(path)).filter(({ severity }) => severity === 'error');
  expect(errors.map(({ place, column }) => `${column} of ${place}`)).toEqual([
    'name of price_tiers product_id 1010, amount_minor 50000, currency RUB',
    'name of price_tiers product_id 1020, session_id 1021, amount_minor 50001, currency RUB',
  ]);
  await using reader = await openCatalogue(path);
  const exporting = async (): Promise<void> => {
    for await (const text of exportRows(reader, ['price_tiers'], () => undefined)) expect(text).toBe('');
  };
  await expect(exporting()).rejects.toMatchObject({ code: 'export-value-unprintable' });
});

test('explain tells them apart by whose they are and what they cost', async () => {
  const path = keyless();
  const options = { databasePath: path, frontCode: 'alpha', slug: 'p-1010', tzdata: '2026a' };
  const { rules } = await explainProduct(options, instant(NOW));
  expect(rules?.tiers.map(({ tier, session, amountMinor, verdict }) => [tier, session, amountMinor, verdict])).toEqual([
    [null, null, 50_000, 'price-from'],
    [null, 1011, 50_001, 'dearer'],
  ]);
});
