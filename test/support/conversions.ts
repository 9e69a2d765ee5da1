// The SQL that hints of check-db advise, for the tests that write it into views.

import type { Column } from '../../src/database/contract/columns.ts';
import { conversionsFor } from '../../src/database/contract/hints.ts';
import { TABLE_NAMES, TABLES, type TableName } from '../../src/database/contract/tables.ts';
import type { DatabaseKind } from '../../src/database/reader.ts';
import { GOOD_ROWS } from './database-rows.ts';

/** The SQL for a column, from values of one kind. */
export function conversionAt(kind: DatabaseKind, table: TableName, name: string, from: string): string {
  const column = Object.entries<Column<unknown>>(TABLES[table]).find(([one]) => one === name)?.[1];
  if (column === undefined) throw new Error(`no column ${table}.${name}`);
  const found = conversionsFor(kind, name, column).find((one) => one.from === from);
  if (found === undefined) throw new Error(`no conversion of ${table}.${name} from ${from}`);
  return found.sql;
}

/**
 * Every conversion of a database, with x for the column; those of words differ only in the words.
 */
export function everyConversion(kind: DatabaseKind): readonly string[] {
  const all = TABLE_NAMES.flatMap((table) =>
    Object.entries<Column<unknown>>(TABLES[table]).flatMap(([name, column]) =>
      conversionsFor(kind, name, column)
        .filter(({ sql }) => !sql.startsWith('CASE '))
        .map(({ sql }) => sql.replaceAll(name, 'x')),
    ),
  );
  return [...new Set(all)];
}

/**
 * A SELECT from `theirs` as a table has it, with SQL in the place of a column; the words of the
 * operator are `yours`.
 */
export function selectWith(table: TableName, name: string, sql: string, from = 'theirs'): string {
  const isTwo = sql.endsWith(' AS starts_local');
  const good = String(GOOD_ROWS[table][name]);
  const expression = sql.replace(`'<yours>' THEN '${good}'`, `'yours' THEN '${good}'`);
  const columns = Object.keys(TABLES[table]).flatMap((one) => {
    if (one === name) return [isTwo ? expression : `${expression} AS ${name}`];
    return isTwo && one === 'starts_local' ? [] : [`theirs.${one}`];
  });
  return `SELECT ${columns.join(', ')} FROM ${from}`;
}
