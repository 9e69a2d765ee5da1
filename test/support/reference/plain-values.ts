// Dates, printed times, decimals and the order of ids of the plain reference, by the date library
// and by the digits of the integers. It knows no tables and no front.

import { DateTime, FixedOffsetZone } from 'luxon';

/** The front's dates at one instant, each `YYYY-MM-DD`. */
export interface FrontDates {
  readonly today: string;
  readonly tomorrow: string;
  readonly weekend: readonly string[];
}

/**
 * D0, D1 and W in the front's zone. D1 is the next date of the calendar, even where a zone once
 * skipped that date.
 */
export function frontDates(now: string, zone: string, dayStartsAt: string, weekendDays: string): FrontDates {
  // From here on a plain calendar date: UTC has no clock changes that could move it.
  const today = DateTime.fromISO(dayOf(now, zone, dayStartsAt), { zone: 'utc' });
  const isWeekend = (day: DateTime) => weekendDays.includes(String(day.weekday));
  let day = today;
  if (isWeekend(today)) {
    while (isWeekend(day.minus({ days: 1 }))) day = day.minus({ days: 1 });
  } else {
    while (!isWeekend(day)) day = day.plus({ days: 1 });
  }
  const weekend: string[] = [];
  for (; isWeekend(day); day = day.plus({ days: 1 })) weekend.push(isoDate(day));
  return { today: isoDate(today), tomorrow: isoDate(today.plus({ days: 1 })), weekend };
}

/** The date, `YYYY-MM-DD`, of the day that contains an instant; days begin at `dayStartsAt`. */
export function dayOf(instant: string, zone: string, dayStartsAt: string): string {
  const date = printedTime(instant, zone).slice(0, 10);
  if (dayStartsAt === '00:00') return date;
  const days = [1, 0, -1, -2, -3].map((days) => isoDate(DateTime.fromISO(date, { zone: 'utc' }).plus({ days })));
  const day = days.find((one) => (beginningOf(one, zone, dayStartsAt) ?? '9') <= instant);
  if (day === undefined) throw new Error(`no day of ${zone} contains ${instant}`);
  return day;
}

const beginnings = new Map<string, string | null>();

/** The first instant at which the clocks show a date and the time or a later one, if they ever do. */
function beginningOf(date: string, zone: string, time: string): string | null {
  const key = `${date} ${zone} ${time}`;
  const known = beginnings.get(key);
  if (known !== undefined) return known;
  const noon = DateTime.fromISO(`${date}T12:00:00`, { zone: 'utc' });
  const hours = Array.from({ length: 80 }, (_, hour) => noon.plus({ hours: hour - 40 }));
  const offsetAt = (at: DateTime): number => inPrintedZone(isoText(at.toISO()), zone).offset;
  // Either the clocks come to show that very time, or they jump past it.
  const wall = DateTime.fromISO(`${date}T${time}:00`, { zone: 'utc' });
  const arrivals = [...new Set(hours.map(offsetAt))].map((offset) => wall.minus({ minutes: offset }));
  const jumps = hours.flatMap((hour, i) => {
    const before = hours[i - 1];
    return before === undefined || offsetAt(before) === offsetAt(hour) ? [] : [changeBetween(before, hour, offsetAt)];
  });
  const first = [...arrivals, ...jumps]
    .map((at) => isoText(at.toISO({ suppressMilliseconds: true })))
    .toSorted()
    .find((at) => {
      const shown = printedTime(at, zone);
      return shown.startsWith(date) && shown.slice(11, 16) >= time;
    });
  beginnings.set(key, first ?? null);
  return first ?? null;
}

/**
 * The dates of a daily session: each opens when the clocks first show the time of the start, and
 * closes at that of the end.
 */
export function dailyTimes(start: string, end: string, zone: string): { opens: string; closes: string }[] {
  const [first, last] = [printedTime(start, zone), printedTime(end, zone)];
  const times: { opens: string; closes: string }[] = [];
  for (
    let day = DateTime.fromISO(first.slice(0, 10), { zone: 'utc' });
    isoDate(day) <= last.slice(0, 10);
    day = day.plus({ days: 1 })
  ) {
    const opens = firstShown(`${isoDate(day)}${first.slice(10, 19)}`, zone);
    const closes = firstShown(`${isoDate(day)}${last.slice(10, 19)}`, zone);
    // Samoa went without a date.
    if (firstShown(`${isoDate(day)}T00:00:00`, zone) < firstShown(`${isoDate(day.plus({ days: 1 }))}T00:00:00`, zone)) {
      times.push({ opens, closes });
    }
  }
  return times;
}

