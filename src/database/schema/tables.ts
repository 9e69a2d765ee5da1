// The tables of the catalogue (catalogue.md): their columns, keys and references, once, for the queries' types, the row
// checks, the contract check, import and export. data/schema.sql says the same in SQL; a test holds the two together.

import {
  boolean,
  code,
  color,
  currency,
  defaulted,
  httpsUrl,
  instant,
  integer,
  keyId,
  nullable,
  oneOf,
  slug,
  text,
  wallTime,
  weekendDays,
  type Column,
  type ValueOf,
} from './columns.ts';

const sortWeight = defaulted(integer());
const no = defaulted(boolean());
const yes = defaulted(boolean());
const maybeInstant = nullable(instant());

export const TABLES = {
  fronts: {
    id: integer(),
    code: code(),
    name: text(),
    timezone: text(),
    currency: currency(),
    currency_exponent: defaulted(integer(0, 4)),
    weekend_days: defaulted(weekendDays()),
    status: defaulted(oneOf('active', 'disabled')),
    min_cards: defaulted(integer(0)),
  },
  front_keys: {
    keyid: keyId(),
    front_id: integer(),
    alg: oneOf('ed25519', 'ecdsa-p256-sha256', 'hmac-sha256'),
    public_key: nullable(text()),
    secret_ref: nullable(text()),
    not_before: maybeInstant,
    not_after: maybeInstant,
    revoked_at: maybeInstant,
  },
  venues: { id: integer(), name: text(), timezone: text(), city: nullable(text()) },
  images: {
    id: integer(),
    url: httpsUrl(),
    alt_text: nullable(text()),
    copyright: nullable(text()),
    copyright_url: nullable(text()),
  },
  products: {
    id: integer(),
    slug: slug(),
    name: text(),
    age_rating: integer(0, 21),
    sale_schema: integer(0),
    pushka: no,
    paused: no,
    paused_until: maybeInstant,
    image_id: nullable(integer()),
    status: defaulted(oneOf('draft', 'published', 'archived')),
  },
  front_products: {
    front_id: integer(),
    product_id: integer(),
    featured: no,
    banner: no,
    paused: no,
    sort_weight: sortWeight,
    visible_from: maybeInstant,
    visible_until: maybeInstant,
  },
  sessions: {
    id: integer(),
    product_id: integer(),
    venue_id: integer(),
    starts_at: instant(),
    starts_local: nullable(wallTime()),
    ends_at: maybeInstant,
    sales_start_at: maybeInstant,
    sales_end_at: maybeInstant,
    status: defaulted(oneOf('draft', 'scheduled', 'postponed', 'cancelled')),
    previous_starts_at: maybeInstant,
    paused: no,
    available: nullable(integer()),
  },
  front_session_exclusions: { front_id: integer(), session_id: integer() },
  price_tiers: {
    id: integer(),
    product_id: integer(),
    session_id: nullable(integer()),
    name: defaulted(text()),
    kind: defaulted(oneOf('ticket', 'addon')),
    is_public: yes,
    in_price_from: yes,
    amount_minor: integer(0, 99_999_999_999_999),
    currency: currency(),
    available: nullable(integer()),
    valid_from: maybeInstant,
    valid_until: maybeInstant,
  },
  categories: { id: integer(), slug: slug(), name_singular: text(), name_plural: text() },
  front_categories: { front_id: integer(), category_id: integer(), sort_weight: sortWeight },
  product_categories: { product_id: integer(), category_id: integer() },
  groups: { id: integer(), slug: slug(), name: text(), card_type: integer(0) },
  front_groups: { front_id: integer(), group_id: integer(), sort_weight: sortWeight },
  product_groups: { product_id: integer(), group_id: integer(), sort_weight: integer() },
  tags: { id: integer(), slug: slug(), name: text(), sort_weight: sortWeight },
  product_tags: { product_id: integer(), tag_id: integer() },
  badges: { id: integer(), slug: slug(), name: text(), color: color(), sort_weight: sortWeight },
  product_badges: { product_id: integer(), badge_id: integer(), valid_from: maybeInstant, valid_until: maybeInstant },
} as const satisfies Record<string, Record<string, Column<unknown>>>;

export type TableName = keyof typeof TABLES;

/** The database as Kysely sees it: what a query may ask. */
export type CatalogueTables = {
  readonly [T in TableName]: { readonly [C in keyof (typeof TABLES)[T]]: ValueOf<(typeof TABLES)[T][C]> };
};

/** In an order that foreign keys accept. */
export const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[];

interface TableRules {
  /** The columns that name a row, in findings and for `import --replace`. */
  readonly key: readonly string[];
  /** Further sets of columns that are unique. */
  readonly unique: readonly (readonly string[])[];
  /** Columns that hold ids of rows of other tables. */
  readonly references: Readonly<Record<string, { readonly table: TableName; readonly column: string }>>;
}

const to = (table: TableName) => ({ table, column: 'id' });

export const TABLE_RULES: Readonly<Record<TableName, TableRules>> = {
  fronts: { key: ['id'], unique: [['code']], references: {} },
  front_keys: { key: ['keyid'], unique: [], references: { front_id: to('fronts') } },
  venues: { key: ['id'], unique: [], references: {} },
  images: { key: ['id'], unique: [], references: {} },
  products: { key: ['id'], unique: [['slug']], references: { image_id: to('images') } },
  front_products: {
    key: ['front_id', 'product_id'],
    unique: [],
    references: { front_id: to('fronts'), product_id: to('products') },
  },
  sessions: { key: ['id'], unique: [], references: { product_id: to('products'), venue_id: to('venues') } },
  front_session_exclusions: {
    key: ['front_id', 'session_id'],
    unique: [],
    references: { front_id: to('fronts'), session_id: to('sessions') },
  },
  price_tiers: { key: ['id'], unique: [], references: { product_id: to('products'), session_id: to('sessions') } },
  categories: { key: ['id'], unique: [['slug']], references: {} },
  front_categories: {
    key: ['front_id', 'category_id'],
    unique: [],
    references: { front_id: to('fronts'), category_id: to('categories') },
  },
  product_categories: {
    key: ['product_id', 'category_id'],
    unique: [],
    references: { product_id: to('products'), category_id: to('categories') },
  },
  groups: { key: ['id'], unique: [['slug']], references: {} },
  front_groups: {
    key: ['front_id', 'group_id'],
    unique: [],
    references: { front_id: to('fronts'), group_id: to('groups') },
  },
  product_groups: {
    key: ['product_id', 'group_id'],
    unique: [],
    references: { product_id: to('products'), group_id: to('groups') },
  },
  tags: { key: ['id'], unique: [['slug']], references: {} },
  product_tags: {
    key: ['product_id', 'tag_id'],
    unique: [],
    references: { product_id: to('products'), tag_id: to('tags') },
  },
  badges: { key: ['id'], unique: [['slug']], references: {} },
  product_badges: {
    key: ['product_id', 'badge_id'],
    unique: [],
    references: { product_id: to('products'), badge_id: to('badges') },
  },
};
