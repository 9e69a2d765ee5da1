// Row checks: every row is checked where it enters, and faults become findings with the table and
// the row's key. A finding of severity error takes out the front, product or session that it
// concerns, and no more (law 7).

import { otherTypeOf, type RowId } from '../../catalogue/row-id.ts';
import { FINDINGS_KEPT, type Finding, type FindingCode, type Severity } from '../../findings.ts';
import type { RowSource } from '../reader.ts';
import { rowId, type Column, type ValueOf } from './columns.ts';
import { hintFor } from './hints.ts';
import { mayIdBeText, TABLE_RULES, TABLES, type TableName } from './tables.ts';

/** The values of some columns of a table, in the order of the columns. */
export type RowOf<T extends TableName, C extends readonly (keyof (typeof TABLES)[T])[]> = {
  readonly [I in keyof C]: ValueOf<(typeof TABLES)[T][C[I]]>;
};

export type ColumnsOf<T extends TableName> = readonly (keyof (typeof TABLES)[T] & string)[];

type NamesIn<S extends string> = S extends `${infer First} ${infer Rest}`
  ? readonly [First, ...NamesIn<Rest>]
  : readonly [S];

/** A long list of names from a text that has a space between any two. */
export function names<const S extends string>(text: S): NamesIn<S> {
  return text.split(' ') as readonly string[] as NamesIn<S>;
}

/** Checks rows of one table, read with one list of columns. */
export class RowChecker<T extends TableName, const C extends ColumnsOf<T>> {
  readonly table: T;
  readonly columns: C;
  readonly #rules: readonly Column<unknown>[];

  constructor(table: T, columns: C) {
    const rules: Readonly<Record<string, Column<unknown>>> = TABLES[table];
    this.table = table;
    this.columns = columns;
    this.#rules = columns.map((name) => {
      const rule = rules[name];
      if (rule === undefined) throw new Error(`${table} has no column ${name}`);
      return rule;
    });
  }

  /**
   * Whether its column accepts every value. A fraction of a second is cut off, in the row itself.
   */
  accepts(row: unknown[]): row is unknown[] & RowOf<T, C> {
    const rules = this.#rules;
    for (let i = 0; i < rules.length; i++) {
      if (rules[i]?.accepts(row[i]) === true) continue;
      const whole = wholeSeconds(rules[i], row[i]);
      if (whole === undefined) return false;
      row[i] = whole;
    }
    return true;
  }

  /** The same, with the findings of a rejected row added to a log. */
  check(row: unknown[], log: FindingLog, concerns: Concerns): row is unknown[] & RowOf<T, C> {
    if (this.accepts(row)) return true;
    log.add(this.findings(row, log.source), concerns);
    return false;
  }

  /**
   * One finding for each value that its column does not accept, with a hint in the SQL of the
   * database; one for all marks. `known`: as for `locationOf`.
   */
  findings(row: readonly unknown[], { kind, failedRows }: RowSource, known: Known = {}): Finding[] {
    const location = this.locationOf(row, known);
    const failed = failedRows.get(location);
    let isFailed = false;
    const findings = this.#rules.flatMap((rule, i) => {
      // No SQL mends that.
      const isUndecodable = row[i] instanceof UndecodableText;
      if (rule.accepts(row[i]) || wholeSeconds(rule, row[i]) !== undefined) return [];
      const column = this.columns[i] ?? '';
      if (failed?.columns.has(column) === true) {
        isFailed = true;
        return [];
      }
      const message = `${column}: expected ${rule.expected}, found ${foundText(row[i])}`;
      const finding = findingOf('error', 'value-invalid', location, message, column);
      if (isUndecodable) return [finding];
      return [{ ...finding, hint: hintFor(kind, this.table, column, rule) }];
    });
    return failed !== undefined && isFailed ? [failed.finding, ...findings] : findings;
  }

  /** One value of a row that may have others that are not accepted; undefined if it is not. */
  valueOf<N extends C[number]>(row: readonly unknown[], name: N): ValueOf<(typeof TABLES)[T][N]> | undefined {
    const i = this.columns.indexOf(name);
    const value = wholeSeconds(this.#rules[i], row[i]) ?? row[i];
    return this.#rules[i]?.accepts(value) === true ? (value as ValueOf<(typeof TABLES)[T][N]>) : undefined;
  }

  /**
   * `sessions 17`: the table and the row's key, for a row with its key among the columns. `known`:
   * cells of other columns, for a row without a key.
   */
  locationOf(row: readonly unknown[], known: Known = {}): string {
    const { key, keyless } = TABLE_RULES[this.table];
    const cellOf = (name: string): unknown =>
      known[name] ?? row[this.columns.findIndex((column) => column === name)] ?? null;
    const values = key.map(cellOf);
    if (keyless === undefined || values.some((value) => value !== null)) return locationOfKey(this.table, values);
    const cells = keyless.filter((name) => cellOf(name) !== null);
    return `${this.table} ${cells.map((name) => `${name} ${cellText(this.table, name, cellOf(name))}`).join(', ')}`;
  }
}

