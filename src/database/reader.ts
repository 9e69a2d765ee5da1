// What reading a catalogue takes, whatever database it is in: queries by Kysely's builders, each compiled for the database it goes to,
// and what databases do differently.

import type { RawBuilder, RootOperationNode, SqlBool } from 'kysely';
import type { Finding } from '../findings.ts';
import type { Group, Grouping, IdRange } from './read/groups.ts';
import type { Column } from './schema/columns.ts';
import type { TableName } from './schema/tables.ts';

/** A query of the builders, or `sql`. */
export interface Query {
  toOperationNode(): RootOperationNode;
}

export type DatabaseKind = 'sqlite' | 'postgres';

/** One of the contract's tables as a database has it. */
export interface TableDescription {
  readonly isView: boolean;
  /** The declared types by column; '' where a view's column has none. */
  readonly types: ReadonlyMap<string, string>;
  /** Why it cannot be read, where its columns cannot even be listed. */
  readonly problem?: string;
}

/** What a transaction on a catalogue can be asked, also one that writes. Rows come as arrays, in the order of the query's columns. */
export interface CatalogueRows {
  readonly kind: DatabaseKind;
  /** As it was given, but without a password: messages and hints show it. */
  readonly path: string;
  /** All rows of a query, as the transaction sees them. @throws AppError database-unreadable, database-busy */
  rows(query: Query): Promise<unknown[][]>;
  /** The same in batches, for tables that do not fit in memory twice. Several may be under way. */
  batches(query: Query, rowsPerBatch?: number): AsyncGenerator<unknown[][]>;
  /** Where tables are looked for, for messages that find none; '' where it is the database itself. */
  readonly placeOfTables: string;
  /** Those of the contract's tables that there are. @throws AppError database-unreadable, database-busy */
  describe(): Promise<ReadonlyMap<TableName, TableDescription>>;
  /** What a column must be, where its type is not. @returns null where it may hold what the contract wants */
  typeProblem(table: TableName, column: string, rule: Column<unknown>, found: TableDescription): TypeProblem | null;
  /** Holds for whole numbers. */
  isWhole(column: string): RawBuilder<SqlBool>;
}

export interface TypeProblem {
  /** Completes "expected … to be". */
  readonly expected: string;
  readonly hint: string;
}

/** One read transaction on a catalogue, which ends with its disposal. */
export interface CatalogueReader extends CatalogueRows, AsyncDisposable {
  /**
   * Rows of a table by groups, in the order of their ids; in batches. Rows within a group come in any order.
   * @throws AppError database-unreadable, database-busy
   */
  groups(grouping: Grouping, range: IdRange | 'null', groupsPerBatch: number): AsyncGenerator<Group[]>;
  /** Holds for a time after a canonical text, and for what is not a time: it must be seen to be refused. */
  mayBeLater(table: TableName, column: string, text: string): RawBuilder<SqlBool>;
  /** Replaces text that is not in the database's encoding by UndecodableText; see sqlite/undecodable-text.ts for the arguments. */
  markUndecodable(
    of: { readonly table: TableName; readonly columns: readonly string[] },
    rows: readonly unknown[][],
    from?: number,
  ): Promise<void>;
  /** Tables whose references to rows of others nothing guards: the load checks these. */
  unguarded(views: ReadonlySet<TableName>): ReadonlySet<TableName>;
  /** What is wrong with the database as a whole. */
  readonly finding: Finding | null;
  /** Ends the transaction and begins another, which sees what was committed since. @throws AppError database-… */
  restart(): Promise<void>;
}
