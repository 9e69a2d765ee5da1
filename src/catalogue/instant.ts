// Instants: points in time in whole seconds UTC, and their canonical text. Plain arithmetic: no
// clock, no Date, no time zones.

declare const instantBrand: unique symbol;

/** Whole seconds since 1970-01-01T00:00:00Z. */
export type Instant = number & { readonly [instantBrand]: true };

export const SECONDS_PER_DAY = 86_400;

/** Brands a number that is already whole seconds; for the results of arithmetic on instants. */
export function instantOf(seconds: number): Instant {
  return seconds as Instant;
}

const DAYS_BEFORE_MONTH = [0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_IN_MONTH = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

/**
 * Days from 1970-01-01 to a date of the proleptic Gregorian calendar; undefined if there is no such
 * date.
 */
export function dayNumberOf(year: number, month: number, day: number): number | undefined {
  const daysInMonth = (DAYS_IN_MONTH[month] ?? 0) + (month === 2 && isLeapYear(year) ? 1 : 0);
  if (Number.isNaN(year) || !(day >= 1 && day <= daysInMonth)) return undefined;
  const before = year - 1;
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  const leapDayThisYear = month > 2 && isLeapYear(year) ? 1 : 0;
  return 365 * before + leapDays + (DAYS_BEFORE_MONTH[month] ?? 0) + leapDayThisYear + day - 719_163;
}

/** `YYYY-MM-DD` of a day number; years 0000 to 9999. */
export function dateTextOf(dayNumber: number): string {
  // Civil date from days, counted from 0000-03-01 so that the leap day ends the year (eras of 400
  // years = 146,097 days).
  const shifted = dayNumber + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;
}

/** 1 = Monday … 7 = Sunday. */
export function isoWeekdayOf(dayNumber: number): number {
  return ((((dayNumber + 3) % 7) + 7) % 7) + 1;
}

export function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

function digitsAt(text: string, from: number, count: number): number {
  let value = 0;
  for (let i = from; i < from + count; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/**
 * The seconds of `YYYY-MM-DDTHH:MM:SS`, read as UTC, or undefined. Text after that is ignored: the
 * caller checks it.
 */
function secondsOfDateTime(text: string): number | undefined {
  if (text[4] !== '-' || text[7] !== '-' || text[10] !== 'T' || text[13] !== ':' || text[16] !== ':') return undefined;
  const dayNumber = dayNumberOf(digitsAt(text, 0, 4), digitsAt(text, 5, 2), digitsAt(text, 8, 2));
  const hour = digitsAt(text, 11, 2);
  const minute = digitsAt(text, 14, 2);
  const second = digitsAt(text, 17, 2);
  if (dayNumber === undefined || !(hour < 24 && minute < 60 && second < 60)) return undefined;
  return dayNumber * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second;
}

/**
 * Parses the canonical text `YYYY-MM-DDTHH:MM:SSZ` (catalogue.md, conventions); undefined for
 * anything else.
 */
export function parseInstant(text: string): Instant | undefined {
  if (text.length !== 20 || text[19] !== 'Z') return undefined;
  return secondsOfDateTime(text) as Instant | undefined;
}

/** The same for text that has been checked already. @throws Error for anything else */
export function instantOfText(text: string): Instant {
  const instant = parseInstant(text);
  if (instant === undefined) throw new Error(`expected an instant that has been checked, found ${text}`);
  return instant;
}

/** The canonical text of an instant; the inverse of parseInstant. */
export function formatInstant(instant: Instant): string {
  return `${formatDateTime(instant)}Z`;
}

/**
 * Parses a wall time `YYYY-MM-DDTHH:MM:SS` into seconds as if it were UTC; undefined for anything
 * else.
 */
export function parseWallTime(text: string): number | undefined {
  return text.length === 19 ? secondsOfDateTime(text) : undefined;
}

/** The time of day of a wall time, in seconds. */
export function secondsOfDay(wallTime: number): number {
  return wallTime - Math.floor(wallTime / SECONDS_PER_DAY) * SECONDS_PER_DAY;
}

/** Formats seconds as a wall time `YYYY-MM-DDTHH:MM:SS`; the inverse of parseWallTime. */
export function formatDateTime(seconds: number): string {
  const dayNumber = Math.floor(seconds / SECONDS_PER_DAY);
  const inDay = secondsOfDay(seconds);
  const minutes = Math.floor(inDay / 60);
  return `${dateTextOf(dayNumber)}T${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${twoDigits(inDay % 60)}`;
}

/** 0002-01-01 and 9998-01-01. */
const EARLIEST_TYPED = -62_104_060_800;
const LATEST_TYPED = 253_339_228_800;

/**
 * Parses an instant as a person types it: ISO 8601 with `Z` or a numeric offset. Seconds and a
 * fraction are optional; a fraction is floored. Undefined for anything else, such as a date alone
 * or a time without offset, and for years before 0002 or after 9997, where a zone's date or a
 * boundary could fall outside the calendar.
 */
export function parseOffsetDateTime(text: string): Instant | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/.exec(text);
  if (match === null) return undefined;
  const [, date, time, second = '00', offset = 'Z'] = match;
  const wall = parseWallTime(`${date}T${time}:${second}`);
  if (wall === undefined) return undefined;
  const hours = offset === 'Z' ? 0 : digitsAt(offset, 1, 2);
  const minutes = offset === 'Z' ? 0 : digitsAt(offset, 4, 2);
  if (hours > 23 || minutes > 59) return undefined;
  const shift = (hours * 60 + minutes) * 60;
  const seconds = offset.startsWith('-') ? wall + shift : wall - shift;
  return seconds >= EARLIEST_TYPED && seconds < LATEST_TYPED ? instantOf(seconds) : undefined;
}
