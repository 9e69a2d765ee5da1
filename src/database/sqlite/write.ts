// Writes a catalogue in an SQLite file, in one transaction. A new file gets its name when it is
// committed.

import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { sql, type RawBuilder } from 'kysely';
import { messageOf, shellWord, systemCodeOf } from '../../errors.ts';
import type { Query } from '../reader.ts';
import { quoted } from '../contract/row-checker.ts';
import { mayIdBeText, TABLE_RULES, TABLES, type TableName } from '../contract/tables.ts';
import { insertText, leavesExisting, updateText } from '../write/row-statements.ts';
import {
  IGNORED,
  LOCATION,
  RefusedChange,
  UnansweredCommit,
  type CatalogueWriter,
  type HeldIds,
  type InputRow,
  type RefusedRow,
  type Side,
} from '../writer.ts';
import { compiled } from './compile.ts';
import { connectToWrite, type WritableCatalogue } from './connect.ts';
import { changeError, writing } from './errors.ts';
import type { ImportFolder } from './import-folder.ts';
import { moveInPlace } from './move-in-place.ts';
import { SqliteRows } from './rows.ts';

/** The databases of a connection that have the tables. */
const DATABASES = { kept: 'main', staged: 'temp' } as const satisfies Record<Side, string>;

const ID_TYPES = { integers: 'integer', text: 'text', both: '' } as const satisfies Record<HeldIds, string>;

const nameText = (side: Side, table: TableName): string => `"${DATABASES[side]}"."${table}"`;

/**
 * See connectToWrite.
 * @throws AppError database-missing, database-unreadable, database-busy, database-not-writable
 */
export async function openWriter(path: string, need: { readonly isRequired: boolean }): Promise<CatalogueWriter> {
  return new SqliteWriter(connectToWrite(path, need));
}

class SqliteWriter extends SqliteRows implements CatalogueWriter {
  readonly isNew: boolean;
  readonly shellCommand = `sqlite3 ${shellWord(this.path)}`;
  leftBehind: string | null = null;
  /** The folder in which a new file is being made; null for an existing one. */
  readonly #importFolder: ImportFolder | null;
  readonly randomText = sql<string>`lower(hex(randomblob(16)))`;
  /** Prepared statements that write rows, by kind, table and columns. */
  readonly #rowStatements = new Map<string, Database.Statement>();

  constructor({ path, handle, importFolder, isNew }: WritableCatalogue) {
    super(path, handle, writing);
    this.#importFolder = importFolder;
    this.isNew = isNew;
  }

  get isOpen(): boolean {
    return this.handle.inTransaction;
  }

  insert(
    rows: readonly InputRow[],
    { into, isReplacing }: { readonly into: Side; readonly isReplacing: boolean },
    refusalsMax: number,
  ): Promise<readonly RefusedRow[]> {
    const kind = `${isReplacing ? 'replace' : 'insert'} ${into}`;
    const textOf = ({ table, columns }: InputRow): string => {
      const cells = columns.map(() => '?');
      return insertText({ table, into: nameText(into, table), columns, rows: [cells], isReplacing });
    };
    return this.#write(rows, kind, refusalsMax, textOf, ({ table }) => leavesExisting(table, isReplacing));
  }

  update(rows: readonly InputRow[], refusalsMax: number): Promise<readonly RefusedRow[]> {
    return this.#write(rows, 'update', refusalsMax, ({ table }) =>
      updateText(table, nameText('kept', table), () => '?'),
    );
  }

  /**
   * A prepared statement, once for each row. Measured: several rows in one statement are no faster.
   */
  async #write(
    rows: readonly InputRow[],
    kind: string,
    refusalsMax: number,
    textOf: (row: InputRow) => string,
    mayBeThere: (row: InputRow) => boolean = () => false,
  ): Promise<readonly RefusedRow[]> {
    const refused: RefusedRow[] = [];
    for (const row of rows) {
      try {
        const id = `${kind} ${row.table} ${row.columns.join()}`;
        const statement = this.#rowStatements.get(id) ?? this.handle.prepare(textOf(row));
        this.#rowStatements.set(id, statement);
        const { changes } = statement.run(...row.values);
        if (changes === 0 && !mayBeThere(row) && !this.#isView(row.table))
          throw new RefusedChange('ignored', IGNORED, null);
      } catch (error) {
        const refusal = changeError(this.path, error);
        if (!(refusal instanceof RefusedChange)) throw refusal;
        refused.push({ row, refusal });
        // A trigger may have rolled back the transaction: further rows would be committed one by
        // one.
        if (refused.length >= refusalsMax || !this.isOpen) break;
      }
    }
    return refused;
  }

  /** By the affinity of the declared type (SQLite, "Datatypes In SQLite", 3.1). */
  async idsIn(table: TableName, column: string): Promise<HeldIds> {
    const find = this.handle.prepare<[string, string], string>('select type from pragma_table_xinfo(?) where name = ?');
    const type = find.pluck().get(table, column)?.toUpperCase() ?? '';
    if (type === '' || type === 'BLOB' || (type === 'ANY' && this.#isStrict(table))) return 'both';
    return /CHAR|CLOB|TEXT/.test(type) && !type.includes('INT') ? 'text' : 'integers';
  }

  #isStrict(table: TableName): boolean {
    return this.handle.prepare('select 1 from pragma_table_list where strict and name = ?').get(table) !== undefined;
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
    const texts: string[] = [];
    for (const table of tables) texts.push(await this.#stagedText(table));
    writing(this.path, () => {
      for (const text of texts) this.handle.exec(text);
    });
    this.forgetTables();
  }

  /** Ids have the types of the kept table, so that they are compared by the same indexes. */
  async #stagedText(table: TableName): Promise<string> {
    const { key, unique } = TABLE_RULES[table];
    const columns: string[] = [];
    for (const [column, { declared, defaultSql }] of Object.entries(TABLES[table])) {
      const type = mayIdBeText(table, column) ? ID_TYPES[await this.idsIn(table, column)] : declared;
      columns.push(`"${column}" ${type} default ${defaultSql ?? 'null'}`);
    }
    const constraints = [
      `primary key (${key.map((column) => `"${column}"`).join(', ')})`,
      ...unique.map((column) => `unique ("${column}")`),
    ];
    return `create table ${nameText('staged', table)} (${[...columns, `"${LOCATION}" text`, ...constraints].join(', ')})`;
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
   * @throws RefusedChange; UnansweredCommit; AppError database-exists, database-not-writable,
   * database-busy
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
        throw new RefusedChange('foreign-key', quoted(this.handle.pragma('foreign_key_check')), error);
      // Removing the journal is the commit, and may have been done. A file without its name does
      // not matter.
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
