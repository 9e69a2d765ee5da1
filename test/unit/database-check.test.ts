// check-db's rules, each with the fault planted in an otherwise good catalogue. The catalogue is
// bare, without CHECKs and keys, as one made of views is: so every fault can be there.

import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findingLine, type Finding } from '../../src/findings.ts';
import { checkContract, examineContract } from '../../src/database/contract/check-schema.ts';
import { openCatalogue } from '../../src/database/open.ts';
import { TABLE_NAMES, TABLE_RULES, TABLES, type TableName } from '../../src/database/contract/tables.ts';
import { AppError } from '../../src/errors.ts';
import { heldCodes } from '../../src/database/load/load-catalogue.ts';
import { loadedCatalogue } from '../support/loaded-catalogue.ts';
import { IS_ON_SERVER, sampleOnMirror } from '../speeds.ts';
import { isHeld } from '../support/postgres/loose-tables.ts';
import { instant, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { everyColumnRead, findingsOf, goodCatalogue, GOOD_ROWS, insert } from '../support/database-rows.ts';

const folder = temporaryFolderOfFile();
const path = join(folder, 'bare.sqlite');
let bare: Database.Database;

beforeAll(() => {
  bare = goodCatalogue(path, true);
});
afterAll(() => bare.close());

/** A copy of the bare catalogue with a fault. @returns its path */
async function spoiledBy(plant: (database: Database.Database) => void): Promise<string> {
  const spoiled = join(temporaryFolder(), 'spoiled.sqlite');
  await bare.backup(spoiled);
  const database = new Database(spoiled);
  database.pragma('journal_mode = WAL');
  plant(database);
  database.close();
  return spoiled;
}

/** What check-db finds while a fault is in the bare catalogue. */
async function findingsWith(plant: (database: Database.Database) => void): Promise<Finding[]> {
  return findingsOf(await spoiledBy(plant));
}

/** The same, as lines. */
async function linesWith(plant: (database: Database.Database) => void): Promise<string[]> {
  return (await findingsWith(plant)).map(findingLine);
}

const sql =
  (text: string) =>
  (database: Database.Database): void =>
    void database.exec(text);

test('a good catalogue has no finding, bare or not', async () => {
  expect(await findingsOf(path)).toEqual([]);
  const strict = join(folder, 'strict.sqlite');
  goodCatalogue(strict, false).close();
  expect(await findingsOf(strict)).toEqual([]);
});

describe('a value that a column does not take is one finding, with table, key and column', () => {
  test.each(sampleOnMirror(TABLE_NAMES, 3))('%s', async (table) => {
    const good = GOOD_ROWS[table];
    const spoiled: string[] = [];
    const all = await findingsWith((database) => {
      for (const [of, column, bad] of everyColumnRead()) {
        for (const value of of === table ? bad : []) {
          if (IS_ON_SERVER && !isHeld(table, column, value)) continue;
          insert(database, table, { ...good, [column]: value });
          spoiled.push(column);
        }
      }
    });
    const found = all
      .filter(({ code }) => code === 'value-invalid')
      .map(({ severity, place, message }) => {
        const [, column = ''] = /^(\w+): expected .+, found .+$/.exec(message) ?? [];
        const shown = TABLE_RULES[table].key.map((name) => (name === column ? '.+' : String(good[name])));
        expect(`${severity} ${place}`).toMatch(new RegExp(`^error ${table} ${shown.join(',')}$`));
        return column;
      });
    expect(found.toSorted()).toEqual(spoiled.toSorted());
    // A value that is not an id does not dangle as well.
    expect(all.filter(({ code }) => code === 'dangling-id')).toEqual([]);
  });
});

describe('a damaged file', () => {
  /** Puts one page of a file where another was, as a write to a wrong address does. */
  function swapPages(file: string, names: readonly [string, string]): void {
    const database = new Database(file);
    const pageSize = Number(database.pragma('page_size', { simple: true }));
    const [a = 0, b = 0] = names.map((name) =>
      Number(database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(name)),
    );
    database.close();
    const bytes = readFileSync(file);
    const page = (number: number): Buffer => Buffer.from(bytes.subarray((number - 1) * pageSize, number * pageSize));
    const [first, second] = [page(a), page(b)];
    second.copy(bytes, (a - 1) * pageSize);
    first.copy(bytes, (b - 1) * pageSize);
    writeFileSync(file, bytes);
  }

  test('is found, though every table can be read', async () => {
    const file = join(folder, 'swapped.sqlite');
    goodCatalogue(file, false).close();
    swapPages(file, ['sessions_load', 'price_tiers_load']);
    const findings = await findingsOf(file);
    const [finding] = findings;
    expect(finding).toMatchObject({
      severity: 'error',
      code: 'database-damaged',
      place: 'database',
      hint: expect.stringContaining('restore it from a backup'),
    });
    expect(finding?.message).toMatch(/^expected "ok" from PRAGMA integrity_check, found: /);
  });

  test('is not one whose rows its CHECKs would refuse', async () => {
    const file = join(folder, 'unchecked.sqlite');
    const database = goodCatalogue(file, false);
    database.pragma('ignore_check_constraints = ON');
    database.exec("UPDATE products SET status = 'live'");
    database.close();
    expect((await findingsOf(file)).map(({ code }) => code)).toEqual(['value-invalid']);
  });

  test('cannot be told where an index needs what only its owner has', async () => {
    const file = join(folder, 'own-collation.sqlite');
    const database = goodCatalogue(file, false);
    database.exec('CREATE TABLE theirs (name TEXT); CREATE INDEX theirs_name ON theirs (name)');
    database.unsafeMode().pragma('writable_schema = ON');
    database.exec(
      "UPDATE sqlite_schema SET sql = replace(sql, '(name)', '(name COLLATE theirs)') WHERE name = 'theirs_name'",
    );
    database.close();
    expect((await findingsOf(file)).map(findingLine)).toEqual([
      'warning database-damaged database: expected "ok" from PRAGMA integrity_check, found: no such collation sequence: theirs',
    ]);
  });
});

describe('an id that refers to nothing', () => {
  const references = TABLE_NAMES.flatMap((table) =>
    Object.entries(TABLE_RULES[table].references).map(([column, parent]): [TableName, string, TableName] => [
      table,
      column,
      parent,
    ]),
  );

  test.each(sampleOnMirror(references, 3))('%s.%s → %s', async (table, column, parent) => {
    const lines = await linesWith((database) => database.prepare(`UPDATE ${table} SET ${column} = 999`).run());
    const { key } = TABLE_RULES[table];
    const place = key.map((name) => (name === column ? '999' : String(GOOD_ROWS[table][name]))).join();
    expect(lines).toContain(
      `error dangling-id ${table} ${place}: ${column}: expected the id of a row of ${parent}, found 999`,
    );
    // A product_id that is wrong also puts tier and session apart.
    const others = lines.filter((line) => !line.includes(': session_id: expected a session of product '));
    expect(others.length).toBe(1);
  });

  test('NULL refers to nothing and dangles nowhere', async () => {
    const lines = await linesWith(sql('UPDATE products SET image_id = NULL; UPDATE price_tiers SET session_id = NULL'));
    expect(lines).toEqual([]);
  });

  test("a tier of another product's session", async () => {
    const lines = await linesWith((database) => {
      insert(database, 'products', { ...GOOD_ROWS.products, id: 99, slug: 'other' });
      database.exec('UPDATE price_tiers SET product_id = 99');
    });
    expect(lines).toEqual([
      'error dangling-id price_tiers 16: session_id: expected a session of product 99, found session 15 of product 14',
    ]);
  });
});

describe('rows that exist twice', () => {
  test.each(sampleOnMirror(TABLE_NAMES, 3))('%s, by key', async (table) => {
    const lines = await linesWith((database) => insert(database, table, GOOD_ROWS[table]));
    const { key } = TABLE_RULES[table];
    const place = key.map((name) => String(GOOD_ROWS[table][name])).join();
    expect(lines).toContain(
      `error duplicate-key ${table} ${place}: expected a unique ${key.join(', ')}, found 2 rows with it`,
    );
  });

  test.each(
    sampleOnMirror(
      TABLE_NAMES.flatMap((table) => TABLE_RULES[table].unique.map((column) => [table, column] as const)),
      3,
    ),
  )('%s, by %s', async (table, column) => {
    const good = GOOD_ROWS[table];
    const lines = await linesWith((database) => {
      insert(database, table, { ...good, id: 98 });
      insert(database, table, { ...good, id: 99 });
      insert(database, table, { ...good, id: 97, [column]: 'another' });
    });
    const message = `${column}: expected a value that no other row has, found "${String(good[column])}", which is also that of ${table} ${String(good['id'])}`;
    expect(lines).toEqual([
      `error duplicate-key ${table} 98: ${message}`,
      `error duplicate-key ${table} 99: ${message}`,
    ]);
  });
});

describe('rules that no CHECK can hold', () => {
  test.each(sampleOnMirror(['+03:00', 'UTC+3', 'Europe/Moskau', '', 'Europe/Moscow '], 3))(
    'the zone "%s" is unknown',
    async (zone) => {
      for (const [table, id] of [
        ['fronts', 11],
        ['venues', 12],
      ] as const) {
        const lines = await linesWith((database) => database.prepare(`UPDATE ${table} SET timezone = ?`).run(zone));
        expect(lines).toEqual([
          `error zone-unknown ${table} ${id}: timezone: expected an IANA time zone known to this runtime, such as Europe/Berlin (no offset), found ${JSON.stringify(zone)}`,
        ]);
      }
    },
  );

  test.each(['UTC', 'Europe/Kyiv', 'America/Argentina/Buenos_Aires'])('the zone %s is known', async (zone) => {
    const set = `UPDATE fronts SET timezone = '${zone}'; UPDATE venues SET timezone = '${zone}'; UPDATE sessions SET starts_local = NULL`;
    expect(await linesWith(sql(set))).toEqual([]);
  });

  test('a wall time that is not the one on the ticket is a warning with both, and the tzdata version', async () => {
    expect(await linesWith(sql("UPDATE sessions SET starts_local = '2026-05-05T20:00:00'"))).toEqual([
      'warning zone-drift sessions 15: time-zone drift: starts_local says 2026-05-05T20:00:00, but 2026-05-05T16:00:00Z is 2026-05-05T19:00:00 in Europe/Moscow by the rules of tzdata 2026a',
    ]);
  });

  test('what is doubtful in a session that is over is not reported', async () => {
    const set =
      "UPDATE sessions SET starts_at = '2009-01-01T09:00:00Z', starts_local = '2009-01-01T09:00:00', ends_at = NULL";
    expect(await linesWith(sql(set))).toEqual([]);
  });

  test.each([
    ['9999-12-31T22:00:00Z', 'Europe/Moscow', 'error'],
    // It is over.
    ['0000-01-01T02:00:00Z', 'America/New_York', 'warning'],
  ])('a session at %s in %s has no printable year: %s', async (startsAt, zone, severity) => {
    const set = `UPDATE sessions SET starts_at = '${startsAt}', starts_local = NULL; UPDATE venues SET timezone = '${zone}'`;
    expect(await linesWith(sql(set))).toEqual([
      `warning year-unlikely sessions 15: starts_at: expected a year from 2000 to 2100, found ${startsAt}`,
      `${severity} year-unprintable sessions 15: starts_at: expected a wall time in the years 0000 to 9999 (${zone}), found ${startsAt}`,
    ]);
  });

  test.each(
    sampleOnMirror(
      [
        ['a draft', "UPDATE products SET status = 'draft', paused = 0, age_rating = 99"],
        ['a product on no front', 'DELETE FROM front_products; UPDATE products SET age_rating = 99'],
        ['what a disabled front lists', "UPDATE fronts SET status = 'disabled'; UPDATE products SET age_rating = 99"],
        [
          'a session that is over',
          "UPDATE sessions SET starts_at = '2001-01-01T00:00:00Z', starts_local = NULL, paused = 2",
        ],
        ['a cancelled session', "UPDATE sessions SET status = 'cancelled', available = 'x'"],
        ['an add-on', "UPDATE price_tiers SET kind = 'addon', amount_minor = -1"],
        ['a disabled front', "UPDATE fronts SET status = 'disabled', currency_exponent = 9, timezone = 'Mars/Base'"],
      ],
      3,
    ),
  )('what is wrong with %s is a warning', async (_, set) => {
    const lines = await linesWith(sql(set));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => line.startsWith('error '))).toEqual([]);
  });

  const alone = (wallTime: string, zone: string): string =>
    `UPDATE sessions SET starts_at = NULL, starts_local = '${wallTime}'; UPDATE venues SET timezone = '${zone}'`;

  test('a start may be a wall time alone', async () => {
    expect(await linesWith(sql('UPDATE sessions SET starts_at = NULL'))).toEqual([]);
    expect(await linesWith(sql(alone('2100-12-31T23:59:59', 'America/New_York')))).toEqual([]);
  });

  test('a wall time that clocks skip is no start', async () => {
    expect(await linesWith(sql(alone('2027-03-28T02:30:00', 'Europe/Berlin')))).toEqual([
      'error wall-time-skipped sessions 15: starts_local: expected a wall time that clocks in Europe/Berlin show, found 2027-03-28T02:30:00, which they skip by the rules of tzdata 2026a',
    ]);
  });

  test('a wall time that occurs twice is a warning with both instants, and the one taken', async () => {
    expect(await linesWith(sql(alone('2026-10-25T02:30:00', 'Europe/Berlin')))).toEqual([
      'warning wall-time-repeated sessions 15: starts_local: 2026-10-25T02:30:00 occurs twice in Europe/Berlin by the rules of tzdata 2026a; taken as 2026-10-25T00:30:00Z, not 2026-10-25T01:30:00Z: starts_at can say which',
    ]);
  });

  test.each(['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'])('starts_at says which, %s', async (startsAt) => {
    const set = alone('2026-10-25T02:30:00', 'Europe/Berlin').replace('NULL', `'${startsAt}'`);
    expect(await linesWith(sql(set))).toEqual([]);
  });

  test('neither an instant nor a wall time is no start, whatever the venue', async () => {
    const set = 'UPDATE sessions SET starts_at = NULL, starts_local = NULL';
    const line =
      'error value-invalid sessions 15: starts_at: expected an instant, or a wall time in starts_local, found NULL in both';
    expect(await linesWith(sql(set))).toEqual([line]);
    expect(await linesWith(sql(`${set}; UPDATE venues SET timezone = '+03:00'`))).toEqual([
      expect.stringMatching(/^error zone-unknown venues 12: /),
      line,
    ]);
  });

  test('a wall time at a venue of an unknown zone has the finding of the venue alone', async () => {
    expect(await linesWith(sql(alone('2027-03-28T02:30:00', 'Europe/Berlín')))).toEqual([
      expect.stringMatching(/^error zone-unknown venues 12: /),
    ]);
  });

  test('a pause that has an end without a beginning', async () => {
    expect(await linesWith(sql('UPDATE products SET paused = 0'))).toEqual([
      'error value-invalid products 14: paused_until: expected NULL where paused is 0, found "2026-05-01T09:00:00Z"',
    ]);
  });

  test.each(
    sampleOnMirror(
      [
        [
          'UPDATE badges SET rule_below = NULL',
          'badges 20: rule_below: expected a number of seats where rule is few-left, found NULL',
        ],
        [
          "UPDATE texts SET field = 'alt_text'",
          'texts product,14,de,alt_text: field: expected name of kind product, found alt_text',
        ],
        [
          "UPDATE texts SET kind = 'image', id = '13'",
          'texts image,13,de,name: field: expected alt_text or copyright of kind image, found name',
        ],
        [
          'UPDATE sessions SET ends_at = NULL, daily = 1',
          'sessions 15: ends_at: expected of a daily session the end of its last date, found NULL',
        ],
        [
          "UPDATE sessions SET ends_at = '2026-05-06T15:59:59Z', daily = 1",
          'sessions 15: ends_at: expected of a daily session a time of day after that of its start, on the same date or a later one, found 2026-05-05T19:00:00 to 2026-05-06T18:59:59',
        ],
        [
          "UPDATE sessions SET ends_at = '2026-05-04T18:00:00Z', daily = 1",
          'sessions 15: ends_at: expected of a daily session a time of day after that of its start, on the same date or a later one, found 2026-05-05T19:00:00 to 2026-05-04T21:00:00',
        ],
        [
          "UPDATE sessions SET ends_at = '2046-05-05T18:00:00Z', daily = 1",
          'sessions 15: ends_at: expected of a daily session at most 3660 dates, found 2026-05-05T19:00:00 to 2046-05-05T21:00:00',
        ],
        [
          "UPDATE sessions SET timezone = 'UTC+2'",
          'sessions 15: timezone: expected an IANA time zone known to this runtime, such as Europe/Berlin (no offset), found "UTC+2"',
        ],
        [
          'UPDATE venues SET timezone = NULL',
          'sessions 15: timezone: expected an IANA time zone in the session or its venue, found NULL in both',
        ],
        [
          "UPDATE sessions SET timezone = 'Europe/Berlin', starts_local = NULL, sales_start_local = NULL, sales_end_local = '2027-03-28T02:30:00'",
          `sessions 15: sales_end_local: expected a wall time that clocks in Europe/Berlin show, found 2027-03-28T02:30:00, which they skip by the rules of tzdata 2026a`,
        ],
      ],
      3,
    ),
  )('%s', async (set, line) => {
    const lines = await linesWith(sql(set));
    expect(lines.map((one) => one.replace(/^error [a-z-]+ /, ''))).toEqual([line]);
  });

  test('a session whose own ticket tiers are all private', async () => {
    const expected = [
      'warning no-public-tier sessions 15: its own ticket tiers include no public one, so it has no price',
    ];
    expect(await linesWith(sql('UPDATE price_tiers SET is_public = 0'))).toEqual(expected);
    const withPublicAddon = await linesWith((database) => {
      database.exec('UPDATE price_tiers SET is_public = 0');
      insert(database, 'price_tiers', { ...GOOD_ROWS.price_tiers, id: 98, kind: 'addon' });
    });
    expect(withPublicAddon).toEqual(expected);
  });

  test.each([
    ['a public tier beside the private one', { ...GOOD_ROWS.price_tiers, id: 98 }, 'WHERE id = 16'],
    ['only private add-ons', { ...GOOD_ROWS.price_tiers, id: 98, kind: 'addon', is_public: 0 }, 'WHERE id = 98'],
    ['private default tiers', { ...GOOD_ROWS.price_tiers, id: 98, session_id: null }, 'WHERE id = 98'],
  ])('no finding: %s', async (_case, tier, where) => {
    const lines = await linesWith((database) => {
      insert(database, 'price_tiers', tier);
      database.exec(`UPDATE price_tiers SET is_public = 0 ${where}`);
    });
    expect(lines).toEqual([]);
  });

  describe('prices that look like whole units', () => {
    /** Replaces all tiers by tickets at these prices. */
    const priced =
      (amounts: readonly number[], currency = 'EUR', kind = 'ticket') =>
      (database: Database.Database): void => {
        database.exec(`UPDATE fronts SET currency = '${currency}'; DELETE FROM price_tiers`);
        for (const [i, amount_minor] of amounts.entries()) {
          insert(database, 'price_tiers', { ...GOOD_ROWS.price_tiers, id: 100 + i, amount_minor, currency, kind });
        }
      };
    const times = (count: number, amount: number): number[] => Array.from({ length: count }, () => amount);

    test('euros: more than half of twenty tickets below 1.00', async () => {
      expect(await linesWith(priced([...times(11, 99), ...times(9, 5000)]))).toEqual([
        'warning whole-unit-prices price_tiers EUR: amount_minor: expected minor units, 100 for 1 EUR; ' +
          'found 11 of 20 ticket prices below 1 EUR',
      ]);
    });

    test('roubles, of which one buys little: below 50.00', async () => {
      expect(await linesWith(priced(times(20, 4999), 'RUB'))).toEqual([
        'warning whole-unit-prices price_tiers RUB: amount_minor: expected minor units, 100 for 1 RUB; ' +
          'found 20 of 20 ticket prices below 50 RUB',
      ]);
    });

    test('a currency or an exponent that is wrong is its own finding, and no more', async () => {
      for (const wrong of ['currency_exponent = 400', "currency = 'euro'"]) {
        const lines = await linesWith((database) => {
          priced(times(20, 99))(database);
          database.exec(`UPDATE fronts SET ${wrong}`);
        });
        expect(lines).toEqual([expect.stringMatching(/^error value-invalid fronts 11: /)]);
      }
    });

    test('the hint has the factor of the currency', async () => {
      const path = join(temporaryFolder(), 'spoiled.sqlite');
      await bare.backup(path);
      const database = new Database(path);
      database.pragma('journal_mode = WAL');
      priced(times(20, 999), 'KWD')(database);
      database.exec('UPDATE fronts SET currency_exponent = 3');
      database.close();
      const hints = (await findingsOf(path)).map(({ hint }) => hint);
      expect(hints).toEqual([
        'where these are whole units, multiply the price before it is rounded or cast: CAST(round(price * 1000) AS INTEGER)',
      ]);
    });

    test('nothing is said of all prices while one of them has another finding', async () => {
      const lines = await linesWith((database) => {
        priced(times(20, 99))(database);
        database.exec('UPDATE price_tiers SET amount_minor = 19.99 WHERE id = (SELECT max(id) FROM price_tiers)');
      });
      expect(lines).toEqual([expect.stringMatching(/^error value-invalid price_tiers \d+: amount_minor: /)]);
    });

    test.each(
      sampleOnMirror(
        [
          ['half of them', priced([...times(10, 99), ...times(10, 100)])],
          ['nineteen', priced(times(19, 99))],
          ['nineteen, and free ones', priced([...times(19, 99), ...times(5, 0)])],
          ['add-ons', priced(times(20, 99), 'EUR', 'addon')],
          ['50 roubles', priced(times(20, 5000), 'RUB')],
          [
            'a currency of no front',
            (database: Database.Database) => {
              priced(times(20, 99))(database);
              database.exec("UPDATE fronts SET currency = 'CAD'");
            },
          ],
          [
            'a currency without minor units',
            (database: Database.Database) => {
              priced(times(20, 45), 'JPY')(database);
              database.exec('UPDATE fronts SET currency_exponent = 0');
            },
          ],
        ],
        3,
      ),
    )('no finding: %s', async (_case, plant) => {
      const lines = await linesWith(plant);
      expect(lines.filter((line) => !line.startsWith('warning currency-unused '))).toEqual([]);
    });
  });

  describe('fronts that show nothing', () => {
    const EMPTY =
      'warning front-empty fronts 11: expected a product of this active front in front_products, found none: it shows nothing';
    const UNUSED =
      'warning currency-unused fronts 11: currency: expected ticket tiers of its products in CAD, found EUR alone: nothing has a price';
    test.each(
      sampleOnMirror(
        [
          ['an active front lists no product', 'DELETE FROM front_products', [EMPTY]],
          ['one that is disabled', "DELETE FROM front_products; UPDATE fronts SET status = 'disabled'", []],
          [
            'no tier is in its currency',
            "UPDATE fronts SET currency = 'CAD'; UPDATE price_tiers SET currency = 'EUR'",
            [UNUSED],
          ],
          [
            'one of several is',
            `UPDATE fronts SET currency = 'CAD'; UPDATE price_tiers SET currency = 'EUR';
         INSERT INTO price_tiers SELECT 99, product_id, session_id, name, channels, kind, is_public, in_price_from, amount_minor, 'CAD',
           available, valid_from, valid_until FROM price_tiers`,
            [],
          ],
          ['only add-ons are there', "UPDATE fronts SET currency = 'CAD'; UPDATE price_tiers SET kind = 'addon'", []],
          ['there are no tiers at all', "UPDATE fronts SET currency = 'CAD'; DELETE FROM price_tiers", []],
          [
            'while its list has another finding',
            "UPDATE front_products SET front_id = 999; UPDATE fronts SET currency = 'CAD'",
            [expect.stringMatching(/^error dangling-id front_products /)],
          ],
        ],
        3,
      ),
    )('%s', async (_case, set, expected) => {
      expect(await linesWith(sql(set))).toEqual(expected);
    });
  });

  test('another journal mode than WAL', async () => {
    const lines = await linesWith((database) => database.pragma('journal_mode = DELETE'));
    expect(lines).toEqual([
      expect.stringMatching(/^warning journal-mode-not-wal database: expected WAL, found delete: /),
    ]);
  });
});

