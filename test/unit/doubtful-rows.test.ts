// What check-db advises on rows of which no column refuses a value: each rule with rows that it must
// warn of, and with the nearest that it must not.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Finding } from '../../src/findings.ts';
import { nameFault } from '../../src/database/check/name-faults.ts';
import { sampleOnMirror } from '../speeds.ts';
import { findingsOf, goodCatalogue } from '../support/database-rows.ts';
import { temporaryFolder } from '../support/trees.ts';

/** What check-db finds in the good catalogue after some SQL. */
async function findingsAfter(sql: string): Promise<readonly Finding[]> {
  const path = join(temporaryFolder(), 'doubtful.sqlite');
  const database = goodCatalogue(path, true);
  database.exec(sql);
  database.close();
  return findingsOf(path);
}

/** `code place column`; all are warnings. */
async function adviceAfter(sql: string): Promise<readonly string[]> {
  const findings = await findingsAfter(sql);
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  return findings.map(({ code, place, column }) => [code, place, ...(column === undefined ? [] : [column])].join(' '));
}

const set = (table: string, values: string): string => `UPDATE ${table} SET ${values};`;

/** A copy of the one row of a table, with other values. */
function copied(table: string, values: Readonly<Record<string, string>>): string {
  const changes = Object.entries(values).map(([column, value]) => `${column} = ${value}`);
  return `CREATE TEMP TABLE copy AS SELECT * FROM ${table} LIMIT 1; UPDATE copy SET ${changes.join(', ')};
    INSERT INTO ${table} SELECT * FROM copy; DROP TABLE copy;`;
}

const secondFront = (values: Readonly<Record<string, string>>): string =>
  copied('fronts', { id: '21', code: "'second'", ...values }) + copied('front_products', { front_id: '21' });
const secondProduct = (values: Readonly<Record<string, string>> = {}): string =>
  copied('products', { id: '24', slug: "'second'", ...values }) + copied('front_products', { product_id: '24' });
const plainTimes = 'starts_local = NULL, sales_start_local = NULL';
const inCurrency = (code: string, exponent: number): string =>
  set('fronts', `currency = '${code}', currency_exponent = ${exponent}`) + set('price_tiers', `currency = '${code}'`);

const EXPONENT = 'currency-exponent fronts 11 currency_exponent';
const UNKNOWN = 'currency-unknown fronts 11 currency';
test.each(
  sampleOnMirror<[string, string, readonly string[]]>(
    [
      ['yen with two decimals', inCurrency('JPY', 2), [EXPONENT]],
      ['yen without', inCurrency('JPY', 0), []],
      ['dinars with two decimals', inCurrency('KWD', 2), [EXPONENT]],
      ['dinars with three', inCurrency('KWD', 3), []],
      ['forints with two, which Intl gives none', inCurrency('HUF', 2), []],
      ['euros without', inCurrency('EUR', 0), [EXPONENT]],
      ['a currency that is none', inCurrency('XQQ', 2), [UNKNOWN]],
      ['one that exists no longer', inCurrency('HRK', 2), [UNKNOWN]],
      ['a disabled front', set('fronts', "status = 'disabled', currency = 'XQQ'"), []],
      [
        'two fronts that differ in an unknown currency',
        inCurrency('XQQ', 2) + secondFront({ currency_exponent: '0' }),
        [UNKNOWN, EXPONENT, UNKNOWN.replace('11', '21'), EXPONENT.replace('11', '21')],
      ],
      [
        'two fronts that differ in a known one: that which is wrong',
        secondFront({ currency_exponent: '0' }),
        [EXPONENT.replace('11', '21')],
      ],
    ],
    3,
  ),
)('exponents: %s', async (_case, sql, expected) => {
  expect(await adviceAfter(sql)).toEqual(expected);
});

