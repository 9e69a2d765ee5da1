// The seeded catalogue, at its smallest size: the same rows every time, nothing that the schema or
// a check would refuse, and each special case in it. Says nothing about speed.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedCatalogue, SeedRefusal } from '../../scripts/seed.ts';
import { createZone, DAY, parseInstant } from '../../scripts/seed/calendar.ts';
import { planProducts, SIZES, STORIES } from '../../scripts/seed/plan.ts';
import { createRandom } from '../../scripts/seed/random.ts';

const NOW = '2026-05-01T09:00:00Z';
const folder = mkdtempSync(join(tmpdir(), 'playbill-seed-'));
const path = join(folder, 'catalogue.sqlite');
let db: Database.Database;

beforeAll(() => {
  seedCatalogue({ path, size: 'XS', now: NOW, seed: 1 });
  db = new Database(path, { readonly: true });
});

afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

/** Every row of every table, and the schema, as text. */
function dump(file: string): string {
  const catalogue = new Database(file, { readonly: true });
  const tables = catalogue
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck();
  const lines = tables.all().flatMap((table) => {
    const rows = catalogue.prepare(`SELECT * FROM ${table}`).all();
    return [`${table}: ${rows.length}`, ...rows.map((row) => JSON.stringify(row))];
  });
  catalogue.close();
  return lines.join('\n');
}

function count(sql: string): number {
  const total = db.prepare<{ now: string }, number>(sql).pluck().get({ now: NOW });
  return total ?? 0;
}

/** The wall clock of a zone as the runtime itself gives it. */
function wallOf(instant: string, timezone: string): string {
  return new Date(instant).toLocaleString('sv-SE', { timeZone: timezone }).replace(' ', 'T');
}

function seeded(name: string, now: string, seed: number): string {
  const file = join(folder, name);
  seedCatalogue({ path: file, size: 'XS', now, seed });
  return file;
}

describe('the same rows', () => {
  test('for the same size, instant and seed, down to every value', () => {
    expect(dump(seeded('again.sqlite', NOW, 1))).toBe(dump(path));
  });

  test('not for another seed', () => {
    expect(dump(seeded('seed.sqlite', NOW, 2))).not.toBe(dump(path));
  });

  test('not for another instant', () => {
    expect(dump(seeded('now.sqlite', '2026-10-20T09:00:00Z', 1))).not.toBe(dump(path));
  });
});

