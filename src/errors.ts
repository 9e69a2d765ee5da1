// Errors that a user can fix: a stable code, what was expected, what was found and where, and what
// to type. Bad catalogue data is not thrown; it is collected as findings (findings.ts).

/**
 * Every error code, the exit code it leads to, and when it occurs, for the reference. Scripts match
 * on both codes, so neither may change. 75: another attempt may mend it. 2: nothing of a tree was
 * written; later on the same error exits 6 (`afterWriting`).
 */
export const ERRORS = {
  usage: { exit: 2, meaning: 'an unknown or missing command, option or argument' },
  'instant-invalid': { exit: 2, meaning: 'an instant that is not a date and time with `Z` or an offset' },
  'duration-invalid': { exit: 2, meaning: 'a duration not written like `6h`, `90m`, `1h30m` or `0`' },
  'percentage-invalid': { exit: 2, meaning: 'a percentage not written like `50%`' },
  'settings-unreadable': { exit: 2, meaning: '`--config` or `PLAYBILL_CONFIG`: no file that can be read' },
  'settings-not-writable': { exit: 2, meaning: '`config init`: the file exists, or cannot be created' },
  'settings-invalid': {
    exit: 2,
    meaning: 'a file of settings that is not JSON, or with an unknown key, a wrong value or a secret in it',
  },
  'settings-unsafe': {
    exit: 2,
    meaning: 'a file of settings that others can change, or a command in one that nobody has named',
  },
  'settings-mixed': {
    exit: 2,
    meaning: 'one of `--db` and `--out` is given, and the other only in the file of settings',
  },
  'settings-weaker': {
    exit: 2,
    meaning:
      'a build that would publish less, unasked, than the current release: a shorter horizon, or no compressed copies',
  },
  'front-unknown': { exit: 2, meaning: '`--front` names no active front' },
  'key-unknown': { exit: 2, meaning: '`keys revoke`: no key has this keyid' },
  'key-exists': { exit: 2, meaning: '`keys issue`: the keyid is taken' },
  'key-invalid': {
    exit: 2,
    meaning: 'the key lacks something that its algorithm needs, or has something that it does not take',
  },
  'key-file-unreadable': {
    exit: 2,
    meaning: '`--key` of `sign`, `edge check` and `status`: not a file that `keys issue` has written or printed',
  },
  'key-file-exists': { exit: 2, meaning: '`keys issue --to`: the file exists' },
  'key-file-not-writable': { exit: 2, meaning: '`keys issue --to`: the file cannot be created; no key was stored' },
  'address-refused': {
    exit: 2,
    meaning: '`serve --unsigned` or `preview` on an address that other machines can reach',
  },
  'address-in-use': { exit: 2, meaning: '`serve` or `preview`: the address is in use, or not one of this machine' },
  'edge-option-invalid': { exit: 2, meaning: 'an option of the edge rule that cannot work' },
  'certificate-unreadable': {
    exit: 2,
    meaning: '`edge build`: a certificate or its key that is missing, not in PEM, or needs a passphrase',
  },
  'certificate-mismatch': { exit: 2, meaning: '`edge build --certificate-key`: the key of another certificate' },
  'edge-bundle-missing': { exit: 2, meaning: 'the installation lacks the bundles of the edge rule' },
  'edge-unreachable': {
    exit: 2,
    meaning: '`edge check`: no response from the edge: wrong name or port, invalid certificate, or a timeout',
  },
  'preview-export-exists': {
    exit: 2,
    meaning: '`preview --export`: the folder has something in it that no such export has written',
  },
  'preview-export-too-large': {
    exit: 2,
    meaning: '`preview --export`: a page of more than 10 MB, which no ticket or mail takes',
  },
  'page-bundle-missing': { exit: 2, meaning: 'the installation lacks the page of `preview`' },
  'driver-unusable': { exit: 2, meaning: 'the SQLite driver is missing, damaged, or built for another machine' },
  'database-missing': { exit: 2, meaning: 'no file at `--db`, or no database of that name on the server' },
  'database-unreadable': { exit: 2, meaning: 'not an SQLite database, a damaged one, or no permission' },
  'view-failed': {
    exit: 2,
    meaning:
      'an expression of a view throws in the key of a row, or in more rows than forty queries find; where they find the rows, each is a finding `expression-failed`',
  },
  'database-timeout': {
    exit: 75,
    meaning: 'the catalogue was not read within `--read-timeout`; what is published stays intact',
  },
  'database-busy': {
    exit: 75,
    meaning:
      'another process is writing to the database, a table was replaced while it was read, or the server broke off; a build tries once more, and the next run again',
  },
  'database-unreachable': {
    exit: 75,
    meaning: 'no PostgreSQL server answers at `--db`, its certificate is not trusted, or the connection was lost',
  },
  'database-row-security': {
    exit: 2,
    meaning:
      'a policy in PostgreSQL may hide rows from this user; if it should, the address says so: `row_security=filter`',
  },
  'database-not-a-copy': {
    exit: 2,
    meaning:
      '`build --shard`: an SQLite file in WAL mode on a network file system, of which each host has a log of its own',
  },
  'database-exists': { exit: 2, meaning: 'a database exists already at the path for a new one' },
  'database-not-writable': { exit: 2, meaning: 'the database cannot be written' },
  'contract-table-missing': { exit: 2, meaning: 'the catalogue lacks a table' },
  'contract-column-missing': { exit: 2, meaning: 'a table lacks a column' },
  'contract-column-misspelled': { exit: 2, meaning: 'a table lacks a column that it seems to have under another name' },
  'contract-lost': { exit: 2, meaning: 'the catalogue lacks a table or column that the published release had' },
  'contract-column-type': { exit: 2, meaning: 'a column is declared with a type that cannot hold its values' },
  'import-line-invalid': { exit: 2, meaning: 'a line that is not `{"table":…,"row":{…}}`' },
  'import-row-invalid': { exit: 2, meaning: 'a value that its column does not accept' },
  'import-row-refused': {
    exit: 2,
    meaning: 'the database refuses a row: its key exists, or a foreign key refers to no row',
  },
  'import-file-unreadable': { exit: 2, meaning: 'a file to import that cannot be read' },
  'import-empty': {
    exit: 2,
    meaning: 'a new catalogue would get no row: the command that writes the rows has probably failed',
  },
  'import-shrinks': {
    exit: 4,
    meaning: '`import --mirror`: more rows of a table would go than `--max-shrink` allows; nothing is changed',
  },
  'export-value-unprintable': { exit: 2, meaning: 'a value that JSON cannot represent' },
  'snapshot-unknown': { exit: 2, meaning: '`--snapshot` names no snapshot that is held' },
  'run-differs': {
    exit: 2,
    meaning: 'a shard, or `finish`, with another `--now`, `--shards`, version or option than the rest of the run',
  },
  'run-missing': { exit: 2, meaning: '`finish`: no shard of the run has left a result' },
  'run-damaged': { exit: 2, meaning: 'a file below `runs/` that cannot be read' },
  'run-state-differs': {
    exit: 2,
    meaning: 'shards of one run that were rendered from different states of the catalogue',
  },
  'tree-missing': { exit: 2, meaning: 'no tree at `--out`' },
  'tree-unreadable': { exit: 2, meaning: 'a file of the tree cannot be read' },
  'tree-newer-schema': { exit: 2, meaning: 'a newer version of Playbill wrote the tree' },
  'tree-locked': {
    exit: 5,
    meaning: 'another run is writing the tree; for `keys`, it has been changing the key ring for ten seconds',
  },
  'tree-held': { exit: 2, meaning: '`rollback --front`: a rollback holds the whole tree' },
  'front-not-held': { exit: 2, meaning: '`rollback --resume --front`: no rollback holds this front' },
  'tree-not-writable': { exit: 6, meaning: '`--out` is a file, read-only, or owned by someone else' },
  'tree-full': { exit: 6, meaning: 'no space left; what is published stays intact' },
  'bucket-missing': { exit: 2, meaning: 'no such bucket at `AWS_ENDPOINT_URL`, or at Amazon if that is not set' },
  'region-missing': { exit: 2, meaning: 'neither a region nor an endpoint is set' },
  'region-wrong': { exit: 2, meaning: 'the bucket is in another region' },
  'credentials-missing': { exit: 2, meaning: 'no credentials where S3 tools look for them' },
  'credentials-refused': { exit: 2, meaning: 'credentials that are unknown, wrong or expired' },
  'clock-skewed': { exit: 2, meaning: "this machine's clock differs too much from that of the store" },
  'store-unreachable': { exit: 75, meaning: 'no response from the store, or from the service that gives credentials' },
  'store-busy': {
    exit: 75,
    meaning: 'the store answered every attempt with an error of its own: too many requests, or an internal error',
  },
  'store-unusable': { exit: 2, meaning: 'the server at the endpoint is not an S3 store' },
  'store-not-conditional': {
    exit: 2,
    meaning: 'a store that ignores conditional writes: a tree in it could lose a release',
  },
  'nothing-published': { exit: 2, meaning: '`show`: the front, or an edition for this instant, is not published' },
  'on-publish-invalid': { exit: 2, meaning: '`--on-publish` with a URL that cannot be called' },
  'on-failure-invalid': { exit: 2, meaning: '`--on-failure` with a URL that cannot be called' },
  'on-change-invalid': { exit: 2, meaning: '`--on-change` with a URL that cannot be called' },
  'metrics-not-writable': {
    exit: 2,
    meaning: '`--prometheus` names a file that cannot be replaced, or that Playbill did not write',
  },
  'output-not-writable': {
    exit: 2,
    meaning:
      'standard output is full or failed: the result is cut off; exit 6 of a command that writes, whose work stands',
  },
  'release-unknown': { exit: 2, meaning: 'a release that the tree does not keep, or the beginning of several ids' },
  'product-unknown': { exit: 2, meaning: '`explain --product` names no product of the catalogue' },
  'release-older': {
    exit: 2,
    meaning: 'a release that an earlier version of Playbill wrote: it is served, but this version cannot look into it',
  },
  'release-damaged': {
    exit: 2,
    meaning: 'a manifest or a part of it is missing or damaged, or a file of the release to go back to',
  },
} as const satisfies Readonly<Record<string, { readonly exit: number; readonly meaning: string }>>;

