// What writing a catalogue takes, whatever database it is in: one transaction; rows that are inserted, updated or refused, and named where
// they are refused; and staged tables, which a mirror compares with those of the catalogue.

import type { RawBuilder } from 'kysely';
import { AppError } from '../errors.ts';
import type { CatalogueRows, Query } from './reader.ts';
import type { TableName } from './schema/tables.ts';

/** Why a database refuses a row or a change. */
export type RefusalKind =
  /** Another row has its primary key. */
  | 'key'
  /** Another row has a value that must be its own. */
  | 'unique'
  | 'not-null'
  /** A CHECK or a trigger. */
  | 'check'
  /** The type of a column does not hold the value. */
  | 'type'
  /** The database's encoding does not have a character. */
  | 'encoding'
  /** It refers to a row that is not there, or a row that stays refers to it. */
  | 'foreign-key'
  /** A table that lacks the key by which rows are replaced. */
  | 'no-key'
  /** A view, or no table. */
  | 'no-rows'
  /** Something of the operator's keeps the row as it was, without an error. */
  | 'ignored';

/** A row or a change that the database refuses; the transaction goes on. The message is the database's. */
export class Refusal extends Error {
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'Refusal';
    this.kind = kind;
  }
}

/** The answer to a commit was lost: either everything is changed or nothing. */
export class UnansweredCommit extends AppError {
  constructor(path: string, found: string, cause: unknown) {
    const message = `expected an answer to COMMIT from ${path}, found: ${found}; either everything is changed or nothing`;
    super('database-unreachable', message, 'see which, for example by: playbill export', cause);
  }
}

/** A row: its columns and their values, in the same order; and where it was read, for messages. */
export interface PlacedRow {
  readonly table: TableName;
  readonly columns: readonly string[];
  readonly values: readonly unknown[];
  readonly place: string;
}

export interface RefusedRow {
  readonly row: PlacedRow;
  readonly refusal: Refusal;
}

/** The catalogue's own table, or the one of the same name that rows are staged in. The staged one hides the other. */
export type Side = 'kept' | 'staged';

/** A catalogue with a write transaction on it. Either `keep` or `discard` ends it. */
export interface CatalogueWriter extends CatalogueRows {
  /** Whether there was none. */
  readonly isNew: boolean;
  /** Whether the transaction still stands: a trigger may have rolled it back. */
  readonly isOpen: boolean;
  /**
   * Inserts rows of one table, or replaces those with their keys, and goes on after a refusal until there are `refusalsMax`. Columns that a
   * row leaves out get their default. @throws AppError database-…
   */
  insert(
    rows: readonly PlacedRow[],
    how: { readonly into: Side; readonly isReplacing: boolean },
    refusalsMax: number,
  ): Promise<readonly RefusedRow[]>;
  /** Updates the kept rows with the keys of staged ones that differ. The rows have all columns, and are in the order of their keys. */
  update(rows: readonly PlacedRow[], refusalsMax: number): Promise<readonly RefusedRow[]>;
  /** Changes rows of a table together. @throws Refusal; AppError database-… */
  change(table: TableName, query: Query): Promise<void>;

  /** Makes empty tables to stage rows in. Only what concerns several rows of the input is checked there. @throws AppError database-… */
  stage(tables: readonly TableName[]): Promise<void>;
  unstage(tables: readonly TableName[]): Promise<void>;
  /** Keeps others from writing to these tables until the transaction ends. @throws AppError database-… */
  lock(tables: readonly TableName[]): Promise<void>;
  /** A table in a statement that changes it. */
  nameOf(side: Side, table: TableName): RawBuilder<unknown>;
  /** A table as it is read: with values as the contract has them, and where staged rows were read. */
  rowsOf(side: Side, table: TableName): RawBuilder<unknown>;
  /** From here on, triggers find the kept tables under their names, and so do queries that name no side. */
  uncoverKept(): Promise<void>;
  /** Text that no row has, in SQL. */
  readonly randomText: RawBuilder<string>;

  /**
   * Commits and closes; a new catalogue is then where it was to be. After a Refusal the transaction is still open.
   * @throws Refusal; UnansweredCommit; AppError database-…
   */
  keep(): Promise<void>;
  /** Undoes everything that was not kept. May be called at any time, and repeatedly. */
  discard(): Promise<void>;
  /** The same at once, for a process that is about to end. */
  abort(): void;
}

/** What is found where a refusal is 'ignored'. */
export const IGNORED = 'no error, and a row that is not written';

/** The column of a staged table that says where a row was read. */
export const PLACE = 'import_place';
