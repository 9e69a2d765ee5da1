// Checks a whole catalogue: the file, the contract, every value of every row, and every rule between rows. Rules on good rows are the load's own
// (contract/row-rules.ts), applied to every row instead of only those that a build reads. Findings are yielded as they are found.

import { setImmediate } from 'node:timers/promises';
import { Zones } from '../../catalogue/calendar.ts';
import type { Instant } from '../../catalogue/instant.ts';
import type { Finding } from '../../findings.ts';
import type { CatalogueReader, Query } from '../reader.ts';
import { examineContract } from '../contract/check-schema.ts';
import { findingOf, quoted, RowChecker, type ColumnsOf, type RowOf } from '../contract/row-checker.ts';
import { noPublicTier, noStart, pauseFinding, startOf } from '../contract/row-rules.ts';
import { TABLE_NAMES, TABLE_RULES, type TableName } from '../contract/tables.ts';
import { anyTable, checkedRows, knownTables, wholeTable } from '../contract/query-builders.ts';
import { unknownZone } from '../contract/zones.ts';
import { KEY, keyFinding } from './load-keys.ts';
import { emptyFronts } from './empty-fronts.ts';
import { danglingIds } from './orphan-references.ts';
import { wholeUnitPrices } from './whole-unit-prices.ts';
import { zoneRulesFindings } from './zone-rules.ts';

export interface CheckOptions {
  /** Version of the time-zone rules, for the drift warning. */
  readonly tzdata: string;
  readonly now: Instant;
  /** Called with the number of rows checked in a table, batch by batch. */
  readonly onRows: (table: TableName, rows: number) => void;
}

/**
 * Everything that is wrong with a catalogue. A table that does not meet the contract is a finding, and its rows are not read.
 * @throws AppError database-unreadable, database-busy
 */
export async function* checkCatalogue(reader: CatalogueReader, options: CheckOptions): AsyncGenerator<Finding> {
  yield* await reader.damage();
  const { problems } = await examineContract(reader);
  for (const { code, place, message, column, hint } of problems) {
    yield { ...findingOf('error', code, place, message, column), hint };
  }
  const sound = new Set(TABLE_NAMES);
  for (const { table } of problems) sound.delete(table);
  const spoiled = new Set<string>();
  for (const table of sound) {
    for await (const finding of tableFindings(reader, table, sound, options.onRows)) {
      spoiled.add(table).add(`${table}.${finding.column ?? ''}`);
      yield finding;
    }
  }
  yield* ruleFindings(reader, sound, options);
  // Statistics over all rows mean nothing while some of them have other findings.
  const isSound = (...tables: TableName[]): boolean => tables.every((table) => sound.has(table));
  if (isSound('price_tiers', 'fronts') && !spoiled.has('price_tiers.amount_minor')) yield* wholeUnitPrices(reader);
  if (isSound('fronts', 'front_products') && !spoiled.has('fronts') && !spoiled.has('front_products'))
    yield* emptyFronts(reader, sound.has('price_tiers'));
  await reader.confirmOneState();
  // Last, as the least important.
  if (reader.finding !== null) yield reader.finding;
}

/** What is wrong with the rows of one table. */
async function* tableFindings(
  reader: CatalogueReader,
  table: TableName,
  sound: ReadonlySet<TableName>,
  onRows: CheckOptions['onRows'],
): AsyncGenerator<Finding> {
  yield* badValues(reader, table, onRows);
  yield* repeatedKeys(reader, table);
  for (const column of TABLE_RULES[table].unique) yield* repeatedValues(reader, table, column);
  yield* danglingIds(reader, table, sound);
}

/** Each value against its column's rule. */
async function* badValues(
  reader: CatalogueReader,
  table: TableName,
  onRows: CheckOptions['onRows'],
): AsyncGenerator<Finding> {
  const { query, checker } = wholeTable(table);
  onRows(table, 0);
  for await (const batch of reader.batches(query)) {
    onRows(table, batch.length);
    await reader.markUndecodable(checker, batch);
    for (const row of batch) if (!checker.accepts(row)) yield* checker.findings(row, reader.kind);
    // Lets what was printed be written between two batches.
    await setImmediate();
  }
}