describe('key material', () => {
  const jwkOf = (pair: ReturnType<typeof generateKeyPairSync>): string =>
    JSON.stringify(pair.publicKey.export({ format: 'jwk' }));
  const ed25519 = generateKeyPairSync('ed25519');
  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const privateJwk = JSON.stringify(ed25519.privateKey.export({ format: 'jwk' }));

  test.each([
    ['ed25519', jwkOf(ed25519), null],
    ['ecdsa-p256-sha256', jwkOf(p256), null],
    ['hmac-sha256', null, 'NAME'],
  ])('%s has what it needs', async (alg, publicKey, secretRef) => {
    const lines = await linesWith((database) =>
      database.prepare('UPDATE front_keys SET alg = ?, public_key = ?, secret_ref = ?').run(alg, publicKey, secretRef),
    );
    expect(lines).toEqual([]);
  });

  test.each(
    sampleOnMirror(
      [
        ['hmac-sha256', null, null],
        ['hmac-sha256', null, ''],
        ['hmac-sha256', jwkOf(ed25519), 'NAME'],
        ['ed25519', null, null],
        ['ed25519', null, 'NAME'],
        ['ed25519', jwkOf(ed25519), 'NAME'],
        ['ed25519', 'no JSON', null],
        ['ed25519', jwkOf(p256), null],
        ['ed25519', privateJwk, null],
        ['ecdsa-p256-sha256', jwkOf(ed25519), null],
        ['ecdsa-p256-sha256', '{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA"}', null],
      ],
      3,
    ),
  )('%s with %s and secret_ref %s has not', async (alg, publicKey, secretRef) => {
    const lines = await linesWith((database) =>
      database.prepare('UPDATE front_keys SET alg = ?, public_key = ?, secret_ref = ?').run(alg, publicKey, secretRef),
    );
    expect(lines).toEqual([expect.stringMatching(/^error key-material-wrong front_keys moscow-1: /)]);
    // Law 8: no material in a message.
    for (const material of [ed25519, p256]) {
      const { x = '' } = material.publicKey.export({ format: 'jwk' });
      expect(lines.join()).not.toContain(x);
    }
    const { d = '' } = ed25519.privateKey.export({ format: 'jwk' });
    expect(lines.join()).not.toContain(d);
  });
});

