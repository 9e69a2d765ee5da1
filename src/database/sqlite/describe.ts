// Which of the contract's tables an SQLite file has, and the declared types of their columns.
// Columns of views often have none; then the values of the rows are checked.

import { sql } from 'kysely';
import { AppError, messageOf } from '../../errors.ts';
import type { CatalogueRows, TableDescription, TypeProblem } from '../reader.ts';
import type { Column } from '../contract/columns.ts';
import { anyTable } from '../contract/query-builders.ts';
import { TABLE_NAMES, type TableName } from '../contract/tables.ts';

type RowSource = Pick<CatalogueRows, 'rows'>;

/** @throws AppError database-unreadable, database-busy */
export async function describeTables(reader: RowSource): Promise<ReadonlyMap<TableName, TableDescription>> {
  const kinds = await kindsOfTables(reader);
  const described = new Map<TableName, TableDescription>();
  for (const table of TABLE_NAMES) {
    const kind = kinds.get(table);
    if (kind !== undefined) described.set(table, await describeTable(reader, table, kind === 'view'));
  }
  return described;
}

/** See CatalogueRows. */
export async function otherTables(reader: RowSource): Promise<readonly string[]> {
  const ours: ReadonlySet<string> = new Set(TABLE_NAMES);
  const names = [...(await kindsOfTables(reader)).keys()];
  return names.filter((name) => !ours.has(name) && !name.startsWith('sqlite_')).sort();
}

/** `table` or `view`, by name. */
async function kindsOfTables(reader: RowSource): Promise<ReadonlyMap<string, unknown>> {
  const schema = anyTable
    .selectFrom(sql<{ name: string; type: string }>`sqlite_schema`.as('s'))
    .select(['name', 'type'])
    .where('type', 'in', ['table', 'view']);
  return new Map((await reader.rows(schema)).map(([name, type]) => [String(name), type]));
}

async function describeTable(reader: RowSource, table: TableName, isView: boolean): Promise<TableDescription> {
  // Not table_info, which hides generated columns.
  const info = anyTable
    .selectFrom(sql<{ name: string; type: string }>`pragma_table_xinfo(${table})`.as('i'))
    .select(['name', 'type']);
  try {
    return { isView, types: new Map((await reader.rows(info)).map(([name, type]) => [String(name), String(type)])) };
  } catch (error) {
    // A view over a table that was removed.
    if (!(error instanceof AppError) || error.code !== 'database-unreadable') throw error;
    return { isView, types: new Map(), problem: messageOf(error.cause) };
  }
}

/** See CatalogueRows. */
export function typeProblem(
  _table: TableName,
  column: string,
  { declared, mayBeText }: Column<unknown>,
  { isView, types }: TableDescription,
): TypeProblem | null {
  const type = types.get(column) ?? '';
  const wanted = mayBeText === true ? (['INTEGER', 'TEXT'] as const) : [declared];
  // For a view's column, BLOB only means that SQLite finds no single type, as where a UNION mixes
  // expressions.
  if ((isView && type === 'BLOB') || wanted.some((one) => mayHold(type, one))) return null;
  return { expected: wanted.join(' or ') };
}

/**
 * Whether a declared type can hold the contract's values, by SQLite's rules of affinity; an unknown
 * type can.
 */
function mayHold(dataType: string, wanted: 'INTEGER' | 'TEXT'): boolean {
  const type = dataType.toUpperCase();
  if (type.includes('INT')) return wanted === 'INTEGER';
  if (/CHAR|CLOB|TEXT/.test(type)) return wanted === 'TEXT';
  return !/BLOB|REAL|FLOA|DOUB/.test(type);
}
