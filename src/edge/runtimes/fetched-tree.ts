// A tree behind a URL, or behind a binding that has `fetch`.

import { type Origin, PAGE } from './fetch-handler.ts';

declare const PLAYBILL: FetchedTree;

/** Its part of the configuration at the start of a bundle. */
export interface FetchedTree {
  /** Where the tree's public folder is: a URL without a slash at its end, or the name of a binding. */
  readonly origin: string;
}

export const fetchedTree: Origin = (bindings) => async (path, method) => {
  const { origin } = PLAYBILL;
  const binding = bindings[origin] as Pick<typeof globalThis, 'fetch'> | undefined;
  const response = await (binding ?? globalThis).fetch(`${binding ? 'http://tree' : origin}/${path}`, {
    method,
    // Long, because a slow client slows the transfer down; but a hanging origin must not hold a request for ever.
    signal: AbortSignal.timeout(60_000),
  });
  const { status, headers } = response;
  const type = headers.get('content-type') ?? '';
  if (status === 200 && !PAGE.test(type)) {
    // fetch decodes a sibling that has Content-Encoding. Deno then drops Content-Length; the other hosts keep Content-Encoding. An answer to
    // HEAD may lack a length anyway.
    const isDecoded = headers.has('content-encoding') || (method === 'GET' && !headers.has('content-length'));
    return !binding && isDecoded && !path.endsWith('json') ? null : response;
  }
  // S3 and GCS answer 403 for a missing object to a reader who may not list the bucket.
  if (status === 403 || status === 404) return null;
  throw new Error(status + ' ' + type);
};
