// A place with too little room, for real: a small file system of our own where this machine lets us
// mount one, and elsewhere a limit of the system on the size of any file. Both let a run write some
// files and refuse the next.

import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface ScarceDisk {
  /** Where the tree may be put. */
  readonly folder: string;
  /** The error of a run that finds no more room. */
  readonly errorCode: 'tree-full' | 'tree-not-writable';
  /**
   * Leaves room for so many blocks of 4096 bytes, in all or for each file; what a run is to be
   * started through.
   */
  readonly leave: (blocks: number) => readonly string[];
  /** There is room again. */
  readonly relieve: () => void;
}

const BLOCK_BYTES = 4096;

/**
 * Mounts an empty file system in memory at a folder, until the test ends; false where this machine
 * does not let us.
 */
export function mountMemory(folder: string, options: string): boolean {
  mkdirSync(folder, { recursive: true });
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  if (status !== 0) {
    console.warn(`not tried on a file system of its own (${options}): mounting is not permitted on this machine`);
    return false;
  }
  onTestFinished(() => void spawnSync('umount', ['-l', folder]));
  return true;
}

export function scarceDisk(folder: string): ScarceDisk {
  if (!mountMemory(folder, 'size=16m')) {
    return {
      folder,
      errorCode: 'tree-not-writable',
      leave: (blocks) => ['prlimit', `--fsize=${blocks * 512}`],
      relieve: () => undefined,
    };
  }
  const ballast = join(folder, 'ballast');
  return {
    folder,
    errorCode: 'tree-full',
    leave: (blocks) => {
      const { bavail } = statfsSync(folder);
      writeFileSync(ballast, new Uint8Array(bavail * BLOCK_BYTES));
      truncateSync(ballast, (bavail - blocks) * BLOCK_BYTES);
      return [];
    },
    relieve: () => rmSync(ballast),
  };
}
