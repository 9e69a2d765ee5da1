// A finding is one thing wrong with the data or a tree: a code, a place and a message. Findings are collected, never thrown.

/** Every code a finding can have. Scripts match on them, so they may not change. */
export type FindingCode =
  // rows (database/)
  | 'table-missing'
  | 'column-missing'
  | 'column-type-wrong'
  | 'value-invalid'
  | 'dangling-id'
  | 'duplicate-key'
  | 'zone-unknown'
  | 'zone-drift'
  | 'zone-rules-differ'
  | 'wall-time-skipped'
  | 'wall-time-repeated'
  | 'year-unprintable'
  | 'key-material-wrong'
  | 'keys-revived'
  | 'no-public-tier'
  | 'whole-unit-prices'
  | 'front-empty'
  | 'currency-unused'
  | 'journal-mode-not-wal'
  // trees (release/)
  | 'pointer-missing'
  | 'pointer-invalid'
  | 'manifest-invalid'
  | 'current-invalid'
  | 'key-ring-invalid'
  | 'file-missing'
  | 'file-size-wrong'
  | 'file-digest-wrong'
  | 'document-invalid'
  | 'edition-order'
  | 'edition-repeated'
  | 'slot-date-wrong'
  | 'pointer-not-current'
  | 'stranger'
  | 'temporary-name'
  | 'file-kind-wrong'
  | 'file-not-writable'
  | 'shard-missing'
  | 'file-unreadable'
  | 'endpoints-disagree'
  | 'weekend-unchecked'
  | 'secret-in-tree'
  | 'no-valid-key'
  | 'tree-changed'
  | 'hold-invalid'
  | 'hold-not-current'
  | 'not-pruned';

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
export function findingLine(finding: Omit<Finding, 'code' | 'column' | 'hint'> & { readonly code: string }): string {
  return `${finding.severity} ${finding.code} ${finding.place}: ${finding.message}`;
}
