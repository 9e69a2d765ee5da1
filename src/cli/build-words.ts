// The words of `playbill build` for whoever must be quicker than the argument parser. Knows fewer forms than that: what it does not
// know, a flag that overrides something, or the same flag twice, is left to it. Two lines that are equal here are equal there.

/** Defaults that are needed before the argument parser is there. */
export const DEFAULT_DB = 'data/catalogue.sqlite';
export const DEFAULT_OUT = 'out';

export interface BuildWords {
  readonly db: string;
  readonly out: string;
  readonly isJson: boolean;
  readonly hasNow: boolean;
  /** A folder; false for none; undefined for the usual one. */
  readonly cache: string | false | undefined;
  /** All that bears on the result, in one order: not places, threads, nor the form of what is printed. */
  readonly key: string;
}

const WITH_VALUE: ReadonlySet<string> = new Set([
  '--db',
  '--out',
  '--now',
  '--horizon',
  '--max-shrink',
  '--workers',
  '--cache',
]);
const ALONE: ReadonlySet<string> = new Set(['--json', '--allow-shrink', '--no-cache']);

/** The words after `playbill`; null where they are to be read by the argument parser. */
export function readBuildWords(words: readonly string[]): BuildWords | null {
  if (words[0] !== 'build') return null;
  const seen = new Map<string, readonly string[]>();
  let at = 1;
  const isValue = (word: string | undefined): word is string =>
    word !== undefined && word !== '' && !word.startsWith('-');
  while (at < words.length) {
    const word = words[at++] ?? '';
    const equals = word.indexOf('=');
    const flag = equals === -1 ? word : word.slice(0, equals);
    const values: string[] = equals === -1 ? [] : [word.slice(equals + 1)];
    if (WITH_VALUE.has(flag)) {
      if (equals === -1) values.push(words[at++] ?? '');
      if (!isValue(values[0])) return null;
    } else if (flag === '--front' && equals === -1) {
      while (isValue(words[at])) values.push(words[at++] ?? '');
      if (values.length === 0) return null;
    } else if (!ALONE.has(word)) return null;
    if (seen.has(flag)) return null;
    seen.set(flag, values);
  }
  if (seen.has('--cache') && seen.has('--no-cache')) return null;
  const elsewhere = new Set(['--db', '--out', '--cache', '--no-cache', '--workers', '--json']);
  return {
    db: seen.get('--db')?.[0] ?? DEFAULT_DB,
    out: seen.get('--out')?.[0] ?? DEFAULT_OUT,
    isJson: seen.has('--json'),
    hasNow: seen.has('--now'),
    cache: seen.has('--no-cache') ? false : seen.get('--cache')?.[0],
    key: JSON.stringify([...seen].filter(([flag]) => !elsewhere.has(flag)).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
