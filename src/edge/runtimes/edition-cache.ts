// Editions never change under their names, so a worker that fetches them over the network keeps them in its host's cache, if there is one. The
// rule has let the request in before the cache is asked. Pointers and failures are not kept here.

import {
  fetchHandler,
  type KeyRingOrigin,
  type Load,
  type Origin,
  type WorkerConfiguration,
  type WorkerEnvironment,
} from './fetch-handler.ts';

/** What Cloudflare and Netlify pass to a handler; elsewhere a promise is kept without it. */
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

/** A cache of its own: unlike the default one, it does not answer requests that never came to the worker. */
const NAME = 'playbill';

/** As opaque bytes, so that no host encodes or decodes them. Without a `max-age` hosts keep nothing. */
const HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-type': 'application/octet-stream',
};

/** As `fetchHandler`. `root`: the URL under which `origin` finds the public folder, without a slash at its end. */
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
      // Read to its end first: when a connection breaks off, a host may keep the part that has come.
      const bytes = await new Response(stored).arrayBuffer();
      await cache.put(url, new Response(bytes, { headers: HEADERS }));
    });
    context?.waitUntil?.(storing);
    return new Response(sent);
  };

/** Some hosts have no cache, and a cache may fail. Either only costs a fetch. */
const orNothing = async <T>(work: () => Promise<T> | undefined): Promise<T | undefined> => {
  try {
    return await work();
  } catch {
    return undefined;
  }
};
