// Opens a catalogue to write rows into, in one transaction: an existing one in its place; a new one beside its place, from
// data/schema.sql, so that until it is complete nothing is seen under its name. Knows no rows.

import { closeSync, existsSync, fsyncSync, openSync, readFileSync } from 'node:fs';
import { renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import type { Compilable } from 'kysely';
import { AppError, messageOf, systemCodeOf } from '../errors.ts';
import { makeFolder } from '../make-folder.ts';
import { makeImportFolder, sweepImportFolders, type ImportFolder } from './write/import-folder.ts';
import { databaseError } from './open.ts';

const SCHEMA = new URL('../../data/schema.sql', import.meta.url);

/** A catalogue with a write transaction on it. Either `keep` or `discard` ends it. */
export class WritableCatalogue {
  readonly path: string;
  readonly handle: Database.Database;
  /** The folder in which a new catalogue is being made; null where there was one. */
  readonly #importFolder: ImportFolder | null;

  private constructor(path: string, handle: Database.Database, importFolder: ImportFolder | null) {
    this.path = path;
    this.handle = handle;
    this.#importFolder = importFolder;
  }

  /**
   * Opens the catalogue at `path`, or begins to make one, and the folders above it.
   * @throws AppError database-unreadable, database-busy, database-not-writable
   */
  static open(path: string): WritableCatalogue {
    sweepImportFolders(path);
    if (!existsSync(path)) return WritableCatalogue.#make(path);
    if (!statSync(path).isFile()) {
      throw new AppError(
        'database-unreadable',
        `expected a database file at ${path}, found something that is no file`,
        'name a file with --db',
      );
    }
    return writing(path, () => begin(new WritableCatalogue(path, new Database(path, { fileMustExist: true }), null)));
  }

  static #make(path: string): WritableCatalogue {
    return writing(path, () => {
      makeFolder(dirname(path));
      const folder = makeImportFolder(path);
      try {
        return begin(new WritableCatalogue(path, new Database(folder.databasePath), folder));
      } catch (error) {
        folder.remove();
        throw error;
      }
    });
  }

  get isNew(): boolean {
    return this.#importFolder !== null;
  }

  /** All rows of a query, as the transaction sees them. @throws AppError database-unreadable, database-busy */
  async rows(query: Compilable): Promise<unknown[][]> {
    return writing(this.path, () => this.#statement(query).all());
  }

  /** The same in batches. */
  async *batches(query: Compilable, rowsPerBatch: number): AsyncGenerator<unknown[][]> {
    let batch: unknown[][] = [];
    for (const row of this.#statement(query).iterate()) {
      batch.push(row);
      if (batch.length < rowsPerBatch) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  #statement(query: Compilable): Database.Statement<unknown[], unknown[]> {
    const { sql, parameters } = query.compile();
    return this.handle
      .prepare<unknown[], unknown[]>(sql)
      .raw(true)
      .bind(...parameters);
  }

  /**
   * Commits and closes; a new catalogue is put in its place. An error of SQLite's own is thrown as it is where a foreign key
   * is violated, and then the transaction is still open.
   * @throws AppError database-exists, database-not-writable, database-busy
   */
  keep(): void {
    writing(this.path, () => {
      this.handle.exec('commit');
      this.handle.close();
      if (this.#importFolder !== null) putInPlace(this.#importFolder.databasePath, this.path);
    });
    this.discard();
  }

  /** Lets go of everything that was not kept. May be called at any time, and again. */
  discard(): void {
    if (this.handle.open) this.handle.close();
    this.#importFolder?.remove();
  }
}

function begin(catalogue: WritableCatalogue): WritableCatalogue {
  const { handle } = catalogue;
  try {
    if (catalogue.isNew) handle.exec(readFileSync(SCHEMA, 'utf8'));
    handle.pragma('foreign_keys = ON');
    // What is reported as imported outlives a power cut, also while readers keep the journal from being folded in.
    handle.pragma('synchronous = FULL');
    handle.exec('begin immediate');
    // The order of rows does not matter: ids are looked up at the end. Holds for this transaction only.
    handle.pragma('defer_foreign_keys = ON');
    return catalogue;
  } catch (error) {
    catalogue.discard();
    throw error;
  }
}

/** Moves a finished database to its name, which nobody has taken meanwhile. */
function putInPlace(from: string, to: string): void {
  try {
    // Claims the name: of two imports that make the same catalogue, one must not overwrite the other's rows.
    closeSync(openSync(to, 'wx'));
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
    throw new AppError(
      'database-exists',
      `expected no database at ${to}, found one that was made meanwhile; nothing is imported`,
      'run the same command again to import into it',
      error,
    );
  }
  // A journal that a killed writer left beside a deleted database would be applied to this one.
  for (const suffix of ['-wal', '-shm', '-journal']) rmSync(`${to}${suffix}`, { force: true });
  renameSync(from, to);
  const folder = openSync(dirname(to), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** Runs a write, and turns errors of the driver and of the system into ours; refusals of single rows pass unchanged. */
export function writing<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    const code = systemCodeOf(error);
    if (error instanceof AppError || code.startsWith('SQLITE_CONSTRAINT')) throw error;
    const isRefused = code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_FULL') || /^E[A-Z]+$/.test(code);
    if (!isRefused && !code.startsWith('SQLITE_IOERR')) throw databaseError(path, error);
    throw new AppError(
      'database-not-writable',
      `expected to be able to write ${path}, found: ${messageOf(error)}; nothing is imported`,
      'check its permissions and the room on its disk, or name another file with --db',
      error,
    );
  }
}
