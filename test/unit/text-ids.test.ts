// Ids that are text: of fronts, venues, images and sessions, which nothing publishes. 7 and '7' are
// two of them, whatever the affinity of a column makes of that; numbers come before text, which is
// compared by code unit. What random catalogues say of all this is in test/property.

import { join } from 'node:path';
import { copyFileSync, existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { explainResultSchema } from '../../src/contract/results/explain.ts';
import { TABLE_NAMES, TABLES } from '../../src/database/contract/tables.ts';
import { findingLine } from '../../src/findings.ts';
import { openCatalogue } from '../../src/database/open.ts';
import { listKeys, revokeKey, storeKey } from '../../src/database/write/front-keys.ts';
import { exportRows } from '../../src/database/write/export-rows.ts';
import { importRows } from '../../src/database/write/import-rows.ts';
import { mirrorRows } from '../../src/database/write/mirror-rows.ts';
import { explainProduct } from '../../src/operations/explain.ts';
import type { CatalogueRow } from '../support/catalogue.ts';
import { findingsOf, SCHEMA } from '../support/database-rows.ts';
import { richCatalogue, viewsAt } from '../support/fault/rich-catalogue.ts';
import { NOW } from '../support/fault/small-catalogue.ts';
import { catalogueOf, noon, session, tier } from '../support/reference/hand-case.ts';
import { withTextIds } from '../support/text-ids.ts';
import { findingsOf as findingsInTree } from '../support/verify-tree.ts';
import { buildTree, catalogueAt, documentAt, filesOf, instant, temporaryFolder } from '../support/trees.ts';

const GUARDS = { maxShrink: 1, maxBad: 1, allow: [], force: false };
const RICH = richCatalogue(['alpha', 'bravo']);

/** Whose id no table of data/schema.sql takes. */
const OTHER: readonly CatalogueRow[] = [{ table: 'venues', row: { id: 'other', name: 'Other', timezone: 'UTC' } }];

type Change = (database: Database.Database) => void;

/** A catalogue of views over tables without types, changed by `change`. */
function theirs(rows: readonly CatalogueRow[], change: Change = () => undefined): string {
  const path = join(temporaryFolder(), 'theirs.sqlite');
  const database = viewsAt(path, rows);
  // The driver stores numbers as REAL where a column has no type, and of these 14.0 is the text.
  for (const table of TABLE_NAMES) {
    for (const column of Object.keys(TABLES[table]))
      database.exec(
        `UPDATE theirs_${table} SET ${column} = CAST(${column} AS INTEGER) WHERE typeof(${column}) = 'real'`,
      );
  }
  change(database);
  database.close();
  return path;
}

/** A catalogue of tables, and one of views over them. */
function bothWays(rows: readonly CatalogueRow[]): readonly string[] {
  const [tables, views] = ['tables', 'views'].map((name) => join(temporaryFolder(), `${name}.sqlite`)) as [
    string,
    string,
  ];
  catalogueAt(tables, rows);
  copyFileSync(tables, views);
  const database = new Database(views);
  for (const table of TABLE_NAMES)
    database.exec(
      `ALTER TABLE ${table} RENAME TO theirs_${table}; CREATE VIEW ${table} AS SELECT * FROM theirs_${table}`,
    );
  database.close();
  return [tables, views];
}

async function built(path: string) {
  const out = join(temporaryFolder(), 'out');
  const { findings, outcomes } = await buildTree(path, out, instant(NOW), { guards: GUARDS });
  return {
    out,
    served: new Map([...filesOf(out)].filter(([name]) => /^(?:public|edge)\//.test(name))),
    found: findings.map(({ code, place, hint = '' }) => [`${code} ${place}`, hint]),
    leftOut: outcomes.map(({ listing }) => listing?.leftOut?.rows ?? []),
  };
}

const errorsOf = async (path: string) =>
  (await findingsOf(path)).flatMap(({ severity, code, place, hint = '' }) =>
    severity === 'error' ? [[`${code} ${place}`, hint]] : [],
  );

const FORMS: readonly [name: string, textOf: (id: string | number) => string | number][] = [
  ['text', (id) => `no. ${id}`],
  ['pairs', (id) => `${id}-${Number(id) % 7}`],
  ['digits', String],
  ['any characters', (id) => `Saal "${id}", l'été \\ $(x) 🎭`],
  ['numbers and text', (id) => (Number(id) % 2 === 0 ? id : `A-${id}`)],
];

test.each(FORMS)('%s in their place: the same documents, and nothing is found', async (_, textOf) => {
  const expected = await built(theirs(RICH));
  const path = theirs(withTextIds(RICH, textOf));
  expect(await built(path)).toEqual({ ...expected, out: expect.any(String) });
  expect(await errorsOf(path)).toEqual([]);
});

describe('which of two sessions with one start comes first', () => {
  test.each([
    [7, '7'],
    [70, '7'],
    [2, 10],
    ['10', '2'],
    ['A', 'a'],
    ['Z', 'a'],
    ['a', 'a-1'],
    ['a-1', 'a1'],
    ['z', 'é'],
    // By code point it would be the other way round.
    ['🎭', '\uffee'],
  ])('%j before %j', async (before, after) => {
    const rows = catalogueOf({
      name: '',
      now: noon,
      rows: [
        session(0, '2026-05-05T16:00:00Z', { id: after, venue_id: 2 }),
        session(0, '2026-05-05T16:00:00Z', { id: before, venue_id: 1 }),
      ],
    });
    for (const path of bothWays(rows)) {
      const out = join(temporaryFolder(), 'out');
      await buildTree(path, out, instant(noon), { guards: GUARDS });
      const document = documentAt(filesOf(out), 'here', 'products', noon);
      expect(document).toContain('"inventoryItemName":"Hall","multiInventoryItems":true');
    }
  });
});

describe("7 and '7' are two", () => {
  const rows = catalogueOf({
    name: '',
    now: noon,
    rows: [
      { table: 'venues', row: { id: '1', name: 'Text', timezone: 'Asia/Tokyo' } },
      session(7, '2026-05-05T16:00:00Z'),
      session(0, '2026-05-06T16:00:00Z', { id: '7', venue_id: '1' }),
      tier(1, 10_000, { session_id: 7 }),
      tier(2, 20_000, { session_id: '7' }),
    ],
  });
  const shownWith = async (term: CatalogueRow | null) => {
    const shown = [];
    for (const path of bothWays(term === null ? rows : [...rows, term])) {
      const out = join(temporaryFolder(), 'out');
      const { findings } = await buildTree(path, out, instant(noon));
      expect(findings.map(findingLine)).toEqual([]);
      const [card] = JSON.parse(documentAt(filesOf(out), 'here', 'products', noon)).productCards;
      shown.push([card.inventoryItemName, card.nextScheduleSlot, card.priceFrom]);
    }
    expect(shown[1]).toEqual(shown[0]);
    return shown[0];
  };
  const excluded = (session_id: string | number): CatalogueRow => ({
    table: 'front_session_exclusions',
    row: { front_id: 1, session_id },
  });

  test('sessions, venues and tiers', async () => {
    expect(await shownWith(null)).toEqual(['Hall', '2026-05-05T19:00:00+03:00', 100]);
  });

  test('exclusions', async () => {
    expect(await shownWith(excluded(7))).toEqual(['Text', '2026-05-07T01:00:00+09:00', 200]);
    expect(await shownWith(excluded('7'))).toEqual(['Hall', '2026-05-05T19:00:00+03:00', 100]);
  });

  test('contingents', async () => {
    const term: CatalogueRow = { table: 'front_allocations', row: { front_id: 1, session_id: 7, available: 0 } };
    expect(await shownWith(term)).toEqual(['Text', '2026-05-07T01:00:00+09:00', 200]);
  });

  test('check-db tells them apart, too', async () => {
    const [, path = ''] = bothWays(rows);
    const database = new Database(path);
    database.exec(`UPDATE theirs_venues SET timezone = 'Mars/Olympus' WHERE id = '1'; PRAGMA foreign_keys = OFF;
      INSERT INTO theirs_front_session_exclusions VALUES (1, '77')`);
    database.close();
    expect((await errorsOf(path)).map(([what]) => what)).toEqual([
      'dangling-id front_session_exclusions 1,"77"',
      'zone-unknown venues "1"',
    ]);
  });
});

describe('a reference by an id of the other type', () => {
  const HINT = (column: string, id: number): string => `where it is the number ${id}: CAST(${column} AS INTEGER)`;
  const CASES: readonly [change: string, found: readonly [string, string], leftOut: readonly (string | number)[]][] = [
    [
      'UPDATE theirs_sessions SET venue_id = CAST(venue_id AS TEXT) WHERE id = 1012',
      ['dangling-id sessions 1012', HINT('venue_id', 1001)],
      [1012],
    ],
    [
      'UPDATE theirs_products SET image_id = CAST(image_id AS TEXT) WHERE id = 1010',
      ['dangling-id products 1010', HINT('image_id', 1002)],
      ['product 1010'],
    ],
    [
      'UPDATE theirs_price_tiers SET session_id = CAST(session_id AS TEXT) WHERE id = 1016',
      ['dangling-id price_tiers 1016', HINT('session_id', 1011)],
      [1011],
    ],
    [
      'UPDATE theirs_front_session_exclusions SET session_id = CAST(session_id AS TEXT) WHERE session_id = 1013',
      ['dangling-id front_session_exclusions 1000,"1013"', HINT('session_id', 1013)],
      [1013],
    ],
    [
      'UPDATE theirs_front_session_exclusions SET front_id = CAST(front_id AS TEXT) WHERE session_id = 1013',
      ['dangling-id front_session_exclusions "1000",1013', HINT('front_id', 1000)],
      [1013],
    ],
    [
      'UPDATE theirs_front_allocations SET session_id = CAST(session_id AS TEXT) WHERE session_id = 1012',
      ['dangling-id front_allocations 1000,"1012"', HINT('session_id', 1012)],
      [1012],
    ],
    [
      'UPDATE theirs_front_products SET front_id = CAST(front_id AS TEXT) WHERE product_id = 1010',
      ['dangling-id front_products "1000",1010', HINT('front_id', 1000)],
      [],
    ],
    [
      'UPDATE theirs_front_groups SET front_id = CAST(front_id AS TEXT) WHERE front_id = 1000',
      ['dangling-id front_groups "1000",1004', HINT('front_id', 1000)],
      [],
    ],
    [
      'UPDATE theirs_front_keys SET front_id = CAST(front_id AS TEXT) WHERE front_id = 1000',
      ['dangling-id front_keys alpha-1', HINT('front_id', 1000)],
      [],
    ],
  ];

  test.each(CASES)('%s', async (change, found, leftOut) => {
    const path = theirs(RICH, (database) => database.exec(change));
    const build = await built(path);
    expect(build.found).toEqual([found]);
    const rows = build.leftOut.flat();
    expect(rows.map(({ product, session }) => session ?? `product ${product}`)).toEqual(leftOut);
    expect(await errorsOf(path)).toEqual([found]);
  });

  test.each(
    CASES.map(([change]) => /^UPDATE theirs_(\w+) SET (\w+)/.exec(change)?.slice(1) ?? []).map(
      ([table = '', column = '']) => [table as keyof typeof TABLES, column] as const,
    ),
  )('all of them in %s.%s: no affinity makes the two one', async (table, column) => {
    const change = `UPDATE theirs_${table} SET ${column} = CAST(${column} AS TEXT)`;
    const expected = theirs(RICH, (database) => database.exec(change));
    const declared = theirs(RICH, (database) => {
      for (const one of TABLE_NAMES) {
        const columns = Object.keys(TABLES[one]).map((name) => {
          if (one === table && name === column) return `${name} TEXT`;
          return name === 'id' && one !== 'texts' ? `${name} INTEGER` : name;
        });
        database.exec(`DROP VIEW ${one}; CREATE TABLE typed_${one} (${columns.join(', ')});
          INSERT INTO typed_${one} SELECT * FROM theirs_${one};
          CREATE VIEW ${one} AS SELECT * FROM typed_${one}`);
      }
    });
    const { out: _, ...build } = await built(declared);
    expect(build).toEqual(expect.objectContaining(await built(expected).then(({ out: __, ...rest }) => rest)));
    expect(build.found.length).toBeGreaterThan(1);
    expect(await errorsOf(declared)).toEqual(await errorsOf(expected));
  });

  test('to text by a number is found likewise', async () => {
    const path = theirs(withTextIds(RICH, String), (database) =>
      database.exec("UPDATE theirs_sessions SET venue_id = CAST(venue_id AS INTEGER) WHERE id = '1012'"),
    );
    const found = ['dangling-id sessions "1012"', 'where it is the text 1001: CAST(venue_id AS TEXT)'];
    expect((await built(path)).found).toEqual([found]);
    expect(await errorsOf(path)).toEqual([found]);
  });

  test('to no row in either type, there is no hint', async () => {
    const path = theirs(withTextIds(RICH), (database) =>
      database.exec("UPDATE theirs_sessions SET venue_id = 77 WHERE id = 'no. 1012'"),
    );
    expect((await built(path)).found).toEqual([['dangling-id sessions "no. 1012"', '']]);
    expect(await errorsOf(path)).toEqual([['dangling-id sessions "no. 1012"', '']]);
  });
});

describe('what is no id', () => {
  test.each([
    ["''", '""'],
    ["x'0aff'", 'a BLOB of 2 bytes'],
    ['1.5', '1.5'],
    ['NULL', 'NULL'],
    [`printf('%.*c', 201, 'x')`, `"${'x'.repeat(76)}…`],
    [`printf('%.*c', 300000, 'x')`, 'text of 300000 bytes'],
    ["'a' || char(0)", '"a\\u0000"'],
    ["CAST(x'ff' AS TEXT)", '"\ufffd"'],
  ])('%s', async (sql, found) => {
    const path = theirs(withTextIds(RICH), (database) =>
      database.exec(`UPDATE theirs_sessions SET id = ${sql} WHERE id = 'no. 1012'`),
    );
    await using reader = await openCatalogue(path);
    expect(reader.kind).toBe('sqlite');
    const findings = (await findingsOf(path)).filter(({ code }) => code === 'value-invalid');
    expect(findings.map(({ place, message }) => [place, message])).toEqual([
      [`sessions ${found}`, `id: expected an integer, or text of 1 to 200 characters, found ${found}`],
    ]);
    const { found: foundByBuild, leftOut } = await built(path);
    expect(foundByBuild.map(([what]) => what)).toContain(`value-invalid sessions ${found}`);
    expect(leftOut[0]).toEqual([{ product: 1010, session: null, code: 'value-invalid' }]);
  });
});

test('a release, its manifest and explain name a session by its text', async () => {
  const path = theirs(withTextIds(RICH), (database) =>
    database.exec("UPDATE theirs_sessions SET starts_at = 'soon', sales_end_at = NULL WHERE id = 'no. 1012'"),
  );
  const { out, leftOut } = await built(path);
  expect(leftOut[0]).toEqual([{ product: 1010, session: 'no. 1012', code: 'value-invalid' }]);
  expect(await findingsInTree(out)).toEqual([]);
  const options = { databasePath: path, frontCode: 'alpha', slug: 'p-1010', tzdata: '2026a' };
  const explained = explainResultSchema.parse(await explainProduct(options, instant(NOW)));
  expect(explained.rules?.sessions.map((one) => one.session)).toEqual(['no. 1011', 'no. 1013']);
  expect(explained.rules?.tiers.map((one) => one.session)).toEqual([null, 'no. 1011']);
  expect(explained.leftOut.map(({ place }) => place)).toEqual(['sessions "no. 1012"']);
});

test('the row for which an expression throws is found by its text, whatever is in it', async () => {
  const [, textOf = String] = FORMS[3] ?? [];
  const id = (number: number) => String(textOf(number)).replace('\\', '/');
  const path = theirs(
    withTextIds(RICH, (number) => id(Number(number))),
    (database) => {
      const columns = Object.keys(TABLES.sessions).filter((column) => column !== 'available');
      database.exec(`DROP VIEW sessions; CREATE VIEW sessions AS SELECT ${columns.join(', ')},
        iif(id = '${id(1012).replaceAll("'", "''")}', json_extract('x', '$'), available) AS available
        FROM theirs_sessions`);
    },
  );
  const place = `sessions ${JSON.stringify(id(1012))}`;
  const { found, leftOut } = await built(path);
  expect(found.map(([what]) => what)).toEqual([`expression-failed ${place}`]);
  // In quotes that a shell leaves alone.
  expect(found[0]?.[1]).toMatch(/^try it: sqlite3 \S+ 'SELECT available FROM sessions WHERE id = /);
  expect(leftOut[0]).toEqual([{ product: 1010, session: id(1012), code: 'expression-failed' }]);
});

test('text that cannot be decoded is found in a row whose id is text', async () => {
  const path = theirs(withTextIds(RICH), (database) =>
    database.exec("UPDATE theirs_venues SET name = CAST(x'ff' AS TEXT) WHERE id = 'no. 1001'"),
  );
  expect((await errorsOf(path)).map(([what]) => what)).toEqual(['value-invalid venues "no. 1001"']);
});

describe('keys of fronts whose ids are text', () => {
  const KEY = { alg: 'hmac-sha256', publicKey: null, secretRef: 'S', notBefore: null, notAfter: null } as const;

  const made = (type: string): string =>
    theirs(withTextIds(RICH, String), (database) =>
      database.exec(`DROP VIEW front_keys; CREATE TABLE front_keys (keyid TEXT NOT NULL PRIMARY KEY,
        front_id ${type} NOT NULL, alg, public_key, secret_ref, not_before, not_after, revoked_at)`),
    );

  test('are refused by a column that would make numbers of them', async () => {
    await expect(storeKey(made('INTEGER'), 'alpha', { ...KEY, keyid: 'new' })).rejects.toMatchObject({
      code: 'database-not-writable',
    });
  });

  test.each(['TEXT', ''])('are stored, listed and revoked in a column of type %j', async (type) => {
    const path = made(type);
    await storeKey(path, 'alpha', { ...KEY, keyid: 'new' });
    expect(await revokeKey(path, 'new', NOW)).toBe(NOW);
    await using reader = await openCatalogue(path);
    expect(await listKeys(reader)).toMatchObject([{ keyid: 'new', front: 'alpha', revokedAt: NOW }]);
  });

  test('a table that lacks is made with the type of the fronts’', async () => {
    const path = theirs(withTextIds(RICH), (database) =>
      database.exec(`DROP VIEW front_keys; DROP VIEW fronts; CREATE VIEW fronts AS
        SELECT CAST(id AS TEXT) AS id, ${Object.keys(TABLES.fronts).slice(1).join(', ')} FROM theirs_fronts`),
    );
    const error = await storeKey(path, 'alpha', { ...KEY, keyid: 'new' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'contract-table-missing' });
    expect(error).toMatchObject({
      hint: expect.stringContaining(
        'CREATE TABLE front_keys (keyid TEXT NOT NULL PRIMARY KEY, front_id TEXT NOT NULL,',
      ),
    });
  });
});

test('an export of one front has the rows that it needs, and no others', async () => {
  const path = theirs(withTextIds(RICH));
  await using reader = await openCatalogue(path);
  const lines: { table: string; row: Record<string, unknown> }[] = [];
  for await (const text of exportRows(reader, TABLE_NAMES, () => undefined, ['alpha']))
    for (const line of text.trimEnd().split('\n')) lines.push(JSON.parse(line));
  const expected = withTextIds(richCatalogue(['alpha']));
  expect(lines.map(({ table }) => table).sort()).toEqual(expected.map(({ table }) => table).sort());
  expect(lines.filter(({ table }) => table === 'venues')).toMatchObject([{ row: { id: 'no. 1001' } }]);
});

describe('a feed with ids that are text', () => {
  const feedOf = (rows: readonly CatalogueRow[]) => ({
    name: 'feed.ndjson',
    open: async function* () {
      yield Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    },
  });
  const imported = (path: string, rows: readonly CatalogueRow[], isReplacing = false) =>
    importRows([feedOf(rows)], { databasePath: path, isReplacing });
  const mirrored = (path: string, rows: readonly CatalogueRow[]) =>
    mirrorRows([feedOf(rows)], { databasePath: path, maxShrink: 0, allowShrink: false });
  const exported = async (path: string) => {
    await using reader = await openCatalogue(path);
    let text = '';
    for await (const piece of exportRows(reader, TABLE_NAMES, () => undefined)) text += piece;
    return text;
  };
  const errorOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => error,
    );
  const HINT = expect.stringMatching(
    /^the tables that an import makes hold integers: .* \(data\/own-schema\.md, Ids\)$/,
  );

  test.each([
    ['text', 'A-17'],
    // What a column of integers would silently take for 17.
    ['digits', '17'],
  ])('is refused by the tables of data/schema.sql, where it is %s', async (_, id) => {
    const venue = { table: 'venues', row: { id, name: 'Hall', timezone: 'Europe/Berlin' } };
    const made = join(temporaryFolder(), 'made.sqlite');
    for (const work of [imported, mirrored]) {
      expect(await errorOf(work(made, [venue]))).toMatchObject({
        code: 'import-row-invalid',
        message: `feed.ndjson:1: venues.id: expected an integer, which the column holds, found "${id}"`,
        hint: HINT,
      });
    }
    expect(existsSync(made)).toBe(false);
  });

  test.each(FORMS)('goes into tables that take it, and out of them, and is mirrored: %s', async (_, textOf) => {
    const rows = withTextIds(RICH, textOf);
    const path = catalogueAt(join(temporaryFolder(), 'own.sqlite'), OTHER);
    expect((await imported(path, rows)).rows['sessions']).toBe(12);
    const text = await exported(path);
    for (const { table, row } of rows)
      if (table === 'sessions') expect(text).toContain(`{"id":${JSON.stringify(row['id'])},"product_id":`);
    expect((await built(path)).found).toEqual([]);
    await imported(path, rows, true);
    expect(await exported(path)).toBe(text);
    const all = [...OTHER, ...rows].map(({ table, row }) => {
      const isMoved = table === 'sessions' && row['product_id'] === 1010;
      return { table, row: isMoved ? { ...row, available: 4 } : row };
    });
    const { tables } = await mirrored(path, all);
    expect(tables['sessions']).toEqual({ inserted: 0, updated: 3, deleted: 0, unchanged: 9 });
    expect(tables['venues']).toEqual({ inserted: 0, updated: 0, deleted: 0, unchanged: 3 });
    expect((await mirrored(path, all)).tables['sessions']).toEqual({
      inserted: 0,
      updated: 0,
      deleted: 0,
      unchanged: 12,
    });
  });

  test('numbers are refused by columns of text', async () => {
    const path = join(temporaryFolder(), 'own.sqlite');
    const database = new Database(path);
    // As data/feeds.md says.
    database.exec(
      SCHEMA.replaceAll(/(CREATE TABLE (?:fronts|venues|images|sessions) \(\n  id) INTEGER/g, '$1 TEXT').replaceAll(
        /(\n  (?:front|venue|image|session)_id) INTEGER/g,
        '$1 TEXT',
      ),
    );
    database.close();
    expect(await errorOf(imported(path, RICH))).toMatchObject({
      code: 'import-row-invalid',
      message: 'feed.ndjson:1: fronts.id: expected text, which the column holds, found 1000',
      hint: HINT,
    });
    const rows = withTextIds(RICH, String);
    await mirrored(path, rows);
    const text = await exported(path);
    expect(text).toContain('{"table":"venues","row":{"id":"1001",');
    expect((await mirrored(path, rows)).tables['price_tiers']).toMatchObject({ updated: 0, unchanged: 8 });
    expect(await exported(path)).toBe(text);
  });

  test('a reference by the other type is refused', async () => {
    const path = catalogueAt(join(temporaryFolder(), 'own.sqlite'), OTHER);
    const session = RICH.find(({ table }) => table === 'sessions')?.row ?? {};
    const rows = [...RICH, { table: 'sessions', row: { ...session, id: 1, venue_id: '1001' } }];
    for (const work of [imported, mirrored]) {
      expect(await errorOf(work(path, [...(work === mirrored ? OTHER : []), ...rows]))).toMatchObject({
        code: 'import-row-refused',
        message: 'sessions 1: venue_id: expected the id of a row of venues, found "1001"',
      });
    }
  });
});