/** Cells of a row that are not among a checker's columns. */
type Known = Readonly<Record<string, unknown>>;

/** The same for the values of a key. */
export function locationOfKey(table: TableName, values: readonly unknown[]): string {
  const { key } = TABLE_RULES[table];
  return `${table} ${values.map((value, i) => cellText(table, key[i] ?? '', value)).join(',')}`;
}

/** In quotes where it may be mistaken for something else, as '7' for 7. */
function cellText(table: TableName, name: string, value: unknown): string {
  if (typeof value !== 'string') return typeof value === 'number' ? String(value) : quoted(value);
  const isId = mayIdBeText(table, name);
  if (/^[\w.:-]{1,128}$/.test(value) && !(isId && otherTypeOf(value) !== null)) return value;
  // Whole, so that no two ids are one.
  return isId && rowId.accepts(value) ? JSON.stringify(value) : quoted(value);
}

/** The fraction of a second in a time. */
export const FRACTION = /\.\d+(?=Z?$)/;

/**
 * A time as text without its fraction of a second; undefined where that is not what keeps the
 * column from accepting it.
 */
function wholeSeconds(rule: Column<unknown> | undefined, value: unknown): string | undefined {
  if (rule?.time === undefined || typeof value !== 'string') return undefined;
  const whole = value.replace(FRACTION, '');
  return rule.accepts(whole) ? whole : undefined;
}

/** Stands for text that is not in the database's encoding (sqlite/values.ts). */
export class UndecodableText {
  readonly bytes: Uint8Array;
  readonly encoding: string;

  constructor(bytes: Uint8Array, encoding: string) {
    this.bytes = bytes;
    this.encoding = encoding;
  }
}

/**
 * Begins what SQLite gives in place of a large cell: after it, one byte is 1 for text, and eight
 * are the size (sqlite/values.ts). The byte is FAILED_CELL in a mark.
 */
export const LARGE_CELL = Buffer.from('playbill');
export const FAILED_CELL = 2;

/**
 * Begins what PostgreSQL gives in place of large text: its number of bytes follows. A control
 * character, so that no name begins so.
 */
export const LARGE_TEXT = '\x01bytes:';
/** Begins a mark in PostgreSQL. */
export const FAILED_TEXT = '\x01failed:';

const CHARACTERS_SHOWN = 80;
const FAILED = 'an expression that throws';

/** A value as a message shows it: JSON, truncated to eighty characters. */
export function quoted(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value)))
    return shortened(String(value));
  if (value instanceof Uint8Array) return quotedBlob(Buffer.from(value));
  if (value instanceof UndecodableText) {
    const hex = Buffer.from(value.bytes.subarray(0, CHARACTERS_SHOWN)).toString('hex');
    return `text that is not ${value.encoding}, ${shortened(`x'${hex}'`)}`;
  }
  if (typeof value === 'object' && 'failed' in value) return FAILED;
  // JSON has no BLOBs, and no text is read that is too long: SQL puts their size in their place.
  if (typeof value === 'object' && 'blob' in value) return sized(false, value.blob);
  if (typeof value === 'object' && 'text' in value && typeof value.text === 'number') return sized(true, value.text);
  // In JSON, where only columns are that take few texts.
  if (typeof value === 'string' && value.startsWith(LARGE_TEXT)) return sized(true, value.slice(LARGE_TEXT.length));
  if (typeof value === 'string') return shortened(JSON.stringify(value.slice(0, CHARACTERS_SHOWN)));
  return shortened(JSON.stringify(cutAtDepth(value, CHARACTERS_SHOWN)));
}

/** The same of a value that no column accepts. */
export function foundText(value: unknown): string {
  if (typeof value !== 'bigint') return quoted(value);
  return `${quoted(value)}, which is beyond ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`;
}