test.each(
  sampleOnMirror(
    ['EST', 'MST', 'HST', 'GMT', 'GMT0', 'Greenwich', 'Etc/GMT', 'Etc/GMT+3', 'Etc/GMT-14', 'etc/gmt+3'],
    3,
  ),
)('the zone %s has no place', async (zone) => {
  const times = set('sessions', plainTimes);
  expect(await adviceAfter(times + set('fronts', `timezone = '${zone}'`))).toEqual(['zone-fixed fronts 11 timezone']);
  expect(await adviceAfter(times + set('venues', `timezone = '${zone}'`))).toEqual(['zone-fixed venues 12 timezone']);
  expect(await adviceAfter(times + set('sessions', `timezone = '${zone}'`))).toEqual([
    'zone-fixed sessions 15 timezone',
  ]);
});

test.each(sampleOnMirror(['UTC', 'Etc/UTC', 'EST5EDT', 'Africa/Abidjan', 'America/Phoenix'], 3))(
  'the zone %s is the zone of a place, or has clocks that change, or is meant',
  async (zone) => {
    expect(await adviceAfter(set('sessions', plainTimes) + set('venues', `timezone = '${zone}'`))).toEqual([]);
  },
);

const REPEATED = ['session-repeated sessions 25'];
const bare = set('sessions', plainTimes) + 'DELETE FROM price_tiers;';
test.each(
  sampleOnMirror<[string, string, readonly string[]]>(
    [
      ['the same start', copied('sessions', { id: '25' }), REPEATED],
      [
        'as wall times',
        set('sessions', "starts_at = NULL, starts_local = '2026-05-05T19:00:00'") + copied('sessions', { id: '25' }),
        REPEATED,
      ],
      ['rescheduled to it', copied('sessions', { id: '25', status: "'rescheduled'" }), REPEATED],
      ['another start', copied('sessions', { id: '25', starts_at: "'2026-05-05T16:00:01Z'" }), []],
      [
        'the same wall time in another zone',
        set('sessions', "starts_at = NULL, starts_local = '2026-05-05T19:00:00'") +
          copied('sessions', { id: '25', timezone: "'Asia/Tokyo'" }),
        [],
      ],
      ['another venue', copied('venues', { id: '22' }) + copied('sessions', { id: '25', venue_id: '22' }), []],
      ['another product', secondProduct() + copied('sessions', { id: '25', product_id: '24' }), []],
      ['one is cancelled', copied('sessions', { id: '25', status: "'cancelled'" }), []],
      ['one is a draft', copied('sessions', { id: '25', status: "'draft'" }), []],
      [
        'both are over',
        set('sessions', "starts_at = '2020-05-05T16:00:00Z', ends_at = NULL, sales_start_local = NULL") +
          copied('sessions', { id: '25' }),
        [],
      ],
      ['of a draft', set('products', "status = 'draft'") + copied('sessions', { id: '25' }), []],
    ],
    3,
  ),
)('two sessions of a product at a venue: %s', async (_case, sql, expected) => {
  expect(await adviceAfter(bare + sql)).toEqual(expected);
});