describe('the catalogue', () => {
  test('has exactly the schema of data/schema.sql', () => {
    const plain = new Database(':memory:');
    plain.exec(readFileSync(new URL('../../data/schema.sql', import.meta.url), 'utf8'));
    const schema = 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name';
    const expected = plain.prepare(schema).all();
    plain.close();
    expect(expected.length).toBeGreaterThan(30);
    expect(db.prepare(schema).all()).toEqual(expected);
  });

  test.each([1, 2, 3])('holds together with seed %i, also where clocks change', (seed) => {
    const file = seeded(`whole-${seed}.sqlite`, '2026-10-20T09:00:00Z', seed);
    const whole = new Database(file, { readonly: true });
    expect(whole.pragma('foreign_key_check')).toEqual([]);
    expect(whole.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(whole.pragma('journal_mode', { simple: true })).toBe('wal');
    whole.close();
  });

  test('has the numbers of its size', () => {
    const { fronts, products, sessions, venues } = SIZES.XS;
    expect(count("SELECT count(*) FROM fronts WHERE status = 'active'")).toBe(fronts);
    expect(count('SELECT count(*) FROM products')).toBe(products);
    expect(count('SELECT count(*) FROM sessions')).toBe(sessions);
    expect(count('SELECT count(*) FROM venues')).toBe(venues);
  });

  test('leaves about one session in ten behind it', () => {
    const past = count('SELECT count(*) FROM sessions WHERE starts_at < @now');
    expect(past / SIZES.XS.sessions).toBeGreaterThan(0.06);
    expect(past / SIZES.XS.sessions).toBeLessThan(0.16);
  });

  test('prints on every ticket the wall time of its venue, summer and winter', () => {
    const file = seeded('walls.sqlite', '2026-10-20T09:00:00Z', 1);
    const walls = new Database(file, { readonly: true });
    const rows = walls
      .prepare<[], { starts_at: string; starts_local: string; timezone: string }>(
        'SELECT starts_at, starts_local, venues.timezone FROM sessions JOIN venues ON venues.id = venue_id WHERE starts_local IS NOT NULL',
      )
      .all();
    walls.close();
    expect(rows.length).toBeGreaterThan(200);
    for (const { starts_at, starts_local, timezone } of rows) {
      expect(`${timezone} ${starts_local}`).toBe(`${timezone} ${wallOf(starts_at, timezone)}`);
    }
  });
});

/** Sessions of a published product that some front shows. */
const SHOWN = `sessions JOIN products ON products.id = product_id
  WHERE products.status = 'published' AND EXISTS (SELECT 1 FROM front_products AS f WHERE f.product_id = products.id)`;

/** Whether a column lies within the next day. */
function isSoon(column: string): string {
  return `${column} > @now AND ${column} <= strftime('%Y-%m-%dT%H:%M:%SZ', @now, '+1 day')`;
}

/** The products of a table of which a condition on all their rows holds. */
function every(table: string, having: string): string {
  return `(SELECT 1 FROM ${table} GROUP BY product_id HAVING ${having})`;
}

/** Products of which a front does not sell some sessions, compared with how many they have. */
function excluded(comparison: '<' | '='): string {
  return `(SELECT 1 FROM front_session_exclusions AS x JOIN sessions AS s ON s.id = x.session_id
    GROUP BY x.front_id, s.product_id
    HAVING count(*) ${comparison} (SELECT count(*) FROM sessions AS t WHERE t.product_id = s.product_id))`;
}

const PUBLIC_TICKETS = "price_tiers WHERE kind = 'ticket' AND is_public = 1";

/** What there is, how often at least, and where it is found. */
const CASES: readonly (readonly [sentence: string, atLeast: number, from: string])[] = [
  ['three zones of fronts', 3, "(SELECT DISTINCT timezone FROM fronts WHERE status = 'active')"],
  ['two kinds of weekend', 2, "(SELECT DISTINCT weekend_days FROM fronts WHERE status = 'active')"],
  ['three currencies', 3, "(SELECT DISTINCT currency FROM fronts WHERE status = 'active')"],
  ['a currency without decimals', 1, 'fronts WHERE currency_exponent = 0'],
  ['a disabled front', 1, "fronts WHERE status = 'disabled'"],
  ['ten zones of venues', 10, '(SELECT DISTINCT timezone FROM venues)'],
  ['keys of three algorithms', 3, '(SELECT DISTINCT alg FROM front_keys)'],
  ['a revoked key', 1, 'front_keys WHERE revoked_at < @now'],
  ['a key that is over', 1, 'front_keys WHERE not_after < @now'],
  ['a key not yet valid', 1, 'front_keys WHERE not_before > @now'],
  ['Cyrillic names', 10, "products WHERE name GLOB '*[а-я]*'"],
  ['Latin names', 10, "products WHERE name GLOB '[A-Z][a-z]*'"],
  ['Japanese names', 1, "products WHERE name GLOB '*[ぁ-ん]*' OR name GLOB '*[一-龠]*'"],
  ['a line separator and quotes in a name', 1, 'products WHERE instr(name, char(8232)) AND instr(name, char(34))'],
  ['products without an image', 1, 'products WHERE image_id IS NULL'],
  ['images with all their texts', 20, 'images WHERE alt_text + copyright + copyright_url IS NOT NULL'],
  ['images without credit', 1, 'images WHERE copyright IS NULL'],
  ['drafts', 1, "products WHERE status = 'draft'"],
  ['archived products', 1, "products WHERE status = 'archived'"],
  ['products without sessions', 1, 'products WHERE id NOT IN (SELECT product_id FROM sessions)'],
  ['a product paused for good', 1, 'products WHERE paused = 1 AND paused_until IS NULL'],
  ['a pause that ends within the day', 1, `products WHERE ${isSoon('paused_until')}`],
  ['a pause that is over', 1, 'products WHERE paused_until < @now'],
  ['four sale schemas', 4, '(SELECT DISTINCT sale_schema FROM products)'],
  ['products of the card programme', 1, 'products WHERE pushka = 1'],
  [
    'two sessions of a product at once',
    1,
    '(SELECT 1 FROM sessions GROUP BY product_id, starts_at HAVING count(*) > 1)',
  ],
  ['sessions now', 1, `${SHOWN} AND starts_at = @now`],
  ['timed entry after the start', 1, `${SHOWN} AND starts_at < @now AND sales_end_at > @now`],
  ['sales that end before the start', 1, 'sessions WHERE sales_end_at < starts_at'],
  ['announced sessions', 5, `${SHOWN} AND sales_start_at > @now`],
  ['sales that open within the day', 1, `${SHOWN} AND ${isSoon('sales_start_at')}`],
  ['sessions that start within the day', 3, `${SHOWN} AND ${isSoon('starts_at')}`],
  ['sold-out sessions', 5, `${SHOWN} AND available = 0 AND starts_at > @now`],
  ['oversold sessions', 1, 'sessions WHERE available < 0'],
  ['sessions without a limit', 5, 'sessions WHERE available IS NULL'],
  ['paused sessions', 1, 'sessions WHERE paused = 1'],
  ['draft sessions', 1, "sessions WHERE status = 'draft'"],
  ['cancelled sessions', 5, "sessions WHERE status = 'cancelled'"],
  ['postponed sessions', 1, "sessions WHERE status = 'postponed' AND previous_starts_at IS NOT NULL"],
  ['moved sessions', 1, "sessions WHERE status = 'scheduled' AND previous_starts_at < starts_at"],
  ['products over several venues', 1, every('sessions', 'count(DISTINCT venue_id) > 2')],
  [
    'products in several zones',
    1,
    every('sessions JOIN venues ON venues.id = venue_id', 'count(DISTINCT venues.timezone) > 1'),
  ],
  ['products with one session', 1, every('sessions', 'count(*) = 1')],
  ['products that are over', 1, every('sessions', 'max(starts_at) < @now')],
  [
    'products cancelled in every session',
    1,
    every('sessions', "min(status) = 'cancelled' AND max(status) = 'cancelled'"),
  ],
  ['products sold out in every session', 1, every('sessions', 'max(coalesce(available, 1)) <= 0')],
  ['products paused in every session', 1, every('sessions', 'min(paused) = 1')],
  ['early birds in force', 1, 'price_tiers WHERE valid_until > @now AND valid_from IS NULL'],
  ['early birds that are over', 1, 'price_tiers WHERE valid_until < @now'],
  ['prices that begin within the day', 1, `price_tiers WHERE ${isSoon('valid_from')}`],
  ['prices that end within the day', 1, `price_tiers WHERE ${isSoon('valid_until')}`],
  ['add-ons', 1, "price_tiers WHERE kind = 'addon'"],
  ['tickets that the public does not see', 1, 'price_tiers WHERE is_public = 0'],
  ['tickets left out of priceFrom', 1, 'price_tiers WHERE in_price_from = 0'],
  ['tiers of single sessions', 10, 'price_tiers WHERE session_id IS NOT NULL'],
  ['free tickets', 1, 'price_tiers WHERE amount_minor = 0'],
  ['amounts with minor units', 1, "price_tiers WHERE currency = 'RUB' AND amount_minor % 100 <> 0"],
  [
    'products without a price',
    1,
    "products WHERE status = 'published' AND id NOT IN (SELECT product_id FROM price_tiers)",
  ],
  ['products priced in one currency', 1, every('price_tiers', 'count(DISTINCT currency) = 1')],
  ['products priced in three', 20, every('price_tiers', 'count(DISTINCT currency) = 3')],
  ['products whose tickets have expired', 1, every(PUBLIC_TICKETS, "max(coalesce(valid_until, '9')) < @now")],
  ['products sold out by their tiers', 1, every(PUBLIC_TICKETS, 'max(coalesce(available, 1)) = 0')],
  ['featured products', 1, 'front_products WHERE featured = 1'],
  ['banners', 1, 'front_products WHERE banner = 1'],
  ['equal weights', 1, '(SELECT 1 FROM front_products GROUP BY front_id, sort_weight HAVING count(*) > 1)'],
  ['visible windows', 1, 'front_products WHERE visible_from IS NOT NULL OR visible_until IS NOT NULL'],
  ['products on several fronts', 1, every('front_products', 'count(*) > 1')],
  ['products on no front', 1, 'products WHERE id NOT IN (SELECT product_id FROM front_products)'],
  ['badges with windows', 1, 'product_badges WHERE valid_from IS NOT NULL OR valid_until IS NOT NULL'],
  ['badges for ever', 1, 'product_badges WHERE valid_from IS NULL AND valid_until IS NULL'],
  ['more tags than bits in a word', 65, 'tags'],
  ['products with tags', 1, every('product_tags', 'count(*) > 1')],
  ['products in several groups', 1, every('product_groups', 'count(*) > 1')],
  ['products in several categories', 1, every('product_categories', 'count(*) > 1')],
  ['fronts without some category', 1, '(SELECT 1 FROM front_categories GROUP BY front_id HAVING count(*) < 18)'],
  ['fronts without some group', 1, '(SELECT 1 FROM front_groups GROUP BY front_id HAVING count(*) < 12)'],
  ['products excluded in part', 1, excluded('<')],
  ['products excluded whole', 1, excluded('=')],
];

describe('among its rows are', () => {
  test.each(CASES)('%s', (_sentence, atLeast, from) => {
    expect(count(`SELECT count(*) FROM ${from}`)).toBeGreaterThanOrEqual(atLeast);
  });

  test('sessions at midnight by the clock of their venue', () => {
    const sessions = db.prepare<[], { starts_at: string; timezone: string }>(
      'SELECT starts_at, venues.timezone FROM sessions JOIN venues ON venues.id = venue_id',
    );
    const walls = sessions.all().map(({ starts_at, timezone }) => wallOf(starts_at, timezone));
    expect(walls.filter((wall) => wall.endsWith('T00:00:00')).length).toBeGreaterThanOrEqual(1);
  });

  test('each story, on a front that is active', () => {
    const shown = `SELECT count(DISTINCT product_id) FROM front_products JOIN fronts ON fronts.id = front_id
      WHERE status = 'active' AND product_id <= ${STORIES.length}`;
    expect(count(shown)).toBe(STORIES.length);
  });
});

/** What `differences` adds; the counts are of a catalogue with them. */
const DIFFERENCES: readonly (readonly [sentence: string, atLeast: number, from: string])[] = [
  ['fronts in three languages', 3, "(SELECT DISTINCT locale FROM fronts WHERE status = 'active')"],
  ['a front whose language is that of its texts when it is shortened', 1, "fronts WHERE locale = 'en-GB'"],
  ['texts of each', 3, "(SELECT DISTINCT locale FROM texts WHERE locale IN ('ru', 'en', 'ja'))"],
  ['texts of all kinds', 7, '(SELECT DISTINCT kind FROM texts)'],
  ['prices of channels', 2, '(SELECT DISTINCT channels FROM price_tiers WHERE channels IS NOT NULL)'],
  ['products sold on some channels alone', 1, every(PUBLIC_TICKETS, 'count(channels) = count(*)')],
  ['contingents', 6, 'front_allocations'],
  ['contingents that are used up', 1, 'front_allocations WHERE available = 0'],
  ['daily sessions', 2, 'sessions WHERE daily = 1 AND ends_at > starts_at AND sales_end_at IS NULL'],
];

describe('with differences between fronts', () => {
  const file = join(folder, 'differences.sqlite');
  let differing: Database.Database;
  beforeAll(() => {
    seedCatalogue({ path: file, size: 'XS', now: NOW, seed: 1, differences: true });
    differing = new Database(file, { readonly: true });
  });
  afterAll(() => differing.close());

  test.each(DIFFERENCES)('there are %s', (_sentence, atLeast, from) => {
    const total = differing.prepare<[], number>(`SELECT count(*) FROM ${from}`).pluck().get();
    expect(total).toBeGreaterThanOrEqual(atLeast);
  });

  test('and all the rest is the same', () => {
    const rest = `SELECT id, product_id, venue_id, starts_at, starts_local, sales_start_at, status, paused, available
      FROM sessions ORDER BY id`;
    expect(differing.prepare(rest).all()).toEqual(db.prepare(rest).all());
    for (const table of ['products', 'front_products', 'images', 'product_badges', 'front_session_exclusions']) {
      const rows = `SELECT * FROM ${table}`;
      expect(differing.prepare(rows).all()).toEqual(db.prepare(rows).all());
    }
  });
});

describe('among its rows are no', () => {
  test('own tickets without a public one among them', () => {
    const sql = `SELECT count(*) FROM (SELECT 1 FROM price_tiers WHERE session_id IS NOT NULL AND kind = 'ticket'
      GROUP BY session_id HAVING max(is_public) = 0)`;
    expect(count(sql)).toBe(0);
  });

  test('keys with material that another algorithm needs, or with none', () => {
    const sql = `SELECT count(*) FROM front_keys
      WHERE (alg = 'hmac-sha256') <> (secret_ref IS NOT NULL) OR (alg = 'hmac-sha256') = (public_key IS NOT NULL)`;
    expect(count(sql)).toBe(0);
  });

  test('asymmetric keys that a verifier cannot import', async () => {
    const keys = db.prepare<[], { alg: string; public_key: string }>(
      'SELECT alg, public_key FROM front_keys WHERE public_key IS NOT NULL',
    );
    const rows = keys.all();
    expect(rows.length).toBeGreaterThan(1);
    for (const row of rows) {
      const algorithm = row.alg === 'ed25519' ? { name: 'Ed25519' } : { name: 'ECDSA', namedCurve: 'P-256' };
      const jwk = JSON.parse(row.public_key);
      await expect(crypto.subtle.importKey('jwk', jwk, algorithm, true, ['verify'])).resolves.toBeDefined();
    }
  });
});

describe('the plan of products', () => {
  test.each(['XS', 'S', 'M', 'L'] as const)(
    'gives size %s exactly its sessions, and every product with sessions at least one',
    (name) => {
      const size = SIZES[name];
      const plans = planProducts(size, createRandom(7));
      let nextSessionId = 1;
      for (const { story, firstSessionId, sessionCount } of plans) {
        expect(firstSessionId).toBe(nextSessionId);
        expect(sessionCount > 0).toBe(story !== 'sessionless');
        nextSessionId += sessionCount;
      }
      expect(plans.length).toBe(size.products);
      expect(nextSessionId - 1).toBe(size.sessions);
    },
  );
});

describe('an offset table', () => {
  const berlin = createZone(
    'Europe/Berlin',
    parseInstant('2026-03-01T00:00:00Z'),
    parseInstant('2026-11-30T00:00:00Z'),
  );

  test.each([
    ['2026-03-29T00:59:59Z', 3_600],
    ['2026-03-29T01:00:00Z', 7_200],
    ['2026-10-25T00:59:59Z', 7_200],
    ['2026-10-25T01:00:00Z', 3_600],
  ])('changes at the second of the change: %s', (instant, offset) => {
    expect(berlin.offsetAt(parseInstant(instant))).toBe(offset);
  });

  test('finds the instant of a wall time on either side of a change', () => {
    const day = parseInstant('2026-03-29T00:00:00Z') / DAY;
    expect(berlin.instantAt(day, 60)).toBe(parseInstant('2026-03-29T00:00:00Z'));
    expect(berlin.instantAt(day, 600)).toBe(parseInstant('2026-03-29T08:00:00Z'));
  });
});

describe('refused', () => {
  test('is an existing file, which stays as it is', () => {
    const file = join(folder, 'precious.txt');
    writeFileSync(file, 'precious');
    expect(() => seedCatalogue({ path: file, size: 'XS', now: NOW, seed: 1 })).toThrow(SeedRefusal);
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });

  test.each(['2026-05-01', '2026-02-30T09:00:00Z', '2026-05-01T09:00:00+00:00', 'now'])('is the instant %s', (now) => {
    const file = join(folder, 'never.sqlite');
    expect(() => seedCatalogue({ path: file, size: 'XS', now, seed: 1 })).toThrow(SeedRefusal);
    expect(existsSync(file)).toBe(false);
  });

  test.each([1.5, Number.NaN, 2 ** 40])('is the seed %d', (seed) => {
    expect(() => seedCatalogue({ path: join(folder, 'never.sqlite'), size: 'XS', now: NOW, seed })).toThrow(
      SeedRefusal,
    );
  });
});

describe('the command', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
    const command = [join(root, 'scripts/seed.ts'), ...args];
    return spawnSync(join(root, 'node_modules/.bin/tsx'), command, { cwd: folder, encoding: 'utf8' });
  }

  test('makes the same catalogue with its defaults, prints the rows, and replaces it only under --force', () => {
    const first = run('--size', 'XS', '--db', 'made.sqlite');
    expect(first.stderr).toBe('');
    expect(first.status).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({
      size: 'XS',
      now: NOW,
      seed: 1,
      rows: { products: 60, sessions: 600 },
    });
    expect(dump(join(folder, 'made.sqlite'))).toBe(dump(path));

    const second = run('--size', 'XS', '--db', 'made.sqlite', '--seed', '2');
    expect(second.status).toBe(2);
    expect(second.stderr).toContain('made.sqlite exists already; --force replaces it');
    expect(dump(join(folder, 'made.sqlite'))).toBe(dump(path));

    expect(run('--size', 'XS', '--db', 'made.sqlite', '--seed', '2', '--force').status).toBe(0);
    // Not even the log of the readers above, which would be applied to the new file.
    expect(readdirSync(folder).filter((name) => name.startsWith('made'))).toEqual(['made.sqlite']);
    expect(dump(join(folder, 'made.sqlite'))).not.toBe(dump(path));
  });

  test.each([
    ['an unknown size', ['--size', 'XXL', '--db', 'x.sqlite'], 'expected --size S, M, L or XS, found "XXL"'],
    ['no file', ['--size', 'XS'], 'expected --db PATH'],
    [
      'a folder that is not there',
      ['--size', 'XS', '--db', 'no/x.sqlite'],
      'expected no/x.sqlite in a folder that exists',
    ],
    ['an unknown option', ['--sise', 'XS'], "Unknown option '--sise'"],
    ['an empty seed', ['--size', 'XS', '--db', 'x.sqlite', '--seed', ''], 'as the seed'],
  ])('exits 2 for %s', (_case, args, message) => {
    const { status, stdout, stderr } = run(...args);
    expect(stderr).toContain(message);
    expect(stderr).toContain('usage: ');
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });
});
