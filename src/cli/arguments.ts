// Parses the values of command-line arguments. A bad value is refused before any file is opened,
// with an error that says what to type.

import { AppError, type ErrorCode } from '../errors.ts';
import { isRunId } from '../render/paths.ts';
import type { Shard } from '../render/shards.ts';

/** `flag` appears in error messages: `--at`. */
export type ArgumentParser<Value> = (text: string, flag: string) => Value;

/** How an argument becomes a value: a parser, or a list of choices. */
export type Rule<Value> = ArgumentParser<Value> | readonly Value[];

/** The share of their keys that the fronts may lose at once. */
export const DEFAULT_MAX_SHRINK = 0.5;

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

export const DURATION_MAX_SECONDS = 366 * 86_400;

/**
 * A duration in seconds: `6h`, `90m`, `1d`, `30s`, `1h30m` or `0`; at most 366 days.
 * @throws AppError duration-invalid
 */
export function durationArgument(text: string, flag: string): number {
  const parts = [...text.matchAll(/(\d{1,9})([smhd])/g)];
  const isWhole = parts.map(([part]) => part).join('') === text && text !== '';
  const seconds = parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (UNIT_SECONDS[unit] ?? 0), 0);
  if (text === '0') return 0;
  if (isWhole && seconds <= DURATION_MAX_SECONDS) return seconds;
  const examples = `${flag} 6h, ${flag} 90m, ${flag} 1h30m or ${flag} 0`;
  const expected = isWhole ? 'a duration of at most 366d' : 'a duration such as 30s, 5m, 6h or 2d';
  throw refused('duration-invalid', flag, expected, text, examples);
}

/** A percentage: `50%` becomes 0.5. @throws AppError percentage-invalid */
export function percentageArgument(text: string, flag: string): number {
  const match = /^(\d{1,3}(?:\.\d+)?)%$/.exec(text);
  const percent = Number(match?.[1]);
  if (match !== null && percent <= 100) return percent / 100;
  throw refused('percentage-invalid', flag, 'a percentage from 0% to 100%', text, `${flag} 50%`);
}

/** `gzip`, `br`, both, separated by a comma, or `none`. @throws AppError usage */
export function compressionsArgument(text: string, flag: string): readonly ('gzip' | 'br')[] {
  const forms = text === 'none' ? [] : text.split(',');
  const known = (['gzip', 'br'] as const).filter((one) => forms.includes(one));
  if (known.length === forms.length) return known;
  throw refused('usage', flag, 'none, gzip, br or gzip,br', text, `${flag} gzip,br`);
}

/** A shard's index is part of a file name and has at most four digits. */
const SHARDS_MAX = 9999;

/** A shard's index and the number of shards: `0/4`. @throws AppError usage */
export function shardArgument(text: string, flag: string): Shard {
  const [, index, total] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? [];
  if (index !== undefined && Number(index) < Number(total)) return { index: Number(index), total: Number(total) };
  const expected = 'an index from 0 and the number of shards, as 0/4 to 3/4';
  throw refused('usage', flag, expected, text, `${flag} 0/4`);
}

/** The number of shards. @throws AppError usage */
export function shardsArgument(text: string, flag: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) > 0) return Number(text);
  throw refused('usage', flag, `a number of shards from 1 to ${SHARDS_MAX}`, text, `${flag} 4`);
}

/** The most releases, hours or days of history. */
export const KEPT_MAX = 9999;

/** How many releases, hours or days of history are kept. @throws AppError usage */
export function keptArgument(text: string, flag: string, min: number): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : -1;
  if (count >= min) return count;
  throw refused('usage', flag, `a whole number from ${min} to ${KEPT_MAX}`, text, `${flag} 7`);
}

/** A number of releases to list. @throws AppError usage */
export function lastArgument(text: string, flag: string): number {
  if (/^\d{1,6}$/.test(text) && Number(text) > 0) return Number(text);
  throw refused('usage', flag, 'a number of releases from 1 to 999999', text, `${flag} 12`);
}

/** The name of a run of shards. @throws AppError usage */
export function runArgument(text: string, flag: string): string {
  if (isRunId(text)) return text;
  const expected =
    'at most 63 letters, digits, dots, underscores and hyphens, a letter or digit first, no two dots in a row';
  throw refused('usage', flag, expected, text, `${flag} 2026-05-01T1200`);
}

/** A TCP port, 0 to 65535. @throws AppError usage */
export function portArgument(text: string, flag: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw refused('usage', flag, 'a port from 0 to 65535', text, `${flag} 8080`);
}

/** The name under which an edge stores a secret. @throws AppError key-invalid */
export function secretRefArgument(text: string, flag: string): string {
  // Help and errors print the values of these variables, so none of them may hold a secret.
  if (/^(?!PLAYBILL_(?:DB|OUT|CONFIG)$)[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(text)) return text;
  throw refused('key-invalid', flag, 'the name of an environment variable', text, `${flag} PLAYBILL_MOSCOW`);
}

/** The URL of an edge: everything before `/products/`. @throws AppError usage */
export function edgeUrlArgument(text: string, flag: string): URL {
  const example = `${flag === 'url' ? '' : `${flag} `}https://cdn.example or …/api: everything before /products/`;
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text))
    throw refused('usage', flag, 'an http or https URL', text, example);
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw refused('usage', flag, 'a URL without user, query and fragment', `…${url.host}…`, example);
  // `new URL('//x/products/', url)` would name another host.
  if (url.pathname.startsWith('//')) throw refused('usage', flag, 'a path that begins with one slash', text, example);
  if (/\/(products|fronts\/categories)\/?$/.test(url.pathname))
    throw refused('usage', flag, 'the URL of the edge, not of a document', text, example);
  return url;
}

function refused(code: ErrorCode, flag: string, expected: string, text: string, examples: string): AppError {
  return new AppError(code, `${flag}: expected ${expected}, found ${JSON.stringify(text)}`, `for example ${examples}`);
}
