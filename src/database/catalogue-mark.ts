// A mark of a catalogue by which a later run knows that every row is as it was, without the query builder or any row. It says nothing
// of whether the tokens may be believed: `readRevisions` has, when the mark was first taken, and the tables are in the mark.

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import Database from 'better-sqlite3';

/** Rows of plain SQL, as arrays: better-sqlite3's `prepare(…).raw().all()`, or a reader's `select`. */
export type SelectRows = (sql: string) => unknown[][];

/** Tables, triggers, indexes, and how often they have changed. */
export function schemaState(select: SelectRows): string {
  const schema = select("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name");
  const [[version] = []] = select('SELECT schema_version FROM pragma_schema_version');
  return `${String(version)} ${createHash('sha256').update(JSON.stringify(schema)).digest('hex').slice(0, 32)}`;
}

/** The file as such, so that another one in its place, such as a dump that was changed and restored, is read again. */
export function fileIdentity(path: string): string {
  const { dev, ino } = statSync(path);
  return `${dev} ${ino}`;
}

/** The mark of the database at a path, as a transaction on it sees it. */
export function catalogueMark(path: string, select: SelectRows): string {
  const [[token] = []] = select("SELECT token FROM revisions WHERE scope = 'catalogue' AND id = 0");
  const [[journal] = []] = select('PRAGMA journal_mode');
  return JSON.stringify([fileIdentity(path), schemaState(select), String(journal), String(token)]);
}

/** The same of a database that is opened for it. Throws whatever the driver throws. */
export function readCatalogueMark(path: string): string {
  const handle = new Database(path, { readonly: true, fileMustExist: true, timeout: 0 });
  try {
    handle.exec('begin');
    return catalogueMark(path, (sql) => handle.prepare<unknown[], unknown[]>(sql).raw(true).all());
  } finally {
    handle.close();
  }
}
