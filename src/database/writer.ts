// The interface for writing a catalogue, which each database implements: one transaction, in which
// rows are inserted or updated, each refusal naming its row; and staged tables, which a mirror
// compares with the catalogue's.

import type { RawBuilder } from 'kysely';
import { AppError } from '../errors.ts';
import type { CatalogueRows, Query } from './reader.ts';
import type { TableName } from './contract/tables.ts';

export type HeldIds = 'integers' | 'text' | 'both';

/** Why a database refuses a row or a change. */
export type RefusedKind =
  /** Another row has its primary key. */
  | 'key'
  /** Another row has the value of a unique column. */
  | 'unique'
  | 'not-null'
  /** A CHECK or a trigger. */
  | 'check'
  /** The type of a column does not hold the value. */
  | 'type'
  /** The database's encoding does not have a character. */
  | 'encoding'
  /** It refers to a row that does not exist, or an existing row refers to it. */
  | 'foreign-key'
  /** The table lacks the key that replacing rows needs. */
  | 'no-key'
  /** It is a view, or not a table at all. */
  | 'no-rows'
  /** A trigger, rule or policy of the operator's left the row as it was, without an error. */
  | 'ignored';

/**
 * The database refused a row or a change; the transaction is still usable. The message is the
 * database's.
 */
export class RefusedChange extends Error {
  readonly kind: RefusedKind;

  constructor(kind: RefusedKind, message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'RefusedChange';
    this.kind = kind;
  }
}

/** The answer to a COMMIT was lost: either everything was changed or nothing. */
export class UnansweredCommit extends AppError {
  constructor(
    path: string,
    found: string,
    cause: unknown,
    code: 'database-unreachable' | 'database-not-writable' = 'database-unreachable',
  ) {
    const message = `expected an answer to COMMIT from ${path}, found: ${found}; either everything is changed or nothing`;
    super(code, message, 'see which, for example by: playbill export', cause);
  }
}

/** A row as columns and values in the same order, and where it was read, for messages. */
export interface InputRow {
  readonly table: TableName;
  readonly columns: readonly string[];
  readonly values: readonly unknown[];
  readonly location: string;
}

export interface RefusedRow {
  readonly row: InputRow;
  readonly refusal: RefusedChange;
}

/**
 * The catalogue's table, or the temporary one of the same name that rows are staged in and that
 * hides it.
 */
export type Side = 'kept' | 'staged';

/** A write transaction on a catalogue; `keep` or `discard` ends it. */
export interface CatalogueWriter extends CatalogueRows {
  /** The command that runs the SQL after it, for hints. */
  readonly shellCommand: string;
  /** Whether this transaction made the catalogue. */
  readonly isNew: boolean;
  /**
   * A folder in which the catalogue was made and that could not be removed; null if there is none.
   * The next writer removes it.
   */
  readonly leftBehind: string | null;
  /** Whether the transaction is open: a trigger may have rolled it back. */
  readonly isOpen: boolean;
  /**
   * Which ids a column can hold that may have both by the contract: of the other type, a database
   * would refuse some and silently convert others.
   * @throws AppError database-…
   */
  idsIn(table: TableName, column: string): Promise<HeldIds>;
  /**
   * Inserts rows into one table, or replaces those with the same keys. Continues after a refusal
   * until there are `refusalsMax`. A column that a row leaves out gets its default.
   * @throws AppError database-…
   */
  insert(
    rows: readonly InputRow[],
    how: { readonly into: Side; readonly isReplacing: boolean },
    refusalsMax: number,
  ): Promise<readonly RefusedRow[]>;
  /**
   * Gives kept rows the values of staged rows with the same keys. The rows have all columns and are
   * sorted by key.
   */
  update(rows: readonly InputRow[], refusalsMax: number): Promise<readonly RefusedRow[]>;
  /** Runs one statement that changes rows of a table. @throws RefusedChange; AppError database-… */
  change(table: TableName, query: Query): Promise<void>;

  /**
   * Makes empty tables to stage rows in; of the constraints they have only keys and unique columns.
   * @throws AppError database-…
   */
  stage(tables: readonly TableName[]): Promise<void>;
  unstage(tables: readonly TableName[]): Promise<void>;
  /**
   * Prevents others from writing to these tables until the transaction ends.
   * @throws AppError database-…
   */
  lock(tables: readonly TableName[]): Promise<void>;
  /** The name of a table, for a statement that changes it. */
  nameOf(side: Side, table: TableName): RawBuilder<unknown>;
  /** A table as a source of rows with the contract's values; staged rows also have LOCATION. */
  rowsOf(side: Side, table: TableName): RawBuilder<unknown>;
  /**
   * From here on the kept tables are found under their names again, by triggers and by queries that
   * name no side.
   */
  uncoverKept(): Promise<void>;
  /** SQL for text that no row has. */
  readonly randomText: RawBuilder<string>;

  /**
   * Commits and closes; only then is a new catalogue at its path. After a RefusedChange the
   * transaction is still open.
   * @throws RefusedChange; UnansweredCommit; AppError database-…
   */
  keep(): Promise<void>;
  /** Undoes everything that was not kept. May be called at any time and more than once. */
  discard(): Promise<void>;
  /** The same at once, for a process that is about to end. */
  abort(): void;
}

/** Completes "found" for a refusal of kind 'ignored'. */
export const IGNORED = 'no error, and a row that is not written';

/** The column of staged tables that says where the row was read. */
export const LOCATION = 'import_location';
