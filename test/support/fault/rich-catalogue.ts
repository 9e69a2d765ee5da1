// A catalogue with a row of everything for each front, and nothing shared: what is wrong with a row
// concerns one front. And the same as an operator's own schema: views over tables without types,
// CHECKs or keys, into which anything gets.

import Database from 'better-sqlite3';
import { TABLE_NAMES, TABLES, type TableName } from '../../../src/database/contract/tables.ts';
import type { CatalogueRow } from '../catalogue.ts';

const at = (hours: number): string =>
  new Date(Date.parse('2026-05-01T09:00:00Z') + hours * 3_600_000).toISOString().replace('.000', '');

/**
 * Ids of front n, from 1, are 1000 n + something: no two rows of a table and no two fronts have one
 * in common.
 */
export function richCatalogue(codes: readonly string[]): CatalogueRow[] {
  return codes.flatMap((code, i) => rowsOfFront(code, 1000 * (i + 1)));
}

/** The front that a row of the rich catalogue belongs to: its number, from 0. */
export function ownerOf({ row }: CatalogueRow): number {
  const id = Object.entries(row).find(([column, value]) => /^id$|_id$/.test(column) && typeof value === 'number')?.[1];
  return Math.floor(Number(id) / 1000) - 1;
}

function rowsOfFront(code: string, id: number): CatalogueRow[] {
  const rows: CatalogueRow[] = [];
  const add = (table: TableName, row: CatalogueRow['row']): void => void rows.push({ table, row });
  add('fronts', {
    id,
    code,
    name: code,
    timezone: 'Europe/Moscow',
    currency: 'RUB',
    currency_exponent: 2,
    weekend_days: '67',
    status: 'active',
    min_cards: 0,
  });
  add('front_keys', {
    keyid: `${code}-1`,
    front_id: id,
    alg: 'hmac-sha256',
    public_key: null,
    secret_ref: `SECRET_${code}`,
    not_before: at(-1),
    not_after: at(100),
    revoked_at: null,
  });
  add('venues', { id: id + 1, name: `Stage of ${code}`, timezone: 'Asia/Kathmandu', city: null });
  add('images', { id: id + 2, url: `https://img.test/${code}`, alt_text: 'A', copyright: null, copyright_url: null });
  add('categories', { id: id + 3, slug: `c-${code}`, name_singular: 'play', name_plural: 'plays' });
  add('groups', { id: id + 4, slug: `g-${code}`, name: 'group', card_type: 1 });
  add('tags', { id: id + 5, slug: `t-${code}`, name: 'tag', sort_weight: 0 });
  add('badges', { id: id + 6, slug: `b-${code}`, name: 'badge', color: '#AA00bb', sort_weight: 0 });
  add('front_categories', { front_id: id, category_id: id + 3, sort_weight: 0 });
  add('front_groups', { front_id: id, group_id: id + 4, sort_weight: 0 });
  for (const product of [id + 10, id + 20]) {
    add('products', {
      id: product,
      slug: `p-${product}`,
      name: `Show ${product}`,
      age_rating: 12,
      sale_schema: 2,
      pushka: 1,
      paused: 1,
      paused_until: at(2),
      image_id: id + 2,
      status: 'published',
    });
    add('front_products', {
      front_id: id,
      product_id: product,
      featured: 1,
      banner: 0,
      paused: 0,
      sort_weight: 0,
      visible_from: at(-2),
      visible_until: at(50),
    });
    add('product_categories', { product_id: product, category_id: id + 3 });
    add('product_groups', { product_id: product, group_id: id + 4, sort_weight: 1 });
    add('product_tags', { product_id: product, tag_id: id + 5 });
    add('product_badges', { product_id: product, badge_id: id + 6, valid_from: at(-1), valid_until: at(3) });
    for (const session of [product + 1, product + 2, product + 3]) {
      add('sessions', {
        id: session,
        product_id: product,
        venue_id: id + 1,
        starts_at: at(session - product),
        starts_local: null,
        ends_at: at(30),
        sales_start_at: at(-10),
        sales_end_at: at(session - product),
        status: 'scheduled',
        previous_starts_at: null,
        paused: 0,
        available: 5,
      });
    }
    for (const [k, session_id] of [null, product + 1].entries()) {
      add('price_tiers', {
        id: product + 5 + k,
        product_id: product,
        session_id,
        name: '',
        kind: 'ticket',
        is_public: 1,
        in_price_from: 1,
        amount_minor: 50_000 + k,
        currency: 'RUB',
        available: 7,
        valid_from: at(-3),
        valid_until: at(4),
      });
    }
    add('front_session_exclusions', { front_id: id, session_id: product + 3 });
    add('front_allocations', { front_id: id, session_id: product + 2, available: 5 });
    add('texts', { kind: 'product', id: String(product), locale: 'de', field: 'name', text: `Stück ${product}` });
  }
  return rows;
}

/** A database whose tables are views over tables without types: `theirs_sessions` and so on. */
export function viewsAt(path: string, rows: readonly CatalogueRow[]): Database.Database {
  const database = new Database(path);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = OFF');
  for (const table of TABLE_NAMES) {
    const columns = Object.keys(TABLES[table]).join(', ');
    database.exec(
      `CREATE TABLE theirs_${table} (${columns}); CREATE VIEW ${table} AS SELECT ${columns} FROM theirs_${table}`,
    );
  }
  database.transaction(() => {
    for (const { table, row } of rows) {
      const columns = Object.keys(row);
      const places = columns.map(() => '?').join(', ');
      database
        .prepare(`INSERT INTO theirs_${table} (${columns.join(', ')}) VALUES (${places})`)
        .run(...Object.values(row));
    }
  })();
  return database;
}
