// Law 6 while others write: whatever is committed between the reads of a build, its content is that
// of one state of the catalogue, and what was committed late is in the next build.

import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { expect, test } from 'vitest';
import { openCatalogue } from '../../src/database/open.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { readerWith } from '../support/fault/watched-reader.ts';
import { copyCatalogue } from '../support/postgres/copy.ts';
import { builtInMemory } from '../support/postgres/memory-tree.ts';
import { newSchema } from '../support/postgres/own-schema.ts';
import { catalogueAt, instant, temporaryFolder } from '../support/trees.ts';

/**
 * What makes state k of any other, in one commit: something of every table that documents show. The
 * same in both databases.
 */
const stateSql = (k: number): string => `
  UPDATE products SET name = 'show ' || id || ' in state ${k}', slug = 's-${k}-' || id;
  UPDATE price_tiers SET amount_minor = ${50_000 + k};
  UPDATE sessions SET available = (id + ${k}) % 3;
  UPDATE venues SET name = 'venue in state ${k}';
  UPDATE categories SET name_singular = 'category in state ${k}';
  UPDATE front_keys SET secret_ref = 'SECRET_${k}';
  UPDATE front_products SET sort_weight = (product_id * ${(k % 7) + 1}) % 5, featured = ${k % 2};
  UPDATE fronts SET currency_exponent = ${k % 3};`;

const COMMITS = 200;

test('200 commits, one before each read: each build shows the state that there was when it began', async () => {
  const folder = temporaryFolder();
  const rows = smallCatalogue({
    fronts: ['alpha', 'bravo'],
    productsPerFront: 150,
    sessionsPerProduct: 1,
    edition: 'x',
  });
  const path = catalogueAt(join(folder, 'states.sqlite'), rows);
  await using schema = await newSchema();
  await copyCatalogue(path, schema, 'contract');
  const writer = new pg.Client({ connectionString: schema.url });
  await writer.connect();
  const ours = new Database(path);
  const progress = { state: 0 };
  const commitNext = async (): Promise<void> => {
    progress.state += 1;
    await writer.query(`BEGIN; ${stateSql(progress.state)} COMMIT`);
  };
  await commitNext();
  const states: number[] = [];
  while (progress.state < COMMITS) {
    await using reader = await openCatalogue(schema.url);
    // Committed after the connection, and before the lock is taken: it is seen.
    await commitNext();
    let begun = 0;
    const watched = readerWith(reader, async (read) => {
      if (read > 1) await commitNext();
      else begun = progress.state;
    });
    const { files, releaseId } = await builtInMemory(watched, instant(NOW));
    expect(progress.state - begun).toBeGreaterThan(20);
    ours.exec(`BEGIN; ${stateSql(begun)} COMMIT`);
    await using expected = await openCatalogue(path);
    const same = await builtInMemory(expected, instant(NOW));
    expect(files, `begun in state ${begun}, of ${progress.state}`).toEqual(same.files);
    expect(releaseId).toBe(same.releaseId);
    states.push(begun);
  }
  expect(states.length).toBeGreaterThan(2);
  // Nothing of a state was left to the next one but one.
  expect(states).toEqual(states.toSorted((a, b) => a - b));
  ours.close();
  await writer.end();
});

test('others write without waiting, and nobody waits for a build', async () => {
  const path = catalogueAt(
    join(temporaryFolder(), 'states.sqlite'),
    smallCatalogue({ fronts: ['alpha'], productsPerFront: 300, sessionsPerProduct: 1, edition: 'x' }),
  );
  await using schema = await newSchema();
  await copyCatalogue(path, schema, 'contract');
  const progress = { committed: 0, isOver: false };
  const write = async (): Promise<void> => {
    const writer = new pg.Client({ connectionString: schema.url });
    await writer.connect();
    // A lock that a build held would end this with an error.
    await writer.query("SET lock_timeout = '60s'; SET statement_timeout = '60s'");
    while (!progress.isOver) {
      const next = progress.committed + 1;
      await writer.query(`BEGIN; ${stateSql(next)} COMMIT`);
      progress.committed = next;
    }
    await writer.end();
  };
  const writing = write();
  try {
    let last = 0;
    for (let builds = 0; builds < 5 || progress.committed < 20; builds++) {
      const before = progress.committed;
      await using reader = await openCatalogue(schema.url);
      const { files } = await builtInMemory(reader, instant(NOW));
      const text = [...files.values()].join('\n');
      const seen = new Set([...text.matchAll(/(?:in state |"s-|SECRET_)(\d+)/g)].map(([, k]) => Number(k)));
      expect(seen.size, [...seen].join()).toBe(before === 0 ? seen.size : 1);
      const [state = 0] = seen;
      expect(state).toBeGreaterThanOrEqual(Math.max(before, last));
      expect(state).toBeLessThanOrEqual(progress.committed + 1);
      last = state;
    }
  } finally {
    progress.isOver = true;
    await writing;
  }
});