/** Keys that several rows have: possible only in a view, or in a table without a primary key. */
async function* repeatedKeys(reader: CatalogueReader, table: TableName): AsyncGenerator<Finding> {
  const { columns, checker } = wholeTable(table);
  const { key } = TABLE_RULES[table];
  const repeated = checkedRows({ table, columns: key })
    .select((eb) => eb.fn.countAll().as('rows_total'))
    .groupBy([...key])
    .having((eb) => eb.fn.countAll(), '>', 1);
  for await (const batch of reader.batches(repeated)) {
    for (const row of batch) {
      const place = checker.placeOf(columns.map((column) => row[key.indexOf(column)]));
      const message = `expected a unique ${key.join(', ')}, found ${String(row[key.length])} rows with it`;
      const finding = findingOf('error', 'duplicate-key', place, message);
      yield key.length === 1 ? finding : { ...finding, hint: 'where a view repeats whole rows: SELECT DISTINCT' };
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
      const message = `${column}: expected a value that no other row has, found ${quoted(row[at])}, which is also that of ${checker.placeOf(first)}`;
      yield findingOf('error', 'duplicate-key', checker.placeOf(row), message, column);
    }
  }
}

const VENUE = new RowChecker('venues', ['id', 'timezone']);
const PAUSE = new RowChecker('products', ['id', 'paused', 'paused_until']);
const START = new RowChecker('sessions', ['id', 'venue_id', 'starts_at', 'starts_local']);
const SESSION = new RowChecker('sessions', ['id']);

/** Ids of sessions that have ticket tiers of their own, none of them public. */
const PRIVATE_SESSIONS: Query = knownTables
  .selectFrom('price_tiers')
  .select('session_id')
  .where('kind', '=', 'ticket')
  .where('session_id', 'is not', null)
  .groupBy('session_id')
  .having((eb) => eb.fn.max('is_public'), '=', 0)
  .orderBy('session_id');

/** Rules that no column's rule can hold, of the tables in `sound`. */
async function* ruleFindings(
  reader: CatalogueReader,
  sound: ReadonlySet<TableName>,
  { tzdata, now }: CheckOptions,
): AsyncGenerator<Finding> {
  const zones = new Zones();
  for (const table of ['fronts', 'venues'] as const) {
    if (!sound.has(table)) continue;
    const checker = new RowChecker(table, ['id', 'timezone']);
    yield* applied(reader, checker, (row) =>
      zones.get(row[1]) === null ? unknownZone(checker.placeOf(row), row[1]) : null,
    );
  }
  if (sound.has('front_keys')) yield* applied(reader, KEY, keyFinding);
  if (sound.has('products')) {
    yield* applied(reader, PAUSE, (row) => pauseFinding(() => PAUSE.placeOf(row), row[1], row[2]));
  }
  if (sound.has('sessions') && sound.has('venues')) {
    const venues = (await reader.rows(checkedRows(VENUE))).filter((row) => VENUE.accepts(row));
    const zoneOf = new Map(venues.map(([id, timezone]) => [id, zones.get(timezone)]));
    yield* await zoneRulesFindings(reader, zoneOf, tzdata, now);
    yield* applied(reader, START, (row) => {
      const [, venueId, startsAt, startsLocal] = row;
      if (startsAt === null && startsLocal === null) return noStart(START.placeOf(row));
      // Without a zone there is a finding already: a dangling id, or an unknown zone.
      const zone = zoneOf.get(venueId) ?? null;
      return zone === null ? null : startOf(() => START.placeOf(row), startsAt, startsLocal, zone, tzdata).finding;
    });
  }
  if (sound.has('price_tiers')) {
    yield* applied(reader, SESSION, (row) => noPublicTier(SESSION.placeOf(row)), PRIVATE_SESSIONS);
  }
}

/** What a rule finds in the rows that a checker accepts; the others already have findings. */
async function* applied<T extends TableName, const C extends ColumnsOf<T>>(
  reader: CatalogueReader,
  checker: RowChecker<T, C>,
  findingIn: (row: RowOf<T, C>) => Finding | null,
  query: Query = checkedRows(checker),
): AsyncGenerator<Finding> {
  for await (const batch of reader.batches(query)) {
    for (const row of batch) {
      const finding = checker.accepts(row) ? findingIn(row) : null;
      if (finding !== null) yield finding;
    }
    await setImmediate();
  }
}
