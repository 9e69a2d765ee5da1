// Opens a catalogue for reading: read-only, one transaction for everything (law 6). The one file that knows which database it
// is for reading; above it there are only compiled queries and rows.

import { existsSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { CompiledQuery, QueryExecutorProvider } from 'kysely';
import { AppError, driverError, messageOf, shellWord, systemCodeOf } from '../errors.ts';
import { anyTable } from './schema/query-builders.ts';

/** A query of the builders, or `sql`. */
export interface Query {
  compile(executors: QueryExecutorProvider): CompiledQuery;
}

/** One read transaction on a catalogue, which ends with its disposal. Rows come as arrays, in the order of the query's columns. */
export interface CatalogueReader extends AsyncDisposable {
  /** As it was given: hints repeat it. */
  readonly path: string;
  /** All rows of a query, as the transaction sees them. @throws AppError database-unreadable, database-busy */
  rows(query: Query): Promise<unknown[][]>;
  /** The same in batches, for tables that do not fit in memory twice. */
  batches(query: Query, rowsPerBatch?: number): AsyncGenerator<unknown[][]>;
  /** How the database keeps its journal: 'wal' does not block the operator's writers while we read. */
  readonly journalMode: string;
  /** Ends the transaction and begins another, which sees what was committed since. @throws AppError database-… */
  restart(): Promise<void>;
}

/**
 * Opens an SQLite catalogue and begins its transaction: the snapshot is fixed from here on.
 * @throws AppError database-missing, database-unreadable, database-busy
 */
export async function openCatalogue(path: string): Promise<CatalogueReader> {
  if (!existsSync(path)) throw missingError(path);
  refuseNoFile(path);
  return readErrors(path, () => {
    const handle = new Database(path, { readonly: true, fileMustExist: true });
    try {
      // Measured: mapping the file or a larger cache costs memory and gains nothing on one pass.
      handle.pragma('mmap_size = 0');
      handle.pragma('cache_size = -8192');
      begin(handle);
      return new SqliteReader(path, handle, readErrors);
    } catch (error) {
      handle.close();
      throw error;
    }
  });
}

export function missingError(path: string): AppError {
  const hint = `make one: playbill import FILE.ndjson --db ${shellWord(path)} (or name another with --db)`;
  return new AppError('database-missing', `expected a catalogue database at ${path}, found nothing`, hint);
}

/** Refuses an existing path that is not a file. @throws AppError database-unreadable */
export function refuseNoFile(path: string): void {
  if (statSync(path).isFile()) return;
  const message = `expected a database file at ${path}, found something that is not a file`;
  throw new AppError('database-unreadable', message, 'name a file with --db');
}

/** Reads through a connection to SQLite; `guard` runs each read, and turns the driver's errors into ours. */
export class SqliteRows {
  readonly path: string;
  readonly handle: Database.Database;
  readonly #guard: typeof readErrors;
  /** By their text: a load repeats its queries range after range. */
  readonly #statements = new Map<string, Database.Statement<unknown[], unknown[]>>();

  constructor(path: string, handle: Database.Database, guard: typeof readErrors) {
    this.path = path;
    this.handle = handle;
    this.#guard = guard;
  }

  async rows(query: Query): Promise<unknown[][]> {
    return this.#guard(this.path, () => {
      const { sql, parameters } = query.compile(anyTable);
      const statement = this.#statements.get(sql) ?? this.#prepare(sql);
      this.#statements.set(sql, statement);
      return statement.all(...parameters);
    });
  }

  async *batches(query: Query, rowsPerBatch = 1000): AsyncGenerator<unknown[][]> {
    const { sql, parameters } = query.compile(anyTable);
    const rows = this.#guard(this.path, () => this.#prepare(sql).iterate(...parameters));
    const nextBatch = (): unknown[][] => {
      const batch: unknown[][] = [];
      while (batch.length < rowsPerBatch) {
        const next = rows.next();
        if (next.done === true) break;
        batch.push(next.value);
      }
      return batch;
    };
    try {
      for (;;) {
        const batch = this.#guard(this.path, nextBatch);
        if (batch.length > 0) yield batch;
        if (batch.length < rowsPerBatch) return;
      }
    } finally {
      rows.return?.();
    }
  }

  #prepare(sql: string): Database.Statement<unknown[], unknown[]> {
    return this.handle.prepare<unknown[], unknown[]>(sql).raw(true);
  }
}

class SqliteReader extends SqliteRows implements CatalogueReader {
  readonly journalMode = String(this.handle.pragma('journal_mode', { simple: true }));

  async restart(): Promise<void> {
    readErrors(this.path, () => {
      this.handle.exec('commit');
      begin(this.handle);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.handle.close();
  }
}

/** Begins a read transaction. A plain begin reads nothing yet: the first read takes the snapshot. */
function begin(handle: Database.Database): void {
  handle.exec('begin');
  handle.prepare('select count(*) from sqlite_schema').get();
}

/** Runs a read, and turns the driver's errors into ours. */
function readErrors<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw databaseError(path, error);
  }
}

/** An error of the SQLite driver in terms of the command that was run; other errors pass unchanged. */
export function databaseError(path: string, error: unknown): unknown {
  const code = systemCodeOf(error);
  if (!code.startsWith('SQLITE_')) return driverError(error) ?? error;
  const message = messageOf(error);
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    const hint = 'try again, or switch it to WAL once: sqlite3 FILE "PRAGMA journal_mode=WAL"';
    return new AppError('database-busy', `${path} is locked by a writer: ${message}`, hint, error);
  }
  // Of a reader SQLITE_READONLY means that SQLite itself was to write: -shm and -wal, which readers of a WAL database share.
  if (code === 'SQLITE_CANTOPEN' || code.startsWith('SQLITE_READONLY')) {
    const hint =
      'check the permissions; beside a database in WAL mode SQLite writes a -shm file, even to read it: let this user write to its folder, ' +
      'build from a copy, or switch it once: sqlite3 FILE "PRAGMA journal_mode=DELETE"';
    return new AppError('database-unreadable', `${path} cannot be opened: ${message}`, hint, error);
  }
  const expected = `expected a readable SQLite catalogue at ${path}, found: ${message}`;
  const hint = 'check the file with: sqlite3 FILE "PRAGMA integrity_check"';
  return new AppError('database-unreadable', expected, hint, error);
}
