// Finds tables and views that are not the contract's, but nearly have the name of one that is not
// there. Only warnings: an operator may well have a `tag` or an `image` of their own.

import type { Finding } from '../../findings.ts';
import { isNearly, mayTableBeAbsent } from '../contract/absence.ts';
import { findingOf } from '../contract/row-checker.ts';
import { TABLE_NAMES } from '../contract/tables.ts';
import type { CatalogueRows } from '../reader.ts';

/**
 * A warning for each, at the name of the contract's table.
 * @throws AppError database-unreadable, database-busy
 */
export async function nearTables(reader: Pick<CatalogueRows, 'describe' | 'otherTables'>): Promise<readonly Finding[]> {
  const described = await reader.describe();
  const others = await reader.otherTables();
  return TABLE_NAMES.filter((table) => !described.has(table)).flatMap((table) =>
    others
      .filter((other) => isNearly(table, other))
      .map((other): Finding => {
        const orNone = mayTableBeAbsent(table) ? ', or none' : '';
        const asEmpty = mayTableBeAbsent(table) ? `, and "${table}" as empty` : '';
        const message = `expected a table or view "${table}"${orNone}, found "${other}": it was taken for a table of your own${asEmpty}`;
        const hint = `if it is meant, name it ${table}, or make a view "${table}" over it`;
        return { ...findingOf('warning', 'table-misspelled', table, message), hint };
      }),
  );
}
