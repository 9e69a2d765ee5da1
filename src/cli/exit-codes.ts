// Exit codes (product.md, Commands), which scripts may rely on.

import { ERROR_EXIT_CODES, type ErrorCode } from '../errors.ts';

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
  return ERROR_EXIT_CODES[code];
}
