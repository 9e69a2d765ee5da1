// The worker whose tree lies behind a URL, or behind a binding that has `fetch`, and whose key ring lies where clients cannot reach it: behind
// a URL that wants a secret header, or in a binding. It refuses a revoked key without a deployment, and keeps editions from a URL in the cache
// of the host.

import { cachingHandler } from './edition-cache.ts';
import {
  fetchHandler,
  type KeyRingOrigin,
  type Load,
  textOrNull,
  type WorkerConfiguration,
  type WorkerEnvironment,
} from './fetch-handler.ts';
import { fetchedTree, type FetchedTree } from './fetched-tree.ts';
import { liveKeyRing } from './live-key-ring.ts';

declare const PLAYBILL: LiveConfiguration;

/** What `edge build` writes in front of this module. */
export interface LiveConfiguration extends WorkerConfiguration, FetchedTree {
  /** The URL of the key ring, or the name of a binding: a namespace of KV, a bucket of R2, or anything with `fetch`. */
  readonly keyRing: string;
  /** The name of the secret that a URL gets as Authorization, where there is one. */
  readonly keyRingToken: string;
}

/** A namespace of KV, which gives texts, or a bucket of R2, which gives objects. */
interface KeyRingStore {
  get(key: string): Promise<string | Awaited<ReturnType<Load>>>;
}

/** An origin that hangs must not hold up every request. */
const TIMEOUT_MS = 5000;

const keyRing: KeyRingOrigin = (bindings, now) => liveKeyRing(loadKeyRing(bindings), now);

// A binding is near, and has no URL.
export default PLAYBILL.origin.includes(':')
  ? cachingHandler(PLAYBILL, PLAYBILL.origin, fetchedTree, keyRing)
  : fetchHandler(PLAYBILL, fetchedTree, keyRing);

const loadKeyRing =
  (bindings: WorkerEnvironment): Load =>
  async (name) => {
    const { keyRing, keyRingToken } = PLAYBILL;
    const binding = bindings[keyRing];
    // A service binding seems to have every method; a store has no `fetch`.
    if (isStore(binding)) {
      const found = await binding.get(name);
      return typeof found === 'string' ? new Response(found) : found;
    }
    const authorization = textOrNull(bindings[keyRingToken]);
    const service = binding as Pick<typeof globalThis, 'fetch'> | undefined;
    const response = await (service ?? globalThis).fetch(service ? `http://tree/${name}` : keyRing, {
      headers: authorization ? { authorization } : {},
      // Only the origin that was named may see the secret.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status !== 200) throw new Error(String(response.status));
    return response;
  };

const isStore = (binding: unknown): binding is KeyRingStore =>
  typeof binding === 'object' && binding !== null && 'get' in binding && !('fetch' in binding);
