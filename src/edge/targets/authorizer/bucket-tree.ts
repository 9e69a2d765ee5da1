// A tree in a private bucket, for the authorizer service. It keeps pointers and the key ring for
// some seconds. A file with a given name never changes, so it also keeps the most recently used
// editions in memory, once it has compared them with their names. It fetches pointers and editions
// only for requests that the rule accepted.
//
// nginx with a bucket has no target: njs keeps nothing between requests, so the rule read the ring
// from the bucket, signed, for every unsigned request, and refused everyone seconds after that
// failed. A service behind nginx keeps the ring, pointers and editions itself.

import type { ReadableBucket } from './configuration.ts';
import { pointerPath } from '../../rule/tree.ts';
import { bucketLoad } from '../../remote-tree/bucket-load.ts';
import { comparedBytes } from '../../remote-tree/edition-bytes.ts';
import type { Environment } from '../../remote-tree/environment.ts';
import type { Load } from '../../remote-tree/load.ts';
import { KeptPointers } from '../../remote-tree/kept-pointers.ts';
import { liveKeyRing } from '../../remote-tree/live-key-ring.ts';
import type { ServedTree } from '../../node-server/server.ts';

const POINTER_SECONDS = 5;
/** How many bytes of editions are kept. */
const KEPT_BYTES_MAX = 256 * 2 ** 20;

/**
 * Reads the tree with credentials of the environment; `clock`: seconds since 1970; `ringGrace`: as
 * in the settings.
 */
export function bucketTree(
  bucket: ReadableBucket,
  environment: Environment,
  clock: () => number,
  ringGrace: number,
  keptBytesMax = KEPT_BYTES_MAX,
): ServedTree {
  const pointers = new KeptPointers();
  const load: Load = (path, wasThere) => bucketLoad(bucket, 'public/', environment, clock())(path, wasThere);
  const edition = keptFiles(async (path) => {
    const file = await load(path);
    return file && comparedBytes(path, new Uint8Array(await file.arrayBuffer()));
  }, keptBytesMax);
  return {
    encodings: bucket.encodings,
    keyRing: () => liveKeyRing(bucketLoad(bucket, 'edge/', environment, clock()), clock(), ringGrace),
    pointer: async (front, isFresh) =>
      (await named(pointerPath(front), pointers.read(front, isFresh ? 0 : POINTER_SECONDS, clock(), load))).text,
    open: (path) => named(path, edition(path)),
  };
}

/** Says in an error for the log which file could not be read. */
const named = <T>(path: string, reading: Promise<T>): Promise<T> =>
  reading.catch((error: Error) => {
    throw new Error(`${path}: ${error.message}`);
  });

/**
 * Reads files and keeps the most recently used, up to `bytesMax` bytes in all. Concurrent requests
 * for a file share one read.
 */
function keptFiles(
  read: (path: string) => Promise<Uint8Array | null>,
  bytesMax: number,
): (path: string) => Promise<Uint8Array | null> {
  // Least recently used first.
  const kept = new Map<string, Uint8Array>();
  const reading = new Map<string, Promise<Uint8Array | null>>();
  let bytesTotal = 0;
  const drop = (path: string): void => {
    bytesTotal -= kept.get(path)?.length ?? 0;
    kept.delete(path);
  };
  const readAndKeep = async (path: string): Promise<Uint8Array | null> => {
    try {
      const bytes = await read(path);
      if (bytes === null) return null;
      kept.set(path, bytes);
      bytesTotal += bytes.length;
      for (const oldest of kept.keys()) {
        if (bytesTotal <= bytesMax) break;
        drop(oldest);
      }
      return bytes;
    } finally {
      reading.delete(path);
    }
  };
  return (path) => {
    const found = kept.get(path);
    if (found !== undefined) {
      kept.delete(path);
      kept.set(path, found);
      return Promise.resolve(found);
    }
    const underWay = reading.get(path) ?? readAndKeep(path);
    reading.set(path, underWay);
    return underWay;
  };
}
