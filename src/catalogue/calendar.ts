// Time zones and calendars. The only module that asks the runtime (Intl) for a zone's rules. It
// reads no clock: every function takes its instants as arguments.

import { formatDateTime, instantOf, SECONDS_PER_DAY, twoDigits, type Instant } from './instant.ts';

/**
 * Whether the runtime knows this time zone. Offsets such as `+03:00`, which some Node versions
 * accept, are not zone names.
 */
export function isKnownZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

// Offsets are cached per block of 2^16 s (18.2 h). No zone has ever changed its offset twice within
// one block, so it is enough to compare the offsets at its ends and bisect if they differ.
const BLOCK_SECONDS = 65_536;

/** No clock has ever been further from UTC; the furthest was Manila's, 15:56 behind it. */
export const OFFSET_SECONDS_MAX = 16 * 3600;

interface Block {
  readonly offsetBefore: number;
  /** When the offset changes within the block; Infinity if it does not. */
  readonly changesAt: number;
  readonly offsetAfter: number;
}

/** Zones by name, each made once: they are slow to make. */
export class Zones {
  readonly #byName = new Map<string, Zone | null>();

  /** null if the runtime does not know the zone. */
  get(name: string): Zone | null {
    let zone = this.#byName.get(name);
    if (zone === undefined) {
      zone = isKnownZone(name) ? new Zone(name) : null;
      this.#byName.set(name, zone);
    }
    return zone;
  }
}

/**
 * A time zone. Offsets are in seconds but always whole minutes, so that a printed offset is exact.
 */
