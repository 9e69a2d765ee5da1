// SHA-256, as everything published is named and checked by it.

import { createHash } from 'node:crypto';

/** 64 hex digits. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
