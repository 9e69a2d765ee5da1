// Writes a catalogue in an SQLite file, in one transaction: an existing file in place; a new one, from data/schema.sql, beside its path, so
// that nothing appears there until it is complete.

import { closeSync, existsSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { sql, type RawBuilder } from 'kysely';
import { AppError, messageOf, systemCodeOf } from '../../errors.ts';
import { makeFolder } from '../../make-folder.ts';
import { removeFile } from '../../remove-file.ts';
import type { Query } from '../reader.ts';
import { quoted } from '../schema/row-checker.ts';
import { TABLE_RULES, TABLES, type TableName } from '../schema/tables.ts';
import { schemaText } from '../schema-file.ts';
import { insertText, leavesExisting, updateText } from '../write/row-statements.ts';
import {
  IGNORED,
  PLACE,
  Refusal,
  type CatalogueWriter,
  type PlacedRow,
  type RefusalKind,
  type RefusedRow,
  type Side,
} from '../writer.ts';
import { compiled, databaseError, guardWith, missingError, refuseNoFile, SqliteRows } from './reader.ts';
import { makeImportFolder, sweepImportFolders, type ImportFolder } from './import-folder.ts';

/** The databases of a connection that have the tables. */
const DATABASES = { kept: 'main', staged: 'temp' } as const satisfies Record<Side, string>;

const nameText = (side: Side, table: TableName): string => `"${DATABASES[side]}"."${table}"`;

export class SqliteWriter extends SqliteRows implements CatalogueWriter {
  /** The folder in which a new catalogue is being made; null for an existing one. */
  readonly #importFolder: ImportFolder | null;
  readonly randomText = sql<string>`lower(hex(randomblob(16)))`;
  /** Prepared statements that write rows, by kind, table and columns. */
  readonly #rowStatements = new Map<string, Database.Statement>();

  private constructor(path: string, handle: Database.Database, importFolder: ImportFolder | null) {
    super(path, handle, writing);
    this.#importFolder = importFolder;
  }

  /**
   * Opens the catalogue at `path`. If it does not exist and is not required, begins to make it, with the folders above it.
   * @throws AppError database-missing, database-unreadable, database-busy, database-not-writable
   */
  static open(path: string, { isRequired }: { readonly isRequired: boolean }): SqliteWriter {
    sweepImportFolders(path);
    return writing(path, () => {
      const isNew = !existsSync(path);
      if (isNew && isRequired) throw missingError(path);
      if (isNew) makeFolder(dirname(path));
      else refuseNoFile(path);
      const folder = isNew ? makeImportFolder(path) : null;
      let handle: Database.Database | undefined;
      try {
        handle = new Database(folder?.databasePath ?? path, { fileMustExist: !isNew });
        begin(handle, isNew);
        return new SqliteWriter(path, handle, folder);
      } catch (error) {
        handle?.close();
        folder?.remove();
        throw error;
      }
    });
  }

  get isNew(): boolean {
    return this.#importFolder !== null;
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
  }

  async unstage(tables: readonly TableName[]): Promise<void> {
    writing(this.path, () => {
      for (const table of tables) this.handle.exec(`drop table ${nameText('staged', table)}`);
    });
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
   * Commits and closes; a new catalogue moves to its path.
   * @throws Refusal; AppError database-exists, database-not-writable, database-busy
   */
  async keep(): Promise<void> {
    try {
      writing(this.path, () => this.handle.exec('commit'));
    } catch (error) {
      if (systemCodeOf(error) !== 'SQLITE_CONSTRAINT_FOREIGNKEY') throw error;
      const violated = writing(this.path, () => this.handle.pragma('foreign_key_check'));
      throw new Refusal('foreign-key', quoted(violated), error);
    }
    writing(this.path, () => {
      this.handle.close();
      if (this.#importFolder !== null) moveInPlace(this.#importFolder.databasePath, this.path);
    });
    this.abort();
  }

  async discard(): Promise<void> {
    this.abort();
  }

  abort(): void {
    if (this.handle.open) this.handle.close();
    this.#importFolder?.remove();
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

function begin(handle: Database.Database, isNew: boolean): void {
  if (isNew) handle.exec(schemaText('sqlite'));
  handle.pragma('foreign_keys = ON');
  // What is reported as imported survives a power cut, also while readers prevent a checkpoint of the journal.
  handle.pragma('synchronous = FULL');
  handle.exec('begin immediate');
  // Rows may come in any order: foreign keys are checked at the end. Applies to this transaction only.
  handle.pragma('defer_foreign_keys = ON');
}

/** Moves a finished database to its path, unless that has been taken meanwhile. */
function moveInPlace(from: string, to: string): void {
  try {
    // Reserves the name: of two imports that make the same catalogue, one must not overwrite the other's rows.
    closeSync(openSync(to, 'wx'));
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
    const message = `expected no database at ${to}, found one that was made meanwhile; nothing is imported`;
    throw new AppError('database-exists', message, 'run the same command again to import into it', error);
  }
  // A journal that a killed writer left beside a deleted database would be applied to this one.
  for (const suffix of ['-wal', '-shm', '-journal']) removeFile(`${to}${suffix}`);
  renameSync(from, to);
  const folder = openSync(dirname(to), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

const writing = guardWith(writingError);

/** Errors of the driver and of the system as ours; violated constraints pass unchanged. */
function writingError(path: string, error: unknown): unknown {
  const code = systemCodeOf(error);
  if (error instanceof AppError || code.startsWith('SQLITE_CONSTRAINT')) return error;
  const isRefused = code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_FULL') || /^E[A-Z]+$/.test(code);
  if (!isRefused && !code.startsWith('SQLITE_IOERR')) return databaseError(path, error);
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
