// The worker whose tree lies behind a URL, or behind a binding that has `fetch`: one ES module.

import { fetchHandler, type WorkerConfiguration } from './fetch-handler.ts';

declare const PLAYBILL: FetchedConfiguration;

/** What `edge build` writes in front of this module. */
export interface FetchedConfiguration extends WorkerConfiguration {
  /** Where the tree's public folder is: a URL without a slash at its end, or the name of a binding. */
  readonly origin: string;
}

export default fetchHandler((bindings) => async (path, method) => {
  const { origin } = PLAYBILL;
  const binding = bindings[origin] as Pick<typeof globalThis, 'fetch'> | undefined;
  const response = await (binding ?? globalThis).fetch(`${binding ? 'http://tree' : origin}/${path}`, { method });
  if (response.ok) return response;
  // A bucket answers 403 for what is not there to who may read its objects and not list them (S3, GCS).
  if ([403, 404].includes(response.status)) return null;
  throw new Error(path);
});
