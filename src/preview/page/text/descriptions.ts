// Instants, sessions, prices, durations and reasons as text for people.

import { isKnownZone, Zone } from '../../../catalogue/calendar.ts';
import {
  dayNumberOf,
  isoWeekdayOf,
  parseInstant,
  parseOffsetDateTime,
  type Instant,
} from '../../../catalogue/instant.ts';
import type { FrontRecord } from '../../messages.ts';

const WEEKDAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

const zones = new Map<string, Zone>();

/** The zone of a name; UTC where this browser does not know it. */
export function zoneOf(name: string): Zone {
  const zone = zones.get(name) ?? new Zone(isKnownZone(name) ? name : 'UTC');
  zones.set(name, zone);
  return zone;
}

/** `Friday, 1 May 2026` of a text that begins with `2026-05-01`. */
export function dateText(text: string): string {
  const [year, month, day] = [text.slice(0, 4), text.slice(5, 7), text.slice(8, 10)].map(Number);
  const dayNumber = dayNumberOf(year ?? 0, month ?? 0, day ?? 0) ?? 0;
  return `${WEEKDAYS[isoWeekdayOf(dayNumber) - 1] ?? ''}, ${day} ${MONTHS[(month ?? 1) - 1] ?? ''} ${year}`;
}

/** `Fri 1 May` of a text that begins with `2026-05-01`. */
export function shortDateText(text: string): string {
  const [weekday = '', rest = ''] = dateText(text).split(', ');
  const [day = '', month = ''] = rest.split(' ');
  return `${weekday.slice(0, 3)} ${day} ${month.slice(0, 3)}`;
}

/** `15:30`, or `15:30:20` where there are seconds, of a text that holds `T15:30:20`. */
function clockText(text: string): string {
  return text.slice(17, 19) === '00' ? text.slice(11, 16) : text.slice(11, 19);
}

/** An instant by the clock of a zone, `15:30`; with its offset where that time occurs twice, as clocks are set back: `02:30 +01:00`. */
export function zoneClockText(zone: Zone, at: Instant): string {
  return `${clockText(zone.format(at))} ${zone.offsetOfRepeated(at)}`.trimEnd();
}

/**
 * A session's start (`2026-05-05T19:00:00+03:00`, wall time of its venue) on a front of this zone, seen from the day `today`: `Fri 1 May`,
 * with the year where it is another than the day's; the time; `UTC+10` where the ticket's offset is not the front's, else null.
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

/** A price as text, `from ₽1,500` or `Free`: as many decimals as the currency has, none where the amount is whole. */
export type Money = (amount: number) => string;

/** Prices of a currency; without one, plain numbers: a manifest of an older build does not name it. */
export function moneyOf(currency: string | null): Money {
  const format = new Intl.NumberFormat('en', {
    ...(currency === null ? {} : { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }),
    maximumFractionDigits: 4,
    trailingZeroDisplay: 'stripIfInteger',
  });
  return (amount) => (amount === 0 ? 'Free' : `from ${format.format(amount)}`);
}

/** `5 h 40 min`, `12 min`, `40 s`, `3 d 4 h` of whole seconds: two units at most, cut off. */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const [minutes, hours, days] = [Math.floor(seconds / 60), Math.floor(seconds / 3600), Math.floor(seconds / 86_400)];
  const parts = days > 0 ? [`${days} d`, `${hours % 24} h`] : [`${hours} h`, `${minutes % 60} min`];
  return parts.filter((part) => !part.startsWith('0 ')).join(' ');
}

const REASONS = {
  'not-published': 'not published',
  'not-visible': 'not visible now',
  'no-sessions': 'without sessions',
  'not-scheduled': 'none scheduled',
  excluded: 'all excluded',
  over: 'all over',
  'prices-expired': 'prices expired',
} as const satisfies Record<keyof FrontRecord['dropped'], string>;

/** Products without a card: how many, by reason, with its code. */
export function describeDropped(dropped: FrontRecord['dropped']) {
  const counts = new Map(Object.entries(dropped));
  return Object.entries(REASONS)
    .map(([code, reason]) => ({ code, reason, count: counts.get(code) ?? 0 }))
    .filter(({ count }) => count > 0);
}

/** An instant of the tree, whose form the server has checked. */
export function instantAt(text: string): Instant {
  const instant = parseInstant(text);
  if (instant === undefined) throw new Error(`not an instant: ${text}`);
  return instant;
}

export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
