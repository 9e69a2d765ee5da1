// Rows with other ids where ids may be text: of fronts, venues, images and sessions.

import { mayIdBeText, type TableName } from '../../src/database/contract/tables.ts';
import type { CatalogueRow } from './catalogue.ts';

/** The same rows with what `textOf` makes of each such id, also where others refer to it. */
export function withTextIds(
  rows: readonly CatalogueRow[],
  textOf: (id: string | number) => string | number = (id) => `no. ${id}`,
): CatalogueRow[] {
  return rows.map(({ table, row }) => {
    const isId = (name: string): boolean => mayIdBeText(table as TableName, name);
    const cells = Object.entries(row).map(([name, value]): [string, string | number | null] => [
      name,
      isId(name) && value !== null ? textOf(value) : value,
    ]);
    return { table, row: Object.fromEntries(cells) };
  });
}
