// A file with a given name never changes, so a worker that fetches editions over the network keeps them in its host's cache, if there is one. It
// reads the cache only after the rule has accepted the request. Pointers and failures are not kept here.

import {
  fetchHandler,
  type KeyRingOrigin,
  type Load,
  type Origin,
  type WorkerConfiguration,
  type WorkerEnvironment,
} from './fetch-handler.ts';

/** Cloudflare and Netlify pass this to a handler. Other hosts finish a pending promise without it. */
interface HostContext {
  waitUntil?(promise: Promise<unknown>): void;
}

/** The Cache API, as far as it is used here. Not every host has it. */
declare const caches: {
  open(name: string): Promise<{
    match(url: string): Promise<Response | undefined>;
    put(url: string, response: Response): Promise<void>;
  }>;
};

/** A named cache. Unlike the default one, it does not answer requests that bypass the worker. */
const NAME = 'playbill';

/** Opaque bytes, so that no host encodes or decodes them. Hosts keep nothing without a `max-age`. */
const HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-type': 'application/octet-stream',
};

/** Like `fetchHandler`, with a cache. `root`: the URL of the public folder, without a slash at its end; cache keys begin with it. */
export const cachingHandler = (
  settings: WorkerConfiguration,
  root: string,
  origin: Origin,
  keyRing: KeyRingOrigin,
) => ({
  /** Answers one request. */
  fetch: (request: Request, environment?: WorkerEnvironment | null, context?: HostContext): Promise<Response> =>
    fetchHandler(settings, (bindings, now) => throughCache(root, origin(bindings, now), context), keyRing).fetch(
      request,
      environment,
    ),
});

const throughCache =
  (root: string, load: Load, context?: HostContext): Load =>
  async (path, method) => {
    if (path.endsWith('/pointer.json')) return load(path, method);
    const url = `${root}/${path}`;
    const cache = await orNothing(() => caches.open(NAME));
    const kept = await orNothing(() => cache?.match(url));
    if (kept && method === 'HEAD') void kept.body?.cancel();
    if (kept) return kept;

    const file = await load(path, method);
    // An answer to HEAD has no body.
    if (!file?.body || !cache) return file;
    const [sent, stored] = file.body.tee();
    const storing = orNothing(async () => {
      // Read the whole file first: if the connection breaks, some hosts would keep the incomplete file.
      const bytes = await new Response(stored).arrayBuffer();
      await cache.put(url, new Response(bytes, { headers: HEADERS }));
    });
    context?.waitUntil?.(storing);
    return new Response(sent);
  };

/** Ignores errors: a missing or failing cache only costs a fetch. */
const orNothing = async <T>(work: () => Promise<T> | undefined): Promise<T | undefined> => {
  try {
    return await work();
  } catch {
    return undefined;
  }
};