const at = (day: number): string => `'2026-07-0${day}T00:00:00Z'`;
test.each(
  sampleOnMirror<[string, string, readonly string[]]>(
    [
      [
        'a product is shown until before it is',
        set('front_products', `visible_from = ${at(2)}, visible_until = ${at(1)}`),
        ['window-reversed front_products 11,14 visible_until'],
      ],
      [
        'it ends when it begins',
        set('front_products', `visible_from = ${at(1)}, visible_until = ${at(1)}`),
        ['window-reversed front_products 11,14 visible_until'],
      ],
      ['it ends a day later', set('front_products', `visible_from = ${at(1)}, visible_until = ${at(2)}`), []],
      ['it has no end', set('front_products', `visible_from = ${at(1)}, visible_until = NULL`), []],
      [
        'it is a draft',
        set('products', "status = 'draft'") +
          set('front_products', `visible_from = ${at(2)}, visible_until = ${at(1)}`),
        [],
      ],
      [
        'a price',
        set('price_tiers', `valid_from = ${at(2)}, valid_until = ${at(1)}`),
        ['window-reversed price_tiers 16 valid_until'],
      ],
      [
        'a badge',
        set('product_badges', `valid_from = ${at(2)}, valid_until = ${at(1)}`),
        ['window-reversed product_badges 14,20 valid_until'],
      ],
      [
        'a key',
        set('front_keys', `not_before = ${at(2)}, not_after = ${at(1)}`),
        ['window-reversed front_keys moscow-1 not_after'],
      ],
      [
        'sales',
        set(
          'sessions',
          "sales_start_local = NULL, sales_start_at = '2026-05-03T00:00:00Z', sales_end_at = '2026-05-02T00:00:00Z'",
        ),
        ['window-reversed sessions 15 sales_start_at'],
      ],
      [
        'sales, by wall times in the zone of the venue',
        set('sessions', "sales_start_local = '2026-05-03T12:00:00', sales_end_at = '2026-05-03T08:59:59Z'"),
        ['window-reversed sessions 15 sales_start_at'],
      ],
      [
        'sales that end a second later there',
        set('sessions', "sales_start_local = '2026-05-03T12:00:00', sales_end_at = '2026-05-03T09:00:01Z'"),
        [],
      ],
      [
        'sales that begin with the session',
        set('sessions', 'sales_start_local = NULL, sales_start_at = starts_at'),
        [],
      ],
      [
        'sales of a cancelled one',
        set(
          'sessions',
          "status = 'cancelled', sales_start_local = NULL, sales_start_at = starts_at, sales_end_at = starts_at",
        ),
        [],
      ],
    ],
    3,
  ),
)('a period that never is: %s', async (_case, sql, expected) => {
  expect(await adviceAfter(sql)).toEqual(expected);
});

const LONG = ['session-long sessions 15 sales_end_at'];
test.each(
  sampleOnMirror<[string, string, readonly string[]]>(
    [
      ['more than a day', "ends_at = '2026-05-06T16:00:01Z'", LONG],
      ['a day', "ends_at = '2026-05-06T16:00:00Z'", []],
      ['more than a day, by wall times', "ends_at = NULL, ends_local = '2026-05-06T19:00:01'", LONG],
      ['a day, by wall times', "ends_at = NULL, ends_local = '2026-05-06T19:00:00'", []],
      ['with an end of sales', "ends_at = '2026-08-31T15:00:00Z', sales_end_at = '2026-08-31T15:00:00Z'", []],
      ['with one as a wall time', "ends_at = '2026-08-31T15:00:00Z', sales_end_local = '2026-08-31T18:00:00'", []],
      ['daily', "daily = 1, ends_at = '2026-08-31T18:00:00Z'", []],
      ['cancelled', "status = 'cancelled', ends_at = '2026-08-31T15:00:00Z'", []],
      [
        'which has begun',
        "starts_at = '2026-04-05T16:00:00Z', starts_local = NULL, ends_at = '2026-08-31T15:00:00Z'",
        LONG,
      ],
      [
        'which ended yesterday',
        "starts_at = '2026-04-05T16:00:00Z', starts_local = NULL, ends_at = '2026-04-30T15:00:00Z'",
        LONG,
      ],
      [
        'which ended long ago',
        "starts_at = '2024-04-05T16:00:00Z', starts_local = NULL, ends_at = '2024-04-30T15:00:00Z'",
        [],
      ],
    ],
    3,
  ),
)('a session that lasts long: %s', async (_case, values, expected) => {
  expect(await adviceAfter(set('sessions', values))).toEqual(expected);
});

