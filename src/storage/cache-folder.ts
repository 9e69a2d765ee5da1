// A folder outside the tree for what a run may leave to the next one to be faster. Nothing in it must be there, or right: what is
// damaged, of another format or of another user is as good as absent, and what cannot be written is not written. Never throws.

import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** Every file begins with this and the digest of what follows. */
const FORMAT = 'playbill-cache-1';

export class CacheFolder {
  readonly #path: string;
  readonly #userId: number | null;

  /** `userId` is that of the process, whose files alone are believed; null where the system has none. */
  constructor(path: string, userId: number | null) {
    this.#path = path;
    this.#userId = userId;
  }

  /** What was written under a name; null where there is nothing to believe. */
  read(name: string): Uint8Array | null {
    let descriptor: number | undefined;
    try {
      // Without O_NONBLOCK a pipe in the file's place would make us wait for ever.
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      descriptor = openSync(join(this.#path, name), flags);
      const stats = fstatSync(descriptor);
      if (!stats.isFile() || (this.#userId !== null && stats.uid !== this.#userId)) return null;
      const all = readFileSync(descriptor);
      const headLength = FORMAT.length + 64 + 2;
      const bytes = all.subarray(headLength);
      return all.subarray(0, headLength).toString('latin1') === headOf([bytes]) ? bytes : null;
    } catch {
      return null;
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }

  /** Puts a file in the place of another, whole or not at all; false where that was not possible. */
  write(name: string, parts: readonly Uint8Array[]): boolean {
    const temporary = join(this.#path, `.${name}.tmp`);
    try {
      mkdirSync(this.#path, { recursive: true, mode: 0o700 });
      // One name for all: of two runs that write at once one may spoil the other's file, which its digest then tells.
      const descriptor = openSync(temporary, 'w', 0o600);
      try {
        for (const part of [Buffer.from(headOf(parts), 'latin1'), ...parts]) writeWhole(descriptor, part);
      } finally {
        closeSync(descriptor);
      }
      renameSync(temporary, join(this.#path, name));
      return true;
    } catch {
      this.#remove(temporary);
      return false;
    }
  }

  #remove(path: string): void {
    try {
      rmSync(path, { force: true });
    } catch {
      // Where nothing can be written, nothing is left either.
    }
  }
}

function headOf(parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return `${FORMAT} ${hash.digest('hex')}\n`;
}

function writeWhole(descriptor: number, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}
