// Checks a whole catalogue: the file, the contract, every value of every row, and every rule
// between rows (rules.ts). Findings are yielded as they are found, so that a catalogue in which
// every row is wrong takes no more memory than a good one: hence the rules on rows read their few
// columns again.

import { setImmediate } from 'node:timers/promises';
import type { Zone } from '../../catalogue/calendar.ts';
import type { Instant } from '../../catalogue/instant.ts';
import type { RowId } from '../../catalogue/row-id.ts';
import type { Finding } from '../../findings.ts';
import { examineContract } from '../contract/check-schema.ts';
import { danglingIds } from '../contract/dangling-ids.ts';
import { anyTable, checkedRows, wholeTable } from '../contract/query-builders.ts';
import { findingOf, notUnique, RowChecker } from '../contract/row-checker.ts';
import { TABLE_NAMES, TABLE_RULES, type TableName } from '../contract/tables.ts';
import { Zones } from '../../catalogue/calendar.ts';
import type { CatalogueReader } from '../reader.ts';
import { RULES } from './rules.ts';
import { rowAdvice } from './row-advice.ts';
import { nearTables } from './near-tables.ts';
import { ShownRows, type FoundRow } from './shown-rows.ts';

export interface CheckOptions {
  /** Version of the time-zone rules, for the drift warning. */
  readonly tzdata: string;
  readonly now: Instant;
  /** Called with the tables and columns that the catalogue lacks, and may lack. */
  readonly onAbsent: (absent: readonly string[]) => void;
  /** Called with the number of rows checked in a table, batch by batch. */
  readonly onRows: (table: TableName, rows: number) => void;
}

/**
 * Everything that is wrong with a catalogue. A table that does not meet the contract is a finding,
 * and its rows are not read.
 * @throws AppError database-unreadable, database-busy
 */
export async function* checkCatalogue(reader: CatalogueReader, options: CheckOptions): AsyncGenerator<Finding> {
  yield* await reader.damage();
  const { problems, absent } = await examineContract(reader);
  options.onAbsent(absent);
  for (const { code, location, message, column, hint } of problems) {
    yield { ...findingOf('error', code, location, message, column), hint };
  }
  yield* await nearTables(reader);
  const readable = new Set(TABLE_NAMES.filter((table) => !absent.includes(table)));
  for (const { table } of problems) readable.delete(table);
  const shown = new ShownRows(reader, readable, options.now);
  const spoiled = new Set<string>();
  for (const table of readable) {
    for await (const finding of tableFindings(reader, table, readable, shown, options.onRows)) {
      if (finding.severity === 'error') spoiled.add(table).add(`${table}.${finding.column ?? ''}`);
      yield finding;
    }
  }
  const zones = new Zones();
  const zoneOf = readable.has('venues') ? await zonesOfVenues(reader, zones) : new Map<RowId, null>();
  const context = { reader, readable, shown, zones, zoneOf, ...options };
  for (const { needs, unspoiled, findings } of RULES) {
    if (needs.every((table) => readable.has(table)) && !unspoiled.some((name) => spoiled.has(name)))
      yield* findings(context);
  }
  await reader.confirmOneState();
  // Last, as the least important.
  if (reader.finding !== null) yield reader.finding;
}

/** What is wrong with the rows of one table. */
async function* tableFindings(
  reader: CatalogueReader,
  table: TableName,
  readable: ReadonlySet<TableName>,
  shown: ShownRows,
  onRows: CheckOptions['onRows'],
): AsyncGenerator<Finding> {
  yield* badValues(reader, table, shown, onRows);
  yield* repeatedKeys(reader, table);
  for (const column of TABLE_RULES[table].unique) yield* repeatedValues(reader, table, column);
  yield* danglingIds(reader, table, readable);
}

/** Each value against its column's rule, and advice on rows that have none that is wrong. */
async function* badValues(
  reader: CatalogueReader,
  table: TableName,
  shown: ShownRows,
  onRows: CheckOptions['onRows'],
): AsyncGenerator<Finding> {
  const { columns, query, checker } = wholeTable(table);
  const advice = rowAdvice(table, reader.kind);
  onRows(table, 0);
  for await (const batch of reader.batches(query)) {
    onRows(table, batch.length);
    await reader.markUndecodable(checker, batch);
    const found: FoundRow[] = [];
    for (const row of batch) {
      const findings = checker.accepts(row) ? advice(row) : checker.findings(row, reader);
      if (findings.length === 0) continue;
      found.push({ findings, values: Object.fromEntries(columns.map((name, i) => [name, row[i]])) });
    }
    yield* await shown.weighed(table, found);
    // Lets what was printed be written between two batches.
    await setImmediate();
  }
}

/** A contingent may be kept by price category; the seats of all are what the front has left. */
function repeatedHint(table: TableName): string {
  const distinct = 'where a view repeats whole rows: SELECT DISTINCT';
  return table === 'front_allocations'
    ? `${distinct}; of several contingents: sum(available), GROUP BY front_id, session_id`
    : distinct;
}

/** Keys that several rows have: possible only in a view, or in a table without a primary key. */
async function* repeatedKeys(reader: CatalogueReader, table: TableName): AsyncGenerator<Finding> {
  const { columns, checker } = wholeTable(table);
  const { key, keyless } = TABLE_RULES[table];
  let repeated = checkedRows({ table, columns: key }, key)
    .select((eb) => eb.fn.countAll().as('rows_total'))
    .groupBy([...key])
    .having((eb) => eb.fn.countAll(), '>', 1);
  if (keyless !== undefined) for (const column of key) repeated = repeated.where(column, 'is not', null);
  for await (const batch of reader.batches(repeated)) {
    for (const row of batch) {
      const location = checker.locationOf(columns.map((column) => row[key.indexOf(column)]));
      const message = `expected a unique ${key.join(', ')}, found ${String(row[key.length])} rows with it`;
      const finding = findingOf('error', 'duplicate-key', location, message);
      yield key.length === 1 ? finding : { ...finding, hint: repeatedHint(table) };
    }
  }
}

/** Rows with the same value in a column that is unique beside the key. */
async function* repeatedValues(reader: CatalogueReader, table: TableName, column: string): AsyncGenerator<Finding> {
  const { columns, checker } = wholeTable(table);
  const repeated = anyTable
    .selectFrom(table)
    .select(column)
    .where(column, 'is not', null)
    .groupBy(column)
    .having((eb) => eb.fn.countAll(), '>', 1);
  const rows = checkedRows(checker, [column, TABLE_RULES[table].key[0] ?? '']).where(column, 'in', repeated);
  const at = columns.indexOf(column);
  let first: readonly unknown[] = [];
  for await (const batch of reader.batches(rows)) {
    for (const row of batch) {
      if (row[at] !== first[at]) {
        first = row;
        continue;
      }
      yield notUnique(checker.locationOf(row), column, row[at], checker.locationOf(first));
    }
  }
}

const VENUE = new RowChecker('venues', ['id', 'timezone']);

async function zonesOfVenues(reader: CatalogueReader, zones: Zones): Promise<ReadonlyMap<RowId, Zone | null>> {
  const venues = (await reader.rows(checkedRows(VENUE))).filter((row) => VENUE.accepts(row));
  const zoneOf = new Map<RowId, Zone | null>();
  for (const [id, timezone] of venues) {
    const zone = timezone === null ? null : zones.get(timezone);
    if (timezone === null || zone !== null) zoneOf.set(id, zone);
  }
  return zoneOf;
}
