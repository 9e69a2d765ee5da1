// The header fields with which files are stored in a bucket, and which CDNs and browsers get.

import { treeFileOf, type Encoding } from '../../render/paths.ts';

const CONTENT_ENCODING: Readonly<Record<Encoding, Readonly<Record<string, string>>>> = {
  identity: {},
  gzip: { 'content-encoding': 'gzip' },
  br: { 'content-encoding': 'br' },
};

const JSON_TYPE = { 'content-type': 'application/json' };
const IMMUTABLE = { 'cache-control': 'public, max-age=31536000, immutable' };
/** Caches must revalidate before each use. */
const MUTABLE = { 'cache-control': 'no-cache' };

/** The header fields that a file of the tree is stored with. */
export function headersOf(path: string): Readonly<Record<string, string>> {
  const file = treeFileOf(path);
  switch (file?.kind) {
    case 'edition':
      return { ...JSON_TYPE, ...IMMUTABLE, ...CONTENT_ENCODING[file.encoding] };
    case 'manifest':
    case 'part':
      return { ...JSON_TYPE, ...IMMUTABLE };
    case 'pointer':
    case 'key-ring':
    case 'hold':
    case 'run':
    case 'shard':
    // The lease and the probe, which are not part of the tree.
    case undefined:
      return { ...JSON_TYPE, ...MUTABLE };
    case 'current':
    case 'grace':
    case 'notified':
      return { 'content-type': 'text/plain; charset=utf-8', ...MUTABLE };
  }
}
