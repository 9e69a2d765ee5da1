// The worker whose tree lies in a bucket of Cloudflare R2, which is bound to it: no URL leads there, and no credentials are needed.

import { fetchHandler, type Load, type WorkerConfiguration, type WorkerEnvironment } from './fetch-handler.ts';
import { liveKeyRing } from './live-key-ring.ts';

declare const PLAYBILL: R2Configuration;

/** What `edge build` writes in front of this module. */
export interface R2Configuration extends WorkerConfiguration {
  /** The name of the binding. */
  readonly origin: string;
  /** What the keys of the tree begin with, and a slash at its end; or nothing. */
  readonly folder: string;
}

/** A bucket as it is bound; only what is used here. An object is as it was put: no encoding is undone. */
interface R2Bucket {
  get(key: string): ReturnType<Load>;
  head(key: string): Promise<object | null>;
}

export default fetchHandler(
  PLAYBILL,
  (bindings) => loadFrom('public/', bindings),
  (bindings, now) => liveKeyRing(loadFrom('edge/', bindings), now),
);

/** A folder of the tree. */
const loadFrom =
  (folder: string, bindings: WorkerEnvironment): Load =>
  async (path, method) => {
    const bucket = bindings[PLAYBILL.origin];
    if (!isBucket(bucket)) throw new Error(`the binding ${PLAYBILL.origin} is no R2 bucket`);
    const key = PLAYBILL.folder + folder + path;
    return method === 'HEAD' ? bucket.head(key).then((found) => found && new Response()) : bucket.get(key);
  };

/** By what it can do; a service has `fetch`, and seems to have any other method as well. */
const isBucket = (binding: unknown): binding is R2Bucket =>
  typeof binding === 'object' && binding !== null && 'get' in binding && 'head' in binding && !('fetch' in binding);