export class Zone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #blocks = new Map<number, Block>();
  readonly #daysByStart = new Map<number, Days>();

  /** @throws RangeError if the runtime does not know the zone; check isKnownZone first */
  constructor(name: string) {
    this.name = name;
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  }

  /** Seconds east of UTC at an instant. Historical local mean times are truncated to the minute. */
  offsetAt(instant: Instant): number {
    const index = Math.floor(instant / BLOCK_SECONDS);
    const block = this.#blocks.get(index) ?? this.#findBlock(index);
    return instant < block.changesAt ? block.offsetBefore : block.offsetAfter;
  }

  /** The zone's date at an instant, as a day number. */
  dayAt(instant: Instant): number {
    return Math.floor((instant + this.offsetAt(instant)) / SECONDS_PER_DAY);
  }

  /**
   * The instants in (after, until] at which the zone's date changes, ascending. Usually these are
   * midnights, but a zone may skip midnight or set its clock back across it.
   */
  dateChanges(after: Instant, until: Instant): Instant[] {
    const changes: Instant[] = [];
    let day = this.dayAt(after);
    let from: number = after;
    while (from < until) {
      const { offset, endsAt } = this.#steadyFrom(instantOf(from));
      const dayHere = Math.floor((from + offset) / SECONDS_PER_DAY);
      if (dayHere !== day && from > after) changes.push(instantOf(from));
      day = dayHere;
      for (let next = (day + 1) * SECONDS_PER_DAY - offset; next < endsAt && next <= until; next += SECONDS_PER_DAY) {
        changes.push(instantOf(next));
        day += 1;
      }
      from = endsAt;
    }
    if (from === until && this.dayAt(until) !== day) changes.push(until);
    return changes;
  }

  /** The zone's days that begin so many seconds after midnight. */
  daysFrom(startsAt: number): Days {
    let days = this.#daysByStart.get(startsAt);
    if (days === undefined) {
      days = new Days(this, startsAt);
      this.#daysByStart.set(startsAt, days);
    }
    return days;
  }

  /**
   * Wall time with the offset in force, `2026-05-05T19:00:00+03:00` (fields.md, Form); `+00:00`,
   * never `Z`.
   */
  format(instant: Instant): string {
    const offset = this.offsetAt(instant);
    const minutes = Math.abs(offset) / 60;
    const sign = offset < 0 ? '-' : '+';
    return `${formatDateTime(instant + offset)}${sign}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
  }

  /**
   * The instants at which the zone's clocks show a wall time (in seconds, as if it were UTC),
   * ascending: none if a change to summer time skips it, two if a change back repeats it.
   */
  instantsAt(wallTime: number): Instant[] {
    const instants: Instant[] = [];
    const until = wallTime + OFFSET_SECONDS_MAX;
    for (let from = wallTime - OFFSET_SECONDS_MAX; from < until;) {
      const { offset, endsAt } = this.#steadyFrom(instantOf(from));
      const at = wallTime - offset;
      if (at >= from && at < endsAt) instants.push(instantOf(at));
      from = endsAt;
    }
    return instants;
  }

  /**
   * The first instant at which the zone's clocks show a wall time in [from, until), in seconds as if
   * it were UTC; null if they skip all of it.
   */
  firstShown(from: number, until: number): Instant | null {
    const last = until + OFFSET_SECONDS_MAX;
    for (let at = from - OFFSET_SECONDS_MAX; at < last;) {
      const { offset, endsAt } = this.#steadyFrom(instantOf(at));
      const shown = Math.max(at, from - offset);
      if (shown < endsAt && shown + offset < until) return instantOf(shown);
      at = endsAt;
    }
    return null;
  }

  /**
   * The offset (`+01:00`) at an instant whose wall time occurs twice, to tell the two apart; '' at
   * any other instant.
   */
  offsetOfRepeated(instant: Instant): string {
    const isRepeated = this.instantsAt(instant + this.offsetAt(instant)).length > 1;
    return isRepeated ? this.format(instant).slice(19) : '';
  }

  /**
   * The offset at an instant, and an instant up to which it is known to hold: the end of the block,
   * or a change within it.
   */
  #steadyFrom(instant: Instant): { readonly offset: number; readonly endsAt: number } {
    const offset = this.offsetAt(instant);
    const index = Math.floor(instant / BLOCK_SECONDS);
    const block = this.#blocks.get(index) ?? this.#findBlock(index);
    const blockEndsAt = (index + 1) * BLOCK_SECONDS;
    return { offset, endsAt: instant < block.changesAt ? Math.min(block.changesAt, blockEndsAt) : blockEndsAt };
  }

  #findBlock(index: number): Block {
    const start = index * BLOCK_SECONDS;
    const end = start + BLOCK_SECONDS;
    const offsetBefore = this.#offsetFromIntl(start);
    const offsetAfter = this.#offsetFromIntl(end - 1);
    let changesAt = Number.POSITIVE_INFINITY;
    if (offsetBefore !== offsetAfter) {
      let steady = start;
      changesAt = end - 1;
      while (changesAt - steady > 1) {
        const middle = Math.floor((steady + changesAt) / 2);
        if (this.#offsetFromIntl(middle) === offsetBefore) steady = middle;
        else changesAt = middle;
      }
    }
    const block = { offsetBefore, changesAt, offsetAfter };
    this.#blocks.set(index, block);
    return block;
  }

  #offsetFromIntl(seconds: number): number {
    // The text looks like `5/1/2026, GMT+02:00`. formatToParts takes ten times as long (measured).
    const text = this.#format.format(seconds * 1000);
    const match = /, GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(text);
    if (match === null) throw new Error(`cannot read the offset "${text}" of ${this.name}`);
    const [, sign, hours = '0', minutes = '0'] = match;
    const offset = (Number(hours) * 60 + Number(minutes)) * 60;
    return sign === '-' ? -offset : offset;
  }
}

/**
 * The days of a zone (fields.md, `day(t, Z)`): a day begins at the first instant at which the zone's
 * clocks show its date and a certain time or a later one, and lasts until the next begins.
 */
export class Days {
  readonly zone: Zone;
  /** Seconds after midnight, by the clock; with 0 the days are the dates of the calendar. */
  readonly startsAt: number;
  /** By day number; null if the zone skipped all of the date from `startsAt` on. */
  readonly #beginnings = new Map<number, Instant | null>();

  constructor(zone: Zone, startsAt: number) {
    this.zone = zone;
    this.startsAt = startsAt;
  }

  /** The day that contains an instant, as the number of its date. */
  dayAt(instant: Instant): number {
    let day = this.zone.dayAt(instant);
    if (this.startsAt === 0) return day;
    // Clocks that are set back across midnight show the date before once more.
    day += 1;
    while (!this.#hasBegun(day, instant)) day -= 1;
    return day;
  }

  /** The instants in (after, until] at which a day begins, ascending. */
  changes(after: Instant, until: Instant): Instant[] {
    if (this.startsAt === 0) return this.zone.dateChanges(after, until);
    const changes: Instant[] = [];
    const last = this.dayAt(until);
    for (let day = this.dayAt(after) + 1; day <= last; day += 1) {
      const beginning = this.#beginningOf(day);
      if (beginning !== null) changes.push(beginning);
    }
    return changes;
  }

  /** The first change after an instant. There is always one within three days. */
  nextChange(after: Instant): Instant {
    const [first] = this.changes(after, instantOf(after + 3 * SECONDS_PER_DAY));
    if (first === undefined) throw new Error(`no day begins in ${this.zone.name} within three days of ${after}`);
    return first;
  }

  #hasBegun(day: number, instant: Instant): boolean {
    const beginning = this.#beginningOf(day);
    return beginning !== null && beginning <= instant;
  }

  #beginningOf(day: number): Instant | null {
    let beginning = this.#beginnings.get(day);
    if (beginning === undefined) {
      const midnight = day * SECONDS_PER_DAY;
      beginning = this.zone.firstShown(midnight + this.startsAt, midnight + SECONDS_PER_DAY);
      this.#beginnings.set(day, beginning);
    }
    return beginning;
  }
}
