// The worker whose tree lies in a bucket of Cloudflare R2, which is bound to it: no URL leads there, and no credentials are needed. The
// log says why the tree cannot be read; the client learns nothing of it.

import { fetchHandler, type Load, type WorkerConfiguration } from './fetch-handler.ts';

declare const PLAYBILL: R2Configuration;

/** What `edge build` writes in front of this module. */
export interface R2Configuration extends WorkerConfiguration {
  /** The name of the binding. */
  readonly origin: string;
  /** What the keys of the tree's public folder begin with, and a slash at its end. */
  readonly folder: string;
}

/** A bucket as it is bound; only what is used here. An object is as it was put: no encoding is undone. */
interface R2Bucket {
  get(key: string): ReturnType<Load>;
  head(key: string): Promise<object | null>;
}

export default fetchHandler((bindings) => async (path, method) => {
  const bucket = bindings[PLAYBILL.origin];
  try {
    if (!isBucket(bucket)) throw new Error(`the binding ${PLAYBILL.origin} is no R2 bucket`);
    const key = PLAYBILL.folder + path;
    return await (method === 'HEAD' ? bucket.head(key).then((found) => found && new Response()) : bucket.get(key));
  } catch (error) {
    console.error(`playbill: the tree cannot be read: ${error instanceof Error ? error.message : ''}`);
    throw error;
  }
});

/** By what it can do; a service has `fetch`, and seems to have any other method as well. */
const isBucket = (binding: unknown): binding is R2Bucket =>
  typeof binding === 'object' && binding !== null && 'get' in binding && 'head' in binding && !('fetch' in binding);
