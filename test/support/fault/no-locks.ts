// A file system that cannot lock files, for one run of the command: a small library between it and
// the system refuses the locks.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('no-locks.c', import.meta.url));

/** What fcntl answers: no lock daemon (ENOLCK), not for this file system (EOPNOTSUPP, EINVAL). */
export const LOCK_ERRORS = { ENOLCK: 37, EOPNOTSUPP: 95, EINVAL: 22 } as const;

/**
 * Compiles the library into a folder.
 * @returns the environment of a run that cannot lock files whose path contains `name`
 */
export function noLocksIn(folder: string): (name: string, error: keyof typeof LOCK_ERRORS) => Record<string, string> {
  const library = join(folder, 'no-locks.so');
  execFileSync('gcc', ['-shared', '-fPIC', '-o', library, SOURCE, '-ldl']);
  return (name, error) => ({
    LD_PRELOAD: library,
    NO_LOCKS_ON: name,
    NO_LOCKS_ERRNO: String(LOCK_ERRORS[error]),
  });
}
