// Checks a whole catalogue: the contract, every value of every row, and every rule between rows. Findings come as they are
// found; nothing is kept but the zones of venues, and what several rows say together is asked of the database.

import { setImmediate } from 'node:timers/promises';
import type { Compilable } from 'kysely';
import type { Zone } from '../../catalogue/calendar.ts';
import type { Finding } from '../../findings.ts';
import { anyTable, wholeTable } from '../schema/untyped-query.ts';
import { examineContract } from '../schema/check-schema.ts';
import { entryOf, KEY } from './load-keys.ts';
import type { CatalogueReader } from '../open.ts';
import { danglingIds } from './orphan-references.ts';
import { findingOf, quoted, RowChecker, type RowOf } from '../schema/row-checker.ts';
import { journalModeFinding, noPublicTier, pauseFinding, wallTimeFinding } from '../schema/row-rules.ts';
import { TABLE_NAMES, TABLE_RULES, TABLES, type TableName } from '../schema/tables.ts';
import { markUndecodable } from './undecodable-text.ts';
import { instantIn } from '../schema/values.ts';
import { unknownZone, Zones } from '../schema/zones.ts';

export interface CheckOptions {
  /** Version of the time-zone rules, for the drift warning. */
  readonly tzdata: string;
  /** Hears how many rows of a table were looked at, as they are. */
  readonly onRows: (table: TableName, rows: number) => void;
}

const ROWS_PER_BATCH = 2000;

/** Rules of single tables that look at more than one value; each needs its tables to be as the contract says. */
const RULES: readonly {
  readonly needs: readonly TableName[];
  readonly findings: (reader: CatalogueReader, tzdata: string) => AsyncGenerator<Finding>;
}[] = [
  { needs: ['fronts'], findings: (reader) => unknownZones(reader, 'fronts') },
  { needs: ['venues'], findings: (reader) => unknownZones(reader, 'venues') },
  { needs: ['front_keys'], findings: keyMaterial },
  { needs: ['products'], findings: pauses },
  { needs: ['sessions', 'venues'], findings: wallTimes },
  { needs: ['price_tiers'], findings: privateTiers },
];

/**
 * Everything that is wrong with a catalogue. Tables that fall short of the contract are a finding and are not read further.
 * @throws AppError database-unreadable, database-busy
 */
export async function* checkRows(reader: CatalogueReader, options: CheckOptions): AsyncGenerator<Finding> {
  const { problems } = await examineContract(reader);
  for (const { code, place, message } of problems) yield findingOf('error', code, place, message);
  const journalMode = journalModeFinding(reader.journalMode);
  if (journalMode !== null) yield journalMode;
  const sound = new Set(TABLE_NAMES);
  for (const { table } of problems) sound.delete(table);
  for (const table of sound) {
    yield* badValues(reader, table, options.onRows);
    yield* repeatedKeys(reader, table);
    for (const column of TABLE_RULES[table].unique.flat()) yield* repeatedValues(reader, table, column);
    yield* danglingIds(reader, table, sound);
  }
  for (const { needs, findings } of RULES) {
    if (needs.every((table) => sound.has(table))) yield* findings(reader, options.tzdata);
  }
}

/** Each value against its column's rule. */
async function* badValues(
  reader: CatalogueReader,
  table: TableName,
  onRows: CheckOptions['onRows'],
): AsyncGenerator<Finding> {
  const { query, checker } = wholeTable(table);
  onRows(table, 0);
  for await (const batch of reader.batches(query, ROWS_PER_BATCH)) {
    onRows(table, batch.length);
    await markUndecodable(reader, checker, batch);
    for (const row of batch) if (!checker.accepts(row)) yield* checker.findings(row);
    // Lets the process hear its signals between two batches.
    await setImmediate();
  }
}

/** Keys that several rows have; only a table without the key's constraint, or a view, can hold any. */
async function* repeatedKeys(reader: CatalogueReader, table: TableName): AsyncGenerator<Finding> {
  const { columns, checker } = wholeTable(table);
  const { key } = TABLE_RULES[table];
  const groups = anyTable
    .selectFrom(table)
    .select([...key])
    .select((eb) => eb.fn.countAll().as('rows_total'))
    .groupBy([...key])
    .having((eb) => eb.fn.countAll(), '>', 1);
  const repeated = key.reduce((ordered, column) => ordered.orderBy(column), groups);
  for await (const batch of reader.batches(repeated, ROWS_PER_BATCH)) {
    for (const row of batch) {
      const place = checker.placeOf(columns.map((column) => row[key.indexOf(column)]));
      const message = `expected a unique ${key.join(', ')}, found ${String(row[key.length])} rows with it`;
      yield findingOf('error', 'duplicate-key', place, message);
    }
  }
}

