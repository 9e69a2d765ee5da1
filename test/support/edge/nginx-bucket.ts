// nginx over a private bucket of its own, and what tests ask both.

import { prepareLines } from './exchange.ts';
import type { RawResponse } from './messages.ts';
import { originIn, PREFIX, startPrivateBucket } from './private-bucket.ts';
import { type NginxBucketOptions, type NginxRuntime, startNginxBucket } from './runtimes/nginx.ts';
import type { Runtime } from './runtimes/runtime.ts';
import type { World } from './world.ts';
import type { MemoryStore, MemoryStoreOptions } from '../objects/memory-store.ts';

/** A signed request for the products of a front. */
export async function ask(
  world: World,
  runtime: Runtime,
  front: string,
  { encoding = 'identity', method = 'GET', keyid = `${front}-1` } = {},
): Promise<RawResponse> {
  const written = [`${method} /products/ HTTP/1.1`, 'Host: edge.test', `X-Front: ${front}`];
  const lines = [...written, `Accept-Encoding: ${encoding}`, `Sign: keyid=${keyid}`];
  return runtime.send(await prepareLines(lines, runtime.now(), world));
}

/** Runs with a bucket and an nginx of its own. */
export async function withNginx(
  world: World,
  use: (nginx: NginxRuntime, store: MemoryStore) => Promise<void>,
  { store: options = {}, ...more }: { readonly store?: MemoryStoreOptions } & NginxBucketOptions = {},
): Promise<void> {
  const store = await startPrivateBucket(world, 'refused', options);
  const nginx = await startNginxBucket(world, originIn(store), store.environment, more);
  try {
    await use(nginx, store);
  } finally {
    await nginx.stop();
    await store.close();
  }
}

/** What a store was asked for of the public folder, without the tree's prefix. */
export const asked = (store: MemoryStore, from = 0): readonly string[] =>
  store.log
    .slice(from)
    .filter(({ key }) => !key.endsWith('/edge/keyring.json'))
    .map(({ method, key, status }) => `${method} ${key.slice(`${PREFIX}/public/`.length)} ${status}`);

/** The path of an edition of products, counted from 1. */
export const editionOf = (world: World, front: string, number: number): string =>
  `fronts/${front}/products.${world.fronts.get(front)?.products[number - 1]?.digest}.json`;

/** A pointer that is kept for as long as a test takes. */
export const longPointers = (name: string, text: string): string =>
  name === 'playbill.conf' ? text.replaceAll('proxy_cache_valid 200 4s;', 'proxy_cache_valid 200 1h;') : text;
