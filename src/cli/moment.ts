// Times as a person types them: an instant, or a time that is relative to the clock or to today.

import { Zone } from '../catalogue/calendar.ts';
import { formatInstant, instantOf, parseOffsetDateTime, SECONDS_PER_DAY, type Instant } from '../catalogue/instant.ts';
import { AppError, shellWord } from '../errors.ts';
import { durationArgument } from './arguments.ts';

/** `day`: 0 for today. `time`: seconds after midnight, by the clock of a zone. */
export type Moment =
  | { readonly kind: 'instant'; readonly instant: Instant }
  | { readonly kind: 'from-now'; readonly seconds: number; readonly text: string }
  | { readonly kind: 'wall'; readonly day: number; readonly time: number; readonly text: string };

/** What the help says of them. */
export const MOMENT_FORMS = 'with Z or an offset, or as +2h, -1d, 18:00 or tomorrow 18:00';

const DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

/** @throws AppError instant-invalid */
export function momentArgument(text: string, flag: string): Moment {
  const instant = parseOffsetDateTime(text);
  if (instant !== undefined) return { kind: 'instant', instant };
  if (text === 'now') return { kind: 'from-now', seconds: 0, text };
  if (/^[+-]\d/.test(text)) return { kind: 'from-now', seconds: secondsOf(text, flag), text };
  const [, word, rest = ''] = /^(?:(yesterday|today|tomorrow)\b *)?(.*)$/.exec(text) ?? [];
  const isTime = /^\d{1,2}:/.test(rest);
  if (word === undefined && !isTime) throw notAnInstant(text, flag);
  const [, hour = '', minute = '', second = '0'] = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(rest) ?? [];
  const isRight = hour !== '' && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
  if (!isRight) {
    const example = shellWord(`${word === undefined ? '' : `${word} `}18:00`);
    throw invalid(flag, 'a time of day from 00:00 to 23:59', text, `${flag} ${example}`);
  }
  const time = Number(hour) * 3600 + Number(minute) * 60 + Number(second);
  return { kind: 'wall', day: DAYS[word ?? 'today'] ?? 0, time, text };
}

function secondsOf(text: string, flag: string): number {
  try {
    const seconds = durationArgument(text.slice(1), flag);
    return text.startsWith('-') ? -seconds : seconds;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw invalid(flag, 'a duration after the sign, of at most 366d', text, `${flag} +2h or ${flag} -1d`);
  }
}

function notAnInstant(text: string, flag: string): AppError {
  const hasBlank = /^\d{4}-\d{2}-\d{2} /.test(text);
  const expected = `a date and time${hasBlank ? ' with T between them and' : ''} with Z or an offset, or now, +2h, -1d, 18:00 or tomorrow 18:00`;
  const [, date = '', time = '12:00', seconds = ':00'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?)?/.exec(text) ?? [];
  const typed = `${date}T${time}${seconds}`;
  const examples =
    parseOffsetDateTime(`${typed}Z`) === undefined
      ? `${flag} 2026-05-01T12:00:00+03:00 or ${flag} 2026-05-01T09:00:00Z`
      : `${flag} ${typed}+03:00 or ${flag} ${typed}Z`;
  return invalid(flag, expected, text, examples);
}

function invalid(flag: string, expected: string, text: string, examples: string): AppError {
  const message = `${flag}: expected ${expected}, found ${JSON.stringify(text)}`;
  return new AppError('instant-invalid', message, `for example ${examples}`);
}

const UTC = new Zone('UTC');

/** A front and its time zone. */
export interface FrontZone {
  readonly front: string;
  readonly zone: Zone;
}

/**
 * The instant that is meant at `now`, and what to say of it; null if it was typed in full.
 * @throws AppError instant-invalid, for a time that clocks skip
 */
export function instantOfMoment(
  moment: Moment,
  flag: string,
  front: FrontZone | null,
  now: Instant,
): { readonly instant: Instant; readonly note: string | null } {
  if (moment.kind === 'instant') return { instant: moment.instant, note: null };
  if (moment.kind === 'from-now') {
    const instant = instantOf(now + moment.seconds);
    return { instant, note: moment.seconds === 0 ? null : `${flag} ${moment.text} is ${formatInstant(instant)}` };
  }
  const zone = front?.zone ?? UTC;
  const wallTime = (zone.dayAt(now) + moment.day) * SECONDS_PER_DAY + moment.time;
  const [instant, later] = zone.instantsAt(wallTime);
  const where = front === null ? 'in UTC' : `in ${zone.name}, the zone of ${front.front}`;
  if (instant === undefined) throw skipped(moment.text, flag, where, zone, wallTime);
  const again = later === undefined ? '' : `; clocks show it twice, the second time at ${zone.format(later)}`;
  const shown = front === null ? formatInstant(instant) : zone.format(instant);
  return { instant, note: `${flag} ${shellWord(moment.text)} is ${shown}, ${where}${again}` };
}

function skipped(text: string, flag: string, where: string, zone: Zone, wallTime: number): AppError {
  const next = zone.firstShown(wallTime, wallTime + 2 * SECONDS_PER_DAY);
  const message = `${flag}: expected a time that clocks show ${where}, found ${JSON.stringify(text)}, which they skip when they are put forward`;
  const hint =
    next === null ? 'type an instant with Z or an offset' : `the next that they show: ${flag} ${zone.format(next)}`;
  return new AppError('instant-invalid', message, hint);
}
