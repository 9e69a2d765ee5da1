// Time zones and calendars: the only place that asks the runtime (Intl) for a zone's rules. Everything else computes with
// the offsets and days given here; offer.ts holds sessions against them. No clock: every function takes its instants.

import {
  dateTextOf,
  formatDateTime,
  instantOf,
  isoWeekdayOf,
  SECONDS_PER_DAY,
  twoDigits,
  type Instant,
} from './instant.ts';

/** Whether the runtime knows a time zone of this name. Offsets are refused by pattern, since some Node versions accept them. */
export function isKnownZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

// Offsets are cached per block of 2^16 s (18.2 h). No zone has ever changed its offset twice within one, so the offsets at a
// block's two ends are enough, and where they differ bisection finds the one change.
const BLOCK_SECONDS = 65_536;

/** No clock has ever been further from UTC: Manila once was, at 15:56 behind it, the furthest of all. */
export const OFFSET_SECONDS_MAX = 16 * 3600;

interface Block {
  readonly offsetBefore: number;
  /** Where the offset changes inside the block; Infinity where it does not. */
  readonly changesAt: number;
  readonly offsetAfter: number;
}

/** A time zone: its offset at every instant, in seconds but always whole minutes, so that a printed offset is exact. */
export class Zone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #blocks = new Map<number, Block>();

  /** @throws RangeError where the runtime does not know the zone; check isKnownZone first. */
  constructor(name: string) {
    this.name = name;
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  }

  /** Seconds east of UTC at an instant, in whole minutes. Historical local mean times are truncated to the minute. */
  offsetAt(instant: Instant): number {
    const index = Math.floor(instant / BLOCK_SECONDS);
    const block = this.#blocks.get(index) ?? this.#findBlock(index);
    return instant < block.changesAt ? block.offsetBefore : block.offsetAfter;
  }

  /** The day number of the date that the zone's calendar shows at an instant. */
  dayAt(instant: Instant): number {
    return Math.floor((instant + this.offsetAt(instant)) / SECONDS_PER_DAY);
  }

  /**
   * The instants in (after, until] at which the zone's date changes, ascending. Usually midnights; where a zone skips
   * midnight, or sets its clock back across it, the instants at which the date actually changes.
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

  /** The first change of date after an instant. There is always one within two days (Samoa once skipped a date). */
  nextDateChange(after: Instant): Instant {
    const [first] = this.dateChanges(after, instantOf(after + 3 * SECONDS_PER_DAY));
    if (first === undefined) throw new Error(`no change of date in ${this.name} within three days of ${after}`);
    return first;
  }

  /** Wall time with the offset in force, `2026-05-05T19:00:00+03:00` (fields.md, Form); `+00:00`, never `Z`. */
  format(instant: Instant): string {
    const offset = this.offsetAt(instant);
    const minutes = Math.abs(offset) / 60;
    const sign = offset < 0 ? '-' : '+';
    return `${formatDateTime(instant + offset)}${sign}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
  }

  /**
   * The instants at which the zone's clocks show a wall time (in seconds, as if it were UTC), ascending: none where clocks put forward
   * skip it, two where clocks set back repeat it.
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

  /** The offset at an instant whose wall time occurs twice, `+01:00`, which says which of the two it is; '' at any other. */
  offsetOfRepeated(instant: Instant): string {
    const isRepeated = this.instantsAt(instant + this.offsetAt(instant)).length > 1;
    return isRepeated ? this.format(instant).slice(19) : '';
  }

  /** The offset at an instant, and an instant until which it holds (the end of the block, or the change inside it). */
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
    // `5/1/2026, GMT+02:00`. Measured: formatToParts takes ten times as long.
    const text = this.#format.format(seconds * 1000);
    const match = /, GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(text);
    if (match === null) throw new Error(`cannot read the offset "${text}" of ${this.name}`);
    const [, sign, hours = '0', minutes = '0'] = match;
    const offset = (Number(hours) * 60 + Number(minutes)) * 60;
    return sign === '-' ? -offset : offset;
  }
}

/** The dates that today, tomorrow and weekend mean at an instant, as day numbers; `weekendUntil` is exclusive. */
export interface FrontDays {
  readonly today: number;
  readonly tomorrow: number;
  readonly weekendFrom: number;
  readonly weekendUntil: number;
}

/** D0, D1 and W of fields.md for a front whose zone shows `today`; `weekendDays` are ISO weekday digits, 1 to 6 of them. */
export function frontDaysOf(today: number, weekendDays: string): FrontDays {
  const isWeekend = (day: number) => weekendDays.includes(String(isoWeekdayOf(day)));
  let weekendFrom = today;
  // The whole run counts, past days included; a run may cross from Sunday to Monday.
  if (isWeekend(today)) while (isWeekend(weekendFrom - 1)) weekendFrom -= 1;
  else while (!isWeekend(weekendFrom)) weekendFrom += 1;
  let weekendUntil = weekendFrom + 1;
  while (isWeekend(weekendUntil)) weekendUntil += 1;
  return { today, tomorrow: today + 1, weekendFrom, weekendUntil };
}

/** `YYYY-MM-DD` that a zone's calendar shows at an instant. */
export function localDateText(zone: Zone, instant: Instant): string {
  return dateTextOf(zone.dayAt(instant));
}
