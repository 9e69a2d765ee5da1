// The contract check: whether all tables and columns of catalogue.md exist, with their types. Tables may be views over an operator's own
// schema; a view's columns often have no declared type, and then the rows' values decide.

import { sql } from 'kysely';
import { AppError, messageOf, shellWord, type ErrorCode } from '../../errors.ts';
import { anyTable } from './query-builders.ts';
import type { CatalogueReader } from '../open.ts';
import type { Column } from './columns.ts';
import { addColumnsText, canBeStub, isOtherTable, OTHER_TABLE_HINT } from './stubs.ts';
import { TEXT_ID_HINT } from './conversions.ts';
import { isId, TABLE_NAMES, TABLES, type TableName } from './tables.ts';

/** One thing in which a database falls short of the contract. */
export interface ContractProblem {
  readonly code: 'table-missing' | 'column-missing' | 'column-type-wrong';
  readonly table: TableName;
  /** `sessions` or `sessions.starts_at`. */
  readonly place: string;
  readonly column?: string;
  /** The declared type that is wrong. */
  readonly found?: string;
  readonly message: string;
  readonly hint: string;
}

type RowSource = Pick<CatalogueReader, 'rows' | 'path'>;

const ERROR_CODES = {
  'table-missing': 'contract-table-missing',
  'column-missing': 'contract-column-missing',
  'column-type-wrong': 'contract-column-type',
} as const satisfies Record<ContractProblem['code'], ErrorCode>;

/**
 * Checks the contract, and returns which of its tables are views: no foreign key guards them, so the load checks references itself.
 * @throws AppError contract-table-missing, contract-column-missing, contract-column-type, database-unreadable
 */
export async function checkContract(reader: RowSource): Promise<ReadonlySet<TableName>> {
  const { views, problems } = await examineContract(reader);
  const [first] = problems;
  if (first !== undefined) throw new AppError(ERROR_CODES[first.code], first.message, first.hint);
  return views;
}

/** The same with all problems instead of the first, and the tables that do not exist at all; views have no foreign keys and no CHECKs. @throws AppError database-unreadable, database-busy */
export async function examineContract(reader: RowSource) {
  const schema = anyTable
    .selectFrom(sql<{ name: string; type: string }>`sqlite_schema`.as('s'))
    .select(['name', 'type'])
    .where('type', 'in', ['table', 'view']);
  const kinds = new Map((await reader.rows(schema)).map(([name, type]) => [String(name), type]));
  const views = new Set<TableName>();
  const absent = new Set<TableName>();
  const problems: ContractProblem[] = [];
  for (const table of TABLE_NAMES) {
    const kind = kinds.get(table);
    if (kind === 'view') views.add(table);
    if (kind === undefined) {
      absent.add(table);
      const message = `expected a table or view "${table}", found none`;
      const orStub = canBeStub(table)
        ? `; for an empty one: playbill check-db --db ${shellWord(reader.path)} --stubs`
        : '';
      const hint = `create it as data/schema.sql does, or make a view "${table}" over your own tables${orStub}`;
      problems.push({ code: 'table-missing', table, place: table, message, hint });
    } else {
      problems.push(...(await examineTable(reader, table, kind === 'view')));
    }
  }
  return { views, problems, absent };
}

async function examineTable(reader: RowSource, table: TableName, isView: boolean): Promise<ContractProblem[]> {
  // Not table_info, which hides generated columns.
  const info = anyTable
    .selectFrom(sql<{ name: string; type: string }>`pragma_table_xinfo(${table})`.as('i'))
    .select(['name', 'type']);
  let declared: ReadonlyMap<string, string>;
  try {
    declared = new Map((await reader.rows(info)).map(([name, type]) => [String(name), String(type)]));
  } catch (error) {
    // A view over a table that was removed.
    if (!(error instanceof AppError) || error.code !== 'database-unreadable') throw error;
    const message = `expected a table or view "${table}" that can be read, found: ${messageOf(error.cause)}`;
    return [{ code: 'table-missing', table, place: table, message, hint: `mend the view "${table}"` }];
  }
  const missing = Object.keys(TABLES[table]).filter((column) => !declared.has(column));
  const isAnothers = !isView && isOtherTable(table, missing.length);
  return Object.entries(TABLES[table]).flatMap(([column, rule]): ContractProblem[] => {
    const place = `${table}.${column}`;
    const type = declared.get(column);
    if (type === undefined) {
      const found = [...declared.keys()].join(', ') || 'no columns';
      const message = `expected a column "${column}" in "${table}", found ${found}`;
      const hint = isAnothers ? OTHER_TABLE_HINT : missingHint(table, column, rule, isView);
      return [{ code: 'column-missing', table, place, column, message, hint }];
    }
    // For a view's column, BLOB only means that SQLite finds no single type, as where a UNION mixes expressions.
    if ((isView && type === 'BLOB') || mayHold(type, rule.declared)) return [];
    const message = `expected ${place} to be ${rule.declared}, found ${type}`;
    const hint = typeHint(table, column, rule.declared);
    return [{ code: 'column-type-wrong', table, place, column, found: type, message, hint }];
  });
}

function missingHint(table: TableName, column: string, rule: Column<unknown>, isView: boolean): string {
  if (rule.defaultSql !== null) return addColumnsText(table, [column], isView);
  if (column !== 'sale_schema') return `add ${table}.${column} (${rule.declared}) as in data/schema.sql`;
  const added = addColumnsText(table, [column], isView, { sale_schema: '2' });
  return `${added}, if all are sold; the other numbers are in data/README.md`;
}

/** Not a cast where it would lose something: that of 19.99 is 19, and that of 'b7c1' is 0. */
function typeHint(table: TableName, column: string, declared: string): string {
  if (column === 'amount_minor')
    return 'for a currency of two decimals: CAST(round(<price> * 100) AS INTEGER); a bare CAST cuts off the cents';
  return isId(table, column) ? TEXT_ID_HINT : `declare it as ${declared}, or cast it in a view`;
}

/** Whether a declared type may hold what the contract wants, by SQLite's rules of affinity; unknown types may. */
function mayHold(dataType: string, wanted: 'INTEGER' | 'TEXT'): boolean {
  const type = dataType.toUpperCase();
  if (type.includes('INT')) return wanted === 'INTEGER';
  if (/CHAR|CLOB|TEXT/.test(type)) return wanted === 'TEXT';
  return !/BLOB|REAL|FLOA|DOUB/.test(type);
}
