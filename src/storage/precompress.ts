// A store that puts compressed siblings beside every new edition (snapshot.md, "The output tree"): what `build --precompress` publishes
// to. An existing edition gets no siblings: compressing costs more than rendering.

import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import pLimit from 'p-limit';
import type { ReleaseStore, StoredFile } from '../release/tree/store.ts';
import type { Compression } from '../release/tree/files.ts';
import { pathOf, treeFileOf } from '../render/paths.ts';

/** How many files are compressed at the same time: as many as zlib has threads. */
const COMPRESSIONS_AT_ONCE = 4;

/** How many siblings may be in progress: bounds memory. */
const PENDING_MAX = 16;

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

/**
 * zlib compresses in its own threads while the build continues. Files are written only within calls of the store: after a failure nothing
 * is written behind the back of the caller, which sweeps the tree and releases its lock.
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
  return {
    root: store.root,
    knownDates: store.knownDates,
    read: (path) => store.read(path),
    size: (path) => store.size(path),
    list: (folder) => store.list(folder),
    create: async (file) => {
      await store.create(file);
      pending.push(...siblingsOf(file));
      if (pending.length > PENDING_MAX) await writeAllBut(PENDING_MAX);
    },
    settle: async () => {
      await writeAllBut(0);
      return await store.settle();
    },
    confirmLock: () => store.confirmLock(),
    // A damaged edition that is rewritten gets new siblings with it.
    replace: async (files) => {
      const all = files.flatMap((file) => [file, ...siblingsOf(file)]);
      await store.replace(await Promise.all(all.map(async ({ path, bytes }) => ({ path, bytes: await bytes }))));
    },
    remove: (path) => store.remove(path),
  };
}

/** Measured on editions: gzip at level 6 and brotli at 5 take about the same time; brotli at 11 takes a hundred times as long. */
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
