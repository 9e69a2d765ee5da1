// Writes a catalogue in an SQLite file, in one transaction: an existing file in place; a new one, from data/schema.sql, beside its path, so
// that nothing appears there until it is complete.

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { sql, type RawBuilder } from 'kysely';
import { AppError, messageOf, shellWord, systemCodeOf } from '../../errors.ts';
import { isLockRefusal } from '../../file-lock.ts';
import { makeFolder } from '../../make-folder.ts';
import type { Query } from '../reader.ts';
import { quoted } from '../contract/row-checker.ts';
import { TABLE_RULES, TABLES, type TableName } from '../contract/tables.ts';
import { schemaText } from '../schema-file.ts';
import { insertText, leavesExisting, updateText } from '../write/row-statements.ts';
import {
  IGNORED,
  PLACE,
  Refusal,
  UnansweredCommit,
  type CatalogueWriter,
  type PlacedRow,
  type RefusalKind,
  type RefusedRow,
  type Side,
} from '../writer.ts';
import { databaseError, guardWith } from './errors.ts';
import { compiled, missingError, refuseNoFile, SqliteRows } from './reader.ts';
import { makeImportFolder, sweepImportFolders, type ImportFolder } from './import-folder.ts';
import { moveInPlace } from './move-in-place.ts';

/** The databases of a connection that have the tables. */
const DATABASES = { kept: 'main', staged: 'temp' } as const satisfies Record<Side, string>;

const nameText = (side: Side, table: TableName): string => `"${DATABASES[side]}"."${table}"`;

export class SqliteWriter extends SqliteRows implements CatalogueWriter {
  readonly isNew: boolean;
  readonly shellCommand = `sqlite3 ${shellWord(this.path)}`;
  leftBehind: string | null = null;
  /** The folder in which a new file is being made; null for an existing one. */
  readonly #importFolder: ImportFolder | null;
  readonly randomText = sql<string>`lower(hex(randomblob(16)))`;
  /** Prepared statements that write rows, by kind, table and columns. */
  readonly #rowStatements = new Map<string, Database.Statement>();

  private constructor(path: string, handle: Database.Database, importFolder: ImportFolder | null, isNew: boolean) {
    super(path, handle, writing);
    this.#importFolder = importFolder;
    this.isNew = isNew;
  }

  /**
   * Opens the catalogue at `path`. If there is none, or only an empty file, and it is not required, begins to make it, with the folders
   * above it. @throws AppError database-missing, database-unreadable, database-busy, database-not-writable
   */
  static open(path: string, { isRequired }: { readonly isRequired: boolean }): SqliteWriter {
    sweepImportFolders(path);
    return writing(path, () => {
      const exists = existsSync(path);
      if (!exists && isRequired) throw missingError(path);
      if (exists) refuseNoFile(path);
      else makeFolder(dirname(path));
      const folder = exists ? null : makeImportFolder(path);
      let handle: Database.Database | undefined;
      try {
        handle = new Database(folder?.databasePath ?? path, { fileMustExist: exists });
        // No journal beside a file that is of no use until it is whole. In WAL mode the rows would be in a file of their own, and the
        // checkpoint that moves them can fail unnoticed when the database is closed.
        if (folder !== null) handle.pragma('journal_mode = memory');
        // An empty file is a database that has no mode yet.
        else if (!isRequired && handle.pragma('page_count', { simple: true }) === 0)
          handle.pragma('journal_mode = wal');
        const isNew = begin(handle, { isRequired });
        return new SqliteWriter(path, handle, folder, isNew);
      } catch (error) {
        handle?.close();
        folder?.remove();
        throw error;
      }
    });
  }

  get isOpen(): boolean {
    return this.handle.inTransaction;
  }

