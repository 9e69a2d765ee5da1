// Law 6 while tables are replaced or emptied: PostgreSQL shows these as empty, or in another state, to a snapshot that is older. A build that
// could meet one ends, and publishes nothing; the next one is good.

import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { openCatalogue } from '../../src/database/open.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { readerWith } from '../support/fault/watched-reader.ts';
import { copyCatalogue } from '../support/postgres/copy.ts';
import { builtInMemory } from '../support/postgres/memory-tree.ts';
import { newSchema, type OwnSchema } from '../support/postgres/own-schema.ts';
import { catalogueAt, instant, temporaryFolder } from '../support/trees.ts';

let schema: OwnSchema;
beforeEach(async () => {
  const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 3, sessionsPerProduct: 1, edition: 'x' });
  schema = await newSchema();
  await copyCatalogue(catalogueAt(join(temporaryFolder(), 'small.sqlite'), rows), schema, 'contract');
  return () => schema.drop();
});

/** Builds, with changes committed when the build has read a table, and before it reads price tiers. */
async function builtAround(changes: string, url = schema.url): Promise<string | null> {
  await using reader = await openCatalogue(url);
  const watched = readerWith(reader, async (read) => {
    if (read === 2) await schema.client.query(changes);
  });
  return (await builtInMemory(watched, instant(NOW))).releaseId;
}

const COPY = 'CREATE TABLE copied AS SELECT * FROM price_tiers';

test.each<[what: string, before: string, changes: string, named: string]>([
  [
    'is truncated and filled again',
    COPY,
    'BEGIN; TRUNCATE price_tiers; INSERT INTO price_tiers SELECT * FROM copied; COMMIT',
    'price_tiers',
  ],
  [
    'is a view over a table that is truncated and filled again',
    `${COPY}; ALTER TABLE price_tiers RENAME TO tariff; CREATE VIEW price_tiers AS SELECT * FROM tariff`,
    'BEGIN; TRUNCATE tariff; INSERT INTO tariff SELECT * FROM copied; COMMIT',
    'tariff',
  ],
  [
    'is a partitioned table, of which a partition is truncated and filled again',
    `${COPY}; DROP TABLE price_tiers; CREATE TABLE price_tiers (LIKE copied) PARTITION BY RANGE (id);
     CREATE TABLE tiers_few PARTITION OF price_tiers DEFAULT; INSERT INTO price_tiers SELECT * FROM copied`,
    'BEGIN; TRUNCATE tiers_few; INSERT INTO price_tiers SELECT * FROM copied; COMMIT',
    'tiers_few',
  ],
  [
    'is a materialized view that is refreshed',
    'ALTER TABLE price_tiers RENAME TO tariff; CREATE MATERIALIZED VIEW price_tiers AS SELECT * FROM tariff',
    'REFRESH MATERIALIZED VIEW price_tiers',
    'price_tiers',
  ],
  ['is rewritten', '', 'ALTER TABLE price_tiers ALTER COLUMN amount_minor TYPE numeric', 'price_tiers'],
  [
    'is replaced by one that was filled before',
    `${COPY}; UPDATE copied SET amount_minor = 1`,
    'BEGIN; ALTER TABLE price_tiers RENAME TO old; ALTER TABLE copied RENAME TO price_tiers; COMMIT',
    'price_tiers',
  ],
  [
    'is made anew',
    COPY,
    'BEGIN; DROP TABLE price_tiers; CREATE TABLE price_tiers AS SELECT * FROM copied; COMMIT',
    'price_tiers',
  ],
])('a table that %s', async (_what, before, changes, named) => {
  await schema.client.query(before);
  await expect(builtAround(changes)).rejects.toMatchObject({
    code: 'database-busy',
    message: expect.stringContaining(`found ${named} replaced, truncated or rewritten after the read began`) as string,
    hint: expect.stringContaining('DELETE rather than TRUNCATE') as string,
  });
  await builtAround('');
});

test.each([
  'DELETE FROM price_tiers',
  'CREATE INDEX ON price_tiers (currency)',
  'ANALYZE price_tiers',
  'BEGIN; CREATE TABLE unrelated (id int); TRUNCATE unrelated; COMMIT',
])('a build goes on, and shows what there was: %s', async (changes) => {
  const releaseId = await builtAround('');
  expect(await builtAround(changes)).toBe(releaseId);
});

test('a table that somebody holds is waited for until lock_timeout, which is ten seconds where the operator sets none', async () => {
  const lockTimeout = async (url: string): Promise<unknown> => {
    await using reader = await openCatalogue(url);
    return (await reader.rows(sql`select current_setting('lock_timeout')`))[0]?.[0];
  };
  const brief = `${schema.url}%20-clock_timeout%3D200`;
  expect([await lockTimeout(schema.url), await lockTimeout(brief)]).toEqual(['10s', '200ms']);
  await schema.client.session(async (holder) => {
    await holder.query('BEGIN; LOCK TABLE price_tiers IN ACCESS EXCLUSIVE MODE');
    await expect(builtAround('', brief)).rejects.toMatchObject({
      code: 'database-busy',
      message: expect.stringContaining(
        'rows of price_tiers were read: canceling statement due to lock timeout',
      ) as string,
      hint: expect.stringContaining('pg_stat_activity') as string,
    });
  });
});
