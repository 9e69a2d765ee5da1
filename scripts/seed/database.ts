// Creates a catalogue file from data/schema.sql and typed rows. The file gets its name only when it
// is complete. Nothing is synced to disk: a lost benchmark catalogue is simply created again.

import { readFileSync, renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';

const COLUMNS = {
  fronts: [
    'id',
    'code',
    'name',
    'timezone',
    'locale',
    'channel',
    'currency',
    'currency_exponent',
    'weekend_days',
    'status',
    'min_cards',
  ],
  front_keys: ['keyid', 'front_id', 'alg', 'public_key', 'secret_ref', 'not_before', 'not_after', 'revoked_at'],
  venues: ['id', 'name', 'timezone', 'city'],
  images: ['id', 'url', 'alt_text', 'copyright', 'copyright_url'],
  products: [
    'id',
    'slug',
    'name',
    'age_rating',
    'sale_schema',
    'pushka',
    'paused',
    'paused_until',
    'image_id',
    'status',
  ],
  front_products: [
    'front_id',
    'product_id',
    'featured',
    'banner',
    'paused',
    'sort_weight',
    'visible_from',
    'visible_until',
  ],
  sessions: [
    'id',
    'product_id',
    'venue_id',
    'starts_at',
    'starts_local',
    'ends_at',
    'daily',
    'sales_start_at',
    'sales_end_at',
    'status',
    'previous_starts_at',
    'paused',
    'available',
  ],
  front_session_exclusions: ['front_id', 'session_id'],
  front_allocations: ['front_id', 'session_id', 'available'],
  price_tiers: [
    'product_id',
    'session_id',
    'channels',
    'name',
    'kind',
    'is_public',
    'in_price_from',
    'amount_minor',
    'currency',
    'available',
    'valid_from',
    'valid_until',
  ],
  categories: ['id', 'slug', 'name_singular', 'name_plural'],
  front_categories: ['front_id', 'category_id', 'sort_weight'],
  product_categories: ['product_id', 'category_id'],
  groups: ['id', 'slug', 'name', 'card_type'],
  front_groups: ['front_id', 'group_id', 'sort_weight'],
  product_groups: ['product_id', 'group_id', 'sort_weight'],
  tags: ['id', 'slug', 'name', 'sort_weight'],
  product_tags: ['product_id', 'tag_id'],
  badges: ['id', 'slug', 'name', 'color', 'sort_weight'],
  product_badges: ['product_id', 'badge_id', 'valid_from', 'valid_until'],
  texts: ['kind', 'id', 'locale', 'field', 'text'],
} as const;

export type TableName = keyof typeof COLUMNS;

export type Row<T extends TableName> = Readonly<Record<(typeof COLUMNS)[T][number], string | number | null>>;

/** Inserts one row; parents need not come before their children. */
export type WriteRow = <T extends TableName>(table: T, row: Row<T>) => void;

/** The number of rows by table; tables without rows are absent. */
export type RowCounts = Readonly<Record<string, number>>;

/**
 * Creates the catalogue at `path`, or replaces it, with the schema of data/schema.sql and the rows
 * that `fill` writes. Returns the number of rows by table. Errors of `fill` and of CHECK
 * constraints are passed on, and no file is left behind.
 */
export function createCatalogue(path: string, fill: (write: WriteRow) => void): RowCounts {
  const unfinishedPath = `${path}.unfinished`;
  rmSync(unfinishedPath, { force: true });
  const ddl = readFileSync(new URL('../../data/schema.sql', import.meta.url), 'utf8');
  const db = new Database(unfinishedPath);
  let counts: RowCounts;
  try {
    // Building an index at the end is faster than updating it with every insert.
    const indexes = ddl.match(/^CREATE INDEX [^;]*;/gmu) ?? [];
    db.exec(ddl.replace(/^CREATE INDEX [^;]*;/gmu, ''));
    // Not journal_mode OFF: the driver opens files in SQLite's defensive mode, which ignores it.
    db.exec(
      'PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -65536',
    );
    counts = db.transaction(() => insertRows(db, fill))();
    db.exec(indexes.join('\n'));
    db.exec('PRAGMA journal_mode = WAL');
    db.close();
  } catch (error) {
    db.close();
    rmSync(unfinishedPath, { force: true });
    throw error;
  }
  // A WAL file left by a killed writer of the old file would be applied to the new one.
  for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
  renameSync(unfinishedPath, path);
  return counts;
}

function insertRows(db: Database.Database, fill: (write: WriteRow) => void): RowCounts {
  const statements = new Map<TableName, Database.Statement<[Row<TableName>]>>();
  const counts: Record<string, number> = {};
  function prepare(table: TableName): Database.Statement<[Row<TableName>]> {
    const columns = COLUMNS[table];
    const values = columns.map((column) => `@${column}`).join(', ');
    const statement = db.prepare<[Row<TableName>]>(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})`);
    statements.set(table, statement);
    return statement;
  }
  fill((table, row) => {
    (statements.get(table) ?? prepare(table)).run(row);
    counts[table] = (counts[table] ?? 0) + 1;
  });
  return counts;
}
