// What the tests of src/database/ share: one good row of every table, and for every column values
// that it must refuse.

import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { instantOf } from '../../src/catalogue/instant.ts';
import type { Finding } from '../../src/findings.ts';
import { checkCatalogue } from '../../src/database/check/check-catalogue.ts';
import { openCatalogue } from '../../src/database/open.ts';
import { mayColumnBeAbsent } from '../../src/database/contract/absence.ts';
import type { Column } from '../../src/database/contract/columns.ts';
import { TABLE_NAMES, TABLES, type TableName } from '../../src/database/contract/tables.ts';

export const SCHEMA = readFileSync(new URL('../../data/schema.sql', import.meta.url), 'utf8');

type Value = string | number | null | Buffer;
type Row = Readonly<Record<string, Value>>;

/** Ids differ from table to table, so that a reference to the wrong one dangles. */
export const GOOD_ROWS: Readonly<Record<TableName, Row>> = {
  fronts: {
    id: 11,
    code: 'moscow',
    name: 'Moscow',
    timezone: 'Europe/Moscow',
    locale: 'de-AT',
    channel: 'own',
    day_starts_at: '05:30',
    currency: 'RUB',
    currency_exponent: 2,
    weekend_days: '67',
    status: 'active',
    min_cards: 0,
  },
  front_keys: {
    keyid: 'moscow-1',
    front_id: 11,
    alg: 'hmac-sha256',
    public_key: null,
    secret_ref: 'MOSCOW_1',
    not_before: '2026-01-01T00:00:00Z',
    not_after: '2027-01-01T00:00:00Z',
    revoked_at: null,
  },
  venues: { id: 12, name: 'Main stage', timezone: 'Europe/Moscow', city: 'Moscow' },
  images: { id: 13, url: 'https://img.example/1.jpg', alt_text: 'A stage', copyright: null, copyright_url: null },
  products: {
    id: 14,
    slug: 'hamlet',
    name: 'Hamlet',
    age_rating: 12,
    sale_schema: 2,
    pushka: 0,
    paused: 1,
    paused_until: '2026-05-01T09:00:00Z',
    image_id: 13,
    status: 'published',
  },
  front_products: {
    front_id: 11,
    product_id: 14,
    featured: 0,
    banner: 0,
    paused: 0,
    sort_weight: 5,
    visible_from: null,
    visible_until: '2027-01-01T00:00:00Z',
  },
  sessions: {
    id: 15,
    product_id: 14,
    venue_id: 12,
    starts_at: '2026-05-05T16:00:00Z',
    starts_local: '2026-05-05T19:00:00',
    ends_at: '2026-05-05T18:00:00Z',
    ends_local: null,
    daily: 0,
    sales_start_at: null,
    sales_start_local: '2026-04-01T10:00:00',
    sales_end_at: null,
    sales_end_local: null,
    timezone: null,
    status: 'scheduled',
    previous_starts_at: null,
    visible_from: null,
    visible_from_local: null,
    paused: 0,
    available: 40,
  },
  front_session_exclusions: { front_id: 11, session_id: 15 },
  front_allocations: { front_id: 11, session_id: 15, available: -2 },
  price_tiers: {
    id: 16,
    product_id: 14,
    session_id: 15,
    name: 'Stalls',
    channels: 'own',
    kind: 'ticket',
    is_public: 1,
    in_price_from: 1,
    amount_minor: 50_000,
    currency: 'RUB',
    available: null,
    valid_from: null,
    valid_until: '2026-05-05T00:00:00Z',
  },
  categories: { id: 17, slug: 'plays', name_singular: 'Play', name_plural: 'Plays' },
  front_categories: { front_id: 11, category_id: 17, sort_weight: 1 },
  product_categories: { product_id: 14, category_id: 17 },
  groups: { id: 18, slug: 'premieres', name: 'Premieres', card_type: 1 },
  front_groups: { front_id: 11, group_id: 18, sort_weight: -1 },
  product_groups: { product_id: 14, group_id: 18, sort_weight: 3 },
  tags: { id: 19, slug: 'classics', name: 'Classics', sort_weight: 0 },
  product_tags: { product_id: 14, tag_id: 19 },
  badges: { id: 20, slug: 'hit', name: 'Hit', color: '#FF8800', sort_weight: 0, rule: 'few-left', rule_below: 20 },
  product_badges: { product_id: 14, badge_id: 20, valid_from: '2026-01-01T00:00:00Z', valid_until: null },
  texts: { kind: 'product', id: '14', locale: 'de', field: 'name', text: 'Hamlet, Prinz von Dänemark' },
};