test.each(
  sampleOnMirror<[string, string, readonly string[]]>(
    [
      [
        'a start in the year 26',
        set(
          'sessions',
          "starts_at = '0026-05-05T16:00:00Z', starts_local = NULL, ends_at = NULL, sales_start_local = NULL",
        ),
        ['year-unlikely sessions 15 starts_at'],
      ],
      [
        'an end of a price in 9999',
        set('price_tiers', "valid_until = '9999-12-31T23:59:59Z'"),
        ['year-unlikely price_tiers 16 valid_until'],
      ],
      [
        'a start of sales in 1970, as a wall time',
        set('sessions', "sales_start_local = '1970-01-01T00:00:00'"),
        ['year-unlikely sessions 15 sales_start_local'],
      ],
      [
        'the first and the last likely second',
        set('front_products', "visible_from = '2000-01-01T00:00:00Z', visible_until = '2100-12-31T23:59:59Z'"),
        [],
      ],
      [
        'the seconds beside them',
        set('front_products', "visible_from = '1999-12-31T23:59:59Z', visible_until = '2101-01-01T00:00:00Z'"),
        ['year-unlikely front_products 11,14 visible_from', 'year-unlikely front_products 11,14 visible_until'],
      ],
      [
        'of a disabled front',
        set('fronts', "status = 'disabled'") + set('front_products', "visible_from = '1999-12-31T23:59:59Z'"),
        [],
      ],
    ],
    3,
  ),
)('years: %s', async (_case, sql, expected) => {
  expect(await adviceAfter(sql)).toEqual(expected);
});

test.each(
  sampleOnMirror<[string, string, string]>(
    [
      ['products', 'name', '14'],
      ['venues', 'name', '12'],
      ['images', 'alt_text', '13'],
      ['images', 'copyright', '13'],
      ['categories', 'name_singular', '17'],
      ['categories', 'name_plural', '17'],
      ['groups', 'name', '18'],
      ['tags', 'name', '19'],
      ['badges', 'name', '20'],
      ['texts', 'text', 'product,14,de,name'],
    ],
    3,
  ),
)('%s.%s is text for people', async (table, column, key) => {
  expect(await adviceAfter(set(table, `${column} = '<b>Live</b>'`))).toEqual([
    `name-not-text ${table} ${key} ${column}`,
  ]);
  expect(await adviceAfter(set(table, `${column} = 'Live & loud <3'`))).toEqual([]);
});

test('names of what no document shows are no concern, nor is an alternative text that is empty', async () => {
  const drafts =
    set('products', "status = 'draft', name = ''") + set('venues', "name = ''") + set('texts', "text = ' '");
  expect(await adviceAfter(drafts)).toEqual([]);
  expect(await adviceAfter(set('images', "alt_text = ''"))).toEqual([]);
});

test.each(
  sampleOnMirror(
    [
      ['', 'empty'],
      [' ', 'blank'],
      ['\u200B\u00A0', 'blank'],
      ['{"en":"Hamlet"}', 'json'],
      [' ["Hamlet"]', 'json'],
      ['Tom &amp; Jerry', 'references'],
      ['8 &#8211; 9', 'references'],
      ['<b>live</b>', 'markup'],
      ['one<br/>two', 'markup'],
      ['Hamlet', null],
      ['R&B; Soul', null],
      ['[REC]', null],
      ['{proto}', null],
      ['The <Machine>', null],
      ['1 < 2 > 0', null],
      ['1984', null],
      ['"Hamlet"', null],
    ],
    3,
  ),
)('the name %j: %s', (text, fault) => {
  expect(nameFault(text)).toBe(fault);
});

const ownTier = (values: Readonly<Record<string, string>>): string =>
  copied('price_tiers', { id: '26', session_id: 'NULL', ...values });
