// Rows for `explain` that the load does not keep because no document needs them: add-ons, private
// tiers, names of tiers. Rows with invalid values are skipped, since the load reports them.

import { sql, type SqlBool } from 'kysely';
import { OFFSET_SECONDS_MAX } from '../../catalogue/calendar.ts';
import { formatDateTime, formatInstant, instantOf, type Instant } from '../../catalogue/instant.ts';
import type { PriceTier } from '../../catalogue/product.ts';
import type { ExplainResultJson } from '../../contract/results/explain.ts';
import type { RowId } from '../../catalogue/row-id.ts';
import type { Finding } from '../../findings.ts';
import type { CatalogueReader } from '../reader.ts';
import { checkedRows, knownTables } from '../contract/query-builders.ts';
import { quoted, RowChecker } from '../contract/row-checker.ts';
import { channelsOf, periodOf } from '../contract/values.ts';
import { TIER } from './product-queries.ts';

const PRODUCT = new RowChecker('products', ['id', 'slug']);
const NAMED_TIER = new RowChecker('price_tiers', [...TIER.columns, 'name']);

/** A price tier as its row has it, add-ons and private ones included. */
export type TierRow = Awaited<ReturnType<typeof tierRows>>[number];

/**
 * The first product with a slug; what is wrong with its id where that cannot be read; or null.
 * @throws AppError database-…
 */
export async function productRow(
  reader: CatalogueReader,
  slug: string,
): Promise<ExplainResultJson['product'] | Finding | null> {
  const query = knownTables.selectFrom('products').select([...PRODUCT.columns, 'name', 'status']);
  let problem: Finding | null = null;
  for (const row of await reader.rows(query.where('slug', '=', slug).orderBy('id'))) {
    const key = row.slice(0, PRODUCT.columns.length);
    if (PRODUCT.accepts(key)) return { id: key[0], slug, name: shown(row[2]), status: shown(row[3]) };
    problem ??= PRODUCT.findings(key, reader)[0] ?? null;
  }
  return problem;
}

/** The ids of the products with a slug, which in a view may be several. */
export async function idsOfSlug(reader: CatalogueReader, slug: string): Promise<number[]> {
  const rows = await reader.rows(
    knownTables.selectFrom('products').select('id').where('slug', '=', slug).orderBy('id'),
  );
  return [...new Set(rows.flatMap(([id]) => (typeof id === 'number' ? [id] : [])))];
}

/** A value that a column may not accept. */
function shown(value: unknown): string {
  return typeof value === 'string' ? value : quoted(value);
}

/** Slugs and names of all products, by id: what a mistyped slug is compared with. */
export async function productNames(reader: CatalogueReader): Promise<{ name: string; title: string }[]> {
  const rows = await reader.rows(knownTables.selectFrom('products').select(['slug', 'name']).orderBy('id'));
  return rows.map(([slug, name]) => ({ name: shown(slug), title: shown(name) }));
}

/**
 * Slugs of the products that a front lists, by id.
 * @throws AppError database-unreadable, database-busy
 */
export async function listedSlugs(reader: CatalogueReader, frontId: RowId): Promise<string[]> {
  const listed = knownTables.selectFrom('front_products').select('product_id').where('front_id', '=', frontId);
  const query = knownTables.selectFrom('products').select('slug').where('id', 'in', listed).orderBy('id');
  return (await reader.rows(query)).map(([slug]) => String(slug));
}

/**
 * Ids of the products that a front lists and that may have a session that starts in [from, until):
 * those with a daily session are among them.
 * @throws AppError database-unreadable, database-busy
 */
export async function idsOfDay(reader: CatalogueReader, frontId: RowId, from: Instant, until: Instant) {
  const listed = knownTables.selectFrom('front_products').select('product_id').where('front_id', '=', frontId);
  const between = (column: string, first: string, last: string) =>
    sql`${reader.isPossiblyLater('sessions', column, first)} and not ${reader.isPossiblyLater('sessions', column, last)}`;
  // A wall time may be up to sixteen hours from UTC.
  const [first, last] = [from - 1 - OFFSET_SECONDS_MAX, until + OFFSET_SECONDS_MAX].map(formatDateTime);
  const isOfDay = sql<SqlBool>`case
    when cast(daily as text) not in ('0', '0.0', 'false') then true
    when starts_at is not null then ${between('starts_at', formatInstant(instantOf(from - 1)), formatInstant(until))}
    when starts_local is not null then ${between('starts_local', first ?? '', last ?? '')}
    else false end`;
  const query = knownTables.selectFrom('sessions').select('product_id').distinct().where('product_id', 'in', listed);
  const rows = await reader.rows(query.where(isOfDay).orderBy('product_id'));
  return rows.flatMap(([id]) => (typeof id === 'number' ? [id] : []));
}