const BLOB = Buffer.from('blob');
const id = [null, 'x', 1.5];
const badIds = ['', 1.5, 'a\0', 'x'.repeat(201), '\ufffd', BLOB];
/** Of ids that may be text. */
const rowId = [null, ...badIds];
const integer = [null, 'x', 1.5];
const boolean = [null, 2, -1, 'x'];
const text = [null, BLOB];
const maybeText = [BLOB];
const badInstants = [
  '',
  'x',
  5,
  '2026-05-01',
  '2026-05-01T09:00:00',
  '2026-05-01 09:00:00Z',
  '2026-05-01T09:00:00+00:00',
  '2026-05-01T09:00:00.Z',
  '2026-02-30T09:00:00Z',
  '2026-05-01T24:00:00Z',
  '2026-05-01T09:00:00Z\0',
];
const badWallTimes = ['x', '2026-05-01T09:00:00Z', '2026-05-01T09:00', '2026-02-30T09:00:00', '2026-05-01T09:00:60'];
const slug = [null, '', 'ham let', 'a/b', 'a%2', 'a%', '%', 'a%zz', 'гамлет', 'a'.repeat(201), 'a\0b', 'a\0bc', '\0'];
const currency = [null, '', 'rub', 'RUBL', 'RU', 'ЁЁЁ', 'RUB\0', 'RUB\0EUR', 'RU\0'];

/** For every column, values that neither its CHECKs nor its rule let through. */
export const BAD_VALUES: {
  readonly [T in TableName]: Readonly<Record<keyof (typeof TABLES)[T], readonly Value[]>>;
} = {
  fronts: {
    id: rowId,
    code: [null, '', '.a', 'a..b', 'Moscow', 'a b', 'a/b', 'é', 'a'.repeat(64), 'a\0'],
    name: text,
    timezone: text,
    locale: ['', 'd', 'de_AT', 'de AT', 'de\0', BLOB],
    channel: ['', 'a b', 'é', 'a'.repeat(101), 'a\0', BLOB],
    day_starts_at: [null, '', '5:00', '05:00:00', '06:01', '24:00', '05:60', '05-00', ' 5:00', '05:00\0', 5],
    currency,
    currency_exponent: [...integer, -1, 5],
    weekend_days: [null, '', '76', '66', '8', '0', '1234567', '6,7', '6\0'],
    status: [null, '', 'Active', 'draft'],
    min_cards: [...integer, -1],
  },
  front_keys: {
    keyid: [null, '', 'a b', 'a/b', 'ключ', 'a'.repeat(129), 'a\0'],
    front_id: rowId,
    alg: [null, 'rsa', 'ED25519'],
    public_key: maybeText,
    secret_ref: maybeText,
    not_before: badInstants,
    not_after: badInstants,
    revoked_at: badInstants,
  },
  venues: { id: rowId, name: text, timezone: maybeText, city: maybeText },
  images: {
    id: rowId,
    url: [null, '', 'http://img.example/1.jpg', 'https://', 'HTTPS://img.example/1.jpg', ' https://img.example'],
    alt_text: maybeText,
    copyright: maybeText,
    copyright_url: maybeText,
  },
  products: {
    id,
    slug,
    name: text,
    age_rating: [...integer, -1, 22],
    sale_schema: [...integer, -1],
    pushka: boolean,
    paused: boolean,
    paused_until: badInstants,
    image_id: badIds,
    status: [null, 'Published', 'deleted'],
  },
  front_products: {
    front_id: rowId,
    product_id: id,
    featured: boolean,
    banner: boolean,
    paused: boolean,
    sort_weight: integer,
    visible_from: badInstants,
    visible_until: badInstants,
  },
  sessions: {
    id: rowId,
    product_id: id,
    venue_id: rowId,
    starts_at: badInstants,
    starts_local: badWallTimes,
    ends_at: badInstants,
    ends_local: badWallTimes,
    daily: boolean,
    sales_start_at: badInstants,
    sales_start_local: badWallTimes,
    sales_end_at: badInstants,
    sales_end_local: badWallTimes,
    timezone: ['', 'x'.repeat(101), BLOB],
    status: [null, 'Scheduled', 'over'],
    previous_starts_at: badInstants,
    visible_from: badInstants,
    visible_from_local: badWallTimes,
    paused: boolean,
    available: ['x', 1.5],
  },
  front_session_exclusions: { front_id: rowId, session_id: rowId },
  front_allocations: { front_id: rowId, session_id: rowId, available: integer },
  price_tiers: {
    id,
    product_id: id,
    session_id: badIds,
    name: text,
    channels: ['', ' ', 'own  city', ' own', 'own ', 'own,city', 'é', 'own\0', BLOB],
    kind: [null, 'Ticket', 'seat'],
    is_public: boolean,
    in_price_from: boolean,
    amount_minor: [...integer, -1, 100_000_000_000_000],
    currency,
    available: ['x', 1.5],
    valid_from: badInstants,
    valid_until: badInstants,
  },
  categories: { id, slug, name_singular: text, name_plural: maybeText },
  front_categories: { front_id: rowId, category_id: id, sort_weight: integer },
  product_categories: { product_id: id, category_id: id },
  groups: { id, slug, name: text, card_type: [...integer, -1] },
  front_groups: { front_id: rowId, group_id: id, sort_weight: integer },
  product_groups: { product_id: id, group_id: id, sort_weight: integer },
  tags: { id, slug, name: text, sort_weight: integer },
  product_tags: { product_id: id, tag_id: id },
  badges: {
    id,
    slug,
    name: text,
    color: [null, '', 'red', '#F80', '#FF880', '#FF88000', '#GG8800', '#FF880\0', '#FF8800\0'],
    sort_weight: integer,
    rule: ['', 'few', 'Moved'],
    rule_below: ['x', 1.5, 0, -1],
  },
  product_badges: { product_id: id, badge_id: id, valid_from: badInstants, valid_until: badInstants },
  texts: {
    kind: [null, '', 'products', 'session'],
    id: [null, '', 'a'.repeat(201)],
    locale: [null, '', 'd', 'de_AT', 'de\0', BLOB],
    field: [null, '', 'slug', 'Name'],
    text: [null, '', BLOB],
  },
};

