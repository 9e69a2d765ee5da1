// A store that puts compressed siblings beside every new edition (snapshot.md, "The output tree"): what `build --precompress` publishes
// to. A file that is there already gets none: compressing costs more than rendering.

import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import pLimit from 'p-limit';
import type { ReleaseStore, StoredFile } from '../release/tree/store.ts';
import type { Compression } from '../release/tree/reader.ts';
import { pathOf, treeFileOf } from '../render/paths.ts';

/** zlib compresses in threads of its own: as many as libuv has by default. */
const AT_ONCE = 4;
const WAITING_MAX = 16;

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

export function precompressingStore(store: ReleaseStore, compressions: readonly Compression[]): ReleaseStore {
  if (compressions.length === 0) return store;
  const limit = pLimit(AT_ONCE);
  /** Siblings of created editions, on their way. */
  const siblings: Promise<void>[] = [];
  return {
    read: (path) => store.read(path),
    size: (path) => store.size(path),
    list: (folder) => store.list(folder),
    create: async (path, bytes) => {
      await store.create(path, bytes);
      const file = treeFileOf(path);
      if (file?.kind !== 'edition') return;
      // A copy: the caller writes the next edition over these bytes.
      const copy = bytes.slice();
      for (const encoding of compressions) {
        const sibling = limit(async () =>
          store.create(pathOf({ ...file, encoding }), await compressed(copy, encoding)),
        );
        // Thrown by `settle`, which nothing is published without.
        sibling.catch(() => undefined);
        siblings.push(sibling);
      }
      // So that what waits does not fill the memory.
      if (limit.pendingCount > WAITING_MAX) await siblings.at(-WAITING_MAX);
    },
    settle: async () => {
      await Promise.all(siblings.splice(0));
      await store.settle();
    },
    // A damaged edition that is written anew has siblings of the same age.
    replace: async (files) => {
      const all = await Promise.all(files.map(async (file) => [file, ...(await siblingsOf(file, compressions))]));
      await store.replace(all.flat());
    },
    remove: (path) => store.remove(path),
  };
}

/** The compressed siblings of an edition; none of any other file. */
async function siblingsOf(
  { path, bytes }: StoredFile,
  compressions: readonly Compression[],
): Promise<readonly StoredFile[]> {
  const file = treeFileOf(path);
  if (file?.kind !== 'edition') return [];
  const siblings = compressions.map(async (encoding) => ({
    path: pathOf({ ...file, encoding }),
    bytes: await compressed(bytes, encoding),
  }));
  return Promise.all(siblings);
}

/** Measured on editions: level 6 of gzip and 5 of brotli take about as long as each other; 11 would take a hundred times as long. */
async function compressed(bytes: Uint8Array, compression: Compression): Promise<Uint8Array> {
  if (compression === 'gzip') return gzipped(bytes, { level: 6 });
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_MODE, BROTLI_MODE_TEXT, BROTLI_PARAM_SIZE_HINT } = constants;
  return brotlied(bytes, {
    params: {
      [BROTLI_PARAM_QUALITY]: 5,
      [BROTLI_PARAM_MODE]: BROTLI_MODE_TEXT,
      [BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}