/**
 * Ids of other products that have the slug of one of these. Only views can contain any.
 * @throws AppError database-unreadable, database-busy
 */
export async function idsOfSameSlug(reader: CatalogueReader, ids: readonly number[]): Promise<number[]> {
  const known = new Set(ids);
  const others: number[] = [];
  for (let i = 0; i < ids.length; i += PRODUCTS_TOGETHER) {
    const some = ids.slice(i, i + PRODUCTS_TOGETHER);
    const slugs = knownTables.selectFrom('products').select('slug').where('id', 'in', some);
    const query = knownTables.selectFrom('products').select('id').where('slug', 'in', slugs).orderBy('id');
    for (const [id] of await reader.rows(query)) if (typeof id === 'number' && !known.has(id)) others.push(id);
  }
  return others;
}

/**
 * The ends of the sessions of some products, by session, as their rows have them. No document
 * depends on the end of a session that is not daily, so that the load does not keep it.
 * @throws AppError database-unreadable, database-busy
 */
export async function sessionEnds(reader: CatalogueReader, productIds: readonly number[]) {
  const ends = new Map<RowId, { readonly instant: string | null; readonly local: string | null }>();
  const query = checkedRows(ENDING).where((eb) =>
    eb.or([eb('ends_at', 'is not', null), eb('ends_local', 'is not', null)]),
  );
  for (let i = 0; i < productIds.length; i += PRODUCTS_TOGETHER) {
    for (const row of await reader.rows(query.where('product_id', 'in', productIds.slice(i, i + PRODUCTS_TOGETHER))))
      if (ENDING.accepts(row)) ends.set(row[0], { instant: row[1], local: row[2] });
  }
  return ends;
}

const ENDING = new RowChecker('sessions', ['id', 'ends_at', 'ends_local']);

/** How many ids one query names. */
const PRODUCTS_TOGETHER = 400;

/**
 * The categories and tags of the products that a front lists, all by slug; products without any are
 * left out.
 * @throws AppError database-unreadable, database-busy
 */
export async function labelsOfListed(reader: CatalogueReader, front: string) {
  const labels = new Map<string, { readonly categories: string[]; readonly tags: string[] }>();
  const fronts = knownTables.selectFrom('fronts').select('id').where('code', '=', front);
  const listed = knownTables.selectFrom('front_products').select('product_id').where('front_id', 'in', fronts);
  const products = knownTables.selectFrom('products').where('products.id', 'in', listed);
  const rows = {
    categories: products
      .innerJoin('product_categories', 'product_categories.product_id', 'products.id')
      .innerJoin('categories', 'categories.id', 'product_categories.category_id')
      .select(['products.slug', 'categories.slug as label'])
      .orderBy('products.slug')
      .orderBy('categories.slug'),
    tags: products
      .innerJoin('product_tags', 'product_tags.product_id', 'products.id')
      .innerJoin('tags', 'tags.id', 'product_tags.tag_id')
      .select(['products.slug', 'tags.slug as label'])
      .orderBy('products.slug')
      .orderBy('tags.slug'),
  };
  for (const kind of ['categories', 'tags'] as const) {
    for (const [slug, label] of await reader.rows(rows[kind])) {
      const known = labels.get(String(slug)) ?? { categories: [], tags: [] };
      known[kind].push(String(label));
      labels.set(String(slug), known);
    }
  }
  return [...labels].map(([slug, known]) => ({ slug, ...known }));
}

/** All price tiers of a product by (session, id), the defaults first. */
export async function tierRows(reader: CatalogueReader, productId: number) {
  const order = new Set(['session_id', 'id', 'amount_minor', ...NAMED_TIER.columns]);
  const query = checkedRows(NAMED_TIER, [...order]).where('product_id', '=', productId);
  return (await reader.rows(query)).flatMap((row) => {
    // A build does not read names: one that is bad holds nothing back.
    const named = [...row.slice(0, TIER.columns.length), shown(row[TIER.columns.length])];
    if (!NAMED_TIER.accepts(named)) return [];
    const [id, sessionId, kind, isPublic, inPriceFrom, amountMinor, currency, available, from, until, channels, name] =
      named;
    const valid = periodOf(from, until);
    const price: PriceTier = { id, isInPriceFrom: inPriceFrom === 1, amountMinor, currency, available, valid };
    return { id, sessionId, name, kind, isPublic: isPublic === 1, price, channels: channelsOf(channels) };
  });
}
