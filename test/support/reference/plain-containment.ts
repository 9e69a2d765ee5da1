// What errors in rows take out of one front: the table of containment.md, written straight down,
// for any rows of which it is known what is wrong with them. It shares no code with the program.

import { DateTime } from 'luxon';
import type { CatalogueRow } from '../catalogue.ts';
import { isOnChannelOf, type Spoilt } from './plain-documents.ts';
import type { PlainId } from './plain-tables.ts';
import { firstInstantOf } from './plain-values.ts';

/** Rows, some with errors: the columns whose values are bad, or `*` for a key that occurs twice. */
export interface FaultyRows {
  readonly rows: readonly CatalogueRow[];
  readonly bad: ReadonlyMap<CatalogueRow, ReadonlySet<string>>;
}

export interface Contained extends Spoilt {
  /** The rows without everything that is left out on this front, bad sessions included. */
  readonly clean: readonly CatalogueRow[];
  /** Published products that the front lists and that are left out whatever the instant. */
  readonly products: ReadonlySet<number>;
}

type Value = string | number | null;

/** Columns that no document needs, each with a good value: an error there is nothing to a build. */
const UNREAD: ReadonlyMap<string, Value> = new Map([
  ['venues.city', null],
  ['price_tiers.name', ''],
]);

/** The end of a session is read only of a daily one. */
const ENDS: ReadonlySet<string> = new Set(['ends_at', 'ends_local']);

const TAXONOMY = ['categories', 'groups', 'tags', 'badges'];

/** How far a wall time may be from UTC. */
const FARTHEST = { hours: 16 };

/** Rows with errors, and questions about them. */
class Tables {
  readonly #faulty: FaultyRows;

  constructor(faulty: FaultyRows) {
    this.#faulty = faulty;
  }

  of(table: string): readonly CatalogueRow[] {
    return this.#faulty.rows.filter((one) => one.table === table);
  }

