// The demo catalogue against the real schema: every case it promises is in the rows, whatever the
// now. The cards are counted by plain SQL written here from the rules, so that the demo does not
// depend on the code it is to show.

import { spawnSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { demoRows } from '../../data/demo/rows.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const schema = readFileSync(`${root}data/schema.sql`, 'utf8');

const NOWS = [
  '2026-05-01T09:00:00Z', // a Friday noon in Moscow
  '2026-05-03T22:10:07Z', // the small hours of a Monday, at an odd second
  '2026-03-29T00:30:00Z', // half an hour before Berlin springs forward
  '2026-10-25T00:59:59Z', // the second before Berlin falls back
  '2026-03-08T06:59:00Z', // the minute before Montréal springs forward
  '2028-02-29T18:29:59Z', // 29 February, the last second of the day in Mumbai
  '2026-12-31T21:00:00Z', // the first second of a year in Moscow
] as const;

/** Per front and product: `card`, or the first rule that leaves it without one. */
const OUTCOMES = `
  CREATE TEMP TABLE tickets AS
    SELECT fp.front_id, t.*, coalesce(' ' || t.channels || ' ' LIKE '% ' || f.channel || ' %', t.channels IS NULL) AS is_sold
    FROM front_products fp JOIN fronts f ON f.id = fp.front_id JOIN price_tiers t USING (product_id) WHERE t.kind = 'ticket';
  CREATE INDEX temp.tickets_of_product ON tickets (front_id, product_id);
  CREATE TEMP TABLE public_tiers AS
    SELECT s.id AS of_session, t.* FROM tickets t JOIN sessions s USING (product_id)
    WHERE t.is_sold AND t.is_public = 1 AND (t.session_id = s.id OR t.session_id IS NULL AND NOT EXISTS (
      SELECT 1 FROM tickets own
      WHERE own.front_id = t.front_id AND own.product_id = s.product_id AND own.session_id = s.id AND own.is_sold));
  CREATE TEMP TABLE session_tiers AS
    SELECT front_id, of_session, sum(valid_until IS NULL OR valid_until > now) AS live
    FROM public_tiers, clock GROUP BY front_id, of_session;
  CREATE TEMP TABLE offers AS
    SELECT fp.front_id, s.*, coalesce(s.sales_end_at, iif(daily, ends_at, starts_at)) <= now AS is_over,
      st.live = 0 AS is_expired, s.status IN ('scheduled', 'rescheduled') AS is_scheduled,
      coalesce(s.visible_from > now, 0) AS is_to_come,
      coalesce((SELECT max(is_sold) = 0 FROM tickets t WHERE t.front_id = fp.front_id AND t.product_id = s.product_id
        AND (t.session_id = s.id OR t.session_id IS NULL)), 0) AS is_elsewhere,
      EXISTS (SELECT 1 FROM front_session_exclusions x WHERE x.front_id = fp.front_id AND x.session_id = s.id) AS is_excluded
    FROM clock, front_products fp JOIN sessions s USING (product_id)
    LEFT JOIN session_tiers st ON st.front_id = fp.front_id AND st.of_session = s.id;
  CREATE TEMP TABLE outcomes AS
    SELECT f.code AS front, f.status, p.id AS product_id, p.slug, CASE
      WHEN p.status <> 'published' THEN 'not-published'
      WHEN now < fp.visible_from OR now >= fp.visible_until THEN 'not-visible'
      WHEN count(o.id) = 0 THEN 'no-sessions'
      WHEN sum(is_scheduled) = 0 THEN 'not-scheduled'
      WHEN sum(is_scheduled AND NOT is_to_come) = 0 THEN 'not-announced'
      WHEN sum(is_scheduled AND NOT is_to_come AND NOT is_elsewhere) = 0 THEN 'not-on-channel'
      WHEN sum(is_scheduled AND NOT is_to_come AND NOT is_elsewhere AND NOT is_excluded) = 0 THEN 'excluded'
      WHEN sum(is_scheduled AND NOT is_to_come AND NOT is_elsewhere AND NOT is_excluded AND NOT is_over) = 0 THEN 'over'
      WHEN sum(is_scheduled AND NOT is_to_come AND NOT is_elsewhere AND NOT is_excluded AND NOT is_over
        AND is_expired IS NOT 1) = 0 THEN 'prices-expired'
      ELSE 'card' END AS outcome
    FROM clock, front_products fp JOIN fronts f ON f.id = fp.front_id JOIN products p ON p.id = fp.product_id
    LEFT JOIN offers o ON o.front_id = fp.front_id AND o.product_id = p.id GROUP BY f.id, p.id;
  CREATE TEMP TABLE cards AS SELECT * FROM outcomes WHERE outcome = 'card' AND status = 'active';
  CREATE TEMP TABLE pool AS SELECT o.* FROM offers o JOIN fronts f ON f.id = o.front_id
    JOIN cards c ON c.product_id = o.product_id AND c.front = f.code
    WHERE is_scheduled AND NOT is_to_come AND NOT is_elsewhere AND NOT is_excluded AND NOT is_over AND is_expired IS NOT 1`;

const SOME_CARD = 'SELECT 1 FROM cards c JOIN products p ON p.id = c.product_id, clock WHERE';
const SOME_FRONT = 'SELECT 1 FROM cards JOIN fronts f ON f.code = front WHERE';
const SOME_BADGE = 'SELECT 1 FROM cards JOIN product_badges USING (product_id), clock WHERE';
const SOME_SESSION = 'SELECT 1 FROM cards JOIN sessions s USING (product_id), clock WHERE';
const SOME_OFFER = 'SELECT 1 FROM pool, clock WHERE';
const SOME_TIER = 'SELECT 1 FROM pool JOIN price_tiers t ON t.product_id = pool.product_id, clock WHERE';

/** What the demo promises to contain, each as a query that must find something. */
const CASES: Readonly<Record<string, string>> = {
  'a draft product': `SELECT 1 FROM products JOIN front_products ON product_id = id WHERE status = 'draft'`,
  'an archived product': `SELECT 1 FROM products JOIN front_products ON product_id = id WHERE status = 'archived'`,
  'a product that will be shown': 'SELECT 1 FROM front_products, clock WHERE visible_from > now',
  'a product no longer shown': 'SELECT 1 FROM front_products, clock WHERE visible_until <= now',
  'a product shown for some time yet': 'SELECT 1 FROM front_products, clock WHERE visible_until > now',
  'a product of which one of two fronts sells no session': `SELECT 1 FROM outcomes a JOIN outcomes b USING (product_id)
    WHERE a.status = 'active' AND a.outcome = 'excluded' AND b.outcome = 'card'`,
  'a product paused for good': `${SOME_CARD} p.paused = 1 AND p.paused_until IS NULL`,
  'a product paused for a while': `${SOME_CARD} p.paused_until > now`,
  'a pause that has run out': `${SOME_CARD} p.paused_until <= now`,
  'a product paused at one of its fronts only': `${SOME_CARD} p.paused = 0
    AND (SELECT count(*) > 1 AND sum(fp.paused) = 1 FROM front_products fp WHERE fp.product_id = p.id)`,
  'every session of a card paused': `SELECT 1 FROM pool GROUP BY front_id, product_id HAVING sum(paused) = count(*)`,
  'one session of several paused': `SELECT 1 FROM pool GROUP BY front_id, product_id HAVING sum(paused) = 1 AND count(*) > 1`,
  'a sold-out product': 'SELECT 1 FROM pool GROUP BY front_id, product_id HAVING max(coalesce(available, 1)) <= 0',
  'a sold-out session of a product with others': `SELECT 1 FROM pool GROUP BY front_id, product_id
    HAVING min(coalesce(available, 1)) = 0 AND max(coalesce(available, 1)) > 0`,
  'an oversold session': `${SOME_OFFER} available < 0`,
  'a session with seats without limit': `${SOME_OFFER} available IS NULL`,
  'a product whose every tier is sold out': `SELECT 1 FROM pool JOIN public_tiers t ON t.of_session = pool.id
    GROUP BY pool.product_id HAVING max(coalesce(t.available, 1)) <= 0`,
  'a tier sold out beside one that is not': `SELECT 1 FROM pool JOIN public_tiers t ON t.of_session = pool.id
    GROUP BY pool.product_id HAVING min(coalesce(t.available, 1)) <= 0 AND max(coalesce(t.available, 1)) > 0`,
  'an announced product: no session on sale yet': `SELECT 1 FROM pool, clock GROUP BY front_id, product_id
    HAVING min(coalesce(sales_start_at, '') > now) = 1`,
  'a session announced beside one on sale': `SELECT 1 FROM pool, clock GROUP BY front_id, product_id
    HAVING max(coalesce(sales_start_at, '') > now) = 1 AND min(coalesce(sales_start_at, '') > now) = 0`,
  'a sale that opens at ten in Moscow': `${SOME_OFFER} sales_start_at > now AND sales_start_at LIKE '%T07:00:00Z'`,
  'a cancelled session of a card': `${SOME_SESSION} s.status = 'cancelled' AND s.starts_at > now`,
  'a postponed session of a card': `${SOME_SESSION} s.status = 'postponed' AND s.starts_at > now`,
  'a draft session of a card': `${SOME_SESSION} s.status = 'draft' AND s.starts_at > now`,
  'a session moved to another date': `${SOME_OFFER} previous_starts_at < starts_at`,
  'a session under way that is still sold': `${SOME_OFFER} starts_at <= now AND sales_end_at > now`,
  'a sale that ends before the start': `${SOME_OFFER} sales_end_at < starts_at`,
  'sessions every 15 minutes':
    'SELECT 1 FROM pool a JOIN pool b USING (front_id, product_id) WHERE unixepoch(b.starts_at) - unixepoch(a.starts_at) = 900',
  'a session at midnight': `${SOME_OFFER} starts_local LIKE '%T00:00:00'`,
  'a session already over': `${SOME_SESSION} coalesce(s.sales_end_at, s.starts_at) <= now`,
  'a session whose ticket bears no time': `${SOME_OFFER} starts_local IS NULL`,
  'a session not sold by one of two fronts':
    'SELECT 1 FROM pool a JOIN front_session_exclusions x ON x.session_id = a.id AND x.front_id <> a.front_id',
  'a venue in another zone than its front': `SELECT 1 FROM pool JOIN fronts f ON f.id = front_id JOIN venues v ON v.id = venue_id
    WHERE f.code = 'moscow' AND v.timezone = 'Asia/Vladivostok'`,
  'a product at venues in several zones': `SELECT 1 FROM pool JOIN venues v ON v.id = venue_id GROUP BY front_id, product_id HAVING count(DISTINCT v.timezone) > 1`,
  'an early bird about to end': `${SOME_TIER} t.valid_until BETWEEN now AND strftime('%Y-%m-%dT%H:%M:%SZ', now, '+1 day')`,
  'a tier that has expired': `${SOME_TIER} t.valid_until <= now`,
  'a price that begins later': `${SOME_TIER} t.valid_from > now`,
  'own tiers of a session beside default ones': `SELECT 1 FROM price_tiers t JOIN pool ON pool.id = t.session_id
    JOIN price_tiers d ON d.product_id = t.product_id WHERE d.session_id IS NULL`,
  'own tiers that have expired, the defaults being live': `SELECT 1 FROM offers o JOIN cards USING (product_id) WHERE o.is_expired = 1`,
  'an add-on': `${SOME_TIER} t.kind = 'addon'`,
  'a tier that is not public': `${SOME_TIER} t.is_public = 0`,
  'a tier that does not count for the lowest price': `${SOME_TIER} t.in_price_from = 0 AND t.is_public = 1`,
  'a product that is free': `SELECT 1 FROM cards JOIN public_tiers t USING (product_id) GROUP BY product_id HAVING max(amount_minor) = 0`,
  'a product with tiers in several currencies': `SELECT 1 FROM cards JOIN price_tiers t USING (product_id) GROUP BY product_id HAVING count(DISTINCT currency) > 1`,
  'a card without a tier in the currency of its front': `SELECT 1 FROM cards c JOIN fronts f ON f.code = c.front
    WHERE NOT EXISTS (SELECT 1 FROM price_tiers t WHERE t.product_id = c.product_id AND t.currency = f.currency)`,
  'an image with text and credit':
    'SELECT 1 FROM images WHERE alt_text IS NOT NULL AND copyright IS NOT NULL AND copyright_url IS NOT NULL',
  'an image without text': 'SELECT 1 FROM images WHERE alt_text IS NULL',
  'an image without credit': 'SELECT 1 FROM images WHERE copyright IS NULL',
  'an image of two products': 'SELECT 1 FROM products GROUP BY image_id HAVING count(image_id) > 1',
  'a card without an image': `${SOME_CARD} p.image_id IS NULL`,
  'a badge that is over': `${SOME_BADGE} valid_until <= now`,
  'a badge about to come': `${SOME_BADGE} valid_from > now`,
  'a badge about to go': `${SOME_BADGE} valid_until > now`,
  'a category that no card of its front reaches': `SELECT 1 FROM front_categories fc JOIN fronts f ON f.id = fc.front_id
    WHERE f.status = 'active' AND NOT EXISTS (SELECT 1 FROM cards c JOIN product_categories pc USING (product_id) WHERE c.front = f.code AND pc.category_id = fc.category_id)`,
  'a group that only products without a card are in': `SELECT 1 FROM front_groups fg JOIN product_groups USING (group_id) JOIN fronts f ON f.id = fg.front_id
    WHERE f.status = 'active' AND NOT EXISTS (SELECT 1 FROM cards c JOIN product_groups pg USING (product_id) WHERE c.front = f.code AND pg.group_id = fg.group_id)`,
  'a group of a card that its front does not show': `SELECT 1 FROM cards c JOIN product_groups pg USING (product_id) JOIN fronts f ON f.code = c.front
    WHERE NOT EXISTS (SELECT 1 FROM front_groups fg WHERE fg.front_id = f.id AND fg.group_id = pg.group_id)`,
  'a tag that no product has': 'SELECT 1 FROM tags WHERE id NOT IN (SELECT tag_id FROM product_tags)',
  'each card type': 'SELECT 1 FROM groups GROUP BY NULL HAVING count(DISTINCT card_type) = 3',
  'featured, banner and weighted cards':
    'SELECT 1 FROM front_products GROUP BY NULL HAVING max(featured) AND max(banner) AND min(sort_weight) < 0 AND max(sort_weight) > 0',
  'a card sold under the state programme': `${SOME_CARD} p.pushka = 1`,
  'free, sale, registration, external and on-site schemes':
    'SELECT 1 FROM products GROUP BY NULL HAVING count(DISTINCT sale_schema) >= 5',
  'a disabled front with products': `SELECT 1 FROM outcomes WHERE status = 'disabled' AND outcome = 'card'`,
  'two fronts that share products': 'SELECT 1 FROM cards a JOIN cards b USING (product_id) WHERE a.front <> b.front',
  'a currency without decimals': `${SOME_FRONT} currency_exponent = 0`,
  'a currency with three decimals': `${SOME_FRONT} currency_exponent = 3`,
  'a weekend of Friday and Saturday': `${SOME_FRONT} weekend_days = '56'`,
  'a zone off the whole hour': `${SOME_FRONT} timezone = 'Asia/Kolkata'`,
  'a zone with daylight saving': `${SOME_FRONT} timezone = 'Europe/Berlin'`,
  'a front of Moscow in roubles': `${SOME_FRONT} code = 'moscow' AND timezone = 'Europe/Moscow' AND currency = 'RUB'`,
  'keys of each algorithm': 'SELECT 1 FROM front_keys GROUP BY NULL HAVING count(DISTINCT alg) = 3',
  'a revoked key': 'SELECT 1 FROM front_keys, clock WHERE revoked_at < now',
  'a key about to end and one that has begun':
    'SELECT 1 FROM front_keys, clock GROUP BY NULL HAVING max(not_after) > now AND min(not_before) < now',
  'names with a no-break space': `${SOME_CARD} instr(p.name, char(160)) > 0`,
  'names with an ampersand': `${SOME_CARD} instr(p.name, '&') > 0`,
  'a name in Cyrillic': `${SOME_CARD} p.name GLOB '*[а-я]*'`,
  'a name in Arabic': `${SOME_CARD} p.name GLOB '*[ا-ي]*'`,
  'a name in Japanese': `${SOME_CARD} p.name GLOB '*[ぁ-ん]*'`,
  'a name in Devanagari': `${SOME_CARD} p.name GLOB '*[क-ह]*'`,
  'a name in Latin letters with diacritics': `${SOME_CARD} p.name GLOB '*[à-ÿ]*'`,
  'names with « »': `${SOME_CARD} p.name LIKE '%«%»%'`,
  'a front in the language of the catalogue': `${SOME_FRONT} locale = 'fr' AND NOT EXISTS (SELECT 1 FROM texts WHERE locale LIKE 'fr%')`,
  'a front of a region, whose texts are those of the language': `${SOME_FRONT} f.locale = 'en-GB'
    AND EXISTS (SELECT 1 FROM texts WHERE locale = 'en') AND NOT EXISTS (SELECT 1 FROM texts WHERE locale = 'en-GB')`,
  'texts of every kind and field':
    'SELECT 1 FROM texts GROUP BY NULL HAVING count(DISTINCT kind) = 7 AND count(DISTINCT field) = 5',
  'a category with a text and no plural of its own': `SELECT 1 FROM categories c JOIN texts t ON t.kind = 'category' AND t.id = c.id
    GROUP BY c.id HAVING c.name_plural IS NULL AND max(t.field) = 'name_singular'`,
  'a card without a text among others that have one': `${SOME_CARD} c.front = 'rives-en'
    AND NOT EXISTS (SELECT 1 FROM texts t WHERE t.kind = 'product' AND t.id = p.id)`,
  'prices of two channels for one card': `SELECT 1 FROM cards c JOIN fronts f ON f.code = c.front
    JOIN public_tiers t ON t.front_id = f.id AND t.product_id = c.product_id AND t.in_price_from = 1
    WHERE t.channels = f.channel GROUP BY c.product_id HAVING count(DISTINCT f.channel) > 1 AND count(DISTINCT t.amount_minor) > 1`,
  'a tier of several channels': `${SOME_TIER} t.channels LIKE '% %'`,
  'a session sold out but at a partner': `SELECT 1 FROM pool JOIN front_allocations a ON a.front_id = pool.front_id AND a.session_id = pool.id
    WHERE pool.available <= 0 AND a.available > 0`,
  'a session sold out at a partner only': `SELECT 1 FROM pool JOIN front_allocations a ON a.front_id = pool.front_id AND a.session_id = pool.id
    WHERE pool.available > 0 AND a.available = 0`,
  'a contingent that is oversold': `SELECT 1 FROM pool JOIN front_allocations a ON a.front_id = pool.front_id AND a.session_id = pool.id
    WHERE a.available < 0`,
  'a session after midnight that belongs to the evening before': `SELECT 1 FROM pool JOIN fronts f ON f.id = front_id
    WHERE f.day_starts_at = '05:00' AND substr(starts_local, 12, 5) BETWEEN '00:01' AND '04:59'`,
  'one session in two days: of a front with a night and of another': `SELECT 1 FROM pool JOIN fronts f ON f.id = front_id
    WHERE substr(starts_local, 12, 5) < '05:00' GROUP BY pool.id HAVING count(DISTINCT f.day_starts_at) = 2`,
  'a moved premiere and its badge': `SELECT 1 FROM pool s JOIN product_badges USING (product_id) JOIN badges b ON b.id = badge_id
    WHERE b.rule = 'moved' AND s.status = 'rescheduled' AND s.previous_starts_at < s.starts_at`,
  'last tickets on one front, and enough of them on another': `SELECT 1 FROM pool s JOIN product_badges USING (product_id) JOIN badges b ON b.id = badge_id
    LEFT JOIN front_allocations a ON a.front_id = s.front_id AND a.session_id = s.id
    WHERE b.rule = 'few-left' GROUP BY product_id, rule_below
    HAVING min(coalesce(a.available, s.available)) BETWEEN 1 AND rule_below AND max(a.available) > rule_below AND count(DISTINCT s.id) = 1`,
  'a badge of a rule that does not hold': `SELECT 1 FROM pool s JOIN product_badges USING (product_id) JOIN badges b ON b.id = badge_id
    WHERE b.rule = 'few-left' GROUP BY front_id, product_id, rule_below HAVING sum(max(s.available, 0)) > rule_below`,
  'an exhibition that has begun': `${SOME_OFFER} daily = 1 AND starts_at < now AND ends_at > now`,
  'a session announced soon, beside others': `SELECT 1 FROM offers JOIN cards USING (product_id), clock
    WHERE visible_from BETWEEN now AND strftime('%Y-%m-%dT%H:%M:%SZ', now, '+6 hours')`,
  'a session on tour, in a zone that its venue does not have': `SELECT 1 FROM pool s JOIN venues v ON v.id = venue_id
    WHERE v.timezone IS NULL AND s.timezone IS NOT NULL`,
};

/**
 * A catalogue in memory as `data/schema.sql` makes it, filled in the order in which the rows come.
 */
function fill(now: string, rows: Iterable<{ table: string; row: Record<string, unknown> }>): Database.Database {
  const db = new Database(':memory:');
  db.exec(schema);
  db.pragma('foreign_keys = ON');
  const inserts = new Map<string, Database.Statement>();
  db.transaction(() => {
    for (const { table, row } of rows) {
      const columns = Object.keys(row);
      const places = columns.map((column) => `@${column}`);
      const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`;
      const insert = inserts.get(sql) ?? db.prepare(sql);
      inserts.set(sql, insert);
      insert.run(row);
    }
  })();
  db.exec('CREATE TEMP TABLE clock (now TEXT)');
  db.prepare('INSERT INTO clock VALUES (?)').run(now);
  db.exec(OUTCOMES);
  return db;
}

const calendars = new Map<string, Intl.DateTimeFormat>();

/** The wall time of an instant in a zone, by the runtime's own calendar. */
function wallTime(instant: string, timeZone: string): string {
  const calendar =
    calendars.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  calendars.set(timeZone, calendar);
  return calendar.format(new Date(instant)).replace(' ', 'T');
}

const catalogues = NOWS.map((now) => {
  const rows = [...demoRows(now)];
  return { now, rows, db: fill(now, rows) };
});

describe('the demo catalogue, at each now', () => {
  it.each([
    'not-published',
    'not-visible',
    'no-sessions',
    'not-scheduled',
    'not-announced',
    'not-on-channel',
    'excluded',
    'over',
    'prices-expired',
  ])('has a product without a card because of %s', (outcome) => {
    const sql = `SELECT 1 FROM outcomes WHERE status = 'active' AND outcome = ?`;
    const without = catalogues.filter(({ db }) => db.prepare(sql).get(outcome) === undefined);
    expect(without.map(({ now }) => now)).toEqual([]);
  });

  it.each(Object.entries(CASES))('has %s', (_, sql) => {
    expect(catalogues.filter(({ db }) => db.prepare(sql).get() === undefined).map(({ now }) => now)).toEqual([]);
  });

  it('has the size of an operator', () => {
    const sizes = `SELECT
      (SELECT count(*) FROM fronts WHERE status = 'active') AS fronts,
      (SELECT count(DISTINCT timezone) FROM fronts WHERE status = 'active') AS zones,
      (SELECT count(*) FROM products) AS products, (SELECT count(*) FROM sessions) AS sessions`;
    for (const { db } of catalogues) {
      const { sessions, ...others } = db.prepare<[], Record<string, number>>(sizes).get() ?? {};
      expect(others).toEqual({ fronts: 13, zones: 8, products: 177 });
      expect(sessions).toBeGreaterThan(3000);
      expect(sessions).toBeLessThan(4500);
    }
  });

  it('gives every active front the cards that its guard asks for', () => {
    const short = `SELECT code, min_cards, (SELECT count(*) FROM cards WHERE front = code) AS cards FROM fronts
      WHERE status = 'active' AND NOT (min_cards BETWEEN 1 AND cards)`;
    for (const { db } of catalogues) expect(db.prepare(short).all()).toEqual([]);
  });

  it('prints on every ticket the wall time of where it is', () => {
    const printed = `SELECT starts_at, starts_local, coalesce(s.timezone, v.timezone) AS timezone FROM sessions s JOIN venues v ON v.id = venue_id
      WHERE starts_local IS NOT NULL`;
    for (const { db } of catalogues) {
      const sessions = db.prepare<[], { starts_at: string; starts_local: string; timezone: string }>(printed).all();
      expect(sessions.length).toBeGreaterThan(3000);
      expect(sessions.filter((s) => wallTime(s.starts_at, s.timezone) !== s.starts_local)).toEqual([]);
    }
  });

  it('changes in every window of six hours of a week, and on every front most days', () => {
    const windows = `WITH changes AS (
        SELECT f.code AS front, value FROM pool JOIN fronts f ON f.id = front_id,
          json_each(json_array(coalesce(sales_end_at, starts_at), sales_start_at, visible_from))
        UNION SELECT front, value FROM cards JOIN public_tiers USING (product_id),
          json_each(json_array(valid_from, valid_until))),
      upcoming AS (SELECT front, unixepoch(value) - unixepoch(now) AS seconds FROM changes, clock WHERE value > now)
      SELECT count(DISTINCT seconds / 21600) AS windows, count(DISTINCT front || (seconds / 86400)) AS days
      FROM upcoming WHERE seconds < 7 * 86400`;
    const counts = catalogues.map(({ db }) => db.prepare<[], { windows: number; days: number }>(windows).get());
    expect(counts.map((count) => count?.windows)).toEqual(NOWS.map(() => 28));
    for (const count of counts) expect(count?.days).toBeGreaterThan(0.9 * 13 * 7);
  });

  it('leaves out every column that has its default', () => {
    const spelt = catalogues.flatMap(({ rows, db }) => {
      const defaults = new Map<string, unknown>();
      const columns = `SELECT m.name || '.' || c.name AS name, c.dflt_value AS value FROM sqlite_master m,
        pragma_table_info(m.name) c WHERE m.type = 'table' AND c."notnull" = 0 OR c.dflt_value IS NOT NULL`;
      for (const { name, value } of db.prepare<[], { name: string; value: string | null }>(columns).all()) {
        defaults.set(name, value === null ? null : value.startsWith("'") ? value.slice(1, -1) : Number(value));
      }
      expect(defaults.get('products.status')).toBe('published');
      return rows.flatMap(({ table, row }) =>
        Object.entries(row).filter(([column, value]) => defaults.get(`${table}.${column}`) === value),
      );
    });
    expect(spelt).toEqual([]);
  });

  it('is the same when it is made again, and another for another now', () => {
    const prints = catalogues.map(({ rows }) => JSON.stringify(rows));
    expect(NOWS.map((now) => JSON.stringify([...demoRows(now)])).join() === prints.join()).toBe(true);
    expect(new Set(prints).size).toBe(NOWS.length);
  });

  it('has public keys that are points of their curve, without a private half', () => {
    const keys = catalogues.flatMap(({ db }) =>
      db.prepare<[], { public_key: string }>('SELECT * FROM front_keys WHERE public_key IS NOT NULL').all(),
    );
    expect(keys).toHaveLength(8 * NOWS.length);
    for (const { public_key: jwk } of keys) {
      expect(createPublicKey({ key: JSON.parse(jwk), format: 'jwk' }).type).toBe('public');
      expect(JSON.parse(jwk)).not.toHaveProperty('d');
    }
  });
});

it('is what has these cases: an empty catalogue has none of them', () => {
  const empty = fill(NOWS[0], []);
  expect(Object.entries(CASES).filter(([, sql]) => empty.prepare(sql).get() !== undefined)).toEqual([]);
});

describe('now', () => {
  it.each(['2026-05-01', '2026-05-01T09:00:00', '2026-05-01T12:00:00+03:00', '2026-02-30T09:00:00Z', 'tomorrow'])(
    'is refused as %s',
    (now) => {
      expect(() => [...demoRows(now)]).toThrow(`found "${now}"`);
    },
  );
});

function runScript(...args: string[]): { stdout: string; stderr: string; status: number | null } {
  const env = { ...process.env, TZ: 'Pacific/Apia' };
  const command = ['--import', 'tsx', 'scripts/demo-rows.ts', ...args];
  return spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 24, env });
}

describe('the script', () => {
  it('prints the rows of a time with any offset as NDJSON, in whatever zone the machine is', () => {
    const { stdout, stderr, status } = runScript('--now', '2026-05-01T12:00:00+03:00');
    const rows = Array.from(demoRows('2026-05-01T09:00:00Z'), (row) => `${JSON.stringify(row)}\n`);
    expect({ stdout: stdout === rows.join(''), stderr, status }).toEqual({ stdout: true, stderr: '', status: 0 });
  });

  it.each(['', '2026-05-01T12:00:00', 'today'])('refuses a time without an offset: "%s"', (now) => {
    const { stdout, stderr, status } = runScript('--now', now);
    expect({ stdout, status }).toEqual({ stdout: '', status: 2 });
    expect(stderr).toContain(`found "${now}"`);
  });
});
