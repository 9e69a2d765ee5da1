// Tests write thousands of small files, and ask that each be durable before the next: on a disk
// they wait for it half of the time. So their temporary files go into memory where there is room.

import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { availableMemory } from 'node:process';

const FOLDER = '/dev/shm';

/** What a run needs at most at once, in bytes, and as much again for its processes. */
const ROOM = 4 * 2 ** 30;

/** Whether a folder in memory takes the temporary files, programs among them. */
function isFit(): boolean {
  try {
    accessSync(FOLDER, constants.W_OK);
    const [mount = 'noexec'] = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .filter((line) => line.split(' ')[1] === FOLDER);
    const { bavail, bsize } = statfsSync(FOLDER);
    return !mount.includes('noexec') && bavail * bsize >= ROOM && availableMemory() >= 2 * ROOM;
  } catch {
    return false;
  }
}

/** Where temporary files go that Deno reads: nothing below /dev may be allowed to it alone. */
export function diskFolder(): string {
  return tmpdir().startsWith('/dev/') ? '/tmp' : tmpdir();
}

/** Sends temporary files of this process, and of those that it starts, there; unless TMPDIR says where. */
export function preferMemory(): void {
  if (process.env['TMPDIR'] === undefined && isFit()) process.env['TMPDIR'] = FOLDER;
}
