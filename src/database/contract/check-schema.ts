// The contract check: whether all tables and columns exist, with the right types. Tables may be
// views over an operator's own schema; where a view's column has no declared type, the values of
// the rows are checked instead.

import { AppError, shellWord, type ErrorCode } from '../../errors.ts';
import type { CatalogueRows, DatabaseKind, TableDescription } from '../reader.ts';
import { SCHEMA_FILES } from '../schema-file.ts';
import type { Column } from './columns.ts';
import { addColumnsText, columnsOf, isOtherTable, OTHER_TABLE_HINTS } from './added-columns.ts';
import { hintFor } from './hints.ts';
import { TABLE_NAMES, type TableName } from './tables.ts';

/** One way in which a database does not meet the contract. */
export interface ContractProblem {
  readonly code: 'table-missing' | 'column-missing' | 'column-type-wrong';
  readonly table: TableName;
  /** `sessions` or `sessions.starts_at`. */
  readonly location: string;
  readonly column?: string;
  /** The declared type that is wrong. */
  readonly found?: string;
  readonly message: string;
  readonly hint: string;
}

/** Without rows in all of these no front has a card. */
const ESSENTIAL: readonly TableName[] = ['fronts', 'venues', 'products', 'front_products', 'sessions'];

/** Whether a catalogue is useful while this table is empty. */
export function canBeStub(table: TableName): boolean {
  return !ESSENTIAL.includes(table);
}

type RowSource = Pick<CatalogueRows, 'describe' | 'typeProblem' | 'path' | 'kind' | 'locationOfTables'>;

const ERROR_CODES = {
  'table-missing': 'contract-table-missing',
  'column-missing': 'contract-column-missing',
  'column-type-wrong': 'contract-column-type',
} as const satisfies Record<ContractProblem['code'], ErrorCode>;

/**
 * Checks the contract, and returns which of its tables are views.
 * @throws AppError contract-table-missing, contract-column-missing, contract-column-type,
 * database-unreadable
 */
export async function checkContract(reader: RowSource): Promise<ReadonlySet<TableName>> {
  const { views, problems } = await examineContract(reader);
  const [first] = problems;
  if (first !== undefined) throw new AppError(ERROR_CODES[first.code], first.message, first.hint);
  return views;
}

/**
 * The same with all problems instead of the first, and the tables that do not exist at all.
 * @throws AppError database-unreadable, database-busy
 */
export async function examineContract(reader: RowSource) {
  const described = await reader.describe();
  const views = new Set<TableName>();
  const absent = new Set<TableName>();
  const problems: ContractProblem[] = [];
  for (const table of TABLE_NAMES) {
    const description = described.get(table);
    if (description?.isView === true) views.add(table);
    if (description === undefined) {
      absent.add(table);
      const message = `expected a table or view "${table}"${reader.locationOfTables}, found none`;
      const orStub = canBeStub(table)
        ? `; for an empty one: playbill check-db --db ${shellWord(reader.path)} --stubs`
        : '';
      const hint = `create it as ${SCHEMA_FILES[reader.kind]} does, or make a view "${table}" over your own tables${orStub}`;
      problems.push({ code: 'table-missing', table, location: table, message, hint });
    } else {
      problems.push(...examineTable(reader, table, description));
    }
  }
  return { kind: reader.kind, views, problems, absent };
}

function examineTable(reader: RowSource, table: TableName, description: TableDescription): ContractProblem[] {
  const { isView, types, problem } = description;
  if (problem !== undefined) {
    const message = `expected a table or view "${table}" that can be read, found: ${problem}`;
    return [{ code: 'table-missing', table, location: table, message, hint: `mend the view "${table}"` }];
  }
  const missing = columnsOf(table).filter(([column]) => !types.has(column));
  const isAnothers = !isView && isOtherTable(table, missing.length);
  return columnsOf(table).flatMap(([column, rule]): ContractProblem[] => {
    const location = `${table}.${column}`;
    const type = types.get(column);
    if (type === undefined) {
      const found = [...types.keys()].join(', ') || 'no columns';
      const message = `expected a column "${column}" in "${table}", found ${found}`;
      const hint = isAnothers ? OTHER_TABLE_HINTS[reader.kind] : missingHint(table, column, rule, isView, reader.kind);
      return [{ code: 'column-missing', table, location, column, message, hint }];
    }
    const wrong = reader.typeProblem(table, column, rule, description);
    if (wrong === null) return [];
    const message = `expected ${location} to be ${wrong.expected}, found ${type}`;
    const hint = hintFor(reader.kind, table, column, rule);
    return [{ code: 'column-type-wrong', table, location, column, found: type, message, hint }];
  });
}

function missingHint(
  table: TableName,
  column: string,
  rule: Column<unknown>,
  isView: boolean,
  kind: DatabaseKind,
): string {
  if (rule.defaultSql !== null) return addColumnsText(kind, table, [column], isView);
  if (column !== 'sale_schema') return `add ${table}.${column} (${rule.declared}) as in ${SCHEMA_FILES[kind]}`;
  const added = addColumnsText(kind, table, [column], isView, { sale_schema: '2' });
  return `${added}, if all are sold; the other numbers are in data/README.md`;
}
