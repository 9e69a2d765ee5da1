// A finding is one thing wrong with the data or a tree: a code, a place and a message. Findings are
// collected, never thrown.

/**
 * Every code that a finding can have, and what it means, for the reference. Scripts match on them,
 * so they may not change. First those of rows (database/), from `pointer-missing` on those of trees
 * (release/).
 */
export const FINDINGS = {
  'table-missing': '`check-db`: the catalogue lacks a table',
  'table-misspelled': '`check-db`: warning: a table that a catalogue lacks is there under a name that is nearly right',
  'column-missing': '`check-db`: a table lacks a column',
  'column-misspelled': '`check-db`: a column that a catalogue may lack is there under a name that is nearly right',
  'column-type-wrong': '`check-db`: a column is declared with a type that cannot hold its values',
  'value-invalid': 'a value that its column does not accept',
  'expression-failed':
    'a row of a view of which an expression throws, as for text that is no JSON, a division by zero or an overflow',
  'dangling-id': 'an id that refers to no row',
  'duplicate-key': 'a key or slug that occurs twice',
  'zone-unknown': 'a time zone that the runtime does not know, or an offset instead of a zone',
  'zone-rules-differ':
    "warning: the server's zone rules are not those of this runtime, so a view that converts times moves some of them",
  'zone-drift': "warning: the wall time on the ticket differs from the one that today's zone rules give",
  'wall-time-skipped':
    'a wall time without its instant (`starts_local`, `sales_end_local` …) that does not exist, because clocks are put forward',
  'wall-time-repeated':
    'warning: a wall time without its instant that occurs twice, because clocks are set back; the earlier one is used',
  'daily-end': 'a daily session without an end, or with one that is no later time of day on its last date',
  'year-unprintable': 'a session whose wall time lies outside the years 0000 to 9999',
  'key-material-wrong': 'a key without exactly what its algorithm needs',
  'keys-revived': 'warning: a key that is revoked in the key ring, but not in the catalogue; it stays revoked',
  'no-public-tier': 'warning: a session whose own ticket tiers are all private',
  'whole-unit-prices': '`check-db`: warning: more than half of the ticket prices in a currency look like whole units',
  'front-empty': '`check-db`: warning: an active front lists no product',
  'currency-unused':
    '`check-db`: warning: no product of an active front has a ticket tier in its currency, though some have tiers',
  'currency-untiered':
    '`check-db`: warning: a product of an active front has ticket tiers, but none in its currency, though other products have',
  'currency-unknown': '`check-db`: warning: a front has a currency that ISO 4217 does not list',
  'currency-exponent':
    '`check-db`: warning: a front divides prices by another power of ten than ISO 4217 or other fronts do for its currency',
  'zone-fixed': '`check-db`: warning: a time zone without a place, such as `EST`, whose clocks never change',
  'channel-untiered': '`check-db`: warning: an active front sells on a channel that no ticket tier names',
  'channel-unused': '`check-db`: warning: ticket tiers are sold on a channel that no front has',
  'locale-unused': '`check-db`: warning: `texts` are in a language that no front has',
  'text-unused': '`check-db`: warning: a text of a row that does not exist',
  'session-repeated': '`check-db`: warning: two sessions of a product at one venue and start',
  'session-long':
    '`check-db`: warning: a session longer than a day, not daily, that is over when it begins, as it has no `sales_end_at`',
  'window-reversed':
    '`check-db`: warning: a period that ends before it begins, or at that instant, so that it never is',
  'year-unlikely': '`check-db`: warning: a time before the year 2000 or after 2100',
  'name-not-text':
    '`check-db`: warning: text for people that is empty, blank or JSON, or has markup or character references',
  'journal-mode-not-wal': 'warning: a long build blocks writers of the database',
  'database-damaged': '`check-db`: the file of the catalogue is damaged; warning: SQLite could not check it',
  'pointer-missing': 'a front with editions but no pointer',
  'pointer-invalid': 'a pointer that cannot be read or contradicts itself',
  'manifest-invalid': 'a manifest that cannot be read, or contradicts itself or its name',
  'manifest-older':
    'warning: an earlier version wrote the manifest; a build replaces it, and pruning removes it after the grace time',
  'current-invalid': '`releases/current` names no release',
  'key-ring-invalid': 'the key ring cannot be read',
  'no-valid-key':
    'no published front has a valid key, though the key ring has keys; warning: a front has none, or the key ring has none at all',
  'file-missing': 'a file that a pointer or manifest names is missing',
  'file-size-wrong': 'a file whose size is not the one it was published with',
  'file-digest-wrong': 'content does not match the digest in the file name',
  'document-invalid': 'an edition that does not match its schema, or is not canonical JSON',
  'edition-order': 'entries of a pointer out of order',
  'edition-repeated': 'two consecutive editions with the same content',
  'slot-date-wrong': "a card's session for today, tomorrow or the weekend on another date than its edition's",
  'pointer-not-current':
    'a pointer differs from the current release: a publish was interrupted, or the file was changed by hand',
  unexpected: 'warning: an unexpected file',
  'temporary-name': 'warning: a temporary file of an interrupted run; the next run removes it',
  'file-kind-wrong': 'a folder or a link where a file belongs',
  'file-not-writable': '`build`: files of a front that a bucket does not allow to be written; the front is held back',
  'shard-missing': '`finish`: a shard has left no result; its fronts are held back',
  'file-unreadable': 'a file that the system does not allow to be read',
  'endpoints-disagree': 'the two documents of a front show different categories at one instant',
  'weekend-unchecked': 'warning: the manifest does not say which days are the weekend',
  'secret-in-tree': 'key material that must not be in a tree',
  'tree-changed': 'the tree was published while it was being checked',
  'hold-invalid': '`releases/hold` names no kept release; the tree is held all the same',
  'hold-not-current': 'warning: a rollback was interrupted; run it again to complete it',
  'not-pruned': 'warning: `build` has published, but could not clean up afterwards',
} as const satisfies Readonly<Record<string, string>>;

export type FindingCode = keyof typeof FINDINGS;

/** An `error` holds back the fronts it concerns (law 7); a `warning` does not. */
export type Severity = 'error' | 'warning';

export interface Finding {
  readonly severity: Severity;
  readonly code: FindingCode;
  /** A table and key (`sessions 17`) or a path in the tree. */
  readonly place: string;
  readonly message: string;
  /** The column at fault, if it is a single one. */
  readonly column?: string;
  /** What to type; for an invalid value, SQL that makes it one the column accepts. */
  readonly hint?: string;
}

/** A finding as one line: `error value-invalid sessions 17: …`. */
export function findingLine(finding: Finding): string {
  return `${finding.severity} ${finding.code} ${finding.place}: ${finding.message}`;
}

/**
 * How many findings are kept where there may be millions, as of a broken column or a failing disk.
 * The rest is only counted.
 */
export const FINDINGS_KEPT = 1000;
