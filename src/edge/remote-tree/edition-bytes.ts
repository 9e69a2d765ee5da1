// Compares an edition that came over a network with the digest in its name. Whatever can answer in
// the tree's place (a maintenance page in JSON, a captive portal, a connection that broke off)
// would otherwise be kept under the edition's name, and clients would revalidate it by its ETag.
//
// Brotli is decoded with `node:zlib`, which Deno and Bun have, and workerd with the flag
// `nodejs_compat`, by `process.getBuiltinModule`: an import would not resolve elsewhere. A runtime
// without it does not use `.br` files of a URL or a bucket.

import { digestOfBytes } from '../rule/tree.ts';

/**
 * Decodes brotli, for which the runtimes have no Web API in common. Not imported: it is not
 * everywhere.
 */
interface Zlib {
  brotliDecompressSync(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>;
}
interface NodeProcess {
  getBuiltinModule?(name: 'node:zlib'): Zlib | undefined;
}

const { process } = globalThis as { readonly process?: NodeProcess };
const zlib = process?.getBuiltinModule?.('node:zlib');

/** Whether this runtime can decode a file, and so compare it. No other may be kept or served. */
export const isComparable = (path: string): boolean => !path.endsWith('.br') || !!zlib;

/**
 * `bytes`, if they are those of the edition, or of the sibling, at this path. Rejects for any
 * others.
 */
export const comparedBytes = async <Bytes extends ArrayBuffer | Uint8Array<ArrayBuffer>>(
  path: string,
  bytes: Bytes,
): Promise<Bytes> => {
  const found = await decodedBytes(path, bytes).then(digestOfBytes, () => 'what cannot be decoded');
  if (!path.includes(`.${found}.json`)) throw new Error(`other content than the name says: ${found}`);
  return bytes;
};

const decodedBytes = async (
  path: string,
  bytes: ArrayBuffer | Uint8Array<ArrayBuffer>,
): Promise<ArrayBuffer | Uint8Array<ArrayBuffer>> => {
  if (path.endsWith('.gz'))
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  if (!path.endsWith('.br')) return bytes;
  if (!zlib) throw new Error('no decoder');
  return zlib.brotliDecompressSync(new Uint8Array(bytes));
};
