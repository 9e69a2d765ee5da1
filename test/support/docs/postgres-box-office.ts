// The box office of data/postgres.md, filled from that of data/own-schema.md: the same facts in
// PostgreSQL's own types.

import type Database from 'better-sqlite3';
import type { Client } from 'pg';

type Row = Readonly<Record<string, string | number | null>>;

const TABLES = [
  'shop',
  'hall',
  'show',
  'shop_show',
  'performance',
  'not_sold',
  'contingent',
  'tariff',
  'money',
  'term',
  'term_of_shop',
  'term_of_show',
] as const;

/** Columns that have another name there. */
const NAMES: Readonly<Record<string, string>> = {
  ends_epoch: 'ends',
  sale_from_epoch: 'sale_from',
  sale_to_epoch: 'sale_to',
  moved_from_epoch: 'moved_from',
  from_epoch: 'valid_from',
  to_epoch: 'valid_to',
};

/** Copies the rows; `ours` is the catalogue that the box office in SQLite was filled from. */
export async function fillPostgresBoxOffice(
  ours: Database.Database,
  boxOffice: Database.Database,
  client: Client,
): Promise<void> {
  const starts = ours.prepare('SELECT id, starts_at FROM sessions').raw().all() as [number, string][];
  const startOf = new Map(starts);
  for (const table of TABLES) {
    const rows = (boxOffice.prepare(`SELECT * FROM ${table}`).all() as Row[]).map((row) => {
      const start = startOf.get(Number(row['perf_no']));
      return { ...nativeRow(row), ...(table === 'performance' && start !== undefined ? { begins: start } : {}) };
    });
    // PostgreSQL has a type of the other name.
    const name = table === 'money' ? 'currency' : table;
    await client.query(`INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, $1)`, [
      JSON.stringify(rows.map((row) => (table === 'shop_show' ? withRange(row) : row))),
    ]);
  }
}

/** yes and no are booleans to PostgreSQL as they are. */
function nativeRow(row: Row): Record<string, unknown> {
  const cells = Object.entries(row).map(([name, value]) => {
    const isTime = name.endsWith('_epoch') || name === 'halted_to';
    // JSON inside of JSON is a string.
    const isJson = ['titles', 'picture_texts', 'picture_credits'].includes(name);
    if (isJson && typeof value === 'string') return [name, JSON.parse(value) as unknown];
    return [NAMES[name] ?? name, isTime && value !== null ? new Date(Number(value) * 1000).toISOString() : value];
  });
  return Object.fromEntries(cells);
}

function withRange(row: Record<string, unknown>): Record<string, unknown> {
  const { valid_from: from, valid_to: to, ...rest } = row;
  const end = (at: unknown): string => (typeof at === 'string' ? at : '');
  return { ...rest, shown: `[${end(from)},${end(to)})` };
}
