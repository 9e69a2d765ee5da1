// Reads a catalogue in an SQLite file: read-only, one transaction for everything (law 6).

import { existsSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { createQueryId, sql, SqliteQueryCompiler, type CompiledQuery, type RawBuilder, type SqlBool } from 'kysely';
import { AppError, shellWord } from '../../errors.ts';
import type { Finding } from '../../findings.ts';
import type { Group, Grouping, IdRange } from '../read/groups.ts';
import type { CatalogueReader, CatalogueRows, Query, TableDescription } from '../reader.ts';
import type { TableName } from '../schema/tables.ts';
import { describeTables, typeProblem } from './describe.ts';
import { readErrors } from './errors.ts';
import { groupedQuery, groupOf, strictTables } from './grouped-query.ts';
import { markUndecodable } from './undecodable-text.ts';

/**
 * Opens an SQLite catalogue and begins its transaction: the snapshot is fixed from here on.
 * @throws AppError database-missing, database-unreadable, database-busy
 */
export async function openSqlite(path: string): Promise<CatalogueReader> {
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

/** Reads through a connection to SQLite. `guard` runs each read and turns the driver's errors into ours. */
export class SqliteRows implements CatalogueRows {
  readonly kind = 'sqlite';
  readonly path: string;
  readonly handle: Database.Database;
  readonly #guard: typeof readErrors;
  readonly placeOfTables = '';
  readonly schemas = '';
  readonly typeProblem = typeProblem;
  /** Prepared statements by text: a load repeats some queries. */
  readonly #statements = new Map<string, Database.Statement<unknown[], unknown[]>>();

  constructor(path: string, handle: Database.Database, guard: typeof readErrors) {
    this.path = path;
    this.handle = handle;
    this.#guard = guard;
  }

  async rows(query: Query): Promise<unknown[][]> {
    return this.#guard(this.path, () => {
      const { sql, parameters } = compiled(query);
      const statement = this.#statements.get(sql) ?? this.#prepare(sql);
      this.#statements.set(sql, statement);
      return statement.all(...parameters);
    });
  }

  async *batches(query: Query, rowsPerBatch = 1000): AsyncGenerator<unknown[][]> {
    const { sql, parameters } = compiled(query);
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

  describe(): Promise<ReadonlyMap<TableName, TableDescription>> {
    return describeTables(this);
  }

  isWhole(column: string): RawBuilder<SqlBool> {
    return sql<SqlBool>`typeof(${sql.ref(column)}) = 'integer'`;
  }

  #prepare(sql: string): Database.Statement<unknown[], unknown[]> {
    return this.handle.prepare<unknown[], unknown[]>(sql).raw(true);
  }
}

class SqliteReader extends SqliteRows implements CatalogueReader {
  readonly finding = journalModeFinding(String(this.handle.pragma('journal_mode', { simple: true })));
  /** Tables that cannot hold a BLOB; null until it is known. */
  #strict: ReadonlySet<string> | null = null;

  async *groups(grouping: Grouping, range: IdRange | 'null', groupsPerBatch: number): AsyncGenerator<Group[]> {
    this.#strict ??= await strictTables(this);
    const query = groupedQuery(grouping, range, this.#strict.has(grouping.table));
    for await (const batch of this.batches(query, groupsPerBatch)) yield batch.map(groupOf);
  }

  mayBeLater(_table: TableName, column: string, text: string): RawBuilder<SqlBool> {
    // The form of the text, with any digits.
    const pattern = text.replaceAll(/\d/g, '?');
    return sql<SqlBool>`(${sql.ref(column)} > ${text} or ${sql.ref(column)} not glob ${pattern})`;
  }

  markUndecodable(...args: Parameters<CatalogueReader['markUndecodable']>): Promise<void> {
    return markUndecodable(this, ...args);
  }

  /** Foreign keys guard tables. */
  unguarded(views: ReadonlySet<TableName>): ReadonlySet<TableName> {
    return views;
  }

  /** Nothing to do: a snapshot has the schema, too. */
  async confirmOneState(): Promise<void> {}

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

const compiler = new SqliteQueryCompiler();

export function compiled(query: Query): CompiledQuery {
  return compiler.compileQuery(query.toOperationNode(), createQueryId());
}

/** In WAL mode a reader does not block the operator's writers. */
function journalModeFinding(journalMode: string): Finding | null {
  if (journalMode === 'wal') return null;
  const message = `expected WAL, found ${journalMode}: a long build then blocks the writers; sqlite3 FILE "PRAGMA journal_mode=WAL"`;
  return { severity: 'warning', code: 'journal-mode-not-wal', place: 'database', message };
}

/** Begins a read transaction. A plain begin reads nothing yet: the first read takes the snapshot. */
function begin(handle: Database.Database): void {
  handle.exec('begin');
  handle.prepare('select count(*) from sqlite_schema').get();
}
