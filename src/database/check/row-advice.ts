// What is likely to be a mistake in a single row although every column accepts its value. Follows
// from the contract's table: which columns are names, times and zones. Only warnings, which take
// nothing out: each may be meant.

import { isKnownZone } from '../../catalogue/calendar.ts';
import type { Finding } from '../../findings.ts';
import type { Column } from '../contract/columns.ts';
import { wholeTable } from '../contract/query-builders.ts';
import { findingOf, quoted } from '../contract/row-checker.ts';
import { TABLES, type TableName } from '../contract/tables.ts';
import type { DatabaseKind } from '../reader.ts';
import { nameFault, type NameFault } from './name-faults.ts';

interface Advice extends Pick<Finding, 'code' | 'message'> {
  readonly column: string;
  readonly hint?: string | undefined;
}

type Advisor = (row: readonly unknown[]) => Advice | null;

/** Columns that are the start and the end of a period; those of sessions are in doubtful-sessions.ts. */
const PERIODS: { readonly [T in TableName]?: readonly [from: string, until: string] } = {
  front_keys: ['not_before', 'not_after'],
  front_products: ['visible_from', 'visible_until'],
  price_tiers: ['valid_from', 'valid_until'],
  product_badges: ['valid_from', 'valid_until'],
};

const NONE: readonly Finding[] = [];

/**
 * The advice on rows of a table that have all its columns, with accepted values; hints are in the
 * SQL of the database.
 */
export function rowAdvice(table: TableName, kind: DatabaseKind): (row: readonly unknown[]) => readonly Finding[] {
  const { columns, checker } = wholeTable(table);
  const advisors = Object.entries<Column<unknown>>(TABLES[table]).flatMap(([name, column]) => {
    const i = columns.indexOf(name);
    return advisorsOn(name, column, kind).map((advise): Advisor => (row) => {
      const value = row[i];
      return typeof value === 'string' ? advise(value) : null;
    });
  });
  const period = PERIODS[table];
  if (period !== undefined) advisors.push(onPeriod(columns, period));
  return (row) => {
    let findings = NONE;
    for (const advise of advisors) {
      const advice = advise(row);
      if (advice === null) continue;
      const { code, message, column, hint } = advice;
      const finding = findingOf('warning', code, checker.locationOf(row), message, column);
      findings = [...findings, hint === undefined ? finding : { ...finding, hint }];
    }
    return findings;
  };
}

function advisorsOn(name: string, column: Column<unknown>, kind: DatabaseKind): ((text: string) => Advice | null)[] {
  if (name === 'timezone') return [zoneAdvice];
  if (column.time !== undefined) return [(text) => yearAdvice(name, column, text)];
  return column.isName === true ? [(text) => nameAdvice(name, column, kind, text)] : [];
}

/** Canonical texts sort as the times that they are. */
function yearAdvice(name: string, { openEnd }: Column<unknown>, text: string): Advice | null {
  const isEarly = text < '2000';
  if (!isEarly && text < '2101') return null;
  const message = `${name}: expected a year from 2000 to 2100, found ${text}`;
  // Where NULL means almost the same. Anywhere else it would open what is closed.
  let hint: string | undefined;
  if (openEnd === 'infinity' && !isEarly) {
    hint = `where it stands for no end: CASE WHEN ${name} < '2101-01-01' THEN ${name} END`;
  } else if (openEnd === '-infinity' && isEarly) {
    hint = `where it stands for no start: CASE WHEN ${name} >= '2000-01-01' THEN ${name} END`;
  }
  return { code: 'year-unlikely', message, column: name, hint };
}

function onPeriod(columns: readonly string[], [from, until]: readonly [string, string]): Advisor {
  const [fromAt, untilAt] = [columns.indexOf(from), columns.indexOf(until)];
  // NULL stays where it is.
  const isSwapped = `CASE WHEN ${until} < ${from} THEN`;
  const hint = `where the two are swapped: ${isSwapped} ${until} ELSE ${from} END AS ${from}, ${isSwapped} ${from} ELSE ${until} END AS ${until}`;
  return (row) => {
    const [start, end] = [row[fromAt], row[untilAt]];
    if (typeof start !== 'string' || typeof end !== 'string' || end > start) return null;
    const message = `${until}: expected a time after ${from}, ${start}, found ${end}`;
    return { code: 'window-reversed', message, column: until, hint };
  };
}

/** Abbreviations, Greenwich and Etc/GMT±n; not UTC, and not EST5EDT, whose clocks change. */
const FIXED_ZONE = /^(?:EST|MST|HST|(?:Etc\/)?(?:Greenwich|GMT[+-]?0?|GMT([+-]\d{1,2})))$/i;

function zoneAdvice(zone: string): Advice | null {
  const match = FIXED_ZONE.exec(zone);
  // Another name is an error already.
  if (match === null || !isKnownZone(zone)) return null;
  // POSIX counts west of Greenwich.
  const hours = Number(match[1] ?? 0);
  const offset = hours === 0 ? '' : `: ${Math.abs(hours)} h ${hours > 0 ? 'behind' : 'ahead of'} UTC`;
  const message = `timezone: expected the zone of a place, such as Europe/London or America/New_York, found ${quoted(zone)}, whose clocks never change${offset}`;
  const hint = `CASE timezone WHEN '${zone}' THEN '<zone of the place>' ELSE timezone END`;
  return { code: 'zone-fixed', message, column: 'timezone', hint };
}

function nameAdvice(name: string, { isNullable }: Column<unknown>, kind: DatabaseKind, text: string): Advice | null {
  const fault = nameFault(text);
  // An image may have no alternative text.
  if (fault === null || (isNullable && fault === 'empty')) return null;
  const found = fault === 'empty' ? 'empty text' : `${FOUND[fault]}, ${quoted(text)}`;
  return {
    code: 'name-not-text',
    message: `${name}: expected plain text, found ${found}`,
    column: name,
    hint: nameHint(name, kind, fault),
  };
}

const FOUND = { blank: 'blanks alone', json: 'JSON', markup: 'markup', references: 'character references' } as const;

function nameHint(name: string, kind: DatabaseKind, fault: NameFault): string | undefined {
  switch (fault) {
    case 'json': {
      const sql = kind === 'sqlite' ? `json_extract(${name}, '$.en')` : `${name}::json ->> 'en'`;
      return `from an object with a text for each language: ${sql}`;
    }
    case 'references':
      return `each like this, &amp; last: replace(${name}, '&amp;', '&')`;
    case 'empty':
    case 'blank':
    case 'markup':
      return undefined;
  }
}
