// Reads a transcript: requests (lines with ">"), the answers expected ("<"), and prose around them,
// which is for people. What may stand in the lines is said in README.md. It sends nothing and
// compares nothing.

import { readdirSync, readFileSync } from 'node:fs';
import type { ProfileName } from '../../../src/edge/rule/profile.ts';

export interface Exchange {
  readonly name: string;
  /** Request line and header lines as written, placeholders and directives included. */
  readonly request: readonly string[];
  readonly expected: Expectation;
  /** Answers of runtimes that do otherwise, each in all its lines. */
  readonly limits: ReadonlyMap<string, Expectation>;
}

export interface Expectation {
  readonly status: number;
  /** The problem's code; null for an answer that is no refusal. */
  readonly code: string | null;
  /** Header lines that must be there exactly so. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Headers that must not be there. */
  readonly absent: readonly string[];
  /**
   * `moscow products 2`, perhaps with ` gzip`: the edition whose bytes are the content; null when
   * the content is not compared.
   */
  readonly edition: string | null;
  /** A refusal's whole content; null when it is not spelled out. */
  readonly content: string | null;
}

export interface Transcript {
  readonly title: string;
  readonly exchanges: readonly Exchange[];
}

const folder = new URL('../../edge/', import.meta.url);

type NamedTranscript = Transcript & { readonly name: string };

const ALL: readonly NamedTranscript[] = readdirSync(folder)
  .filter((name) => name.endsWith('.http.txt'))
  .map((name) => ({ name, ...parseTranscript(readFileSync(new URL(name, folder), 'utf8')) }));

const isOf = (profile: ProfileName, name: string): boolean =>
  (profile === 'rfc9421') !== name.startsWith('signed-headers');

/** The transcripts of a profile, by the names of their files. */
export const transcriptsOf = (profiles: readonly ProfileName[]): readonly NamedTranscript[] =>
  ALL.filter(({ name }) => profiles.some((profile) => isOf(profile, name)));

/** Those of edges that were built without `--profile`. */
export const TRANSCRIPTS = transcriptsOf(['rfc9421']);

/**
 * Parses a transcript. Throws Error for an exchange without a request or an answer, and for a line
 * of no known form.
 */
export function parseTranscript(text: string): Transcript {
  const [head = '', ...sections] = text.split(/^## /m);
  const title = /^# (.+)$/m.exec(head)?.[1];
  if (title === undefined) throw new Error('a transcript begins with "# Title"');
  return { title, exchanges: sections.map(parseExchange) };
}

function parseExchange(section: string): Exchange {
  const [name = '', ...lines] = section.split('\n');
  const request = lines.filter((line) => line.startsWith('> ')).map((line) => line.slice(2));
  const expected = lines.filter((line) => line.startsWith('< ')).map((line) => line.slice(2));
  const own = new Map<string, string[]>();
  for (const line of lines) {
    const [, runtime = '', text = ''] = /^<(\w+) (.+)$/.exec(line) ?? [];
    if (runtime !== '') own.set(runtime, [...(own.get(runtime) ?? []), text]);
  }
  const limits = new Map([...own].map(([runtime, texts]) => [runtime, parseExpectation(name, texts)]));
  if (request.length === 0) throw new Error(`${name}: no request`);
  return { name, request, expected: parseExpectation(name, expected), limits };
}

function parseExpectation(name: string, lines: readonly string[]): Expectation {
  const [first = '', ...rest] = lines;
  const head = /^([1-5]\d\d)(?: ([a-z-]+))?$/.exec(first);
  if (head === null) throw new Error(`${name}: expected "< STATUS" or "< STATUS code", found "${first}"`);
  const headers: (readonly [string, string])[] = [];
  const absent: string[] = [];
  let edition: string | null = null;
  let content: string | null = null;
  for (const line of rest) {
    const header = /^([A-Za-z-]+): (.+)$/.exec(line);
    const gone = /^no ([A-Za-z-]+)$/.exec(line);
    if (/^\[.+\]$/.test(line)) edition = line.slice(1, -1);
    else if (line.startsWith('{"')) content = `${line}\n`;
    else if (header !== null) headers.push([header[1] ?? '', header[2] ?? '']);
    else if (gone !== null) absent.push(gone[1] ?? '');
    else throw new Error(`${name}: no such line: "< ${line}"`);
  }
  return { status: Number(head[1]), code: head[2] ?? null, headers, absent, edition, content };
}