  insert(
    rows: readonly PlacedRow[],
    { into, isReplacing }: { readonly into: Side; readonly isReplacing: boolean },
    refusalsMax: number,
  ): Promise<readonly RefusedRow[]> {
    const kind = `${isReplacing ? 'replace' : 'insert'} ${into}`;
    const textOf = ({ table, columns }: PlacedRow): string => {
      const cells = columns.map(() => '?');
      return insertText({ table, into: nameText(into, table), columns, rows: [cells], isReplacing });
    };
    return this.#write(rows, kind, refusalsMax, textOf, ({ table }) => leavesExisting(table, isReplacing));
  }

  update(rows: readonly PlacedRow[], refusalsMax: number): Promise<readonly RefusedRow[]> {
    return this.#write(rows, 'update', refusalsMax, ({ table }) =>
      updateText(table, nameText('kept', table), () => '?'),
    );
  }

  /** A prepared statement, once for each row. Measured: several rows in one statement are no faster. */
  async #write(
    rows: readonly PlacedRow[],
    kind: string,
    refusalsMax: number,
    textOf: (row: PlacedRow) => string,
    mayBeThere: (row: PlacedRow) => boolean = () => false,
  ): Promise<readonly RefusedRow[]> {
    const refused: RefusedRow[] = [];
    for (const row of rows) {
      try {
        const id = `${kind} ${row.table} ${row.columns.join()}`;
        const statement = this.#rowStatements.get(id) ?? this.handle.prepare(textOf(row));
        this.#rowStatements.set(id, statement);
        const { changes } = statement.run(...row.values);
        if (changes === 0 && !mayBeThere(row) && !this.#isView(row.table)) throw new Refusal('ignored', IGNORED, null);
      } catch (error) {
        const refusal = changeError(this.path, error);
        if (!(refusal instanceof Refusal)) throw refusal;
        refused.push({ row, refusal });
        // A trigger may have rolled back the transaction: further rows would be committed one by one.
        if (refused.length >= refusalsMax || !this.isOpen) break;
      }
    }
    return refused;
  }

  /** A view can take rows through INSTEAD OF triggers, whose changes are not counted. */
  #isView(table: TableName): boolean {
    const find = this.handle.prepare(`select 1 from main.sqlite_schema where type = 'view' and name = ?`);
    return find.get(table) !== undefined;
  }

  async change(_table: TableName, query: Query): Promise<void> {
    const { sql, parameters } = compiled(query);
    try {
      this.handle.prepare(sql).run(...parameters);
    } catch (error) {
      throw changeError(this.path, error);
    }
  }

  async stage(tables: readonly TableName[]): Promise<void> {
    writing(this.path, () => {
      for (const table of tables) this.handle.exec(stagedText(table));
    });
    this.forgetTables();
  }

  async unstage(tables: readonly TableName[]): Promise<void> {
    writing(this.path, () => {
      for (const table of tables) this.handle.exec(`drop table ${nameText('staged', table)}`);
    });
    this.forgetTables();
  }

  /** Nothing to do: a trigger always finds the tables of its own database. */
  async uncoverKept(): Promise<void> {}

  /** Nothing to do: SQLite has one writer at a time. */
  async lock(): Promise<void> {}

  nameOf(side: Side, table: TableName): RawBuilder<unknown> {
    return sql.id(DATABASES[side], table);
  }

  rowsOf(side: Side, table: TableName): RawBuilder<unknown> {
    return this.nameOf(side, table);
  }

  /**
   * Commits and closes; a new file gets its name.
   * @throws Refusal; UnansweredCommit; AppError database-exists, database-not-writable, database-busy
   */
  async keep(): Promise<void> {
    writing(this.path, () => this.#commit());
    writing(this.path, () => {
      if (this.#importFolder === null) return;
      // As data/schema.sql has it, for a database that is read while it is written.
      this.handle.pragma('journal_mode = wal');
      this.handle.close();
      moveInPlace(this.#importFolder.databasePath, this.path);
    });
    this.abort();
  }

  #commit(): void {
    try {
      this.handle.exec('commit');
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY')
        throw new Refusal('foreign-key', quoted(this.handle.pragma('foreign_key_check')), error);
      // Removing the journal is the commit, and may have been done. A file without its name does not matter.
      if (code.startsWith('SQLITE_IOERR') && this.#importFolder === null)
        throw new UnansweredCommit(this.path, messageOf(error), error, 'database-not-writable');
      throw error;
    }
  }

  async discard(): Promise<void> {
    this.abort();
  }

  abort(): void {
    if (this.handle.open) this.handle.close();
    if (this.#importFolder === null) return;
    try {
      this.#importFolder.remove();
      this.leftBehind = null;
    } catch {
      this.leftBehind = dirname(this.#importFolder.databasePath);
    }
  }
}

function stagedText(table: TableName): string {
  const { key, unique } = TABLE_RULES[table];
  const columns = Object.entries(TABLES[table]).map(
    ([column, { declared, defaultSql }]) => `"${column}" ${declared} default ${defaultSql ?? 'null'}`,
  );
  const constraints = [
    `primary key (${key.map((column) => `"${column}"`).join(', ')})`,
    ...unique.map((column) => `unique ("${column}")`),
  ];
  return `create table ${nameText('staged', table)} (${[...columns, `"${PLACE}" text`, ...constraints].join(', ')})`;
}

/**
 * Begins the transaction. A database without tables gets those of the catalogue, unless it is required to have them.
 * @returns whether it did
 */
function begin(handle: Database.Database, { isRequired }: { readonly isRequired: boolean }): boolean {
  handle.pragma('foreign_keys = ON');
  // What is reported as imported survives a power cut, also while readers prevent a checkpoint of the journal.
  handle.pragma('synchronous = FULL');
  handle.exec('begin immediate');
  const isNew = !isRequired && handle.prepare('select 1 from sqlite_schema').get() === undefined;
  // Without its PRAGMAs, which have no effect within a transaction, or are refused there.
  if (isNew) handle.exec(schemaText('sqlite').replaceAll(/^PRAGMA .*$/gm, ''));
  // Rows may come in any order: foreign keys are checked at the end. Applies to this transaction only.
  handle.pragma('defer_foreign_keys = ON');
  return isNew;
}

const writing = guardWith(writingError);

/** Errors of the driver and of the system as ours; violated constraints pass unchanged. */
function writingError(path: string, error: unknown): unknown {
  const code = systemCodeOf(error);
  if (error instanceof AppError || code.startsWith('SQLITE_CONSTRAINT')) return error;
  const isRefused = code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_FULL') || /^E[A-Z]+$/.test(code);
  if ((!isRefused && !code.startsWith('SQLITE_IOERR')) || isLockRefusal(code)) return databaseError(path, error);
  const message = `expected to be able to write ${path}, found: ${messageOf(error)}; nothing is changed`;
  const hint = 'check its permissions and the room on its disk, or name another file with --db';
  return new AppError('database-not-writable', message, hint, error);
}

const REFUSAL_KINDS: Readonly<Record<string, RefusalKind>> = {
  SQLITE_CONSTRAINT_PRIMARYKEY: 'key',
  SQLITE_CONSTRAINT_ROWID: 'key',
  SQLITE_CONSTRAINT_UNIQUE: 'unique',
  SQLITE_CONSTRAINT_NOTNULL: 'not-null',
  SQLITE_CONSTRAINT_FOREIGNKEY: 'foreign-key',
  // A statement that cannot be prepared: a view does not take rows, or a table lacks the key that replacing needs.
  SQLITE_ERROR: 'no-rows',
};

/** An error of a change to rows: a Refusal, or what `writing` makes of it. */
function changeError(path: string, error: unknown): unknown {
  if (error instanceof Refusal) return error;
  const code = systemCodeOf(error);
  if (code === 'SQLITE_ERROR' || code.startsWith('SQLITE_CONSTRAINT'))
    return new Refusal(REFUSAL_KINDS[code] ?? 'check', messageOf(error), error);
  return writingError(path, error);
}
