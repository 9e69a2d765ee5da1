// The key ring of a server that follows every change at once. It is parsed only when its bytes have
// changed, and in a folder read only when they may have.

import { readFileSync, statSync } from 'node:fs';
import type { KeyRing } from '../../contract/key-ring.ts';
import { keyRingFrom } from '../rule/key-store.ts';

/**
 * A parser that returns the last key ring again for the same bytes. It throws Error for bytes that
 * are not a key ring.
 */
export function keyRingParser(): (bytes: Buffer) => KeyRing {
  let last: { readonly bytes: Buffer; readonly ring: KeyRing } | null = null;
  return (bytes) => {
    if (last?.bytes.equals(bytes) !== true) last = { bytes, ring: parseKeyRing(bytes) };
    return last.ring;
  };
}

function parseKeyRing(bytes: Buffer): KeyRing {
  try {
    return keyRingFrom(JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    throw new Error(`edge/keyring.json: ${String(error)}`, { cause: error });
  }
}

/**
 * File systems round the time of a change, by up to two seconds: until then, a second change may
 * not show.
 */
const SETTLED_MS = 2000;

/**
 * Reads the key ring at a path. Rejects if it cannot be read. `clockMs`: a clock that is never set
 * back.
 */
export function folderKeyRing(path: string, clockMs: () => number): () => Promise<KeyRing> {
  const parse = keyRingParser();
  let last: {
    readonly ring: KeyRing;
    /** What the file system says of the file, and since when. */
    readonly identity: string;
    readonly sinceMs: number;
    /** Whether the file was read after the last change that could hide. */
    readonly isSettled: boolean;
  } | null = null;
  return async () => {
    // Before the file is read: if it is replaced in between, the next request sees another
    // identity.
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    const identity = [ino, size, mtimeNs, ctimeNs].join();
    const same = last?.identity === identity ? last : null;
    if (same?.isSettled === true) return same.ring;
    const nowMs = clockMs();
    const sinceMs = same?.sinceMs ?? nowMs;
    const ring = parse(readFileSync(path));
    last = { ring, identity, sinceMs, isSettled: nowMs - sinceMs > SETTLED_MS };
    return ring;
  };
}
