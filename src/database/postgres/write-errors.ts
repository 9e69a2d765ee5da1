// Errors of statements that write: a refusal of rows, or that nothing can be written. Codes: PostgreSQL documentation, Appendix A.

import { AppError, messageOf, systemCodeOf } from '../../errors.ts';
import { Refusal, UnansweredCommit, type RefusalKind } from '../writer.ts';
import { BUSY, isRowSecurity, isServerCode, postgresError } from './errors.ts';

const REFUSALS: Readonly<Record<string, RefusalKind>> = {
  // not_null_violation, foreign_key_violation and restrict_violation, unique_violation and exclusion_violation
  '23502': 'not-null',
  '23503': 'foreign-key',
  '23001': 'foreign-key',
  '23505': 'unique',
  '23P01': 'unique',
  // character_not_in_repertoire and untranslatable_character
  '22021': 'encoding',
  '22P05': 'encoding',
  // datatype_mismatch
  '42804': 'type',
  // generated_always
  '428C9': 'check',
  // wrong_object_type and object_not_in_prerequisite_state: no table, or one that takes no rows
  '42809': 'no-rows',
  '55000': 'no-rows',
  // invalid_column_reference: no key to replace rows by
  '42P10': 'no-key',
};

const NO_PRIVILEGE = '42501';
const DATA_CLASS = '22';
/**
 * Classes of codes that are not about the rows: connection, transaction state, conflicts with others, resources, intervention of the
 * operator, system, internal errors. All others count as refusals, since a trigger can raise any code.
 */
const OTHER_CLASSES = new Set(['08', '25', '40', '53', '57', '58', 'XX']);
/** admin_shutdown, crash_shutdown */
const STOPPED = new Set(['57P01', '57P02']);
const READ_ONLY = '25006';
/** disk_full, io_error */
const NO_ROOM = new Set(['53100', '58030']);
/** lock_not_available, deadlock_detected */
const IN_THE_WAY = new Set(['55P03', '40P01']);
/** duplicate_table, duplicate_function, duplicate_object; unique_violation in the server's own tables */
const MADE_MEANWHILE = new Set(['42P07', '42723', '42710', '23505']);

/** An error of a change to rows. `path` is an address without a password. */
export function changeError(path: string, error: unknown): unknown {
  if (error instanceof Refusal) return error;
  const code = systemCodeOf(error);
  const message = messageOf(error);
  const codeClass = code.slice(0, 2);
  if (!isServerCode(code) || code === NO_PRIVILEGE || IN_THE_WAY.has(code) || OTHER_CLASSES.has(codeClass))
    return writeError(path, error);
  const kind = REFUSALS[code] ?? (codeClass === DATA_CLASS ? 'type' : 'check');
  if (kind === 'no-rows' && message.includes('ON CONFLICT')) return new Refusal('no-key', message, error);
  // The details of other refusals are the whole row.
  const { detail } = error as { readonly detail?: unknown };
  const hasKey = (kind === 'unique' || kind === 'foreign-key') && typeof detail === 'string';
  return new Refusal(kind, hasKey ? `${message}: ${detail.replace(/\.$/, '')}` : message, error);
}

/** An error of any other statement in a transaction that writes. */
export function writeError(path: string, error: unknown): unknown {
  const code = systemCodeOf(error);
  const refused = (hint: string): AppError => {
    const message = `expected to be able to write ${path}, found: ${messageOf(error)}; nothing is changed`;
    return new AppError('database-not-writable', message, hint, error);
  };
  if (isRowSecurity(error)) return postgresError(path, error);
  if (code === NO_PRIVILEGE)
    return refused(
      'grant it: GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA … TO …; ' +
        'a mirror also takes GRANT TEMPORARY ON DATABASE …, and new tables take GRANT CREATE ON SCHEMA …',
    );
  if (code === READ_ONLY)
    return refused(
      'name the primary with --db, not a standby; or ALTER ROLE … SET default_transaction_read_only = off',
    );
  if (NO_ROOM.has(code)) return refused("make room on the server's disk; its log says more");
  if (IN_THE_WAY.has(code)) {
    const message = `${path} is locked by another writer: ${messageOf(error)} (${code}); nothing is changed`;
    const hint = 'try again when it has ended; see who it is: SELECT * FROM pg_stat_activity';
    return new AppError('database-busy', message, hint, error);
  }
  if (BUSY.has(code)) {
    const message = `${path} broke off while rows were written: ${messageOf(error)} (${code}); nothing is changed`;
    const hint =
      'the next run tries again; where a statement_timeout or an idle_in_transaction_session_timeout ended it: ALTER ROLE … SET … = 0';
    return new AppError('database-busy', message, hint, error);
  }
  return postgresError(path, error);
}

/** An error of the statements that make the tables. */
export function schemaError(path: string, error: unknown): unknown {
  const code = systemCodeOf(error);
  if (MADE_MEANWHILE.has(code)) {
    const message = `expected none of the catalogue's tables at ${path}, found some that were made meanwhile: ${messageOf(error)}; nothing is imported`;
    return new AppError('database-exists', message, 'run the same command again to import into them', error);
  }
  return writeError(path, error);
}

export function noSchemaError(path: string, found: string): AppError {
  const message = `expected a schema to make the catalogue's tables in at ${path}, found ${found}`;
  const hint = 'create it: CREATE SCHEMA …; the address names it: ?options=-csearch_path%3DSCHEMA';
  return new AppError('database-not-writable', message, hint);
}

/** An error of a COMMIT. A server that is being stopped may have committed already, and be waiting for a standby. */
export function commitError(path: string, error: unknown): unknown {
  const known = writeError(path, error);
  const isLost = known instanceof AppError && known.code === 'database-unreachable';
  return isLost || STOPPED.has(systemCodeOf(error)) ? new UnansweredCommit(path, messageOf(error), error) : known;
}
