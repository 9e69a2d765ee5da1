// The hints of check-db are SQL for a view. Each is written into one, in PostgreSQL, over a column
// of the types and values that are usually found there: then check-db finds nothing any more.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TableName } from '../../src/database/contract/tables.ts';
import { conversionAt, everyConversion, selectWith } from '../support/conversions.ts';
import { findingsOf } from '../support/database-rows.ts';
import { Overlay } from '../support/postgres/overlay.ts';
import { sample } from '../speeds.ts';

let overlay: Overlay;
beforeAll(async () => {
  overlay = await Overlay.create();
});
afterEach(() => overlay.clear());
afterAll(() => overlay[Symbol.asyncDispose]());

const ZONED = 'a time with its offset';
const UTC = 'one without, with the zone that its clock shows in place of UTC';
const SECONDS = 'seconds since 1970';
const LOCAL = 'the local time of the venue';
const WORDS = 'words such as true and no';
const WHOLE_UNITS = 'whole units of a currency of two decimals';
const OTHER = 'other types, or text that is too long';

/**
 * Of each conversion, what is made good by it. `odd` is a type whose name says nothing, and that
 * text can be made of.
 */
const FOUND: readonly [table: TableName, column: string, from: string, values: readonly string[]][] = [
  [
    'sessions',
    'starts_at',
    ZONED,
    ["'2026-05-05 19:00:00+03'::text", "'2026-05-05T16:00:00+00:00'::text", "'2026-05-05 16:00:00+00'::odd"],
  ],
  [
    'sessions',
    'starts_at',
    UTC,
    ["timestamp '2026-05-05 16:00'", "date '2026-05-05'", "'2026-05-05 16:00'::text", "''::text"],
  ],
  [
    'sessions',
    'starts_at',
    SECONDS,
    ['1777996800', '1777996800.25::numeric', '1777996800::float8', "'1777996800'::text"],
  ],
  ['sessions', 'starts_at', 'milliseconds', ['1777996800250']],
  ['sessions', 'starts_at', LOCAL, ["timestamp '2026-05-05 19:00'", "'2026-05-05 19:00'::text"]],
  ['sessions', 'ends_at', ZONED, ["''::text"]],
  ['sessions', 'starts_local', 'text', ["'2026-05-05 19:00'::text", "'2026-05-05 19:00:00'::odd", "''::text"]],
  ['sessions', 'starts_local', 'an instant', ["timestamptz '2026-05-05 16:00+00'"]],
  ['products', 'paused', WORDS, ["'yes'::text", "'1'::text"]],
  ['sessions', 'paused', WORDS, ["'no'::text", "''::text", 'NULL::boolean']],
  ['sessions', 'paused', 'numbers', ['0::float8', 'NULL::numeric', '-1']],
  ['price_tiers', 'is_public', WORDS, ["'true'::text", 'NULL::boolean']],
  ['price_tiers', 'is_public', 'numbers', ['1::real', '7']],
  [
    'price_tiers',
    'amount_minor',
    WHOLE_UNITS,
    ['19.99::real', "'19.99'::money", "'19.99'::text", '19.99', '19.99::float8'],
  ],
  ['price_tiers', 'amount_minor', 'minor units', ["'1999'::text", '1998.9999999999998::float8']],
  ['products', 'id', 'digits', ['14::float8', "'14'::text"]],
  ['sessions', 'available', 'digits', ['40::real', "'40'::text"]],
  ['front_products', 'sort_weight', 'digits', ["'5'::text", 'NULL::int']],
  ['fronts', 'currency_exponent', 'digits', ["'2'::text", 'NULL::int']],
  ['groups', 'card_type', 'digits', ["'1'::text"]],
  ['texts', 'text', OTHER, ['17']],
  ['products', 'status', '', ["'yours'::text", "'yours'::stage", 'NULL::stage', "'yours'::odd"]],
  ['front_keys', 'alg', '', ["'yours'::text"]],
  ['fronts', 'code', 'text in which only case differs', ["'Moscow'::text", "'Moscow'::char(63)"]],
  ['fronts', 'currency', 'text in which only case differs', ["'rub'::text"]],
  ['fronts', 'weekend_days', 'a number', ['67', '67.0', 'NULL::text']],
  ['products', 'slug', 'text with blanks', ["'the seagull'::text", "'the seagull'::char(20)"]],
  ['fronts', 'channel', 'text with blanks', ["'own box office'::text"]],
  ['price_tiers', 'channels', 'names with commas', ["'own,city'::text", "'own, city'::text"]],
  ['fronts', 'day_starts_at', 'a time with seconds', ["'05:00:00'::time", "'05:00:00'::text"]],
  ['texts', 'id', 'an integer', ['14', '14::bigint']],
  ['badges', 'color', 'six digits without #', ["'ff0000'::text"]],
  ['images', 'url', 'http, where the same is there over https', ["'http://example.org/a.jpg'::text"]],
  ['products', 'name', OTHER, ['17', '\'"x"\'::json', "repeat('x', 65537)", "'x'::name"]],
  ['products', 'name', 'a bytea', ["'x'::bytea"]],
  ['venues', 'city', OTHER, ['ARRAY[t.city]']],
  ['price_tiers', 'name', OTHER, ['17', 'NULL::text']],
  ['price_tiers', 'name', 'a bytea', ["'x'::bytea"]],
];

describe('what a hint makes of a column is good', () => {
  test.each(
    sample(
      FOUND.flatMap(([table, column, from, values]) => values.map((value) => [table, column, from, value] as const)),
      3,
    ),
  )('%s.%s from %s: %s', async (table, column, from, value) => {
    await overlay.client
      .query(`CREATE TYPE stage AS ENUM ('yours'); CREATE TYPE odd; CREATE FUNCTION odd_in(cstring) RETURNS odd AS 'textin' LANGUAGE internal IMMUTABLE STRICT;
      CREATE FUNCTION odd_out(odd) RETURNS cstring AS 'textout' LANGUAGE internal IMMUTABLE STRICT;
      CREATE TYPE odd (INPUT = odd_in, OUTPUT = odd_out, LIKE = text)`);
    await overlay.replace(table, { [column]: value });
    const sql = conversionAt('postgres', table, column, from);
    const joined = sql.includes('venues.timezone')
      ? ' JOIN (SELECT id AS hall, timezone FROM venues) AS venues ON hall = theirs.venue_id'
      : '';
    await overlay.client.query(
      `ALTER VIEW ${table} RENAME TO theirs; CREATE VIEW ${table} AS ${selectWith(table, column, sql, `theirs${joined}`)}`,
    );
    const after = await findingsOf(overlay.url);
    expect(after.filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});

test('every hint is tried', () => {
  const tried = FOUND.map(([table, column, from]) => conversionAt('postgres', table, column, from));
  expect(FOUND.map(([, column], i) => tried[i]?.replaceAll(column, 'x'))).toEqual(
    expect.arrayContaining([...everyConversion('postgres')]),
  );
});
