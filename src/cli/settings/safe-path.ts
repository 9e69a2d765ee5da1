// Finds who else could change a file: its owner, its group, everybody, or whoever may rename one of
// the folders or links that lead to it. A file of settings names commands, addresses and buckets,
// so only the user and root may be able to.

import { accessSync, constants, lstatSync, readlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { systemCodeOf } from '../../errors.ts';

/** A part of the way that others can change, why, and the command that ends it. */
export interface Unsafe {
  readonly path: string;
  readonly found: string;
  readonly remedy: 'chown root' | 'chmod go-w';
}

/** As many links as Linux follows. */
const LINKS_MAX = 40;

/**
 * Follows a path link by link. The file to open is the one at `real`: another path could lead to
 * another file by now.
 * @throws Error with the system's code (ENOENT, ELOOP …)
 */
export function followPath(path: string, user: number): { readonly real: string; readonly unsafe: Unsafe | null } {
  let real = '/';
  let unsafe = writersOf(real, user);
  let links = 0;
  // `link/..` is the folder that contains the link, as for `resolve`.
  const names = namesIn(resolve(path));
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    if (name === '..') {
      real = dirname(real);
      continue;
    }
    const next = join(real, name);
    unsafe ??= writersOf(next, user);
    if (!lstatSync(next).isSymbolicLink()) {
      real = next;
      continue;
    }
    if (++links > LINKS_MAX) throw Object.assign(new Error('ELOOP: too many links'), { code: 'ELOOP' });
    const target = readlinkSync(next);
    if (target.startsWith('/')) real = '/';
    names.unshift(...namesIn(target));
  }
  return { real, unsafe };
}

const namesIn = (path: string): string[] => path.split('/').filter((name) => name !== '' && name !== '.');

/** Who besides the user and root can change a file, or what a folder or a link leads to. */
function writersOf(path: string, user: number): Unsafe | null {
  const stats = lstatSync(path);
  if (stats.uid !== user && stats.uid !== 0)
    return { path, found: `belongs to user ${stats.uid}`, remedy: 'chown root' };
  // Everybody may add to a sticky folder, but rename or remove only what is their own.
  const isSticky = stats.isDirectory() && (stats.mode & 0o1000) !== 0;
  if (stats.isSymbolicLink() || isSticky || (stats.mode & 0o022) === 0 || isReadOnly(path)) return null;
  const who = (stats.mode & 0o002) === 0 ? 'its group' : 'everybody';
  return { path, found: `can be written by ${who} (mode ${(stats.mode & 0o777).toString(8)})`, remedy: 'chmod go-w' };
}

/** Whether the file system is mounted read-only, as Kubernetes mounts a ConfigMap. */
function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return systemCodeOf(error) === 'EROFS';
  }
}
