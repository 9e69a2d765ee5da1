// A store that puts compressed siblings beside every new edition (snapshot.md, "The output tree"): what `build --precompress` publishes
// to. A file that is there already gets none: compressing costs more than rendering.

import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { ReleaseStore, StoredFile } from '../release/release-store.ts';
import type { Compression } from '../release/tree-reader.ts';
import { pathOf, treeFileOf } from '../snapshot/paths.ts';

export function precompressingStore(store: ReleaseStore, compressions: readonly Compression[]): ReleaseStore {
  if (compressions.length === 0) return store;
  return {
    read: (path) => store.read(path),
    size: (path) => store.size(path),
    list: (folder) => store.list(folder),
    create: async (path, bytes) => {
      await store.create(path, bytes);
      for (const sibling of siblingsOf({ path, bytes }, compressions)) await store.create(sibling.path, sibling.bytes);
    },
    adopt: (paths) => store.adopt(paths),
    settle: () => store.settle(),
    // A damaged edition that is written anew has siblings of the same age.
    replace: (files) => store.replace([...files, ...files.flatMap((file) => siblingsOf(file, compressions))]),
    remove: (path) => store.remove(path),
  };
}

/** The compressed siblings of an edition; none of any other file. */
function siblingsOf({ path, bytes }: StoredFile, compressions: readonly Compression[]): readonly StoredFile[] {
  const file = treeFileOf(path);
  if (file?.kind !== 'edition') return [];
  return compressions.map((encoding) => ({ path: pathOf({ ...file, encoding }), bytes: compressed(bytes, encoding) }));
}

/** Measured on editions: level 6 of gzip and 5 of brotli take about as long as each other; 11 would take a hundred times as long. */
function compressed(bytes: Uint8Array, compression: Compression): Uint8Array {
  if (compression === 'gzip') return gzipSync(bytes, { level: 6 });
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_MODE, BROTLI_MODE_TEXT, BROTLI_PARAM_SIZE_HINT } = constants;
  return brotliCompressSync(bytes, {
    params: {
      [BROTLI_PARAM_QUALITY]: 5,
      [BROTLI_PARAM_MODE]: BROTLI_MODE_TEXT,
      [BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}
