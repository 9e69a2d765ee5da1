// The tables of the catalogue (catalogue.md): columns, keys and references, for the queries' types,
// the row checks, the contract check, import and export. data/schema.sql has the same in SQL; a
// test compares the two.

import {
  boolean,
  channel,
  channels,
  code,
  color,
  currency,
  dayStart,
  defaulted,
  fromInstant,
  filledName,
  httpsUrl,
  idText,
  instant,
  integer,
  keyId,
  locale,
  name,
  nullable,
  oneOf,
  rowId,
  slug,
  slugOrId,
  text,
  untilInstant,
  wallTime,
  weekendDays,
  zoneName,
  type Column,
  type ValueOf,
} from './columns.ts';
import type { TextKind } from '../../catalogue/texts.ts';

const sortWeight = defaulted(integer(), 0);
const no = defaulted(boolean, 0);
const yes = defaulted(boolean, 1);
const maybeInstant = nullable(instant);

export const TABLES = {
  fronts: {
    id: rowId,
    code,
    name: text,
    timezone: text,
    locale: nullable(locale),
    channel: nullable(channel),
    day_starts_at: defaulted(dayStart, '00:00'),
    currency,
    currency_exponent: defaulted(integer(0, 4), 2),
    weekend_days: defaulted(weekendDays, '67'),
    status: defaulted(oneOf('active', 'disabled'), 'active'),
    min_cards: defaulted(integer(0), 0),
  },
  front_keys: {
    keyid: keyId,
    front_id: rowId,
    alg: oneOf('ed25519', 'ecdsa-p256-sha256', 'hmac-sha256'),
    public_key: nullable(text),
    secret_ref: nullable(text),
    not_before: fromInstant,
    not_after: untilInstant,
    revoked_at: untilInstant,
  },
  // Without one, sessions there have their own: row-rules.ts.
  venues: { id: rowId, name, timezone: nullable(text), city: nullable(text) },
  images: {
    id: rowId,
    url: httpsUrl,
    alt_text: nullable(name),
    copyright: nullable(name),
    copyright_url: nullable(text),
  },
  products: {
    id: integer(),
    slug: slugOrId,
    name,
    age_rating: defaulted(integer(0, 21), 0),
    sale_schema: defaulted(integer(0), 2),
    pushka: no,
    paused: no,
    paused_until: untilInstant,
    image_id: nullable(rowId),
    status: defaulted(oneOf('draft', 'published', 'archived'), 'published'),
  },
  front_products: {
    front_id: rowId,
    product_id: integer(),
    featured: no,
    banner: no,
    paused: no,
    sort_weight: sortWeight,
    visible_from: fromInstant,
    visible_until: untilInstant,
  },
  sessions: {
    id: rowId,
    product_id: integer(),
    venue_id: rowId,
    // One of the two is there: row-rules.ts.
    starts_at: maybeInstant,
    starts_local: nullable(wallTime),
    ends_at: maybeInstant,
    ends_local: nullable(wallTime),
    daily: no,
    sales_start_at: fromInstant,
    sales_start_local: nullable(wallTime),
    sales_end_at: maybeInstant,
    sales_end_local: nullable(wallTime),
    timezone: nullable(zoneName),
    status: defaulted(oneOf('draft', 'scheduled', 'rescheduled', 'postponed', 'cancelled'), 'scheduled'),
    previous_starts_at: maybeInstant,
    visible_from: fromInstant,
    visible_from_local: nullable(wallTime),
    paused: no,
    available: nullable(integer()),
  },
  front_session_exclusions: { front_id: rowId, session_id: rowId },
  front_allocations: { front_id: rowId, session_id: rowId, available: integer() },
  price_tiers: {
    // Nothing refers to it.
    id: nullable(integer()),
    product_id: integer(),
    session_id: nullable(rowId),
    name: defaulted(text, ''),
    channels: nullable(channels),
    kind: defaulted(oneOf('ticket', 'addon'), 'ticket'),
    is_public: yes,
    in_price_from: yes,
    amount_minor: integer(0, 99_999_999_999_999),
    currency,
    available: nullable(integer()),
    valid_from: fromInstant,
    valid_until: untilInstant,
  },
  categories: { id: integer(), slug, name_singular: name, name_plural: nullable(name) },
  front_categories: { front_id: rowId, category_id: integer(), sort_weight: sortWeight },
  product_categories: { product_id: integer(), category_id: integer() },
  groups: { id: integer(), slug, name, card_type: defaulted(integer(0), 1) },
  front_groups: { front_id: rowId, group_id: integer(), sort_weight: sortWeight },
  product_groups: { product_id: integer(), group_id: integer(), sort_weight: integer() },
  tags: { id: integer(), slug, name, sort_weight: sortWeight },
  product_tags: { product_id: integer(), tag_id: integer() },
  badges: {
    id: integer(),
    slug,
    name,
    color,
    sort_weight: sortWeight,
    rule: nullable(oneOf('few-left', 'moved')),
    // Required with few-left: row-rules.ts.
    rule_below: nullable(integer(1)),
  },
  product_badges: { product_id: integer(), badge_id: integer(), valid_from: fromInstant, valid_until: untilInstant },
  texts: {
    kind: oneOf('product', 'venue', 'image', 'category', 'group', 'tag', 'badge'),
    id: idText,
    locale,
    // Not every kind has every field: row-rules.ts.
    field: oneOf('name', 'name_singular', 'name_plural', 'alt_text', 'copyright'),
    text: filledName,
  },
} as const satisfies Record<string, Record<string, Column<unknown>>>;

