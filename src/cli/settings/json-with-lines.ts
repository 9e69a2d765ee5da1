// Parses JSON and keeps the line of every key, so that an error can name it. JSON.parse says
// neither where a key stands nor, for most faults, where the text is wrong; and it takes the last
// of two equal keys.

/** `lines`: by key, `guards.maxShrink`. `repeated`: the keys that occur twice. */
export interface ParsedJson {
  readonly value: unknown;
  readonly lines: ReadonlyMap<string, number>;
  readonly repeated: readonly string[];
}

export class JsonFault extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

const BLANKS = String.raw`[ \t\r\n]*`;
const TEXT = String.raw`"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"`;
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const TOKEN = new RegExp(`${BLANKS}(?:([{}[\\],:])|(${TEXT}|${NUMBER}|true|false|null))`, 'y');

/** Deeper than any file that is right. */
const DEPTH_MAX = 50;

/** @throws JsonFault */
export function jsonWithLines(text: string): ParsedJson {
  const lines = new Map<string, number>();
  const repeated: string[] = [];
  let position = 0;

  const lineAt = (index: number): number => text.slice(0, index).split('\n').length;
  const fault = (expected: string): JsonFault => {
    const [blanks = ''] = new RegExp(BLANKS, 'y').exec(text.slice(position)) ?? [];
    const at = position + blanks.length;
    const next = text[at];
    // No more than its beginning is repeated: it may be part of a secret.
    const found = next === undefined ? 'the end of the file' : /\w/.test(next) ? 'a word' : JSON.stringify(next);
    return new JsonFault(lineAt(at), `expected ${expected}, found ${found}`);
  };
  /** The next token, without going past it: a sign, or the text of a value. */
  const peek = (): { readonly sign: string; readonly literal: string; readonly end: number } => {
    TOKEN.lastIndex = position;
    const [whole = '', sign = '', literal = ''] = TOKEN.exec(text) ?? [];
    return { sign, literal, end: position + whole.length };
  };
  const takes = (wanted: string): boolean => {
    const { sign, end } = peek();
    if (sign !== wanted) return false;
    position = end;
    return true;
  };
  /** The members between two brackets. */
  const members = (close: string, readMember: () => void): void => {
    if (takes(close)) return;
    do readMember();
    while (takes(','));
    if (!takes(close)) throw fault(`"," or "${close}"`);
  };
  const read = (path: string, depth: number): unknown => {
    const { literal, end } = peek();
    if (literal !== '') {
      position = end;
      return JSON.parse(literal);
    }
    if (depth > DEPTH_MAX) throw fault(`at most ${DEPTH_MAX} levels of brackets`);
    if (takes('[')) {
      const list: unknown[] = [];
      members(']', () => list.push(read(path, depth + 1)));
      return list;
    }
    if (!takes('{')) throw fault('a value');
    const entries: [string, unknown][] = [];
    members('}', () => {
      const name = peek();
      if (!name.literal.startsWith('"')) throw fault('a key in quotes');
      const key = JSON.parse(name.literal) as string;
      const place = path === '' ? key : `${path}.${key}`;
      if (entries.some(([other]) => other === key)) repeated.push(place);
      lines.set(place, lineAt(name.end));
      position = name.end;
      if (!takes(':')) throw fault('":"');
      entries.push([key, read(place, depth + 1)]);
    });
    return Object.fromEntries(entries);
  };

  const value = read('', 0);
  if (!/^[ \t\r\n]*$/.test(text.slice(position))) throw fault('the end of the file');
  return { value, lines, repeated };
}
