// Damage to the file of a database, of which a server takes care itself: pages lost, swapped or
// overwritten. A build reads some rows from the table and others from an index, and can give wrong
// documents where the two differ.

import type Database from 'better-sqlite3';
import { messageOf, shellWord, systemCodeOf } from '../../errors.ts';
import type { Finding } from '../../findings.ts';
import { findingOf } from '../contract/row-checker.ts';
import { readError } from './errors.ts';

/** SQLite stops after so many. */
const FOUND_MAX = 20;

/**
 * A finding for each line in which SQLite reports damage. What rows hold is not its subject: other
 * checks see to that, and CHECKs may be newer than the rows. A warning where it cannot check, as
 * without a collation of the operator's.
 * @throws AppError database-…
 */
export function damageIn(path: string, handle: Database.Database): Finding[] {
  const hint = `restore it from a backup; or write what is left of it into another file: sqlite3 ${shellWord(path)} .recover | sqlite3 NEW.sqlite`;
  try {
    handle.pragma('ignore_check_constraints = on');
    const lines = handle.prepare<[], string>(`pragma main.integrity_check(${FOUND_MAX})`).pluck().all();
    return lines
      .flatMap((line) => line.split('\n'))
      .filter((line) => line !== 'ok' && !line.startsWith('*** in database'))
      .map((line) => ({ ...findingOf('error', 'database-damaged', 'database', damageText(line)), hint }));
  } catch (error) {
    if (!systemCodeOf(error).startsWith('SQLITE_ERROR')) throw readError(path, error);
    return [findingOf('warning', 'database-damaged', 'database', damageText(messageOf(error)))];
  }
}

function damageText(found: string): string {
  return `expected "ok" from PRAGMA integrity_check, found: ${found}`;
}