  isBad(row: CatalogueRow): boolean {
    const columns = [...(this.#faulty.bad.get(row) ?? [])];
    const isRead = (column: string): boolean =>
      !UNREAD.has(`${row.table}.${column}`) &&
      column !== 'previous_starts_at' &&
      !(ENDS.has(column) && (this.value(row, 'daily') ?? 0) === 0);
    return columns.some(isRead);
  }

  /** A value that can be read; undefined otherwise. */
  value(row: CatalogueRow, column: string): Value | undefined {
    return this.#faulty.bad.get(row)?.has(column) === true ? undefined : row.row[column];
  }

  /** An id that is published. */
  id(row: CatalogueRow, column = 'id'): number | undefined {
    const value = this.value(row, column);
    return typeof value === 'number' ? value : undefined;
  }

  /** The id of a front, venue, image or session. */
  rowId(row: CatalogueRow, column = 'id'): PlainId | undefined {
    return this.value(row, column) ?? undefined;
  }

  /** Rows of a table by id, if it can be read. */
  byId(table: string): Map<number, CatalogueRow> {
    return new Map(this.of(table).flatMap((row) => (this.id(row) === undefined ? [] : [[this.id(row) ?? 0, row]])));
  }

  byRowId(table: string): Map<PlainId, CatalogueRow> {
    return new Map(
      this.of(table).flatMap((row) => (this.rowId(row) === undefined ? [] : [[this.rowId(row) ?? 0, row]])),
    );
  }

  /** Ids of a table that a bad row has. */
  badIds(table: string): Set<number> {
    return new Set(this.of(table).flatMap((row) => (this.isBad(row) ? [this.id(row) ?? Number.NaN] : [])));
  }

  badRowIds(table: string): Set<PlainId> {
    return new Set(this.of(table).flatMap((row) => (this.isBad(row) ? [this.rowId(row) ?? Number.NaN] : [])));
  }

  /** The id that a reference to no row of a table means: that of a row in the other type. */
  meant(table: string, id: PlainId | undefined): PlainId | undefined {
    const ids = this.byRowId(table);
    if (id === undefined || ids.has(id)) return undefined;
    return [...ids.keys()].find((one) => String(one) === String(id));
  }

  /** Whether a row has the id of a front that cannot be read, or is of another type than those of fronts. */
  isFrontUnknown(row: CatalogueRow): boolean {
    const id = this.rowId(row, 'front_id');
    if (id === undefined) return true;
    const ids = [...this.byRowId('fronts').keys()];
    if (ids.includes(id)) return false;
    return this.meant('fronts', id) !== undefined || !ids.some((one) => typeof one === typeof id);
  }

  /** A product's slug, which is its id where it has none; undefined if it cannot be read. */
  slug(row: CatalogueRow): Value | undefined {
    const slug = this.value(row, 'slug');
    return slug === null && row.table === 'products' ? String(row.row['id']) : slug;
  }

  /** Ids of bad elements of the taxonomy: those that share a slug too. */
  badElements(table: string): Set<number> {
    return new Set([...this.badIds(table), ...this.idsWithOneSlug(table)]);
  }

  /** Ids of rows whose slug another row has too, whatever else is in them. */
  idsWithOneSlug(table: string, counts: (row: CatalogueRow) => boolean = () => true): readonly number[] {
    const rows = this.of(table).filter(counts);
    const idsOf = (slug: Value | undefined): Set<number> =>
      new Set(rows.filter((row) => this.slug(row) === slug).map((row) => this.id(row) ?? Number.NaN));
    return rows.flatMap((row) => {
      const slug = this.slug(row);
      const ids = idsOf(slug);
      return slug !== undefined && ids.size > 1 ? [...ids] : [];
    });
  }
}

/** What is left of the rows for one front, for a build as of `now`. */
export function contained(faulty: FaultyRows, frontId: PlainId, now: string): Contained {
  const tables = new Tables(faulty);
  const products = tables.byId('products');
  const activeFronts = new Set(
    tables
      .of('fronts')
      .flatMap((row) => (tables.value(row, 'status') === 'active' && !tables.isBad(row) ? [tables.rowId(row)] : [])),
  );
  const listings = tables
    .of('front_products')
    .filter((row) => products.has(tables.id(row, 'product_id') ?? Number.NaN));
  const listed = new Set(
    listings
      .filter((row) => activeFronts.has(tables.rowId(row, 'front_id')))
      .map((row) => tables.id(row, 'product_id')),
  );
  const isShown = (id: number): boolean => {
    const row = products.get(id);
    const status = row === undefined ? null : tables.value(row, 'status');
    return listed.has(id) && (status === undefined || status === 'published');
  };

  const bad = badProducts(tables, products, activeFronts, listed);
  const badHere = new Set(
    listings
      .filter((row) => tables.isBad(row) && tables.rowId(row, 'front_id') === frontId)
      .map((row) => tables.id(row, 'product_id')),
  );
  const sessions = badSessions(tables, frontId);
  const own = listings
    .filter((row) => tables.rowId(row, 'front_id') === frontId)
    .map((row) => tables.id(row, 'product_id') ?? 0);
  const leftOut = new Set(own.filter((id) => isShown(id) && (bad.has(id) || badHere.has(id))));
  const sessionProducts = new Map(
    tables.of('sessions').map((row) => [tables.rowId(row), tables.id(row, 'product_id')]),
  );
  const badRows = new Set(sessions.map(({ row }) => row));
  for (const parent of TAXONOMY) {
    const ids = tables.badElements(parent);
    for (const row of tables.of(parent)) if (ids.has(tables.id(row) ?? Number.NaN)) badRows.add(row);
  }
  const clean = withoutDangling(
    faulty.rows
      .filter((row) => {
        if (tables.isBad(row) || badRows.has(row)) return false;
        const product = tables.id(row, row.table === 'products' ? 'id' : 'product_id');
        const sessionId = row.row['session_id'] ?? null;
        if (row.table === 'price_tiers' && sessionId !== null) return sessionProducts.get(sessionId) === product;
        if (row.table === 'front_products') {
          const isHere = tables.rowId(row, 'front_id') === frontId;
          return !(isHere && (leftOut.has(product ?? 0) || badHere.has(product)));
        }
        return true;
      })
      .map((row) => withGoodUnread(row, faulty.bad.get(row) ?? NO_COLUMNS)),
  );
  const excluded = new Set(
    tables
      .of('front_session_exclusions')
      .filter((row) => tables.rowId(row, 'front_id') === frontId)
      .map((row) => tables.rowId(row, 'session_id')),
  );
  const isHere = (product: number, id: PlainId | undefined): boolean => {
    const tickets = tables
      .of('price_tiers')
      .filter((tier) => !tables.isBad(tier) && tier.row['kind'] === 'ticket' && tier.row['product_id'] === product)
      .map(({ row }) => ({
        session_id: row['session_id'] as PlainId | null,
        channels: row['channels'] as string | null,
      }));
    const channel = tables.of('fronts').find((row) => tables.rowId(row) === frontId)?.row['channel'];
    return id === undefined || isOnChannelOf(tickets, typeof channel === 'string' ? channel : null)(id);
  };
  const spoilt = sessions
    .filter(
      ({ row, product, isOver, isOnEveryChannel }) =>
        !isOver(now) &&
        product !== undefined &&
        isShown(product) &&
        !excluded.has(tables.rowId(row) ?? Number.NaN) &&
        (isOnEveryChannel || isHere(product, tables.rowId(row))),
    )
    .map(({ row, product, isOver }) => ({ product: product ?? 0, id: tables.rowId(row) ?? null, isOver }));
  const namedBadges = new Set(
    tables
      .of('product_badges')
      .flatMap(({ row }) => (/^-?\d+$/.test(String(row['badge_id'])) ? [Number(row['badge_id'])] : [])),
  );
  return { clean, products: leftOut, sessions: spoilt, namedBadges };
}

const NO_COLUMNS: ReadonlySet<string> = new Set();

function withGoodUnread({ table, row }: CatalogueRow, bad: ReadonlySet<string>): CatalogueRow {
  const cells = Object.entries(row).map(([column, value]) => {
    const good = UNREAD.get(`${table}.${column}`);
    const isUnread = bad.has(column) && (column === 'previous_starts_at' || (ENDS.has(column) && row['daily'] === 0));
    return [column, isUnread ? null : good === undefined ? value : good] as const;
  });
  return { table, row: Object.fromEntries(cells) };
}

/** Products that an error takes out on every front. */
function badProducts(
  tables: Tables,
  products: ReadonlyMap<number, CatalogueRow>,
  activeFronts: ReadonlySet<PlainId | undefined>,
  listed: ReadonlySet<number | undefined>,
): ReadonlySet<number> {
  const bad = tables.badIds('products');
  const images = tables.byRowId('images');
  const badImages = tables.badRowIds('images');
  for (const [id, row] of products) {
    const image = tables.rowId(row, 'image_id');
    if (image !== undefined && (!images.has(image) || badImages.has(image))) bad.add(id);
  }
  const isCounted = (row: CatalogueRow): boolean => {
    const [id, status] = [tables.id(row), tables.value(row, 'status')];
    return (id === undefined || listed.has(id)) && (status === undefined || status === 'published');
  };
  for (const id of tables.idsWithOneSlug('products', isCounted)) bad.add(id);
  for (const tier of tables.of('price_tiers')) {
    if (!tables.isBad(tier) || tables.value(tier, 'kind') === 'addon') continue;
    if (tables.rowId(tier, 'session_id') === undefined) bad.add(tables.id(tier, 'product_id') ?? Number.NaN);
  }
  for (const [parent, column] of [
    ['categories', 'category_id'],
    ['groups', 'group_id'],
    ['tags', 'tag_id'],
    ['badges', 'badge_id'],
  ] as const) {
    const elements = tables.byId(parent);
    const badElements = tables.badElements(parent);
    const attached = new Set(
      tables
        .of(`front_${parent}`)
        .filter((row) => !tables.isBad(row) && activeFronts.has(tables.rowId(row, 'front_id')))
        .map((row) => tables.id(row, column)),
    );
    for (const link of tables.of(`product_${parent}`)) {
      const [product, element] = [tables.id(link, 'product_id'), tables.id(link, column)];
      if (product === undefined || element === undefined || !elements.has(element)) continue;
      const isElementShown = parent === 'tags' || parent === 'badges' || attached.has(element);
      if (isElementShown && (tables.isBad(link) || badElements.has(element))) bad.add(product);
    }
  }
  return bad;
}

interface BadSession {
  readonly row: CatalogueRow;
  readonly product: number | undefined;
  readonly isOver: (at: string) => boolean;
  /** Whether it is not known where it is sold. */
  readonly isOnEveryChannel: boolean;
}

/** Sessions with an error, over or not; one that is not scheduled counts as over. */
function badSessions(tables: Tables, frontId: PlainId): readonly BadSession[] {
  const venues = tables.byRowId('venues');
  const badVenues = tables.badRowIds('venues');
  const all = tables.byRowId('sessions');
  const spoilt = new Set<PlainId | undefined>();
  for (const tier of tables.of('price_tiers')) {
    const session = tables.rowId(tier, 'session_id');
    spoilt.add(tables.meant('sessions', session));
    const row = all.get(session ?? Number.NaN);
    if (row === undefined) continue;
    const isAnothers = tables.id(row, 'product_id') !== tables.id(tier, 'product_id');
    if (isAnothers || (tables.isBad(tier) && tables.value(tier, 'kind') !== 'addon')) spoilt.add(session);
  }
  // Of these this front alone cannot know how many are left, or whether it sells them.
  const hidden = new Set<PlainId | undefined>();
  for (const term of [...tables.of('front_session_exclusions'), ...tables.of('front_allocations')]) {
    const session = tables.rowId(term, 'session_id');
    const isThere = session !== undefined && all.has(session);
    if (tables.isFrontUnknown(term) && isThere) spoilt.add(session);
    const isHere = tables.rowId(term, 'front_id') === frontId;
    if (!isHere) continue;
    if (tables.isBad(term) && term.table === 'front_allocations') hidden.add(session);
    hidden.add(tables.meant('sessions', session));
  }

  return tables.of('sessions').flatMap((row) => {
    const venue = venues.get(tables.rowId(row, 'venue_id') ?? Number.NaN);
    const isVenueBad = venue === undefined || badVenues.has(tables.rowId(venue) ?? Number.NaN);
    const ofVenue = isVenueBad ? undefined : tables.value(venue, 'timezone');
    const zone = [tables.value(row, 'timezone'), ofVenue].find((name) => typeof name === 'string') ?? null;
    const id = tables.rowId(row);
    const isSpoilt = id !== undefined && spoilt.has(id);
    const hasNoStart = startOf(tables, row, zone) === null;
    const isHidden = id !== undefined && hidden.has(id);
    if (!tables.isBad(row) && !isVenueBad && !isSpoilt && !isHidden && !hasNoStart) return [];
    const status = tables.value(row, 'status');
    const isOver =
      status === undefined || status === 'scheduled' || status === 'rescheduled'
        ? endOf(tables, row, zone)
        : () => true;
    return [{ row, product: tables.id(row, 'product_id'), isOver, isOnEveryChannel: isSpoilt }];
  });
}

/** The instant of a start that can be read; null if there is none. */
function startOf(tables: Tables, row: CatalogueRow, zone: string | null): string | null {
  const [startsAt, local] = [tables.value(row, 'starts_at'), tables.value(row, 'starts_local')];
  if (typeof startsAt === 'string') return startsAt;
  if (startsAt === undefined || typeof local !== 'string' || zone === null) return null;
  return firstInstantOf(local, zone);
}

/** Whether a bad session is over, as far as its row says it: by the text, as a query would. */
function endOf(tables: Tables, row: CatalogueRow, zone: string | null): (at: string) => boolean {
  const cell = (column: string): unknown => row.row[column] ?? null;
  const pairs = [
    ['sales_end_at', 'sales_end_local'] as const,
    cell('daily') === 0 ? null : (['ends_at', 'ends_local'] as const),
  ];
  const [instantColumn, localColumn] = pairs.find(
    (pair) => pair !== null && (cell(pair[0]) !== null || cell(pair[1]) !== null || pair[0] === 'ends_at'),
  ) ?? ['starts_at', 'starts_local'];
  const [text, local] = [cell(instantColumn), cell(localColumn)];
  if (text !== null) {
    const isForm = typeof text === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text);
    return isForm ? (at) => at >= text : () => false;
  }
  if (typeof local !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(local)) return () => false;
  const end = zone === null || tables.value(row, localColumn) === undefined ? null : firstInstantOf(local, zone);
  if (end !== null) return (at) => at >= end;
  return (at) =>
    (DateTime.fromISO(at, { zone: 'utc' }).minus(FARTHEST).toISO({ suppressMilliseconds: true }) ?? '') >= `${local}Z`;
}

const REFERENCES: Readonly<Record<string, string>> = {
  front_id: 'fronts',
  product_id: 'products',
  session_id: 'sessions',
  venue_id: 'venues',
  image_id: 'images',
  category_id: 'categories',
  group_id: 'groups',
  tag_id: 'tags',
  badge_id: 'badges',
};

/** Without rows that refer to rows that are not there, again and again. */
function withoutDangling(rows: readonly CatalogueRow[]): readonly CatalogueRow[] {
  const ids = new Set(rows.map(({ table, row }) => JSON.stringify([table, row['id']])));
  const kept = rows.filter(({ row }) =>
    Object.entries(REFERENCES).every(([column, table]) => {
      const id = row[column];
      return id === undefined || id === null || ids.has(JSON.stringify([table, id]));
    }),
  );
  return kept.length === rows.length ? kept : withoutDangling(kept);
}
