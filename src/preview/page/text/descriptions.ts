// Instants, sessions, prices, durations and reasons as text for people.

import { Zone, Zones } from '../../../catalogue/calendar.ts';
import {
  dayNumberOf,
  isoWeekdayOf,
  parseInstant,
  parseOffsetDateTime,
  type Instant,
} from '../../../catalogue/instant.ts';
import type { FrontRecord, PreviewFront } from '../../messages.ts';

const WEEKDAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

const zones = new Zones();
const utc = new Zone('UTC');

/** A zone by its name; UTC if the browser does not know it. */
export function zoneOf(name: string): Zone {
  return zones.get(name) ?? utc;
}

/** `Friday, 1 May 2026` for a text that begins with `2026-05-01`. */
export function dateText(text: string): string {
  const [year, month, day] = [text.slice(0, 4), text.slice(5, 7), text.slice(8, 10)].map(Number);
  const dayNumber = dayNumberOf(year ?? 0, month ?? 0, day ?? 0) ?? 0;
  return `${WEEKDAYS[isoWeekdayOf(dayNumber) - 1] ?? ''}, ${day} ${MONTHS[(month ?? 1) - 1] ?? ''} ${year}`;
}

/** `Fri 1 May` for a text that begins with `2026-05-01`. */
export function shortDateText(text: string): string {
  const [weekday = '', rest = ''] = dateText(text).split(', ');
  const [day = '', month = ''] = rest.split(' ');
  return `${weekday.slice(0, 3)} ${day} ${month.slice(0, 3)}`;
}

/** `15:30:20` for `2026-05-01T15:30:20`; `15:30` if the seconds are zero. */
function clockText(text: string): string {
  return text.slice(17, 19) === '00' ? text.slice(11, 16) : text.slice(11, 19);
}

/**
 * An instant in a zone's wall time: `15:30`. With the offset if clocks are set back and the time
 * occurs twice: `02:30 +01:00`.
 */
export function zoneClockText(zone: Zone, at: Instant): string {
  return `${clockText(zone.format(at))} ${zone.offsetOfRepeated(at)}`.trimEnd();
}

/**
 * The parts of a session's start (`2026-05-05T19:00:00+03:00`, in the venue's wall time) for a
 * front in `zone`: the date, `Fri 1 May`, with the year if it is not that of `today`; the time; and
 * the offset, `UTC+10`, if it differs from the front's, else null.
 */
export function sessionText(start: string, zone: Zone, today: string) {
  const date = shortDateText(start);
  const instant = parseOffsetDateTime(start);
  const isElsewhere = instant !== undefined && zone.format(instant) !== start;
  // `+05:30` and `+10:00` become +5:30 and +10.
  const offset = start
    .slice(19)
    .replace(/^([+-])0?/, '$1')
    .replace(/:00$/, '');
  return {
    date: start.slice(0, 4) === today.slice(0, 4) ? date : `${date} ${start.slice(0, 4)}`,
    time: clockText(start),
    offset: isElsewhere ? `UTC${offset}` : null,
  };
}

/** Formats a price: `from ₽1,500`, `Free`. Whole amounts have no decimals. */
export type Money = (amount: number) => string;

/**
 * Formats prices in a currency. null gives plain numbers: manifests of older builds do not name the
 * currency.
 */
export function moneyOf(currency: string | null): Money {
  const amount = amountsOf(currency);
  return (price) => (price === 0 ? 'Free' : `from ${amount(price)}`);
}

/** The same of amounts that are no price from which others begin: `₽1,500`. */
export function amountsOf(currency: string | null): Money {
  const format = new Intl.NumberFormat('en', {
    ...(currency === null ? {} : { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }),
    maximumFractionDigits: 4,
    trailingZeroDisplay: 'stripIfInteger',
  });
  return (amount) => format.format(amount);
}

/**
 * Whole seconds as text: `40 s`, `12 min`, `5 h 40 min`, `3 d 4 h`. At most two units, rounded
 * down.
 */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const [minutes, hours, days] = [Math.floor(seconds / 60), Math.floor(seconds / 3600), Math.floor(seconds / 86_400)];
  const parts = days > 0 ? [`${days} d`, `${hours % 24} h`] : [`${hours} h`, `${minutes % 60} min`];
  return parts.filter((part) => !part.startsWith('0 ')).join(' ');
}

const REASONS = {
  'not-published': 'not published',
  'bad-data': 'bad data',
  'not-visible': 'not visible now',
  'no-sessions': 'no sessions',
  'not-scheduled': 'no session scheduled',
  'not-announced': 'not announced yet',
  'not-on-channel': 'not sold on this channel',
  excluded: 'all sessions excluded',
  over: 'all sessions over',
  'prices-expired': 'prices expired',
} as const satisfies Record<keyof FrontRecord['dropped'], string>;

/** Why a product has no card, in short. Other codes stand for themselves. */
export function reasonText(code: string): string {
  const reasons: Readonly<Record<string, string>> = REASONS;
  return reasons[code] ?? code.replaceAll('-', ' ');
}

/** The products of a front without a card for one reason, as of its snapshot. */
export interface Dropped {
  /** An id, or `CURRENT`. */
  readonly release: string;
  readonly front: string;
  readonly at: Instant;
  readonly code: string;
  readonly reason: string;
  readonly count: number;
}

/** null if the front's pointer or record cannot be read. */
export function droppedOf(release: string, { front, pointer, record }: PreviewFront, code: string): Dropped | null {
  if (pointer === null || record === null) return null;
  const count = describeDropped(record.dropped).find((one) => one.code === code)?.count ?? 0;
  return { release, front, at: instantAt(pointer.now), code, reason: reasonText(code), count };
}

/** The number of products without a card by reason. Reasons without products are left out. */
export function describeDropped(dropped: FrontRecord['dropped']) {
  const counts = new Map(Object.entries(dropped));
  return Object.entries(REASONS)
    .map(([code, reason]) => ({ code, reason, count: counts.get(code) ?? 0 }))
    .filter(({ count }) => count > 0);
}

/** Parses an instant from the tree. The server has checked its form. */
export function instantAt(text: string): Instant {
  const instant = parseInstant(text);
  if (instant === undefined) throw new Error(`not an instant: ${text}`);
  return instant;
}

/** `none of 3 sessions` as a sentence. */
export function sentenceOf(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}
