// A file with a given name never changes, so a worker that fetches editions over the network keeps
// them in its host's cache, if there is one. It reads the cache only after the rule has accepted
// the request. It compares a file with its name when it fetches it, before anyone gets it, and not
// again. Pointers and failures are not kept here.
//
// The cache of a host: workers keep editions from a bucket or a URL there; a cache would not be
// faster than a folder's binding or R2. The cache has a name, because Cloudflare's default cache
// belongs to the zone and would answer requests for the origin's URL. Editions are stored as opaque
// bytes, because some hosts would decode or add a `Content-Encoding`. When a body broke off,
// workerd kept the incomplete part, so `put` gets the bytes, not the stream. Requests in a worker
// cannot wait for each other, so those before the first is stored also go to the origin. Bun,
// Vercel's runtime and workerd alone have no cache. Deno never expires anything, and removes the
// files of an entry only with the whole cache.

import { comparedBytes, isComparable } from '../../remote-tree/edition-bytes.ts';
import type { OpenEdition } from './fetch-handler.ts';

/** The Cache API, as far as it is used here. Not every host has it. */
declare const caches: {
  open(name: string): Promise<{
    match(url: string): Promise<Response | undefined>;
    put(url: string, response: Response): Promise<void>;
  }>;
};

/**
 * A named cache. Unlike the default one, it does not answer requests that bypass the worker. Not
 * `playbill`: that of an earlier version has what nobody compared.
 */
const NAME = 'playbill-editions';

/**
 * Opaque bytes, so that no host encodes or decodes them. Hosts keep nothing without a `max-age`.
 */
const CACHED_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-type': 'application/octet-stream',
};

/**
 * Opens editions through the cache. `root`: the URL of the public folder, without a slash at its
 * end; cache keys begin with it.
 */
export const throughCache =
  (root: string): OpenEdition =>
  async (path, load, context) => {
    if (!isComparable(path)) return null;
    const url = `${root}/${path}`;
    const cache = await orNothing(() => caches.open(NAME));
    const kept = await orNothing(() => cache?.match(url));
    if (kept) return kept.body ?? '';

    const file = await load(path);
    if (!file) return null;
    const bytes = await comparedBytes(path, await file.arrayBuffer());
    const storing = orNothing(() => cache?.put(url, new Response(bytes, { headers: CACHED_HEADERS })));
    context?.waitUntil?.(storing);
    return bytes;
  };

/** Ignores errors: a missing or failing cache only costs a fetch. */
const orNothing = async <T>(work: () => Promise<T> | undefined): Promise<T | undefined> => {
  try {
    return await work();
  } catch {
    return undefined;
  }
};
