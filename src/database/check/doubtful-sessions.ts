// Finds sessions that are not wrong by themselves, but make cards that a visitor would not expect.
// Only warnings: each may be meant.

import { sql } from 'kysely';
import type { Zone } from '../../catalogue/calendar.ts';
import { SECONDS_PER_DAY, type Instant } from '../../catalogue/instant.ts';
import type { Finding } from '../../findings.ts';
import { knownTables } from '../contract/query-builders.ts';
import { findingOf, names, RowChecker } from '../contract/row-checker.ts';
import { timeOf } from '../contract/row-rules.ts';
import { mayBeSold, SESSION } from '../load/product-queries.ts';
import type { SessionRow, SessionTimes } from '../load/session-times.ts';
import { ruleOnRows } from './rule.ts';
import { doubtedSince } from './shown-rows.ts';

/** What is doubtful about the times of a session; nothing where one of them has an error. */
export function doubtsOf(row: SessionRow, times: SessionTimes, zone: Zone | null, tzdata: string): readonly Finding[] {
  if (times.startsAt === null || zone === null) return [];
  return [...reversedSales(row, times), ...longSession(row, times.startsAt, zone, tzdata)];
}

/**
 * Sales that end before they begin. Not those that begin after the session: a run of performances
 * may have one start of sales, and the first of them be over by then.
 */
function reversedSales(row: SessionRow, { salesStartAt, offerEndsAt }: SessionTimes & { readonly startsAt: Instant }) {
  const salesEnd = row[5] ?? row[14];
  if (salesEnd === null || salesStartAt < offerEndsAt) return [];
  const message = `sales_start_at: expected a time before the end of sales, ${salesEnd}, found ${row[4] ?? row[13]}: it is never sold`;
  return [findingOf('warning', 'window-reversed', SESSION.locationOf(row), message, 'sales_start_at')];
}

/** As an exhibition does, it lasts longer than a day; and without an end of sales it is over at once. */
function longSession(row: SessionRow, startsAt: Instant, zone: Zone, tzdata: string): Finding[] {
  const [instant, local] = [row[11], row[12]];
  const isDaily = row[10] === 1;
  if (isDaily || row[5] !== null || row[14] !== null || (instant === null && local === null)) return [];
  const { at } = timeOf(() => SESSION.locationOf(row), { column: 'ends_at', instant, local }, zone, tzdata);
  if (at === null || at - startsAt <= SECONDS_PER_DAY) return [];
  const message = `sales_end_at: expected an end of sales of a session longer than a day, found NULL: it is over when it begins, though it ends at ${instant ?? local}`;
  const [from, to] = instant === null ? ['ends_local', 'sales_end_local'] : ['ends_at', 'sales_end_at'];
  const hint = `where it is sold until it ends: coalesce(${to}, ${from}) AS ${to}; where it opens every day: 1 AS daily`;
  return [{ ...findingOf('warning', 'session-long', SESSION.locationOf(row), message, 'sales_end_at'), hint }];
}

const REPEATED = new RowChecker('sessions', names('id product_id venue_id starts_at starts_local'));

/**
 * A warning for each set of sessions of a product at one venue and start. One that has the start as
 * an instant is not compared with one that has it as a wall time alone.
 */
export const REPEATED_SESSIONS = ruleOnRows(
  REPEATED,
  (row) => {
    const [, productId, venueId, startsAt, startsLocal] = row;
    const [first, total] = row.slice(REPEATED.columns.length);
    const message = `expected one session of product ${productId} at venue ${venueId} at ${startsAt ?? startsLocal ?? 'NULL'}, found ${String(total)}, the first of them session ${String(first)}`;
    const hint = 'where an import or a join has repeated it: SELECT DISTINCT without the id, or one id for each';
    return [{ ...findingOf('warning', 'session-repeated', REPEATED.locationOf(row), message), hint }];
  },
  {
    query: ({ reader, now }) =>
      knownTables
        .selectFrom('sessions')
        .select(({ fn }) => [
          fn.max('id').as('id'),
          'product_id',
          'venue_id',
          fn.max('starts_at').as('starts_at'),
          fn.max('starts_local').as('starts_local'),
          fn.min('id').as('first_id'),
          fn.countAll().as('total'),
        ])
        .where(mayBeSold(reader, doubtedSince(now)))
        .where((eb) => eb.or([eb('starts_at', 'is not', null), eb('starts_local', 'is not', null)]))
        // Wall times are equal in one zone.
        .groupBy([
          'product_id',
          'venue_id',
          'starts_at',
          sql`case when starts_at is null then starts_local end`,
          sql`case when starts_at is null then timezone end`,
        ])
        .having((eb) => eb.fn.countAll(), '>', 1)
        .orderBy('product_id')
        .orderBy('venue_id')
        .orderBy(sql`max(id)`),
  },
);
