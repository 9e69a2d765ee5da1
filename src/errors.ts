// The one kind of error that is somebody's to mend: a stable code, what was expected and found and where, and what to type.
// Bad catalogue data is not thrown; it is collected as findings (catalogue/finding.ts).

/** Every code an error can bear. Codes are stable: scripts match on them. */
export type ErrorCode =
  | 'usage'
  | 'instant-invalid'
  | 'duration-invalid'
  | 'percentage-invalid'
  | 'front-unknown'
  | 'key-unknown'
  | 'key-exists'
  | 'key-invalid'
  | 'key-file-unreadable'
  | 'key-file-exists'
  | 'key-file-not-writable'
  | 'address-refused'
  | 'address-in-use'
  | 'edge-option-invalid'
  | 'edge-bundle-missing'
  | 'page-bundle-missing'
  | 'driver-unusable'
  | 'database-missing'
  | 'database-unreadable'
  | 'database-busy'
  | 'database-exists'
  | 'database-not-writable'
  | 'contract-table-missing'
  | 'contract-column-missing'
  | 'contract-column-type'
  | 'import-line-invalid'
  | 'import-row-invalid'
  | 'import-row-refused'
  | 'import-file-unreadable'
  | 'export-value-unprintable'
  | 'tree-missing'
  | 'tree-unreadable'
  | 'tree-newer-schema'
  | 'tree-locked'
  | 'tree-not-writable'
  | 'tree-full'
  | 'nothing-published'
  | 'on-publish-invalid'
  | 'metrics-not-writable'
  | 'release-unknown'
  | 'product-unknown'
  | 'release-damaged';

/**
 * An error with a code, a message (expected, found, where) and a hint: the command or edit that mends it. Message, details and hint
 * are one line each: an end of line inside one of them comes from data, and is escaped where it is printed.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  /** Further messages of the same kind, where one error reports several faults. */
  readonly details: readonly string[];

  constructor(code: ErrorCode, message: string, hint: string, cause?: unknown, details: readonly string[] = []) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'AppError';
    this.code = code;
    this.hint = hint;
    this.details = details;
  }
}

/** A value as one word of a POSIX shell, for command lines in hints: quoted where it must be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The message of anything thrown, without a stack. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The system's code of an error (ENOENT, SQLITE_BUSY …), or '' where it has none. */
export function systemCodeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
}

/** What it means that the SQLite driver, which is native code, cannot be loaded; null for any other error. */
export function driverError(thrown: unknown): AppError | null {
  const isNotLoaded = /^(ERR_DLOPEN_FAILED|(ERR_)?MODULE_NOT_FOUND)$/.test(systemCodeOf(thrown));
  const [found = ''] = messageOf(thrown).split('\n');
  if (!isNotLoaded || !found.includes('better-sqlite3')) return null;
  return new AppError(
    'driver-unusable',
    `expected an SQLite driver that loads, found: ${found}`,
    'install Playbill again; where the driver comes prebuilt for other machines only, compile it: npm rebuild better-sqlite3',
    thrown,
  );
}
