// Values as PostgreSQL prints them, as those of the contract. What a column may not hold is left as it is: the column's rule refuses it.

/** Types of pg_catalog by their number: built in, the same in every database. */
const BOOL = 16;
const INT8 = 20;
const INT2 = 21;
const INT4 = 23;
const OID = 26;
const BPCHAR = 1042;
const TIMESTAMP = 1114;
const TIMESTAMPTZ = 1184;
const NUMERIC = 1700;

const asText = (text: string): unknown => text;

const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [BOOL]: (text) => (text === 't' ? 1 : 0),
  [INT2]: Number,
  [INT4]: Number,
  [INT8]: integer,
  [OID]: Number,
  [BPCHAR]: (text) => text.replace(/ +$/, ''),
  [TIMESTAMP]: wallTime,
  [TIMESTAMPTZ]: instant,
  [NUMERIC]: numeric,
};

/** How the driver is to read values, in the session's zone UTC. */
export const valueTypes = { getTypeParser: (oid: number) => PARSERS[oid] ?? asText };

/** What is too large for a number stays exact, and no column accepts it. */
function integer(text: string): unknown {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/** NaN and the infinite are numbers that no column accepts. */
function numeric(text: string): unknown {
  return /^-?\d+$/.test(text) ? integer(text) : Number(text);
}

/** `2026-12-01 19:00:00+00`, and what else there is: see `inIso`. */
function instant(text: string): string {
  if (text.length === 22 && text.endsWith('+00')) return `${text.slice(0, 10)}T${text.slice(11, 19)}Z`;
  return inIso(text.replace(/\+00(?=$| BC$)/, 'Z'));
}

function wallTime(text: string): string {
  return inIso(text);
}

/** The same of a value of a time column in JSON, `2026-12-01T19:00:00+00:00`. */
export function timeInJson(value: unknown): unknown {
  if (typeof value !== 'string' || value.length === 19) return value;
  if (value.length === 25 && value.endsWith('+00:00')) return `${value.slice(0, 19)}Z`;
  return inIso(value.replace(/\+00:00(?=$| BC$)/, 'Z'));
}

/**
 * With a fraction, after the year 9999, and before the year 0 a time is longer than a column accepts, and stays so. PostgreSQL has no
 * year 0: what the contract calls so is the year before 1.
 */
function inIso(text: string): string {
  const time = text.replace(/ (?=\d)/, 'T');
  return time.startsWith('0001') && time.endsWith(' BC') ? `0000${time.slice(4, -3)}` : time;
}
