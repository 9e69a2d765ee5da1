// A tree behind a URL, or behind a binding that has `fetch`.

import { type Origin, PAGE } from './fetch-handler.ts';

declare const PLAYBILL: FetchedTree;

/** What `edge build` writes about it in front of a bundle. */
export interface FetchedTree {
  /** Where the tree's public folder is: a URL without a slash at its end, or the name of a binding. */
  readonly origin: string;
}

export const fetchedTree: Origin = (bindings) => async (path, method) => {
  const { origin } = PLAYBILL;
  const binding = bindings[origin] as Pick<typeof globalThis, 'fetch'> | undefined;
  const response = await (binding ?? globalThis).fetch(`${binding ? 'http://tree' : origin}/${path}`, { method });
  const { status } = response;
  const type = response.headers.get('content-type') ?? '';
  if (status === 200 && !PAGE.test(type)) return response;
  // A bucket answers 403 for what is not there to who may read its objects and not list them (S3, GCS).
  if (status === 403 || status === 404) return null;
  throw new Error(status + ' ' + type);
};