/** Rows with the same value in a column that is unique beside the key. */
async function* repeatedValues(reader: CatalogueReader, table: TableName, column: string): AsyncGenerator<Finding> {
  const { columns, checker, query } = wholeTable(table);
  const repeated = anyTable
    .selectFrom(table)
    .select(column)
    .where(column, 'is not', null)
    .groupBy(column)
    .having((eb) => eb.fn.countAll(), '>', 1);
  const rows = query
    .clearOrderBy()
    .where(column, 'in', repeated)
    .orderBy(column)
    .orderBy(TABLE_RULES[table].key[0] ?? '');
  let first: readonly unknown[] = [];
  for await (const batch of reader.batches(rows, ROWS_PER_BATCH)) {
    for (const row of batch) {
      const value = row[columns.indexOf(column)];
      if (value !== first[columns.indexOf(column)]) {
        first = row;
        continue;
      }
      const message = `${column}: expected a value that no other row has, found ${quoted(value)}, which is also that of ${checker.placeOf(first)}`;
      yield findingOf('error', 'duplicate-key', checker.placeOf(row), message);
    }
  }
}

/** The rows of a query that its checker accepts, by batches: the others are findings already. */
async function* goodRows<T extends TableName, const C extends readonly (keyof (typeof TABLES)[T] & string)[]>(
  reader: CatalogueReader,
  checker: RowChecker<T, C>,
  query: Compilable,
): AsyncGenerator<RowOf<T, C>[]> {
  for await (const batch of reader.batches(query, ROWS_PER_BATCH)) {
    yield batch.filter((row): row is typeof row & RowOf<T, C> => checker.accepts(row));
    await setImmediate();
  }
}

const VENUE = new RowChecker('venues', ['id', 'timezone']);
const PAUSE = new RowChecker('products', ['id', 'paused', 'paused_until']);
const START = new RowChecker('sessions', ['id', 'venue_id', 'starts_at', 'starts_local']);
const SESSION = new RowChecker('sessions', ['id']);

/** Zones that the runtime does not know, offsets among them. */
async function* unknownZones(reader: CatalogueReader, table: 'fronts' | 'venues'): AsyncGenerator<Finding> {
  const checker = new RowChecker(table, ['id', 'timezone']);
  const query = anyTable
    .selectFrom(table)
    .select([...checker.columns])
    .orderBy('id');
  const zones = new Zones();
  for await (const rows of goodRows(reader, checker, query)) {
    for (const row of rows) if (zones.get(row[1]) === null) yield unknownZone(checker.placeOf(row), row[1]);
  }
}

async function* keyMaterial(reader: CatalogueReader): AsyncGenerator<Finding> {
  const query = reader.db
    .selectFrom('front_keys')
    .select([...KEY.columns])
    .orderBy('keyid');
  for await (const rows of goodRows(reader, KEY, query)) {
    for (const row of rows) {
      const entry = entryOf(row, '');
      if (typeof entry === 'string') yield findingOf('error', 'key-material-wrong', KEY.placeOf(row), entry);
    }
  }
}

async function* pauses(reader: CatalogueReader): AsyncGenerator<Finding> {
  const query = reader.db
    .selectFrom('products')
    .select([...PAUSE.columns])
    .where('paused_until', 'is not', null)
    .orderBy('id');
  for await (const rows of goodRows(reader, PAUSE, query)) {
    for (const row of rows) {
      const finding = pauseFinding(() => PAUSE.placeOf(row), row[1], row[2]);
      if (finding !== null) yield finding;
    }
  }
}

async function* wallTimes(reader: CatalogueReader, tzdata: string): AsyncGenerator<Finding> {
  const zones = new Zones();
  const zoneOf = new Map<number, Zone | null>();
  const venues = reader.db.selectFrom('venues').select([...VENUE.columns]);
  for await (const rows of goodRows(reader, VENUE, venues)) {
    for (const [id, timezone] of rows) zoneOf.set(id, zones.get(timezone));
  }
  const sessions = reader.db
    .selectFrom('sessions')
    .select([...START.columns])
    .orderBy('id');
  for await (const rows of goodRows(reader, START, sessions)) {
    for (const row of rows) {
      const [, venueId, startsAt, startsLocal] = row;
      // Without a zone there is a finding already: an id that dangles, or a zone that is unknown.
      const zone = zoneOf.get(venueId) ?? null;
      if (zone === null) continue;
      const start = instantIn(startsAt);
      const printed = { startsAt, startsLocal, wallTime: start + zone.offsetAt(start), zone };
      const finding = wallTimeFinding(() => START.placeOf(row), printed, tzdata);
      if (finding !== null) yield finding;
    }
  }
}

/** Sessions that have ticket tiers of their own, none of them public. */
async function* privateTiers(reader: CatalogueReader): AsyncGenerator<Finding> {
  const query = reader.db
    .selectFrom('price_tiers')
    .select('session_id')
    .where('kind', '=', 'ticket')
    .where('session_id', 'is not', null)
    .groupBy('session_id')
    .having((eb) => eb.fn.max('is_public'), '=', 0)
    .orderBy('session_id');
  for await (const rows of goodRows(reader, SESSION, query)) {
    for (const row of rows) yield noPublicTier(SESSION.placeOf(row));
  }
}