test.each(
  sampleOnMirror<[string, string, readonly string[]]>(
    [
      [
        'a product with tickets in another currency alone',
        secondProduct() + ownTier({ product_id: '24', currency: "'EUR'" }),
        ['currency-untiered front_products 11,24'],
      ],
      [
        'with both',
        secondProduct() +
          ownTier({ product_id: '24', currency: "'EUR'" }) +
          copied('price_tiers', { id: '27', session_id: 'NULL', product_id: '24' }),
        [],
      ],
      ['without any', secondProduct(), []],
      [
        'with add-ons in another currency',
        secondProduct() + ownTier({ product_id: '24', currency: "'EUR'", kind: "'addon'" }),
        [],
      ],
      ['a draft', secondProduct({ status: "'draft'" }) + ownTier({ product_id: '24', currency: "'EUR'" }), []],
      [
        'all products of a front: once, for the front',
        inCurrency('EUR', 2) + set('fronts', "currency = 'CAD'"),
        ['currency-unused fronts 11 currency'],
      ],
    ],
    3,
  ),
)('currencies: %s', async (_case, sql, expected) => {
  expect(await adviceAfter(sql)).toEqual(expected);
});

test.each(
  sampleOnMirror<[string, string, readonly string[]]>(
    [
      [
        'a front whose channel no ticket tier names',
        set('fronts', "channel = 'owm'"),
        ['channel-untiered fronts 11 channel', 'channel-unused price_tiers own channels'],
      ],
      [
        'names differ in case',
        set('price_tiers', "channels = 'Own'"),
        ['channel-untiered fronts 11 channel', 'channel-unused price_tiers Own channels'],
      ],
      [
        'one of two channels of a tier',
        set('price_tiers', "channels = 'own city'"),
        ['channel-unused price_tiers city channels'],
      ],
      ['both on fronts', set('price_tiers', "channels = 'own city'") + secondFront({ channel: "'city'" }), []],
      [
        'a channel of a disabled front',
        set('price_tiers', "channels = 'own city'") + secondFront({ channel: "'city'", status: "'disabled'" }),
        [],
      ],
      ['a disabled front', secondFront({ channel: "'city'", status: "'disabled'" }), []],
      ['an add-on', ownTier({ channels: "'city'", kind: "'addon'" }), []],
      ['no ticket tiers', 'DELETE FROM price_tiers', []],
      ['no channels', set('fronts', 'channel = NULL') + set('price_tiers', 'channels = NULL'), []],
    ],
    3,
  ),
)('channels: %s', async (_case, sql, expected) => {
  expect(await adviceAfter(sql)).toEqual(expected);
});

test.each(
  sampleOnMirror<[string, string, readonly string[]]>(
    [
      ['in a language of no front', set('texts', "locale = 'fr'"), ['locale-unused texts fr locale']],
      ['in a longer form', set('texts', "locale = 'de-AT-1996'"), ['locale-unused texts de-AT-1996 locale']],
      ['in the very form', set('texts', "locale = 'DE-at'"), []],
      ['where the front has none', set('fronts', 'locale = NULL'), ['locale-unused texts de locale']],
      ['of a row that does not exist', set('texts', "id = '15'"), ['text-unused texts product,15,de,name id']],
      ['of a row of another table', set('texts', "kind = 'tag'"), ['text-unused texts tag,14,de,name id']],
      ['of a tag', set('texts', "kind = 'tag', id = '19'"), []],
    ],
    3,
  ),
)('texts: %s', async (_case, sql, expected) => {
  expect(await adviceAfter(sql)).toEqual(expected);
});

test('errors in tiers of a session that is over are warnings', async () => {
  const over = "starts_at = '2020-05-05T16:00:00Z', ends_at = NULL, starts_local = NULL, sales_start_local = NULL";
  const findings = await findingsAfter(set('price_tiers', 'amount_minor = -1') + set('sessions', over));
  expect(findings.map(({ severity, code }) => `${severity} ${code}`)).toEqual(['warning value-invalid']);
  const [sold] = await findingsAfter(set('price_tiers', 'amount_minor = -1'));
  expect(sold?.severity).toBe('error');
});
