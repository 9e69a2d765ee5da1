// What a catalogue may lack (catalogue.md, "What may be absent"), what stands in its place, and the
// columns and tables that are there under a name that is nearly right.

import type { Column } from './columns.ts';
import { columnsOf } from './added-columns.ts';
import type { TableName } from './tables.ts';

/** Without rows in all of these no front has a card. */
const REQUIRED_TABLES: ReadonlySet<TableName> = new Set(['fronts', 'venues', 'products', 'front_products', 'sessions']);

/** Their defaults would publish, or keep open, what a lost column had closed. */
const REQUIRED_COLUMNS: ReadonlySet<string> = new Set([
  'front_keys.revoked_at',
  'front_keys.not_after',
  'products.status',
  'sessions.status',
  'sessions.available',
  'price_tiers.is_public',
  'price_tiers.kind',
]);

/** Whether a catalogue without this table is one in which it is empty. */
export function mayTableBeAbsent(table: TableName): boolean {
  return !REQUIRED_TABLES.has(table);
}

/** Whether a catalogue may lack a column: one that has a default, or accepts NULL. */
export function mayColumnBeAbsent(
  table: TableName,
  column: string,
  { defaultSql, defaultsToId }: Column<unknown>,
): boolean {
  return (defaultSql !== null || defaultsToId === true) && !REQUIRED_COLUMNS.has(`${table}.${column}`);
}

/**
 * SQL of what stands for a column that is absent, or for NULL in it; null where a row has to give a
 * value. `idAsText`: SQL for the row's id as text.
 */
export function standInFor(table: TableName, column: string, rule: Column<unknown>, idAsText: string): string | null {
  if (!mayColumnBeAbsent(table, column, rule)) return null;
  return rule.defaultsToId === true ? idAsText : rule.defaultSql;
}

/**
 * The column of a table that is probably meant for an absent one: the same but for case and `_`, or
 * but for one letter where the name has five or more.
 */
export function misspelled(table: TableName, absent: string, found: Iterable<string>): string | null {
  const ours = new Set(columnsOf(table).map(([name]) => name));
  for (const name of found) {
    if (ours.has(name)) continue;
    if (absent.length >= 5 ? isNearly(absent, name) : plainName(absent) === plainName(name)) return name;
  }
  return null;
}

/** Whether a table that is not the contract's may be meant for one of it, however short its name is. */
export function isNearly(wanted: string, found: string): boolean {
  const [plain, other] = [plainName(wanted), plainName(found)];
  return other === plain || isOneLetterOff(plain, other);
}

const plainName = (name: string): string => name.toLowerCase().replaceAll('_', '');

/** One letter added, dropped or changed, or two neighbours exchanged. */
function isOneLetterOff(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  const rest = long.slice(at + 1);
  if (short.length < long.length) return short.slice(at) === rest;
  const isExchanged = short[at] === long[at + 1] && short[at + 1] === long[at] && short.slice(at + 2) === rest.slice(1);
  return isExchanged || short.slice(at + 1) === rest;
}