/** Every column, as `[table, column, bad values]`. */
export function everyColumn(): [TableName, string, readonly Value[]][] {
  return TABLE_NAMES.flatMap((table) =>
    Object.entries<readonly Value[]>(BAD_VALUES[table]).map(([column, bad]): [TableName, string, readonly Value[]] => [
      table,
      column,
      bad,
    ]),
  );
}

/** The same for rows that are read: NULL in a column with a default is that default. */
export function everyColumnRead(): [TableName, string, readonly Value[]][] {
  return everyColumn().map(([table, column, bad]) => [
    table,
    column,
    bad.filter((value) => isBadToRead(table, column, value)),
  ]);
}

export function isBadToRead(table: TableName, column: string, value: Value): boolean {
  const rules: Readonly<Record<string, Column<unknown>>> = TABLES[table];
  const rule = rules[column];
  return value !== null || rule === undefined || !mayColumnBeAbsent(table, column, rule);
}

/** The encodings that a database of SQLite may have. */
export const ENCODINGS = ['UTF-8', 'UTF-16le', 'UTF-16be'] as const;

/**
 * A catalogue with the good rows: of data/schema.sql, or bare, with its tables and columns but
 * nothing that guards them.
 */
export function goodCatalogue(
  path: string,
  isBare: boolean,
  encoding: (typeof ENCODINGS)[number] = 'UTF-8',
): Database.Database {
  const database = new Database(path);
  database.pragma(`encoding = '${encoding}'`);
  if (isBare) {
    database.pragma('journal_mode = WAL');
    for (const table of TABLE_NAMES) database.exec(`CREATE TABLE ${table} (${Object.keys(TABLES[table]).join(', ')})`);
  } else {
    database.exec(SCHEMA);
  }
  for (const table of TABLE_NAMES) insert(database, table, GOOD_ROWS[table]);
  return database;
}

export function insert(database: Database.Database, table: TableName, row: Row): void {
  const columns = Object.keys(row);
  const places = columns.map(() => '?').join(', ');
  database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`).run(...Object.values(row));
}

/** All that check-db finds. */
export async function findingsOf(path: string): Promise<Finding[]> {
  await using reader = await openCatalogue(path);
  const findings: Finding[] = [];
  for await (const finding of checkCatalogue(reader, {
    tzdata: '2026a',
    now: instantOf(Date.UTC(2026, 4) / 1000),
    onAbsent: () => undefined,
    onRows: () => undefined,
  }))
    findings.push(finding);
  return findings;
}

/** Every row of every table, as the driver reads them: for comparing whole catalogues. */
export function rowsIn(path: string): Readonly<Record<string, unknown[]>> {
  const database = new Database(path, { readonly: true, fileMustExist: true });
  try {
    return Object.fromEntries(
      TABLE_NAMES.map((table) => [table, database.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all()]),
    );
  } finally {
    database.close();
  }
}
