// Opens a catalogue for reading: read-only, one transaction for everything (law 6). The one file that knows which database it
// is for reading; above it there are only compiled queries and rows.

import { existsSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { Kysely, SqliteDialect, type Compilable } from 'kysely';
import { AppError, driverError, messageOf, shellWord, systemCodeOf } from '../errors.ts';
import type { CatalogueTables } from './schema/tables.ts';

/** One read transaction on a catalogue. Rows come as arrays, in the order of the query's columns. */
export interface CatalogueReader {
  /** Builds queries; what it builds goes to `rows`. */
  readonly db: Kysely<CatalogueTables>;
  /** All rows of a query, as the transaction sees them. @throws AppError database-unreadable, database-busy */
  rows(query: Compilable): Promise<unknown[][]>;
  /** The same in batches, for tables that do not fit in memory twice. */
  batches(query: Compilable, rowsPerBatch: number): AsyncGenerator<unknown[][]>;
  /** How the database keeps its journal: 'wal' does not block the operator's writers while we read. */
  readonly journalMode: string;
  /** Ends the transaction and begins another: what was committed since is seen. @throws AppError database-… */
  restart(): Promise<void>;
  /** Ends the transaction and closes. */
  close(): Promise<void>;
}

/**
 * Opens an SQLite catalogue and begins its transaction; the snapshot stands from here on.
 * @throws AppError database-missing, database-unreadable, database-busy
 */
export async function openCatalogue(path: string): Promise<CatalogueReader> {
  if (!existsSync(path)) {
    throw new AppError(
      'database-missing',
      `expected a catalogue database at ${path}, found nothing`,
      `make one: playbill import FILE.ndjson --db ${shellWord(path)} (or name another with --db)`,
    );
  }
  if (!statSync(path).isFile()) {
    throw new AppError(
      'database-unreadable',
      `expected a database file at ${path}, found something that is no file`,
      'name a file with --db',
    );
  }
  return readErrors(path, () => {
    const handle = new Database(path, { readonly: true, fileMustExist: true });
    try {
      // Measured: mapping the file or a larger cache costs memory and gains nothing on one pass.
      handle.pragma('mmap_size = 0');
      handle.pragma('cache_size = -8192');
      const journalMode = String(handle.pragma('journal_mode', { simple: true }));
      begin(handle);
      return new SqliteReader(handle, path, journalMode);
    } catch (error) {
      handle.close();
      throw error;
    }
  });
}

class SqliteReader implements CatalogueReader {
  readonly db: Kysely<CatalogueTables>;
  readonly journalMode: string;
  readonly #handle: Database.Database;
  readonly #path: string;
  /** By their text: a load asks the same of range after range. */
  readonly #statements = new Map<string, Database.Statement>();

  constructor(handle: Database.Database, path: string, journalMode: string) {
    this.#handle = handle;
    this.#path = path;
    this.journalMode = journalMode;
    this.db = new Kysely<CatalogueTables>({ dialect: new SqliteDialect({ database: handle }) });
  }

  async rows(query: Compilable): Promise<unknown[][]> {
    return readErrors(this.#path, () => {
      const { sql, parameters } = query.compile();
      const statement = this.#statements.get(sql) ?? this.#handle.prepare(sql).raw(true);
      this.#statements.set(sql, statement);
      return rowsOnly(statement.all(...parameters));
    });
  }

  async *batches(query: Compilable, rowsPerBatch: number): AsyncGenerator<unknown[][]> {
    const { sql, parameters } = query.compile();
    const rows = readErrors(this.#path, () =>
      this.#handle
        .prepare(sql)
        .raw(true)
        .iterate(...parameters),
    );
    try {
      for (;;) {
        const batch: unknown[][] = [];
        readErrors(this.#path, () => {
          while (batch.length < rowsPerBatch) {
            const { done, value } = rows.next();
            if (done === true) return;
            batch.push(rowOnly(value));
          }
        });
        if (batch.length > 0) yield batch;
        if (batch.length < rowsPerBatch) return;
      }
    } finally {
      rows.return?.();
    }
  }

  async restart(): Promise<void> {
    readErrors(this.#path, () => {
      this.#handle.exec('commit');
      begin(this.#handle);
    });
  }

  async close(): Promise<void> {
    await this.db.destroy();
    if (this.#handle.open) this.#handle.close();
  }
}

/** Begins a read transaction. A plain begin reads nothing yet: the first read takes the snapshot. */
function begin(handle: Database.Database): void {
  handle.exec('begin');
  handle.prepare('select count(*) from sqlite_schema').get();
}

/** The driver gives arrays in raw mode, which its types do not say. */
function rowsOnly(rows: unknown[]): unknown[][] {
  return rows as unknown[][];
}

function rowOnly(row: unknown): unknown[] {
  return row as unknown[];
}

/** Runs a read, and turns the driver's errors into ours. */
function readErrors<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw databaseError(path, error);
  }
}

/** What an error of the SQLite driver means to the one who typed the command; other errors pass unchanged. */
export function databaseError(path: string, error: unknown): unknown {
  const code = systemCodeOf(error);
  if (!code.startsWith('SQLITE_')) return driverError(error) ?? error;
  const message = messageOf(error);
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new AppError(
      'database-busy',
      `${path} is locked by a writer: ${message}`,
      'try again, or switch it to WAL once: sqlite3 FILE "PRAGMA journal_mode=WAL"',
      error,
    );
  }
  if (code === 'SQLITE_CANTOPEN') {
    const hint =
      'check the permissions; a database in WAL mode on a read-only mount does not open: copy it, or switch it with PRAGMA journal_mode=DELETE';
    return new AppError('database-unreadable', `${path} cannot be opened: ${message}`, hint, error);
  }
  return new AppError(
    'database-unreadable',
    `expected a readable SQLite catalogue at ${path}, found: ${message}`,
    'check the file with: sqlite3 FILE "PRAGMA integrity_check"',
    error,
  );
}
