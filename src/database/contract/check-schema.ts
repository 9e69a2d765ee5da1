// The contract check: whether all tables and columns exist that a catalogue may not lack, with the
// right types. Tables may be views over an operator's own schema; where a view's column has no
// declared type, the values of the rows are checked instead.

import { AppError, type ErrorCode } from '../../errors.ts';
import type { CatalogueRows, DatabaseKind, TableDescription } from '../reader.ts';
import { SCHEMA_FILES } from '../schema-file.ts';
import { mayColumnBeAbsent, mayTableBeAbsent, misspelled } from './absence.ts';
import type { Column } from './columns.ts';
import { addColumnsText, columnsOf, keysTableText, OTHER_TABLE_HINTS } from './added-columns.ts';
import { hintFor } from './hints.ts';
import { TABLE_NAMES, type TableName } from './tables.ts';

/** One way in which a database does not meet the contract. */
export interface ContractProblem {
  readonly code: 'table-missing' | 'column-missing' | 'column-misspelled' | 'column-type-wrong';
  readonly table: TableName;
  /** `sessions` or `sessions.starts_at`. */
  readonly location: string;
  readonly column?: string;
  readonly message: string;
  readonly hint: string;
}

type RowSource = Pick<CatalogueRows, 'describe' | 'typeProblem' | 'kind' | 'locationOfTables'>;

const ERROR_CODES = {
  'table-missing': 'contract-table-missing',
  'column-missing': 'contract-column-missing',
  'column-misspelled': 'contract-column-misspelled',
  'column-type-wrong': 'contract-column-type',
} as const satisfies Record<ContractProblem['code'], ErrorCode>;

/** What a catalogue has of the contract. */
export interface ContractFound {
  /** The tables that are views. */
  readonly views: ReadonlySet<TableName>;
  /** What it lacks and may lack, in the contract's order: `tags`, `sessions.paused`. */
  readonly absent: readonly string[];
}

/**
 * Checks the contract. Of the tables in `whole`, which the run writes into, nothing may be absent.
 * @throws AppError contract-table-missing, contract-column-missing, contract-column-misspelled,
 * contract-column-type, database-unreadable
 */
export async function checkContract(reader: RowSource, whole: readonly TableName[] = []): Promise<ContractFound> {
  const { problems, ...found } = await examineContract(reader, whole);
  const [first] = problems;
  if (first !== undefined) throw new AppError(ERROR_CODES[first.code], first.message, first.hint);
  return found;
}

/**
 * The same with all problems instead of the first.
 * @throws AppError database-unreadable, database-busy
 */
export async function examineContract(
  reader: RowSource,
  whole: readonly TableName[] = [],
): Promise<ContractFound & { readonly problems: readonly ContractProblem[] }> {
  const described = await reader.describe();
  const views = new Set<TableName>();
  const absent: string[] = [];
  const problems: ContractProblem[] = [];
  for (const table of TABLE_NAMES) {
    const description = described.get(table);
    if (description?.isView === true) views.add(table);
    if (description !== undefined) {
      const examined = examineTable(reader, table, described, description, whole.includes(table));
      absent.push(...examined.absent);
      problems.push(...examined.problems);
    } else if (mayTableBeAbsent(table) && !whole.includes(table)) absent.push(table);
    else {
      const message = `expected a table or view "${table}"${reader.locationOfTables}, found none`;
      const orElse =
        table === 'front_keys'
          ? `, or beside views: ${keysTableText(reader.kind, described.get('fronts')?.types.get('id'))}`
          : `, or make a view "${table}" over your own tables`;
      const hint = `create it as ${SCHEMA_FILES[reader.kind]} does${orElse}`;
      problems.push({ code: 'table-missing', table, location: table, message, hint });
    }
  }
  return { views, absent, problems };
}

/** What must be there where a column is absent: each of the two says when a session starts, or in which zone. */
const OTHER_OF: Readonly<Record<string, { readonly table: TableName; readonly column: string }>> = {
  'sessions.starts_at': { table: 'sessions', column: 'starts_local' },
  'venues.timezone': { table: 'sessions', column: 'timezone' },
};

function examineTable(
  reader: RowSource,
  table: TableName,
  described: ReadonlyMap<TableName, TableDescription>,
  description: TableDescription,
  isWhole: boolean,
): { readonly absent: readonly string[]; readonly problems: readonly ContractProblem[] } {
  const { isView, types, problem } = description;
  if (problem !== undefined) {
    const message = `expected a table or view "${table}" that can be read, found: ${problem}`;
    return {
      absent: [],
      problems: [{ code: 'table-missing', table, location: table, message, hint: `mend the view "${table}"` }],
    };
  }
  const required = columnsOf(table).filter(([column, rule]) => !mayColumnBeAbsent(table, column, rule));
  // Most of what a table must have: it is the operator's own, and only shares the name.
  const isAnothers = !isView && required.filter(([column]) => !types.has(column)).length * 2 > required.length;
  const absent: string[] = [];
  const problems = columnsOf(table).flatMap(([column, rule]): ContractProblem[] => {
    const location = `${table}.${column}`;
    const type = types.get(column);
    if (type === undefined) {
      const similar = misspelled(table, column, types.keys());
      if (similar !== null) {
        const message = `expected a column "${column}" in "${table}", or none, found "${similar}"`;
        return [{ code: 'column-misspelled', table, location, column, message, hint: `name it ${column}` }];
      }
      const other = OTHER_OF[location];
      const isNeeded = isWhole || (other !== undefined && described.get(other.table)?.types.has(other.column) !== true);
      if (mayColumnBeAbsent(table, column, rule) && !isNeeded && !isAnothers) {
        absent.push(location);
        return [];
      }
      const found = [...types.keys()].join(', ') || 'no columns';
      const message = `expected a column "${column}" in "${table}", found ${found}`;
      const hint = isAnothers ? OTHER_TABLE_HINTS[reader.kind] : missingHint(table, column, rule, isView, reader.kind);
      return [{ code: 'column-missing', table, location, column, message, hint }];
    }
    const wrong = reader.typeProblem(table, column, rule, description);
    if (wrong === null) return [];
    const message = `expected ${location} to be ${wrong.expected}, found ${type}`;
    const hint = hintFor(reader.kind, table, column, rule);
    return [{ code: 'column-type-wrong', table, location, column, message, hint }];
  });
  return { absent, problems };
}

function missingHint(
  table: TableName,
  column: string,
  rule: Column<unknown>,
  isView: boolean,
  kind: DatabaseKind,
): string {
  if (rule.defaultSql !== null) return addColumnsText(kind, table, [column], isView);
  return `add ${table}.${column} (${rule.declared}) as in ${SCHEMA_FILES[kind]}`;
}
