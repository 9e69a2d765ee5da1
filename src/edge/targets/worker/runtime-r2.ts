// A worker with the tree in a bound R2 bucket of Cloudflare. The bucket needs no URL, and the
// worker no credentials.

import type { Environment } from '../../remote-tree/environment.ts';
import { fetchHandler, type WorkerConfiguration } from './fetch-handler.ts';
import { isPlain, type Load, type LoadedFile } from '../../remote-tree/load.ts';
import { liveKeyRing } from '../../remote-tree/live-key-ring.ts';

declare const PLAYBILL: R2Configuration;

/** The configuration that `edge build` writes at the start of this module. */
export interface R2Configuration extends WorkerConfiguration {
  /** The name of the binding. */
  readonly origin: string;
  /** The prefix of the tree's keys, with a slash at its end; or empty. */
  readonly folder: string;
}

/**
 * The binding of a bucket; only the method used here. R2 returns objects as they were stored and
 * decodes nothing.
 */
interface R2Bucket {
  get(key: string): Promise<R2Object | null>;
}
type R2Object = LoadedFile & { readonly httpMetadata?: { readonly contentEncoding?: string } };

export default fetchHandler(
  PLAYBILL,
  (bindings) => loadFrom('public/', bindings),
  (bindings, now) => liveKeyRing(loadFrom('edge/', bindings), now, PLAYBILL.ringGrace),
);

/** Loads files from a folder of the tree. */
const loadFrom =
  (folder: string, bindings: Environment): Load =>
  async (path) => {
    const bucket = bindings[PLAYBILL.origin];
    if (!isBucket(bucket)) throw new Error(`the binding ${PLAYBILL.origin} is no R2 bucket`);
    const object = await bucket.get(PLAYBILL.folder + folder + path);
    const coding = object?.httpMetadata?.contentEncoding ?? null;
    if (path.endsWith('json') && !isPlain(coding)) throw new Error('stored with Content-Encoding: ' + coding);
    return object;
  };

/**
 * A service binding appears to have every method, so only a binding without `fetch` is a bucket.
 */
const isBucket = (binding: unknown): binding is R2Bucket =>
  typeof binding === 'object' && binding !== null && 'get' in binding && !('fetch' in binding);
