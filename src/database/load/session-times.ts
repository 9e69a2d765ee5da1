// The times of one session from its row: its start, its sales, its announcement, and the dates of a
// daily one. A wall time is resolved in the session's zone (catalogue.md, "Local times").

import type { Zone } from '../../catalogue/calendar.ts';
import { SECONDS_PER_DAY, secondsOfDay, type Instant } from '../../catalogue/instant.ts';
import type { DailyDates, Session } from '../../catalogue/product.ts';
import type { Finding } from '../../findings.ts';
import { dailyFinding, noZone, startOf, timeOf, type TimeCells } from '../contract/row-rules.ts';
import type { RowOf } from '../contract/row-checker.ts';
import { unknownZone } from '../contract/zones.ts';
import { SESSION } from './product-queries.ts';

/** A row with the columns of SESSION, and perhaps more. */
export type SessionRow = readonly [...RowOf<'sessions', typeof SESSION.columns>, ...unknown[]];

/** One date of a daily session. */
export type SessionDate = Pick<Session, 'startsAt' | 'offerEndsAt'>;

/** When a session is shown and sold; or the error in its row. */
export type SessionTimes =
  | { readonly startsAt: null; readonly findings: readonly [Finding] }
  | (Pick<Session, 'startsAt' | 'offerEndsAt' | 'salesStartAt' | 'announcedAt'> & {
      /** Both null unless it is daily. */
      readonly dates: readonly SessionDate[] | null;
      readonly daily: DailyDates | null;
      /** Warnings. */
      readonly findings: readonly Finding[];
    });

export function timesOf(row: SessionRow, zone: Zone | null, tzdata: string): SessionTimes {
  const locationOf = (): string => SESSION.locationOf(row);
  if (zone === null) return failed(row[9] === null ? noZone(locationOf()) : unknownZone(locationOf(), row[9]));
  const start = startOf(locationOf, row[2], row[3], zone, tzdata);
  const findings = start.finding === null ? [] : [start.finding];
  const other = (column: TimeCells['column'], instant: string | null, local: string | null): Instant | null => {
    if (instant === null && local === null) return null;
    const { at, finding } = timeOf(locationOf, { column, instant, local }, zone, tzdata);
    if (finding !== null) findings.push(finding);
    return at;
  };
  const salesStart = other('sales_start_at', row[4], row[13]);
  const salesEnd = other('sales_end_at', row[5], row[14]);
  const announced = other('visible_from', row[15], row[16]);
  const isDaily = row[10] === 1;
  // The end of any other session is information.
  const end = isDaily ? other('ends_at', row[11], row[12]) : null;
  const error = findings.find(({ severity }) => severity === 'error');
  if (error !== undefined || start.at === null) return failed(error);
  const fault = isDaily ? dailyFinding(locationOf, start.at, end, zone) : null;
  if (fault !== null) return failed(fault);
  const dates = end === null ? null : datesOf(start.at, end, salesEnd, zone);
  return {
    startsAt: dates?.[0]?.startsAt ?? start.at,
    offerEndsAt: dates?.at(-1)?.offerEndsAt ?? salesEnd ?? start.at,
    salesStartAt: salesStart ?? Number.NEGATIVE_INFINITY,
    announcedAt: announced ?? Number.NEGATIVE_INFINITY,
    dates,
    daily: dates === null || end === null ? null : dailyOf(start.at, end, dates, zone),
    findings,
  };
}

function failed(finding: Finding | undefined): SessionTimes & { readonly startsAt: null } {
  if (finding === undefined) throw new Error('a session without a start, and no error');
  return { startsAt: null, findings: [finding] };
}

/**
 * The dates from that of the start to that of the end, each from the wall time of the start to that
 * of the end (fields.md, "Daily sessions").
 */
function datesOf(start: Instant, end: Instant, salesEnd: Instant | null, zone: Zone): SessionDate[] {
  const opens = start + zone.offsetAt(start);
  const closes = end + zone.offsetAt(end);
  const hours = secondsOfDay(closes) - secondsOfDay(opens);
  const dates: SessionDate[] = [];
  for (let wallTime = opens; wallTime < closes; wallTime += SECONDS_PER_DAY) {
    const midnight = Math.floor(wallTime / SECONDS_PER_DAY) * SECONDS_PER_DAY;
    // A zone may have skipped a date.
    if (zone.firstShown(midnight, midnight + SECONDS_PER_DAY) === null) continue;
    const startsAt = firstNotBefore(wallTime, zone);
    const closesAt = firstNotBefore(wallTime + hours, zone);
    const offerEndsAt = salesEnd !== null && salesEnd < closesAt ? salesEnd : closesAt;
    dates.push({ startsAt, offerEndsAt });
  }
  return dates;
}

function dailyOf(start: Instant, end: Instant, { length }: readonly SessionDate[], zone: Zone): DailyDates {
  return { opensAt: start + zone.offsetAt(start), closesAt: end + zone.offsetAt(end), total: length };
}

/** Of a skipped wall time, the first instant after it; of a repeated one, the earlier. */
function firstNotBefore(wallTime: number, zone: Zone): Instant {
  const at = zone.firstShown(wallTime, wallTime + 2 * SECONDS_PER_DAY);
  if (at === null) throw new Error(`no instant in ${zone.name} from ${wallTime} on`);
  return at;
}

/** A session once for each of its dates that is not over; if all are, for the last. */
export function onDates(session: Session, dates: readonly SessionDate[] | undefined, now: Instant): readonly Session[] {
  if (dates === undefined) return [session];
  const ahead = dates.filter(({ offerEndsAt }) => now < offerEndsAt);
  return (ahead.length > 0 ? ahead : dates.slice(-1)).map((date) => ({
    ...session,
    ...date,
    day: session.zone.dayAt(date.startsAt),
  }));
}
