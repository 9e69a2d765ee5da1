// The part of the tree's layout that the edge needs, relative to out/public (snapshot.md, "The
// output tree"). Apart from render/paths.ts, whose syntax njs does not know; a test holds the two
// together.

import type { Endpoint } from '../../render/paths.ts';

/** `fronts/<code>/pointer.json`; only for a code that isFrontCode accepted. */
export const pointerPath = (front: string): string => 'fronts/' + front + '/pointer.json';

/**
 * `fronts/<code>/<endpoint>.<digest>.json`, the file without encoding; siblings add `.gz` and
 * `.br`.
 */
export const editionPath = (front: string, endpoint: Endpoint, digest: string): string =>
  `fronts/${front}/${endpoint}.${digest}.json`;

/**
 * The digest in an edition's name and ETag: the first 16 hex digits of the SHA-256 of its bytes,
 * before any content coding. With Web Cryptography, for runtimes and clients that hold the bytes;
 * njs never does.
 */
export const digestOfBytes = async (bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<string> => {
  const start = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes), 0, 8);
  return Array.from(start, (byte) => byte.toString(16).padStart(2, '0')).join('');
};