export type ErrorCode = keyof typeof ERRORS;

/**
 * An error with a code, a message (expected, found, where) and a hint: the command or edit that
 * fixes it. Message, details and hint are single lines; a newline in one comes from data and is
 * escaped when printed.
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
    return ERRORS[this.code].exit;
  }
}

/**
 * An error after a run's first write to a tree. It exits 6, because exit code 2 says that nothing
 * was written.
 */
class WrittenInPart extends AppError {
  constructor(error: AppError) {
    const message = `${error.message}; the tree is written in part; nothing that is published is lost`;
    super(error.code, message, error.hint, error, error.details);
  }

  override get exitCode(): number {
    return 6;
  }
}

/**
 * What to throw in place of an error that ends a run after its first write to a tree: the same, but
 * never with exit code 2.
 */
export function afterWriting(thrown: unknown): unknown {
  return thrown instanceof AppError && thrown.exitCode === 2 ? new WrittenInPart(thrown) : thrown;
}

/** Quotes a value for a POSIX shell if necessary, for command lines in hints. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * The message of anything thrown, without a stack. The code and system call of a system error are
 * left out.
 */
export function messageOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message.replace(/^(?:\w+ )?E[A-Z]+: ([^,]*)(?:, \w+)?/, '$1');
}

/** The `code` of a system or driver error (ENOENT, SQLITE_BUSY …); '' if it has no code. */
export function systemCodeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
}

/**
 * The AppError for a SQLite driver (native code) that cannot be loaded; null for any other error.
 */
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

/**
 * An address for a message, without a user and password. Matches up to the last `@`, because AWS
 * secrets may contain slashes.
 */
export function withoutUser(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/i, '$1…@');
}
