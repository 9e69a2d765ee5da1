// What an earlier build left changes nothing but the time a build takes: after any change of rows, and any step of the clock, the tree
// is byte for byte the one that a build without it makes.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { demoRows } from '../../scripts/demo-rows.ts';
import { seedCatalogue } from '../../scripts/seed.ts';
import { instantOf, type Instant } from '../../src/catalogue/instant.ts';
import { TABLE_NAMES, TABLE_RULES, TABLES, type TableName } from '../../src/database/tables.ts';
import { CacheFolder } from '../../src/storage/cache-folder.ts';
import { catalogueArbitrary } from '../reference/random-catalogue.ts';
import { buildTree, catalogueAt, filesOf, instant, temporaryFolder } from '../trees.ts';

const NOW = '2026-05-01T09:00:00Z';

/** A catalogue with two trees of it: one built with what was left before, one without. */
class Pair {
  readonly cachePath: string;
  readonly #root: string;
  readonly #database: string;

  constructor(root: string, database: string) {
    this.#root = root;
    this.#database = database;
    this.cachePath = join(root, 'cache');
  }

  /** Builds both, expects the same of both, and tells how many products the first pressed anew. */
  async build(now: Instant, options: Parameters<typeof buildTree>[3] = {}): Promise<number | null> {
    const cache = new CacheFolder(this.cachePath, null);
    const quick = await buildTree(this.#database, join(this.#root, 'quick'), now, { cache, ...options });
    const full = await buildTree(this.#database, join(this.#root, 'full'), now, options);
    expect(filesOf(join(this.#root, 'quick'))).toEqual(filesOf(join(this.#root, 'full')));
    // The mark is of the one tree or the other.
    const { pressedAnew, mark: _, ...told } = quick;
    const { pressedAnew: nothing, mark: __, ...expected } = full;
    expect(told).toEqual(expected);
    expect(nothing).toBeNull();
    return pressedAnew;
  }

  change(sql: string): void {
    this.changeUnguarded(`pragma foreign_keys = on; ${sql}`);
  }

  changeUnguarded(sql: string): void {
    const handle = new Database(this.#database);
    try {
      handle.pragma('foreign_keys = off');
      handle.exec(sql);
    } finally {
      handle.close();
    }
  }
}

/** Tables whose rows are a product's or a front's own: a change of any other has everything pressed anew. */
const OWN_TABLES = TABLE_NAMES.filter((table) => /^(products?|sessions|price_tiers|fronts?)/.test(table));

/** One change of one row, whatever it hits. */
const changeArbitrary = fc.record({
  table: fc.oneof(
    { arbitrary: fc.constantFrom(...OWN_TABLES), weight: 5 },
    { arbitrary: fc.constantFrom(...TABLE_NAMES), weight: 1 },
  ),
  kind: fc.constantFrom('update', 'update', 'update', 'delete', 'copy', 'wrong'),
  column: fc.nat(20),
  row: fc.nat(1000),
  from: fc.nat(1000),
});

/** What no foreign key and no CHECK stops: `?` is a number of no meaning. */
const WRONGS = [
  "update venues set timezone = 'Europe/Kiew' where id = (select id from venues limit 1 offset ? % 3)",
  "update venues set timezone = 'Europe/Berlin' where timezone = 'Europe/Kiew' and ? >= 0",
  'delete from products where id = (select product_id from front_products limit 1 offset ? % 9)',
  "insert or ignore into sessions (id, product_id, venue_id, starts_at) values (88888 + ?, 77777, (select min(id) from venues), '2026-06-01T10:00:00Z')",
  'delete from sessions where product_id = 77777 and ? >= 0',
  'insert or ignore into front_session_exclusions (front_id, session_id) values ((select min(id) from fronts), 99999 + ?)',
  'delete from front_session_exclusions where session_id >= 99999 and ? >= 0',
];

/** Gives a column of a row the value that another row has there, takes a row away, or puts one that was taken away back. */
function changeRow(
  path: string,
  { table, kind, column, row, from }: { table: TableName; kind: string; column: number; row: number; from: number },
  taken: { table: TableName; row: Record<string, unknown> }[],
): boolean {
  const handle = new Database(path);
  handle.pragma('foreign_keys = ON');
  try {
    if (kind === 'wrong') {
      handle.pragma('foreign_keys = OFF');
      return handle.prepare(WRONGS[column % WRONGS.length] ?? '').run(row).changes > 0;
    }
    const rows = handle.prepare(`select * from ${table}`).all() as Record<string, unknown>[];
    const one = rows[row % rows.length];
    const columns = Object.keys(TABLES[table]);
    const back = kind === 'copy' ? taken.pop() : undefined;
    if (back !== undefined) {
      const names = Object.keys(back.row);
      handle
        .prepare(`insert into ${back.table} (${names.join()}) values (${names.map(() => '?').join()})`)
        .run(...Object.values(back.row));
      return true;
    }
    if (one === undefined) return false;
    const key = TABLE_RULES[table].key;
    const where = key.map((name) => `${name} = ?`).join(' and ');
    const keyValues = key.map((name) => one[name]);
    if (kind === 'delete') {
      taken.push({ table, row: one });
      return handle.prepare(`delete from ${table} where ${where}`).run(...keyValues).changes === 1;
    }
    const name = columns[column % columns.length] ?? '';
    const other = rows[from % rows.length]?.[name];
    // Most columns hold one value in most rows: a number next to it is a change all the same.
    const value = other === one[name] && typeof other === 'number' ? other + 1 : other;
    handle.prepare(`update ${table} set ${name} = ? where ${where}`).run(value, ...keyValues);
    return true;
  } catch {
    // The schema refuses it: nothing was changed.
    return false;
  } finally {
    handle.close();
  }
}

interface Step {
  readonly changes: readonly Parameters<typeof changeRow>[1][];
  readonly seconds: number;
  readonly horizonSeconds: number;
}

/** Changes of rows, of the clock (mostly small ones, now and then beyond the horizon), and of the horizon. */
function historyArbitrary(minLength: number, maxLength: number): fc.Arbitrary<Step[]> {
  const seconds = fc.constantFrom(0, 0, 60, 300, 3600, 20_000, 90_000);
  const horizonSeconds = fc.constantFrom(21_600, 21_600, 21_600, 3600, 7200, 30_000);
  return fc.array(fc.record({ changes: fc.array(changeArbitrary, { maxLength: 3 }), seconds, horizonSeconds }), {
    minLength,
    maxLength,
  });
}

/** Walks a history, building both trees at each step; how often something was taken over. */
async function walk(pair: Pair, database: string, steps: readonly Step[], start: Instant): Promise<number> {
  const away: Parameters<typeof changeRow>[2] = [];
  let now = start;
  let taken = 0;
  await pair.build(now);
  for (const { changes, seconds, horizonSeconds } of steps) {
    for (const change of changes) changeRow(database, change, away);
    now = instantOf(now + seconds);
    if ((await pair.build(now, { horizonSeconds })) !== null) taken += 1;
  }
  return taken;
}

describe('a build that takes over what an earlier one left', () => {
  test('after any history of rows and clock, is the full build', { timeout: 240_000 }, async () => {
    const root = temporaryFolder();
    let serial = 0;
    await fc.assert(
      fc.asyncProperty(catalogueArbitrary(), historyArbitrary(5, 8), async (catalogue, steps) => {
        const folder = join(root, String(++serial));
        const database = catalogueAt(`${folder}.sqlite`, catalogue.rows);
        await walk(new Pair(folder, database), database, steps, instant(catalogue.now));
      }),
      { numRuns: 30 },
    );
  });

  test(
    'after any history of the demo, which is sound and large enough, is the full build',
    { timeout: 240_000 },
    async () => {
      const root = temporaryFolder();
      let serial = 0;
      let taken = 0;
      // Chance may hit what all products share in every step: of this history, at least, most steps take something over.
      const quiet: Step[] = OWN_TABLES.map((table) => ({
        changes: [{ table, kind: 'update', column: 2, row: 1, from: 2 }],
        seconds: 60,
        horizonSeconds: 21_600,
      }));
      await fc.assert(
        fc.asyncProperty(historyArbitrary(12, 12), async (steps) => {
          const folder = join(root, String(++serial));
          const database = catalogueAt(`${folder}.sqlite`, demoRows(NOW));
          taken += await walk(new Pair(folder, database), database, steps, instant(NOW));
        }),
        { numRuns: 4, examples: [[quiet]] },
      );
      expect(taken).toBeGreaterThan(OWN_TABLES.length / 2);
    },
  );

  test('presses only what is not as it was, and renders nothing that is published', async () => {
    const root = temporaryFolder();
    const database = catalogueAt(join(root, 'demo.sqlite'), demoRows(NOW));
    const pair = new Pair(root, database);
    const now = instant(NOW);
    expect(await pair.build(now)).toBeNull();
    expect(await pair.build(now)).toBe(0);
    pair.change("update products set name = name || ' *' where id = (select min(product_id) from front_products)");
    expect(await pair.build(now)).toBe(1);
    // One is too few to write all of them again.
    expect(await pair.build(now)).toBe(1);
    // Nothing happens in the first second of a new horizon but what the clock brings at its end.
    expect(await pair.build(instantOf(now + 1))).toBeLessThan(20);
    // A row of a table that all products share, and other versions: everything anew.
    pair.change("update venues set name = name || ' *'");
    expect(await pair.build(instantOf(now + 2))).toBeNull();
    expect(await pair.build(instantOf(now + 3))).toBeLessThan(20);
    expect(await pair.build(instantOf(now + 3), { tzdata: '1999z' })).toBeNull();
    expect(await pair.build(instantOf(now + 4), { tzdata: '1999z', frontCodes: ['moscow'] })).toBeNull();
  });

  test('a product that is only blamed, for its venue, is not taken over', async () => {
    const root = temporaryFolder();
    const pair = new Pair(root, catalogueAt(join(root, 'demo.sqlite'), demoRows(NOW)));
    pair.change("update venues set timezone = 'Europe/Kiew' where id = (select min(venue_id) from sessions)");
    for (const minute of [0, 1, 2]) await pair.build(instantOf(instant(NOW) + minute * 60));
  });

  test('what is said of rows of no product is said in one order', async () => {
    const root = temporaryFolder();
    const pair = new Pair(root, catalogueAt(join(root, 'demo.sqlite'), demoRows(NOW)));
    expect(await pair.build(instant(NOW))).toBeNull();
    pair.changeUnguarded('delete from products where id in (select distinct product_id from sessions limit 2)');
    expect(await pair.build(instant(NOW))).toBe(2);
  });

  test('nor is an edition that lies beyond a shorter horizon', { timeout: 60_000 }, async () => {
    const root = temporaryFolder();
    const database = join(root, 'S.sqlite');
    seedCatalogue({ path: database, size: 'S', now: NOW, seed: 1 });
    const pair = new Pair(root, database);
    for (const [minute, horizonMinutes] of [
      [0, 120],
      [5, 130],
      [10, 112],
      [15, 150],
    ] as const) {
      await pair.build(instantOf(instant(NOW) + minute * 60), { horizonSeconds: horizonMinutes * 60 });
    }
  });

  test('damaged, cut short, of another version or another tree, it is not believed', async () => {
    const root = temporaryFolder();
    const database = catalogueAt(join(root, 'demo.sqlite'), demoRows(NOW));
    const pair = new Pair(root, database);
    const now = instant(NOW);
    await pair.build(now);
    const names = readdirSync(pair.cachePath);
    expect(names.sort()).toEqual(['pressed.bin', 'rendered.json']);
    for (const name of names) {
      const path = join(pair.cachePath, name);
      const good = readFileSync(path);
      const flipped = Uint8Array.from(good);
      const middle = flipped.length >> 1;
      flipped[middle] = (flipped[middle] ?? 0) ^ 1;
      const isPressed = name === 'pressed.bin';
      for (const bad of [
        flipped,
        good.subarray(0, middle),
        good.subarray(0, 20),
        new Uint8Array(0),
        Buffer.from('{}\n'),
      ]) {
        writeFileSync(path, bad);
        expect(await pair.build(now), `${name}, ${bad.length} bytes`).toBe(isPressed ? null : 0);
        expect(statSync(path).size).toBe(good.length);
      }
    }
    // Rendered for a tree that is another one by now.
    await pair.build(now);
    const other = join(root, 'other');
    const cache = new CacheFolder(pair.cachePath, null);
    await buildTree(database, other, now, { cache });
    expect(filesOf(other)).toEqual(filesOf(join(root, 'full')));
  });
});
