// The contract check: are all tables and columns of catalogue.md there, under their names and of their types? Tables may be
// views over an operator's own schema; a view's columns often have no declared type, and then the rows' values decide.

import { AppError, messageOf } from '../errors.ts';
import type { CatalogueReader } from './open.ts';
import { TABLE_NAMES, TABLES, type TableName } from './tables.ts';

/**
 * Checks the contract and tells which of its tables are views: what no foreign key guards, the load checks itself.
 * @throws AppError contract-table-missing, contract-column-missing, contract-column-type, database-unreadable
 */
export async function checkContract(reader: CatalogueReader): Promise<ReadonlySet<TableName>> {
  const found = await reader.db.introspection.getTables().catch((error: unknown) => {
    throw new AppError(
      'database-unreadable',
      `the tables cannot be listed: ${messageOf(error)}`,
      'a view may refer to a table that is gone: see playbill check-db',
      error,
    );
  });
  const views = new Set<TableName>();
  for (const name of TABLE_NAMES) {
    const table = found.find((one) => one.name === name);
    if (table === undefined) {
      throw new AppError(
        'contract-table-missing',
        `expected a table or view "${name}", found none`,
        `create it as data/schema.sql does, or make a view "${name}" over your own tables`,
      );
    }
    if (table.isView) views.add(name);
    for (const [column, rule] of Object.entries(TABLES[name])) {
      const declared = table.columns.find((one) => one.name === column);
      if (declared === undefined) {
        throw new AppError(
          'contract-column-missing',
          `expected a column "${column}" in "${name}", found ${table.columns.map((one) => one.name).join(', ') || 'no columns'}`,
          `add ${name}.${column} (${rule.declared}) as in data/schema.sql`,
        );
      }
      if (!mayHold(declared.dataType, rule.declared)) {
        throw new AppError(
          'contract-column-type',
          `expected ${name}.${column} to be ${rule.declared}, found ${declared.dataType}`,
          `declare it as ${rule.declared}, or cast it in a view`,
        );
      }
    }
  }
  return views;
}

/** Whether a declared type may hold what the contract wants; by SQLite's own rules of affinity, unknown words being open. */
function mayHold(dataType: string, wanted: 'INTEGER' | 'TEXT'): boolean {
  const type = dataType.toUpperCase();
  if (type.includes('INT')) return wanted === 'INTEGER';
  if (/CHAR|CLOB|TEXT/.test(type)) return wanted === 'TEXT';
  return !/BLOB|REAL|FLOA|DOUB/.test(type);
}
