// Errors of the driver and of the server, in terms of what an operator can do about them; and
// refusals of rows. Codes: PostgreSQL documentation, Appendix A.

import { AppError, type ErrorCode, messageOf, shellWord, systemCodeOf } from '../../errors.ts';
import { RefusedChange, UnansweredCommit, type RefusedKind } from '../writer.ts';
import { psqlCommand } from './address.ts';

const BUSY: ReadonlySet<string> = new Set([
  // serialization_failure and query_canceled: on a standby, also a conflict with what it replays.
  '40001',
  '57014',
  // deadlock_detected
  '40P01',
  // idle_in_transaction_session_timeout, transaction_timeout
  '25P03',
  '25P04',
  // lock_not_available, too_many_connections, admin_shutdown, crash_shutdown, cannot_connect_now
  '55P03',
  '53300',
  '57P01',
  '57P02',
  '57P03',
]);
const LOCKED_HINT = 'see who holds the table: SELECT * FROM pg_stat_activity';
/** What to do where trying again does not help. */
const BUSY_HINTS: Readonly<Record<string, string>> = {
  '55P03': LOCKED_HINT,
  '40P01': LOCKED_HINT,
  '53300':
    'see who holds the connections: SELECT * FROM pg_stat_activity; a build takes one: end idle ones, let the others share a pooler, or raise max_connections (of a role or database, CONNECTION LIMIT)',
};
const BUSY_HINT =
  'where a statement_timeout ended it: ALTER ROLE … SET statement_timeout = 0; where it was a standby: max_standby_streaming_delay';

/**
 * What to expect and to type, by the server's code: invalid_password,
 * invalid_authorization_specification, invalid_catalog_name, insufficient_privilege.
 */
const KNOWN: Readonly<Record<string, readonly [error: ErrorCode, expected: string, hint: string]>> = {
  '28P01': [
    'database-unreadable',
    'to be let in at',
    'set PGPASSWORD, or add a line host:port:database:user:password to ~/.pgpass (chmod 600)',
  ],
  '28000': [
    'database-unreadable',
    'to be let in at',
    "check the user in the address, and the lines of the server's pg_hba.conf",
  ],
  '3D000': ['database-missing', 'a database at', 'name another with --db; they are listed by: psql --list'],
  '42501': [
    'database-unreadable',
    'to be allowed to read',
    'grant it: GRANT SELECT ON ALL TABLES IN SCHEMA … TO …; of a view, its owner needs it on the tables behind',
  ],
};

const SERVER_CODE = /^[0-9A-Z]{5}$/;
const NETWORK_CODE = /^E[A-Z_]{3,}$/;

/** What poolers say that pass on statements, or settings, otherwise than a build needs it. */
const POOLER_HINTS: readonly (readonly [says: RegExp, hint: string])[] = [
  [
    /statement pooling mode/,
    'a build is one transaction: set pool_mode = transaction or session in the pooler, or name the server itself',
  ],
  [
    /unsupported startup parameter/,
    'in PgBouncer: ignore_startup_parameters = options, and the search_path by ALTER ROLE … SET search_path; or name the server itself',
  ],
];

/**
 * An error in terms of the command that was run; errors of ours pass unchanged. `path` is an
 * address without a password, `tables` are those that were read, whose views may be at fault.
 */
export function readError(path: string, error: unknown, tables: readonly string[] = []): unknown {
  if (error instanceof AppError) return error;
  const code = systemCodeOf(error);
  const message = messageOf(error);
  const pooler = POOLER_HINTS.find(([says]) => says.test(message));
  if (pooler !== undefined) {
    const found = `expected a session at ${path}, found a pooler: ${message}`;
    return new AppError('database-unreadable', found, pooler[1], error);
  }
  if (isRowSecurity(error)) return rowSecurityError(path, error);
  if (isServerCode(code)) return serverError(path, error, tables);
  const unreachable = (expected: string, found: string, hint: string): AppError =>
    new AppError('database-unreachable', `expected ${expected} at ${path}, found${found}`, hint, error);
  if (/does not support SSL/.test(message)) {
    const hint = 'name it with sslmode=disable, if the way to it is your own; or switch on ssl in postgresql.conf';
    return unreachable('TLS', ' a server without', hint);
  }
  // The driver's words for an answer that is neither yes nor no.
  if (/error establishing an SSL connection/.test(message))
    return unreachable('PostgreSQL', ' another server', 'check the host and the port: something else listens there');
  if (/CERT|TLS|SSL|self-signed/i.test(`${code} ${message}`)) {
    const hint =
      'name the authority: sslmode=verify-full&sslrootcert=FILE; the host must be one that the certificate names';
    return unreachable('a certificate to trust', `: ${message}`, hint);
  }
  if (NETWORK_CODE.test(code) || /timeout|terminated|closed|not queryable/i.test(message)) {
    const hint = `check that the server is up and lets this machine in: ${psqlCommand(path)}`;
    return unreachable('a server', `: ${message || code}`, hint);
  }
  return error;
}

/**
 * Classes of what an expression throws: cardinality_violation (a subquery with several rows),
 * data_exception, and what functions in PL/pgSQL raise.
 */
const EXPRESSION_CLASS = /^(?:21|22|P0)/;

