// A store that puts compressed siblings beside every new edition (snapshot.md, "The output tree"): what `build --precompress` publishes
// to. A file that is there already gets none: compressing costs more than rendering.

import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import pLimit from 'p-limit';
import type { ReleaseStore, StoredFile } from '../release/tree/store.ts';
import type { Compression } from '../release/tree/files.ts';
import { pathOf, treeFileOf } from '../render/paths.ts';

/** How many files are compressed at the same time: as many as zlib has threads. */
const COMPRESSIONS_AT_ONCE = 4;

/** How many siblings may be on their way, so that what waits does not fill the memory. */
const UNDERWAY_MAX = 16;

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

/**
 * zlib compresses in threads of its own while the build goes on. The files are written in the build's own turn: when one cannot be,
 * nothing is written any more behind the back of whoever sweeps and releases the lock.
 */
export function precompressingStore(store: ReleaseStore, compressions: readonly Compression[]): ReleaseStore {
  if (compressions.length === 0) return store;
  const limit = pLimit(COMPRESSIONS_AT_ONCE);
  const underway: { readonly path: string; readonly bytes: Promise<Uint8Array> }[] = [];
  const writeAllBut = async (left: number): Promise<void> => {
    for (const { path, bytes } of underway.splice(0, underway.length - left)) await store.create(path, await bytes);
  };
  return {
    root: store.root,
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
        const sibling = limit(() => compressed(copy, encoding));
        // Thrown where it is waited for.
        sibling.catch(() => undefined);
        underway.push({ path: pathOf({ ...file, encoding }), bytes: sibling });
      }
      if (underway.length > UNDERWAY_MAX) await writeAllBut(UNDERWAY_MAX);
    },
    settle: async () => {
      await writeAllBut(0);
      await store.settle();
    },
    // The siblings of a damaged edition are replaced with it.
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
