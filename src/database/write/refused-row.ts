// Turns a database's refusal of a row into an error for the author of the row.

import { AppError, shellWord } from '../../errors.ts';
import type { DatabaseKind } from '../reader.ts';
import { SCHEMA_FILES } from '../schema-file.ts';
import { TABLE_RULES } from '../contract/tables.ts';
import type { CatalogueWriter, RefusedRow } from '../writer.ts';

/** What to do with a row whose key exists already. In a mirror only an earlier line can have it. */
export type ExistingKey = 'refused' | 'replaced' | 'on-earlier-line';

export const VIEWS_HINT =
  'views take no rows: your own system writes the tables behind them, or import into a file of its own with --db';

/** A new database, in hints. */
const ANOTHER = { sqlite: 'NEW.sqlite', postgres: 'postgres://…' } as const satisfies Record<DatabaseKind, string>;

/** The refusal of a row as an error that names its location. */
export function refusedError(
  { row: { table, columns, values, location }, refusal }: RefusedRow,
  { path, kind }: Pick<CatalogueWriter, 'path' | 'kind'>,
  existingKey: ExistingKey = 'on-earlier-line',
): AppError {
  const { message } = refusal;
  const schemaFile = SCHEMA_FILES[kind];
  const refused = (expected: string, hint: string): AppError =>
    new AppError('import-row-refused', `${location}: expected ${expected}`, hint, refusal);
  switch (refusal.kind) {
    case 'no-rows':
      return refused(`a table "${table}" that takes rows, found: ${message}`, VIEWS_HINT);
    case 'no-key': {
      const key = TABLE_RULES[table].key.join(', ');
      return refused(
        `a table "${table}" with a key, found: ${message}`,
        `ALTER TABLE ${table} ADD PRIMARY KEY (${key})`,
      );
    }
    case 'key': {
      const key = TABLE_RULES[table].key.map((column) => String(values[columns.indexOf(column)])).join();
      if (existingKey === 'on-earlier-line') {
        const hint = 'a mirror takes each row once: leave out one of the two lines';
        return refused(`a new key, found ${table} ${key} on an earlier line (${message})`, hint);
      }
      const hint = `replace rows that are there: playbill import --replace --db ${shellWord(path)} FILE.ndjson`;
      return refused(`a new key, found ${table} ${key} in the database or on an earlier line (${message})`, hint);
    }
    case 'unique': {
      const hint = 'give the row another value, or change the other row first';
      return refused(`values that no other row of ${table} has, found: ${message}`, hint);
    }
    // The column rules have accepted the row, so the table is an older one or the operator's own.
    case 'not-null': {
      const hint = `copy the rows into a new database: playbill export --db ${shellWord(path)} | playbill import - --db ${ANOTHER[kind]}`;
      return refused(`a table "${table}" as in ${schemaFile}, found: ${message}`, hint);
    }
    case 'type': {
      const hint = `see the types of "${table}" in ${schemaFile}; one of your own takes no more than it does there`;
      return refused(`a row whose values the columns of "${table}" hold, found: ${message}`, hint);
    }
    case 'encoding': {
      const hint =
        'leave the character out: no text of PostgreSQL has \\u0000, and only a database in UTF8 has all others';
      return refused(`text in characters of the database's encoding, found: ${message}`, hint);
    }
    case 'foreign-key': {
      const hint =
        'give the row that is referred to before this one; or, for any order, ALTER TABLE … ALTER CONSTRAINT … DEFERRABLE';
      return refused(`a row that refers to rows that are there, found: ${message}`, hint);
    }
    case 'ignored':
      return refused(
        `a table "${table}" that takes the row, found: ${message}`,
        `see the triggers, the rules and the row security of your own on "${table}"`,
      );
    case 'check':
      return refused(
        `a row that the database accepts, found: ${message}`,
        `see the CHECKs of "${table}" in ${schemaFile}`,
      );
  }
}
