// A catalogue that random events change as its operators do: rows, products taken off every front
// and put back, fronts disabled or lost, copies of the database restored.

import { copyFileSync, renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { TABLE_RULES, TABLES, type TableName } from '../../../src/database/contract/tables.ts';
import type { CatalogueEvent, Choice } from './steps.ts';

type Row = Readonly<Record<string, unknown>>;

/**
 * Rows that no foreign key and no CHECK stops, put in and taken out again: findings must not
 * outlive their cause.
 */
const ORPHANS = [
  "UPDATE venues SET timezone = 'Europe/Kiew' WHERE id = (SELECT min(id) FROM venues)",
  "UPDATE venues SET timezone = 'Europe/Berlin' WHERE timezone = 'Europe/Kiew'",
  "INSERT OR IGNORE INTO sessions (id, product_id, venue_id, starts_at) VALUES (88888, 77777, (SELECT min(id) FROM venues), '2026-06-01T10:00:00Z')",
  'DELETE FROM sessions WHERE product_id = 77777',
];

export class ChangingCatalogue {
  readonly path: string;
  readonly #takenRows: { readonly table: TableName; readonly row: Row }[] = [];
  #hasCopy = false;

  constructor(path: string) {
    this.path = path;
  }

  /** Changes the catalogue, or copies its database, or puts a copy in its place. */
  apply(event: CatalogueEvent): void {
    const beside = `${this.path}.copy`;
    switch (event.kind) {
      case 'copy':
        this.#write((handle) => handle.pragma('wal_checkpoint(TRUNCATE)'));
        copyFileSync(this.path, beside);
        this.#hasCopy = true;
        return;
      case 'restore-in-place':
      case 'restore-beside':
        if (!this.#hasCopy) return;
        for (const suffix of ['-wal', '-shm']) rmSync(this.path + suffix, { force: true });
        if (event.kind === 'restore-in-place') return copyFileSync(beside, this.path);
        copyFileSync(beside, `${beside}.new`);
        return renameSync(`${beside}.new`, this.path);
      case 'orphan':
        return this.#write((handle) => handle.exec(ORPHANS[event.row % ORPHANS.length] ?? ''));
      case 'withdraw':
        return this.#write((handle) => this.#withdraw(handle, event));
      case 'return':
        return this.#write((handle) => this.#putBack(handle, 'front_products'));
      case 'front':
        return this.#write((handle) => this.#changeFront(handle, event));
      case 'row':
        return this.#write((handle) => this.#changeRow(handle, event));
    }
  }

  /** Codes of the fronts of a status, sorted. */
  codes(status: 'active' | 'disabled'): string[] {
    const handle = new Database(this.path, { readonly: true });
    try {
      const sql = 'SELECT code FROM fronts WHERE status = ? ORDER BY code';
      return handle.prepare(sql).pluck().all(status).map(String);
    } finally {
      handle.close();
    }
  }

  /** Disables a front, enables all again, or deletes one, which a restored row brings back. */
  #changeFront(handle: Database.Database, { row, column, from }: Choice): void {
    if (column % 3 === 0) return this.#putBack(handle, 'fronts');
    if (column % 3 === 1)
      return this.#changeRow(handle, { kind: 'row', change: 'delete', table: 'fronts', row, column, from });
    const codes = handle.prepare('SELECT code FROM fronts ORDER BY code').pluck().all();
    const isBack = from % 2 === 0;
    if (isBack) handle.exec("UPDATE fronts SET status = 'active'");
    else
      handle
        .prepare("UPDATE fronts SET status = 'disabled' WHERE code = ?")
        .run(codes[row % Math.max(1, codes.length)]);
  }

  /** Takes up to six products off every front, and changes or archives them. */
  #withdraw(handle: Database.Database, { row, column, from }: Choice): void {
    const shown = handle.prepare('SELECT DISTINCT product_id FROM front_products ORDER BY 1').pluck().all();
    const first = row % Math.max(1, shown.length);
    for (const id of shown.slice(first, first + 1 + (from % 6))) {
      const rows = handle.prepare('SELECT * FROM front_products WHERE product_id = ?').all(id) as Row[];
      for (const one of rows) this.#takenRows.push({ table: 'front_products', row: one });
      handle.prepare('DELETE FROM front_products WHERE product_id = ?').run(id);
      const change = column % 2 === 0 ? "name = name || ' *'" : "status = 'archived'";
      handle.prepare(`UPDATE products SET ${change} WHERE id = ?`).run(id);
    }
  }

  /** Puts back all rows that were taken out of a table. */
  #putBack(handle: Database.Database, table: TableName): void {
    for (const taken of this.#takenRows.filter((one) => one.table === table)) {
      const names = Object.keys(taken.row);
      const values = Object.values(taken.row);
      const sql = `INSERT OR IGNORE INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`;
      if (handle.prepare(sql).run(...values).changes === 1) this.#takenRows.splice(this.#takenRows.indexOf(taken), 1);
    }
  }

  /**
   * Gives a column of a row the value that another row has there, takes a row away, or puts taken
   * ones back.
   */
  #changeRow(handle: Database.Database, event: Extract<CatalogueEvent, { kind: 'row' }>): void {
    const { table, change, row, column, from } = event;
    if (change === 'restore') return this.#putBack(handle, table);
    const rows = handle.prepare(`SELECT * FROM ${table}`).all() as Row[];
    const one = rows[row % Math.max(1, rows.length)];
    if (one === undefined) return;
    const { key } = TABLE_RULES[table];
    const where = key.map((name) => `${name} = ?`).join(' AND ');
    const keyValues = key.map((name) => one[name]);
    if (change === 'delete') {
      if (handle.prepare(`DELETE FROM ${table} WHERE ${where}`).run(...keyValues).changes === 1)
        this.#takenRows.push({ table, row: one });
      return;
    }
    const columns = Object.keys(TABLES[table]);
    const name = columns[column % columns.length] ?? '';
    const other = rows[from % rows.length]?.[name];
    // Most columns hold one value in most rows: a number next to it is a change all the same.
    const value = other === one[name] && typeof other === 'number' ? other + 1 : other;
    handle.prepare(`UPDATE ${table} SET ${name} = ? WHERE ${where}`).run(value, ...keyValues);
  }

  /** Writes the catalogue as its operator does. What the schema refuses changes nothing. */
  #write(write: (handle: Database.Database) => void): void {
    const handle = new Database(this.path);
    try {
      handle.pragma('foreign_keys = OFF');
      write(handle);
    } catch (error) {
      if (!(error instanceof Database.SqliteError)) throw error;
    } finally {
      handle.close();
    }
  }
}
