// Errors that a user can fix: a stable code, what was expected, what was found and where, and what to type.
// Bad catalogue data is not thrown; it is collected as findings (findings.ts).

/**
 * Every error code and the exit code it leads to. Scripts match on both, so neither may change. 75: another attempt may mend it. 2: nothing
 * of a tree was written; later on the same error exits 6 (`afterWriting`).
 */
export const ERROR_EXIT_CODES = {
  usage: 2,
  'instant-invalid': 2,
  'duration-invalid': 2,
  'percentage-invalid': 2,
  'front-unknown': 2,
  'key-unknown': 2,
  'key-exists': 2,
  'key-invalid': 2,
  'key-file-unreadable': 2,
  'key-file-exists': 2,
  'key-file-not-writable': 2,
  'address-refused': 2,
  'address-in-use': 2,
  'edge-option-invalid': 2,
  'edge-bundle-missing': 2,
  'edge-unreachable': 2,
  'page-bundle-missing': 2,
  'driver-unusable': 2,
  'database-missing': 2,
  'database-unreadable': 2,
  'database-busy': 75,
  'database-timeout': 75,
  'database-unreachable': 75,
  'database-row-security': 2,
  'database-exists': 2,
  'database-not-writable': 2,
  'contract-table-missing': 2,
  'contract-column-missing': 2,
  'contract-column-type': 2,
  'import-line-invalid': 2,
  'import-row-invalid': 2,
  'import-row-refused': 2,
  'import-file-unreadable': 2,
  'import-empty': 2,
  'import-shrinks': 4,
  'export-value-unprintable': 2,
  'snapshot-unknown': 2,
  'run-differs': 2,
  'run-missing': 2,
  'run-damaged': 2,
  'run-state-differs': 2,
  'tree-missing': 2,
  'tree-unreadable': 2,
  'tree-newer-schema': 2,
  'tree-locked': 5,
  'tree-not-writable': 6,
  'tree-full': 6,
  'bucket-missing': 2,
  'region-missing': 2,
  'region-wrong': 2,
  'credentials-missing': 2,
  'credentials-refused': 2,
  'clock-skewed': 2,
  'store-unreachable': 75,
  'store-busy': 75,
  'store-unusable': 2,
  'store-not-conditional': 2,
  'nothing-published': 2,
  'on-publish-invalid': 2,
  'on-change-invalid': 2,
  'metrics-not-writable': 2,
  'output-not-writable': 2,
  'release-unknown': 2,
  'product-unknown': 2,
  'release-damaged': 2,
} as const;

export type ErrorCode = keyof typeof ERROR_EXIT_CODES;

/**
 * An error with a code, a message (expected, found, where) and a hint: the command or edit that fixes it. Message, details and hint
 * are single lines; a newline in one comes from data and is escaped when printed.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  /** More messages of the same kind, when one error reports several faults. */
  readonly details: readonly string[];

  constructor(code: ErrorCode, message: string, hint: string, cause?: unknown, details: readonly string[] = []) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'AppError';
    this.code = code;
    this.hint = hint;
    this.details = details;
  }

  get exitCode(): number {
    return ERROR_EXIT_CODES[this.code];
  }
}

/** An error after a run's first write to a tree. It exits 6, because exit code 2 says that nothing was written. */
class WrittenInPart extends AppError {
  constructor(error: AppError) {
    const message = `${error.message}; the tree is written in part, and what was published stands`;
    super(error.code, message, error.hint, error, error.details);
  }

  override get exitCode(): number {
    return 6;
  }
}

/** What to throw in place of an error that ends a run after its first write to a tree: the same, but never with exit code 2. */
export function afterWriting(thrown: unknown): unknown {
  return thrown instanceof AppError && thrown.exitCode === 2 ? new WrittenInPart(thrown) : thrown;
}

/** Quotes a value for a POSIX shell if necessary, for command lines in hints. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The message of anything thrown, without a stack. The code and system call of a system error are left out. */
export function messageOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message.replace(/^(?:\w+ )?E[A-Z]+: ([^,]*)(?:, \w+)?/, '$1');
}

/** The `code` of a system or driver error (ENOENT, SQLITE_BUSY …); '' if it has no code. */
export function systemCodeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
}

/** The AppError for a SQLite driver (native code) that cannot be loaded; null for any other error. */
export function driverError(thrown: unknown): AppError | null {
  const isNotLoaded = /^(ERR_DLOPEN_FAILED|(ERR_)?MODULE_NOT_FOUND)$/.test(systemCodeOf(thrown));
  const [found = ''] = messageOf(thrown).split('\n');
  if (!isNotLoaded || !found.includes('better-sqlite3')) return null;
  return new AppError(
    'driver-unusable',
    `expected an SQLite driver that loads, found: ${found}`,
    'install Playbill again; if no prebuilt driver fits this machine, compile it: npm rebuild better-sqlite3',
    thrown,
  );
}

/** An address for a message, without a user and password. Matches up to the last `@`, because AWS secrets may contain slashes. */
export function withoutUser(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/i, '$1…@');
}
