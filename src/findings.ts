// Findings: one thing wrong with data or a tree, with a code, a place and a message. They are collected, never thrown.

/** Every code a finding can bear. Codes are stable: scripts match on them. */
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
  | 'wall-time-skipped'
  | 'wall-time-repeated'
  | 'year-unprintable'
  | 'key-material-wrong'
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
  | 'tree-changed'
  | 'hold-invalid'
  | 'hold-not-current'
  | 'not-pruned';

/** `error` holds back the fronts it concerns (law 7); `warning` holds back nothing. */
export type Severity = 'error' | 'warning';

export interface Finding {
  readonly severity: Severity;
  readonly code: FindingCode;
  /** A table and key (`sessions 17`) or a path of the tree. */
  readonly place: string;
  readonly message: string;
  /** The column that is meant, where there is one. */
  readonly column?: string;
  /** What to type; of a value, SQL that makes one which the column accepts. */
  readonly hint?: string;
}

/** `error value-invalid sessions 17: …`: one finding on one line. */
export function findingLine(finding: Omit<Finding, 'code' | 'column' | 'hint'> & { readonly code: string }): string {
  return `${finding.severity} ${finding.code} ${finding.place}: ${finding.message}`;
}