/** The first instant at which the clocks show a wall time, or, where they skip it, a later one. */
function firstShown(wallTime: string, zone: string): string {
  const first = firstInstantOf(wallTime, zone);
  if (first !== null) return first;
  const wall = DateTime.fromISO(wallTime, { zone: 'utc' });
  const offsetAt = (at: DateTime): number => inPrintedZone(isoText(at.toISO()), zone).offset;
  return isoText(
    changeBetween(wall.minus({ hours: 40 }), wall.plus({ hours: 40 }), offsetAt).toISO({ suppressMilliseconds: true }),
  );
}

/** The second at which an offset changes; it is known to be another at the two instants. */
function changeBetween(from: DateTime, until: DateTime, offsetAt: (at: DateTime) => number): DateTime {
  let [before, after] = [from.toSeconds(), until.toSeconds()];
  const utc = (seconds: number) => DateTime.fromSeconds(seconds, { zone: 'utc' });
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(utc(middle)) === offsetAt(from)) before = middle;
    else after = middle;
  }
  return utc(after);
}

/** Wall time in the zone with its numeric offset. */
export function printedTime(instant: string, zone: string): string {
  return isoText(inPrintedZone(instant, zone).toISO({ suppressMilliseconds: true })).replace('Z', '+00:00');
}

/**
 * The first instant, in canonical UTC text, at which a clock of the zone shows a wall time; null
 * where it never does.
 */
export function firstInstantOf(wallTime: string, zone: string): string | null {
  const asUtc = DateTime.fromISO(wallTime, { zone: 'utc' });
  // The zone's offset a day before and a day after: two clock changes never lie that close.
  const instants = [-1, 1].map((days) => {
    const { offset } = inPrintedZone(isoText(asUtc.plus({ days }).toISO()), zone);
    return isoText(asUtc.minus({ minutes: offset }).toISO({ suppressMilliseconds: true }));
  });
  return instants.toSorted().find((instant) => printedTime(instant, zone).startsWith(wallTime)) ?? null;
}

/**
 * Old local mean times have offsets with odd seconds, which the form cannot say: the offset is cut
 * to whole minutes and the wall time with it, so that the text is the exact instant; and dates are
 * those of the same clock, since the date printed decides.
 */
function inPrintedZone(instant: string, zone: string): DateTime {
  const local = inZone(instant, zone);
  if (Number.isInteger(local.offset)) return local;
  return local.setZone(FixedOffsetZone.instance(Math.trunc(local.offset)));
}

function inZone(instant: string, zone: string): DateTime {
  const local = DateTime.fromISO(instant, { zone });
  if (!local.isValid) throw new Error(`${instant} in ${zone}: ${local.invalidReason}`);
  return local;
}

function isoDate(day: DateTime): string {
  return isoText(day.toISODate());
}

function isoText(text: string | null): string {
  if (text === null) throw new Error('an instant that the date library could not print');
  return text;
}

/**
 * `amount / 10^exponent` as the JSON number with the fewest digits. The decimal text is made from
 * the integer's own digits; a double holds any 15 digits, so JSON.stringify gives that text back,
 * and this is checked.
 */
export function decimal(amount: number, exponent: number): number {
  const digits = String(amount).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  const fraction = digits.slice(digits.length - exponent).replace(/0+$/, '');
  const text = fraction === '' ? whole : `${whole}.${fraction}`;
  if (JSON.stringify(Number(text)) !== text) throw new Error(`${text} does not survive as a JSON number`);
  return Number(text);
}

/** Numbers before texts; texts by their UTF-16 code units, one by one. */
export function idOrder(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'number' || typeof b === 'number') return typeof a === 'number' ? -1 : 1;
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (a.charCodeAt(i) !== b.charCodeAt(i)) return a.charCodeAt(i) - b.charCodeAt(i);
  }
  return a.length - b.length;
}
