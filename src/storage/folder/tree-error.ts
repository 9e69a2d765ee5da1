// Turns system errors of writing into errors that name the option to change.

import { AppError, messageOf, systemCodeOf } from '../../errors.ts';

/**
 * Converts a system error of writing into an AppError; other errors pass unchanged. `flag` is the
 * option that named the folder.
 */
export function treeError(path: string, error: unknown, flag = '--out'): unknown {
  const code = systemCodeOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    const message = `disk full while writing ${path}; nothing that is published is lost`;
    return new AppError('tree-full', message, 'free some space, then run the same command again', error);
  }
  if (code === '' || error instanceof AppError) return error;
  const expected = code === 'EEXIST' || code === 'ENOTDIR' ? 'expected a folder' : 'expected to be able to write';
  const hint = `check its owner and permissions, or name another folder with ${flag}`;
  return new AppError('tree-not-writable', `${expected} at ${path}, found: ${messageOf(error)}`, hint, error);
}
