// A store that writes compressed siblings for every new edition (snapshot.md, "The output tree"),
// for `build --precompress`. Existing editions get none, because compressing costs more than
// rendering.

import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import pLimit from 'p-limit';
import type { ReleaseStore, StoredFile } from '../release/tree/store.ts';
import type { Compression } from '../release/tree/files.ts';
import { pathOf, treeFileOf } from '../render/paths.ts';
import { wrap } from '../wrap.ts';

/** The size of libuv's thread pool, which zlib uses. */
const COMPRESSIONS_AT_ONCE = 4;

/** How many siblings may be in progress, to bound memory. */
const PENDING_MAX = 16;

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

/**
 * zlib compresses in its own threads while the build continues. Siblings are written only during
 * calls of this store, so that nothing is written after a failure, when the caller sweeps the tree
 * and releases its lock.
 */
export function precompressingStore(store: ReleaseStore, compressions: readonly Compression[]): ReleaseStore {
  if (compressions.length === 0) return store;
  const limit = pLimit(COMPRESSIONS_AT_ONCE);
  const pending: { readonly path: string; readonly bytes: Promise<Uint8Array> }[] = [];
  const siblingsOf = ({ path, bytes }: StoredFile) => {
    const file = treeFileOf(path);
    if (file?.kind !== 'edition') return [];
    // A copy: the caller reuses these bytes for the next edition.
    const copy = bytes.slice();
    return compressions.map((encoding) => {
      const sibling = limit(() => compressed(copy, encoding));
      // A failure is thrown where the sibling is awaited.
      sibling.catch(() => undefined);
      return { path: pathOf({ ...file, encoding }), bytes: sibling };
    });
  };
  const writeAllBut = async (left: number): Promise<void> => {
    for (const { path, bytes } of pending.splice(0, pending.length - left))
      await store.create({ path, bytes: await bytes });
  };
  return wrap(store, {
    create: async (file) => {
      await store.create(file);
      pending.push(...siblingsOf(file));
      if (pending.length > PENDING_MAX) await writeAllBut(PENDING_MAX);
    },
    settle: async () => {
      await writeAllBut(0);
      return await store.settle();
    },
    // When a damaged edition is replaced, so are its siblings.
    replace: async (files) => {
      const all = files.flatMap((file) => [file, ...siblingsOf(file)]);
      await store.replace(await Promise.all(all.map(async ({ path, bytes }) => ({ path, bytes: await bytes }))));
    },
  });
}

/**
 * On editions, gzip at level 6 and brotli at 5 take about the same time; brotli at 11 takes a
 * hundred times as long (measured).
 */
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
