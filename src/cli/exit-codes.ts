// Exit codes (product.md, Commands). Scripts rely on them: they never change.

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

export function exitCodeOf(code: ErrorCode): number {
  return ERROR_EXIT_CODES[code];
}