/** What an expression has thrown, of an error of ours or of the driver; null of any other. */
export function expressionProblem(error: unknown): string | null {
  const cause = error instanceof AppError ? error.cause : error;
  const code = systemCodeOf(cause);
  return isServerCode(code) && EXPRESSION_CLASS.test(code) ? `${messageOf(cause)} (${code})` : null;
}

/** Whether an error with this code is one that the server itself has sent. */
function isServerCode(code: string): boolean {
  return SERVER_CODE.test(code) && !NETWORK_CODE.test(code);
}

/**
 * Whether a policy would have hidden rows. The message may be in any language; the server's
 * function has one name.
 */
function isRowSecurity(error: unknown): boolean {
  return error instanceof Error && 'routine' in error && error.routine === 'check_enable_rls';
}

function rowSecurityError(path: string, cause: unknown): AppError {
  const message = `expected to see all rows at ${path}, found a policy that may hide some: ${messageOf(cause)}`;
  const filtering = shellWord(`${path}${path.includes('?') ? '&' : '?'}row_security=filter`);
  const hint = `where this role is to see only the rows that the policy shows it: --db ${filtering}; otherwise ALTER ROLE … BYPASSRLS, or name a role that owns the tables`;
  return new AppError('database-row-security', message, hint, cause);
}

/** An error that the server itself has sent. Without tables it came before any row was read. */
function serverError(path: string, cause: unknown, tables: readonly string[]): AppError {
  const code = systemCodeOf(cause);
  const message = messageOf(cause);
  const known = KNOWN[code];
  if (known !== undefined) {
    const [errorCode, expected, hint] = known;
    return new AppError(errorCode, `expected ${expected} ${path}, found: ${message}`, hint, cause);
  }
  const rows = `rows of ${tables.join(', ')}`;
  const found = `${message} (${code})`;
  if (BUSY.has(code)) {
    const when = tables.length === 0 ? '' : ` while ${rows} were read`;
    const hint = `the next run tries again; ${BUSY_HINTS[code] ?? BUSY_HINT}`;
    return new AppError('database-busy', `${path} broke off${when}: ${found}`, hint, cause);
  }
  const psql = psqlCommand(path);
  if (tables.length === 0) {
    const hint = `check the address, its options and PGOPTIONS: ${psql}`;
    return new AppError('database-unreadable', `expected a session at ${path}, found: ${found}`, hint, cause);
  }
  const hint = `a view may be at fault: try its rows in ${psql}`;
  return new AppError('database-unreadable', `expected ${rows} from ${path}, found: ${found}`, hint, cause);
}

const REFUSED_KINDS: Readonly<Record<string, RefusedKind>> = {
  // not_null_violation, foreign_key_violation and restrict_violation, unique_violation and
  // exclusion_violation
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
 * Classes of codes that are not about the rows: connection, transaction state, conflicts with
 * others, resources, intervention of the operator, system, internal errors. All others count as
 * refusals, since a trigger can raise any code.
 */
const OTHER_CLASSES = new Set(['08', '25', '40', '53', '57', '58', 'XX']);
/** admin_shutdown, crash_shutdown */
const STOPPED = new Set(['57P01', '57P02']);
const READ_ONLY = '25006';
/** disk_full, io_error */
const NO_ROOM = new Set(['53100', '58030']);
/** lock_not_available, deadlock_detected */
const IN_THE_WAY = new Set(['55P03', '40P01']);
/**
 * duplicate_table, duplicate_function, duplicate_object; unique_violation in the server's own
 * tables
 */
const MADE_MEANWHILE = new Set(['42P07', '42723', '42710', '23505']);

/** An error of a change to rows. `path` is an address without a password. */
export function changeError(path: string, error: unknown): unknown {
  if (error instanceof RefusedChange) return error;
  const code = systemCodeOf(error);
  const message = messageOf(error);
  const codeClass = code.slice(0, 2);
  if (!isServerCode(code) || code === NO_PRIVILEGE || IN_THE_WAY.has(code) || OTHER_CLASSES.has(codeClass))
    return writeError(path, error);
  const kind = REFUSED_KINDS[code] ?? (codeClass === DATA_CLASS ? 'type' : 'check');
  if (kind === 'no-rows' && message.includes('ON CONFLICT')) return new RefusedChange('no-key', message, error);
  // The details of other refusals are the whole row.
  const { detail } = error as { readonly detail?: unknown };
  const hasKey = (kind === 'unique' || kind === 'foreign-key') && typeof detail === 'string';
  return new RefusedChange(kind, hasKey ? `${message}: ${detail.replace(/\.$/, '')}` : message, error);
}

/** An error of any other statement in a transaction that writes. */
export function writeError(path: string, error: unknown): unknown {
  const code = systemCodeOf(error);
  const refused = (hint: string): AppError => {
    const message = `expected to be able to write ${path}, found: ${messageOf(error)}; nothing is changed`;
    return new AppError('database-not-writable', message, hint, error);
  };
  if (isRowSecurity(error)) return readError(path, error);
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
  return readError(path, error);
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

/**
 * An error of a COMMIT. A server that is being stopped may have committed already, and be waiting
 * for a standby.
 */
export function commitError(path: string, error: unknown): unknown {
  const known = writeError(path, error);
  const isLost = known instanceof AppError && known.code === 'database-unreachable';
  return isLost || STOPPED.has(systemCodeOf(error)) ? new UnansweredCommit(path, messageOf(error), error) : known;
}
