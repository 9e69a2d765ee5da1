// The interface for reading a catalogue, which each database implements: queries made with Kysely's
// builders, and what databases do differently.

import type { RawBuilder, RootOperationNode, SqlBool } from 'kysely';
import type { Finding } from '../findings.ts';
import type { Group, Grouping, GroupRange } from './load/groups.ts';
import type { Column } from './contract/columns.ts';
import type { TableName } from './contract/tables.ts';

/** What Kysely's builders and `sql` make. */
export interface Query {
  toOperationNode(): RootOperationNode;
}

export type DatabaseKind = 'sqlite' | 'postgres';

/** A row that has marks in place of what an expression of its view throws for. */
export interface FailedRow {
  readonly columns: ReadonlySet<string>;
  readonly finding: Finding;
}

/** Where rows come from. */
export interface RowSource {
  readonly kind: DatabaseKind;
  /** The rows that have marks, by location. */
  readonly failedRows: ReadonlyMap<string, FailedRow>;
}

/** One of the contract's tables as a database has it. */
export interface TableDescription {
  readonly isView: boolean;
  /** Declared types by column; '' for a view's column without one. */
  readonly types: ReadonlyMap<string, string>;
  /** Set where the columns cannot even be listed: why. */
  readonly problem?: string;
}

/**
 * A transaction on a catalogue, reading or writing. Rows are arrays, in the order of the query's
 * columns.
 */
export interface CatalogueRows extends RowSource {
  /** As given, without a password: for messages and hints. */
  readonly path: string;
  /**
   * All rows of a query. A reader gives rows for which an expression throws with marks
   * (load/failing-rows.ts).
   * @throws AppError database-unreadable, database-busy, view-failed
   */
  rows(query: Query): Promise<unknown[][]>;
  /** The same in batches, for large tables. Several queries may be in progress at once. */
  batches(query: Query, rowsPerBatch?: number): AsyncGenerator<unknown[][]>;
  /** Completes `expected a table "fronts"`: the schemas that are searched, or ''. */
  readonly locationOfTables: string;
  /** The same as SQL, for a search_path: `storefront, public`; '' where no schema is searched. */
  readonly schemas: string;
  /** The contract's tables that exist. @throws AppError database-unreadable, database-busy */
  describe(): Promise<ReadonlyMap<TableName, TableDescription>>;
  /**
   * Names of the other tables and views where the contract's are looked for, sorted.
   * @throws AppError database-unreadable, database-busy
   */
  otherTables(): Promise<readonly string[]>;
  /** What is wrong with the type of a column; null where it can hold the contract's values. */
  typeProblem(table: TableName, column: string, rule: Column<unknown>, found: TableDescription): TypeProblem | null;
  /** SQL for the id of a row of a table, as the text that the load makes of it. */
  idAsText(table: TableName): RawBuilder<string>;
}

export interface TypeProblem {
  /** Completes "expected … to be". */
  readonly expected: string;
}

/** One read transaction on a catalogue. Disposing of it ends the transaction. */
export interface CatalogueReader extends CatalogueRows, AsyncDisposable {
  /**
   * Rows of a table in groups, by the id of the group, in batches. Rows within a group come in any
   * order.
   * @throws AppError database-unreadable, database-busy
   */
  groups(grouping: Grouping, range: GroupRange, groupsPerBatch: number): AsyncGenerator<Group[]>;
  /**
   * SQL that is true of a time after a canonical text, and of anything that is no time: the load
   * has to see that to refuse it.
   */
  isPossiblyLater(table: TableName, column: string, text: string): RawBuilder<SqlBool>;
  /**
   * Whether to join sessions and tiers would compute all that their views give once more, which may
   * take as long as the build. SQLite computes of a view only the columns that a query names.
   */
  readonly areJoinsDear: boolean;
  /** SQL that is true where two columns, such as `s.id`, have one id: 7 and '7' are two. */
  readonly isSameId: (one: string, other: string) => RawBuilder<SqlBool>;
  /**
   * Replaces text that is not in the database's encoding with UndecodableText; the arguments are
   * those of sqlite/values.ts.
   */
  markUndecodable(
    of: { readonly table: TableName; readonly columns: readonly string[] },
    rows: readonly unknown[][],
    from?: number,
  ): Promise<void>;
  /** Tables without foreign keys that can be relied on: the load checks their references itself. */
  withoutForeignKeys(views: ReadonlySet<TableName>): ReadonlySet<TableName>;
  /** A finding on the database as a whole. */
  readonly finding: Finding | null;
  /**
   * What is damaged in a file, whatever its rows say; reads all of it.
   * @throws AppError database-unreadable, database-busy
   */
  damage(): Promise<readonly Finding[]>;
  /**
   * Checks, after the last read, that everything came from one state (law 6): on a server, tables
   * may have been replaced meanwhile.
   * @throws AppError database-busy
   */
  confirmOneState(): Promise<void>;
  /**
   * Ends the transaction and begins a new one, which sees what was committed meanwhile.
   * @throws AppError database-…
   */
  restart(): Promise<void>;
  /**
   * The same, for one of several processes that must all read one state.
   * @returns what is equal in two of them only if their states are
   * @throws AppError database-…
   */
  restartIdentified(): Promise<string>;
}
