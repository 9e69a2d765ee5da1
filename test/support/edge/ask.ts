// A signed request to an edge, and what a private bucket was asked for.

import { prepareLines } from './exchange.ts';
import type { RawResponse } from './messages.ts';
import { PREFIX } from './private-bucket.ts';
import type { Runtime } from './runtimes/runtime.ts';
import type { World } from './world.ts';
import type { MemoryStore } from '../objects/memory-store.ts';

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

/** What a store was asked for of the public folder, without the tree's prefix. */
export const asked = (store: MemoryStore, from = 0): readonly string[] =>
  store.log
    .slice(from)
    .filter(({ key }) => !key.endsWith('/edge/keyring.json'))
    .map(({ method, key, status }) => `${method} ${key.slice(`${PREFIX}/public/`.length)} ${status}`);

/** The path of an edition of products, counted from 1. */
export const editionOf = (world: World, front: string, number: number): string =>
  `fronts/${front}/products.${world.fronts.get(front)?.products[number - 1]?.digest}.json`;