describe('a contract that is broken', () => {
  const broken = sql(`
    DROP TABLE badges;
    ALTER TABLE venues DROP COLUMN name;
    DROP TABLE images; CREATE TABLE images (id INTEGER, url BLOB, alt_text REAL, copyright TEXT, copyright_url INT);
    DROP TABLE tags; CREATE VIEW tags AS SELECT * FROM their_tags;
    UPDATE fronts SET currency = 'roubles'`);

  test('is reported whole, and the sound tables are checked', async () => {
    expect(await linesWith(broken)).toEqual([
      'error column-missing venues.name: expected a column "name" in "venues", found id, timezone, city',
      'error column-type-wrong images.url: expected images.url to be TEXT, found BLOB',
      'error column-type-wrong images.alt_text: expected images.alt_text to be TEXT, found REAL',
      'error column-type-wrong images.copyright_url: expected images.copyright_url to be TEXT, found INT',
      'error table-missing tags: expected a table or view "tags" that can be read, found: no such table: main.their_tags',
      'error value-invalid fronts 11: currency: expected a currency of three capitals, such as EUR, found "roubles"',
    ]);
  });

  test.each([
    ["UPDATE venues SET timezone = ' Europe/Moscow '", 'zone-unknown', 'trim(timezone)'],
    [
      "UPDATE venues SET timezone = 'Europe/Moskau'",
      'zone-unknown',
      String.raw`the names are: node -p "Intl.supportedValuesOf('timeZone').join('\n')"`,
    ],
    [
      "UPDATE sessions SET starts_at = NULL, starts_local = '2027-03-28T02:30:00'; UPDATE venues SET timezone = 'Europe/Berlin'",
      'wall-time-skipped',
      'correct the time, or write starts_at, the instant',
    ],
    [
      'INSERT INTO product_tags SELECT * FROM product_tags',
      'duplicate-key',
      'where a view repeats whole rows: SELECT DISTINCT',
    ],
  ])('%s: %s has a hint', async (set, code, hint) => {
    const spoiled = join(temporaryFolder(), 'spoiled.sqlite');
    await bare.backup(spoiled);
    const database = new Database(spoiled);
    database.pragma('journal_mode = WAL');
    database.exec(set);
    database.close();
    expect((await findingsOf(spoiled)).map((finding) => [finding.code, finding.hint])).toEqual([[code, hint]]);
  });

  test('where a declared type is wrong, the hint is that of the column', async () => {
    const spoiled = join(temporaryFolder(), 'spoiled.sqlite');
    await bare.backup(spoiled);
    const database = new Database(spoiled);
    database.exec(`ALTER TABLE price_tiers RENAME TO tariff; ALTER TABLE tariff ADD COLUMN price REAL;
      CREATE VIEW price_tiers AS SELECT id, product_id, session_id, name, kind, is_public, in_price_from,
        price AS amount_minor, currency, available, valid_from, valid_until FROM tariff;
      DROP TABLE venues; CREATE TABLE venues (id REAL, name TEXT, timezone TEXT, city INT);
      ALTER TABLE products DROP COLUMN image_id; ALTER TABLE products ADD COLUMN image_id "BLOB\n; DROP"`);
    database.close();
    const ids = (name: string): string =>
      `from digits: iif(${name} = CAST(${name} AS INTEGER), CAST(${name} AS INTEGER), ${name}); other ids, and those beyond 2^53, become text, alike wherever they stand: CAST(${name} AS TEXT), of a BLOB lower(hex(${name})) (data/own-schema.md, Ids)`;
    await using reader = await openCatalogue(spoiled);
    const { problems } = await examineContract(reader);
    expect(problems.map(({ location, hint }) => [location, hint])).toEqual([
      ['venues.id', ids('id')],
      ['venues.city', 'from numbers, or text that is too long: substr(CAST(city AS TEXT), 1, 65536)'],
      ['products.image_id', ids('image_id')],
      [
        'price_tiers.amount_minor',
        'from whole units of a currency of two decimals: iif(amount_minor = CAST(amount_minor AS REAL), CAST(round(amount_minor * 100) AS INTEGER), amount_minor); from minor units: iif(amount_minor = CAST(amount_minor AS REAL), CAST(round(amount_minor) AS INTEGER), amount_minor)',
      ],
    ]);
  });

  test('a published id that is text has a hint that says what takes its place', async () => {
    const spoiled = join(temporaryFolder(), 'spoiled.sqlite');
    await bare.backup(spoiled);
    const database = new Database(spoiled);
    database.exec("UPDATE tags SET id = 'b7c1'; UPDATE product_tags SET tag_id = 'b7c1'");
    database.close();
    const hints = (await findingsOf(spoiled)).filter(({ code }) => code === 'value-invalid').map(({ hint }) => hint);
    expect(hints).toEqual(
      [1, 2].map(() => expect.stringContaining('; other ids, and those beyond 2^53, take numbers')),
    );
  });

  test('an id that is neither an integer nor text becomes text by its hint', async () => {
    const spoiled = join(temporaryFolder(), 'spoiled.sqlite');
    await bare.backup(spoiled);
    const database = new Database(spoiled);
    database.exec("UPDATE venues SET id = x'0aff'; UPDATE sessions SET id = 9007199254740993, venue_id = x'0aff'");
    for (const table of ['front_session_exclusions', 'front_allocations', 'price_tiers'])
      database.exec(`UPDATE ${table} SET session_id = 9007199254740993`);
    const findings = await findingsOf(spoiled);
    const hints = new Map(findings.map(({ place, column, hint }) => [`${place.split(' ')[0]}.${column}`, hint ?? '']));
    expect(findings.filter(({ code }) => code !== 'value-invalid')).toEqual([]);
    for (const table of [
      'venues',
      'sessions',
      'front_session_exclusions',
      'front_allocations',
      'price_tiers',
    ] as const) {
      const cells = Object.keys(TABLES[table]).map((column) => {
        const [, asText = column, asHex = ''] =
          /: (CAST\(\w+ AS TEXT\)), of a BLOB (lower\(hex\(\w+\)\)) \(/.exec(hints.get(`${table}.${column}`) ?? '') ??
          [];
        return `${table === 'venues' || column === 'venue_id' ? asHex || column : asText} AS ${column}`;
      });
      database.exec(`ALTER TABLE ${table} RENAME TO theirs_${table};
        CREATE VIEW ${table} AS SELECT ${cells.join(', ')} FROM theirs_${table}`);
    }
    database.close();
    expect(hints.size).toBe(6);
    expect((await findingsOf(spoiled)).filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test('stops every other command at its first problem', async () => {
    const spoiled = join(temporaryFolder(), 'spoiled.sqlite');
    await bare.backup(spoiled);
    const database = new Database(spoiled);
    broken(database);
    database.close();
    await using reader = await openCatalogue(spoiled);
    const error = await checkContract(reader).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'contract-column-missing', hint: expect.stringContaining('venues.name') });
  });

  test('is not one where views, generated columns and untyped columns have what is needed', async () => {
    const lines = await linesWith(
      sql(`
        ALTER TABLE sessions RENAME TO their_sessions;
        CREATE VIEW sessions AS SELECT * FROM their_sessions UNION ALL SELECT * FROM their_sessions WHERE 0;
        DROP TABLE tags; CREATE TABLE tags (id INTEGER, label VARCHAR(30), slug TEXT AS (lower(label)) STORED,
          name TEXT AS (label), sort_weight NUMERIC);
        INSERT INTO tags (id, label, sort_weight) VALUES (19, 'Classics', 0)`),
    );
    expect(lines).toEqual([]);
  });

  test('lists the tables that are views', async () => {
    const viewed = join(temporaryFolder(), 'views.sqlite');
    await bare.backup(viewed);
    const database = new Database(viewed);
    database.exec('ALTER TABLE tags RENAME TO their_tags; CREATE VIEW tags AS SELECT * FROM their_tags');
    database.close();
    await using reader = await openCatalogue(viewed);
    expect([...(await checkContract(reader)).views]).toEqual(['tags']);
  });
});

describe('the load finds what check-db finds', () => {
  const alone = "UPDATE venues SET timezone = 'Europe/Berlin'; UPDATE sessions SET starts_at = NULL";
  test.each(
    sampleOnMirror(
      [
        ['value-invalid', 'UPDATE products SET paused = 0'],
        ['dangling-id', 'UPDATE products SET image_id = 999'],
        ['value-invalid', "UPDATE products SET name = printf('%.*c', 65537, 'x')"],
        ['zone-drift', "UPDATE sessions SET starts_local = '2026-05-05T20:00:00'"],
        ['no-public-tier', 'UPDATE price_tiers SET is_public = 0'],
        ['year-unprintable', "UPDATE sessions SET starts_at = '9999-12-31T22:00:00Z', starts_local = NULL"],
        ['value-invalid', 'UPDATE sessions SET starts_at = NULL, starts_local = NULL'],
        ['value-invalid', "UPDATE sessions SET starts_at = NULL, starts_local = '5 May 2026, 19:00'"],
        ['wall-time-skipped', `${alone}, starts_local = '2027-03-28T02:30:00'`],
        ['wall-time-repeated', `${alone}, starts_local = '2026-10-25T02:30:00'`],
        // Long past, but its sale has not ended.
        ['wall-time-skipped', `${alone}, starts_local = '2026-03-29T02:30:00', sales_end_at = '2026-05-01T09:00:01Z'`],
        ['zone-unknown', "UPDATE venues SET timezone = '+03:00'; UPDATE sessions SET starts_at = NULL"],
        ['key-material-wrong', 'UPDATE front_keys SET secret_ref = NULL'],
        ['zone-unknown', "UPDATE venues SET timezone = '+03:00'"],
      ],
      3,
    ),
  )('%s, %s', async (code, plant) => {
    const spoiled = await spoiledBy(sql(plant));
    await using reader = await openCatalogue(spoiled);
    const now = instant('2026-05-01T09:00:00Z');
    const { catalogue, findings, leftOut } = await loadedCatalogue(reader, now);
    // The load gives no advice.
    const found = (await findingsOf(spoiled)).filter((finding) => finding.code !== 'year-unlikely');
    expect(findings.kept).toEqual(found);
    expect(findings.kept.map((finding) => finding.code)).toEqual([code]);
    // A key takes out itself alone.
    const isLeftOut = findings.kept.some(({ severity }) => severity === 'error') && code !== 'key-material-wrong';
    expect([...leftOut]).toEqual(isLeftOut ? [14] : []);
    expect(heldCodes(catalogue, findings)).toEqual([]);
  });

  test('two published products with one slug are both left out', async () => {
    const spoiled = await spoiledBy((database) => {
      insert(database, 'products', { ...GOOD_ROWS.products, id: 99 });
      insert(database, 'front_products', { ...GOOD_ROWS.front_products, product_id: 99 });
    });
    await using reader = await openCatalogue(spoiled);
    const { catalogue, findings, leftOut } = await loadedCatalogue(reader, instant('2026-05-01T09:00:00Z'));
    expect(findings.kept.map(({ code, place }) => `${code} ${place}`)).toEqual(['duplicate-key products 99']);
    expect(leftOut).toEqual(new Set([14, 99]));
    expect(heldCodes(catalogue, findings)).toEqual([]);
  });
});
