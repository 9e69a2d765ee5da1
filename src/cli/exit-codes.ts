// Exit codes (product.md, Commands): what a script may rely on.

import type { ErrorCode } from '../errors.ts';

export const EXIT = {
  done: 0,
  findings: 1,
  usage: 2,
  someFailed: 3,
  guarded: 4,
  locked: 5,
  notWritten: 6,
  bug: 70,
} as const;

/** The exit code of an error. */
export function exitCodeOf(code: ErrorCode): number {
  switch (code) {
    case 'tree-locked':
      return EXIT.locked;
    case 'tree-not-writable':
    case 'tree-full':
      return EXIT.notWritten;
    case 'usage':
    case 'instant-invalid':
    case 'duration-invalid':
    case 'percentage-invalid':
    case 'front-unknown':
    case 'key-unknown':
    case 'key-exists':
    case 'key-invalid':
    case 'key-file-unreadable':
    case 'key-file-exists':
    case 'key-file-not-writable':
    case 'address-refused':
    case 'address-in-use':
    case 'edge-option-invalid':
    case 'edge-bundle-missing':
    case 'page-bundle-missing':
    case 'driver-unusable':
    case 'database-missing':
    case 'database-unreadable':
    case 'database-busy':
    case 'database-exists':
    case 'database-not-writable':
    case 'contract-table-missing':
    case 'contract-column-missing':
    case 'contract-column-type':
    case 'import-line-invalid':
    case 'import-row-invalid':
    case 'import-row-refused':
    case 'import-file-unreadable':
    case 'export-value-unprintable':
    case 'tree-missing':
    case 'tree-unreadable':
    case 'tree-newer-schema':
    case 'nothing-published':
    case 'on-publish-invalid':
    case 'metrics-not-writable':
    case 'release-unknown':
    case 'product-unknown':
    case 'release-damaged':
      return EXIT.usage;
  }
}