function quotedBlob(bytes: Buffer): string {
  const isLarge = bytes.length === LARGE_CELL.length + 9 && bytes.subarray(0, LARGE_CELL.length).equals(LARGE_CELL);
  if (!isLarge) return sized(false, bytes.length);
  if (bytes[LARGE_CELL.length] === FAILED_CELL) return FAILED;
  return sized(bytes[LARGE_CELL.length] === 1, bytes.readBigUInt64BE(LARGE_CELL.length + 1));
}

function sized(isText: boolean, bytes: unknown): string {
  return `${isText ? 'text' : 'a BLOB'} of ${String(bytes)} bytes`;
}

function shortened(text: string): string {
  return text.length <= CHARACTERS_SHOWN ? text : `${text.slice(0, CHARACTERS_SHOWN - 3)}…`;
}

/**
 * JSON.parse takes any depth, but JSON.stringify recurses. Each level has a bracket, so nothing is
 * cut that would be shown.
 */
function cutAtDepth(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.map((one) => cutAtDepth(one, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cutAtDepth(one, depth - 1)]));
}

/**
 * An id, also where it is mistyped as text: 7, or '7'. Undefined for anything else: NULL and '' are
 * not 0.
 */
export function parseId(value: unknown): number | undefined {
  const id = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined;
}

/** A row whose key another row has, as a view gives that joins too much. */
export function repeated(location: string): Finding {
  return findingOf('error', 'duplicate-key', location, 'expected a key that no other row has, found it twice');
}

/** A row with a value that another row has too, in a column that is unique beside the key. */
export function notUnique(location: string, column: string, value: unknown, other: string): Finding {
  const message = `${column}: expected a value that no other row has, found ${quoted(value)}, which is also that of ${other}`;
  return findingOf('error', 'duplicate-key', location, message, column);
}

/** What a finding of severity error takes out (containment.md); nothing if all are left out. */
export interface Concerns {
  /** A front, which keeps its snapshot. */
  readonly frontId?: RowId | undefined;
  /** A product, on every front. */
  readonly productId?: number | undefined;
  /** The product of a session that is left out. */
  readonly sessionOf?: number | undefined;
}

/** Findings on a catalogue, and which fronts and products they take out. */
export class FindingLog {
  readonly source: RowSource;
  readonly kept: Finding[] = [];
  total = 0;
  /** Fronts that are held back. */
  readonly badFrontIds: Set<RowId>;
  /** Products that are left out: the code of the first finding, by id. */
  readonly badProducts: Map<number, FindingCode>;

  /** `beside`: a log that takes out with this one, for findings of its own. */
  constructor(source: RowSource, beside?: FindingLog) {
    this.source = source;
    this.badFrontIds = beside?.badFrontIds ?? new Set();
    this.badProducts = beside?.badProducts ?? new Map();
  }

  /** Notes findings. Those of severity error take out what they concern. */
  add(findings: readonly Finding[], concerns: Concerns): void {
    for (const finding of findings) {
      this.total += 1;
      if (this.kept.length < FINDINGS_KEPT) this.kept.push(finding);
      if (finding.severity === 'error') this.takeOut(finding, concerns);
    }
  }

  /** Takes out what uses a row that has been noted already. */
  takeOut({ code }: Finding, { frontId, productId }: Concerns): void {
    if (frontId !== undefined) this.badFrontIds.add(frontId);
    if (productId !== undefined && !this.badProducts.has(productId)) this.badProducts.set(productId, code);
  }
}

export function findingOf(
  severity: Severity,
  code: FindingCode,
  place: string,
  message: string,
  column?: string,
): Finding {
  return { severity, code, place, message, ...(column === undefined ? {} : { column }) };
}

/**
 * A reference to a row that does not exist. `known`: ids of the parent, to say that one of the other
 * type is meant.
 */
export function dangling(
  location: string,
  column: string,
  parent: string,
  id: unknown,
  known?: { has(id: RowId): boolean },
): Finding {
  const message = `${column}: expected the id of a row of ${parent}, found ${foundText(id)}`;
  const finding = findingOf('error', 'dangling-id', location, message, column);
  const meant = otherTypeOf(id);
  const isNumber = typeof meant === 'number';
  if (meant === null || !(known?.has(meant) ?? isNumber)) return finding;
  const hint = `where it is the ${isNumber ? 'number' : 'text'} ${meant}: CAST(${column} AS ${isNumber ? 'INTEGER' : 'TEXT'})`;
  return { ...finding, hint };
}