export type TableName = keyof typeof TABLES;

/** The database as Kysely sees it. */
export type CatalogueTables = {
  readonly [T in TableName]: { readonly [C in keyof (typeof TABLES)[T]]: ValueOf<(typeof TABLES)[T][C]> };
};

/** The table of each kind of thing that has texts. */
export const TABLE_OF_KIND = {
  product: 'products',
  venue: 'venues',
  image: 'images',
  category: 'categories',
  group: 'groups',
  tag: 'tags',
  badge: 'badges',
} as const satisfies Record<TextKind, TableName>;

/** In an order that foreign keys accept. */
export const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[];

interface TableRules {
  /** The columns that identify a row, in findings and for `import --replace`. */
  readonly key: readonly string[];
  /** What tells rows apart that a catalogue has without their key. */
  readonly keyless?: readonly string[];
  /** Further columns that are unique. */
  readonly unique: readonly string[];
  /** Columns that hold ids of rows of other tables. */
  readonly references: Readonly<Record<string, TableName>>;
}

/** A table of things: with an id, and often with a slug or code. */
function entity(references: TableRules['references'] = {}, ...unique: string[]): TableRules {
  return { key: ['id'], unique, references };
}

/** A table of links: the ids that it holds are its key. */
function link(references: TableRules['references']): TableRules {
  return { key: Object.keys(references), unique: [], references };
}

export const TABLE_RULES: Readonly<Record<TableName, TableRules>> = {
  fronts: entity({}, 'code'),
  front_keys: { key: ['keyid'], unique: [], references: { front_id: 'fronts' } },
  venues: entity(),
  images: entity(),
  products: entity({ image_id: 'images' }, 'slug'),
  front_products: link({ front_id: 'fronts', product_id: 'products' }),
  sessions: entity({ product_id: 'products', venue_id: 'venues' }),
  front_session_exclusions: link({ front_id: 'fronts', session_id: 'sessions' }),
  front_allocations: link({ front_id: 'fronts', session_id: 'sessions' }),
  price_tiers: {
    ...entity({ product_id: 'products', session_id: 'sessions' }),
    keyless: ['product_id', 'session_id', 'amount_minor', 'currency'],
  },
  categories: entity({}, 'slug'),
  front_categories: link({ front_id: 'fronts', category_id: 'categories' }),
  product_categories: link({ product_id: 'products', category_id: 'categories' }),
  groups: entity({}, 'slug'),
  front_groups: link({ front_id: 'fronts', group_id: 'groups' }),
  product_groups: link({ product_id: 'products', group_id: 'groups' }),
  tags: entity({}, 'slug'),
  product_tags: link({ product_id: 'products', tag_id: 'tags' }),
  badges: entity({}, 'slug'),
  product_badges: link({ product_id: 'products', badge_id: 'badges' }),
  texts: { key: ['kind', 'id', 'locale', 'field'], unique: [], references: {} },
};

/** The columns that hold the ids of a table's rows: its own, and those that refer to it. */
export function idColumnsOf(parent: TableName): readonly (readonly [table: TableName, column: string])[] {
  const references = TABLE_NAMES.flatMap((table) =>
    Object.entries(TABLE_RULES[table].references).flatMap(([column, of]) =>
      of === parent ? [[table, column] as const] : [],
    ),
  );
  return [[parent, 'id'], ...references];
}

/** Whether a column holds ids that may be text. */
export function mayIdBeText(table: TableName, column: string): boolean {
  const columns: Readonly<Record<string, Column<unknown>>> = TABLES[table];
  return columns[column]?.mayBeText === true;
}

/** Whether a column holds ids of rows, of its own table or of another. */
export function isId(table: TableName, column: string): boolean {
  return column === 'id' || Object.hasOwn(TABLE_RULES[table].references, column);
}
