// SHA-256, which names and verifies everything published.

import { createHash, hash } from 'node:crypto';
import { digestOf } from '../../render/paths.ts';
import { damaged, type Failure } from './found.ts';

/** 64 hex digits. */
export function sha256Of(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** The same as 32 bytes. */
export function sha256BytesOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return hash('sha256', bytes, 'buffer');
}

/**
 * An edition's recipe, 32 hex digits. Includes the tool's version, since another version may make
 * other bytes from the same ingredients.
 */
export function recipeOf(toolVersion: string, ingredients: Uint8Array): string {
  return createHash('sha256').update(`${toolVersion}\n`).update(ingredients).digest('hex').slice(0, 32);
}

/** The failure for bytes that do not have the digest in the file's name; null if they do. */
export function alteredFrom(digest: string, bytes: Uint8Array, path: string): Failure | null {
  const sha256 = sha256Of(bytes);
  if (digestOf(sha256) === digest) return null;
  return damaged(path, `expected a SHA-256 that begins with ${digest}, found ${sha256}`, 'altered');
}
