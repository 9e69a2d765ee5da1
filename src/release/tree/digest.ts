// SHA-256, as everything published is named and checked by it.

import { createHash, hash } from 'node:crypto';

/** 64 hex digits. */
export function sha256Of(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** The same as 32 bytes. */
export function sha256BytesOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return hash('sha256', bytes, 'buffer');
}

/** What an edition's recipe is: 32 hex digits. The tool may make other bytes of the same ingredients in another version. */
export function recipeOf(toolVersion: string, ingredients: Uint8Array): string {
  return createHash('sha256').update(`${toolVersion}\n`).update(ingredients).digest('hex').slice(0, 32);
}
