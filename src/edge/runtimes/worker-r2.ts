// A worker with the tree in a bound R2 bucket of Cloudflare. The bucket needs no URL, and the worker no credentials.

import { fetchHandler, type Load, type WorkerConfiguration, type WorkerEnvironment } from './fetch-handler.ts';
import { liveKeyRing } from './live-key-ring.ts';

declare const PLAYBILL: R2Configuration;

/** The configuration that `edge build` writes at the start of this module. */
export interface R2Configuration extends WorkerConfiguration {
  /** The name of the binding. */
  readonly origin: string;
  /** The prefix of the tree's keys, with a slash at its end; or empty. */
  readonly folder: string;
}

/** The binding of a bucket; only the methods used here. R2 returns objects as they were stored and decodes nothing. */
interface R2Bucket {
  get(key: string): ReturnType<Load>;
  head(key: string): Promise<object | null>;
}

export default fetchHandler(
  PLAYBILL,
  (bindings) => loadFrom('public/', bindings),
  (bindings, now) => liveKeyRing(loadFrom('edge/', bindings), now),
);

/** Loads files from a folder of the tree. */
const loadFrom =
  (folder: string, bindings: WorkerEnvironment): Load =>
  async (path, method) => {
    const bucket = bindings[PLAYBILL.origin];
    if (!isBucket(bucket)) throw new Error(`the binding ${PLAYBILL.origin} is no R2 bucket`);
    const key = PLAYBILL.folder + folder + path;
    return method === 'HEAD' ? bucket.head(key).then((found) => found && new Response()) : bucket.get(key);
  };

/** A service binding appears to have every method, so only a binding without `fetch` is a bucket. */
const isBucket = (binding: unknown): binding is R2Bucket =>
  typeof binding === 'object' && binding !== null && 'get' in binding && 'head' in binding && !('fetch' in binding);
