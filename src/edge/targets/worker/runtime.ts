// A worker with the tree at a URL or behind a binding with `fetch`, and the key ring where clients
// cannot read it: at a URL that requires a secret header, or behind another binding. It refuses a
// revoked key without a deployment, and keeps editions from a URL in the host's cache.

import { throughCache } from './edition-cache.ts';
import { type Environment, textOrNull } from '../../remote-tree/environment.ts';
import { fetchHandler, type KeyRingOrigin, type WorkerConfiguration } from './fetch-handler.ts';
import type { LoadedFile, LoadText } from '../../remote-tree/load.ts';
import { fetchedTree, type FetchedTree } from './fetched-tree.ts';
import { liveKeyRing } from '../../remote-tree/live-key-ring.ts';

declare const PLAYBILL: FetchedConfiguration;

/** The configuration that `edge build` writes at the start of this module. */
export interface FetchedConfiguration extends WorkerConfiguration, FetchedTree {
  /**
   * The URL of the key ring, or the name of a binding: a KV namespace, an R2 bucket, or anything
   * with `fetch`.
   */
  readonly keyRing: string;
  /** The name of the secret that is sent to the URL as Authorization, if it is set. */
  readonly keyRingToken: string;
}

/** A KV namespace, which returns texts, or an R2 bucket, which returns objects. */
interface KeyRingStore {
  get(key: string): Promise<string | LoadedFile | null>;
}

/** A hanging origin must not delay every request. */
const TIMEOUT_MS = 5000;

const keyRing: KeyRingOrigin = (bindings, now) => liveKeyRing(loadKeyRing(bindings), now, PLAYBILL.ringGrace);

// A cache would not be faster than a binding, and what a binding answers is part of the deployment.
export default fetchHandler(
  PLAYBILL,
  fetchedTree,
  keyRing,
  PLAYBILL.origin.includes(':') ? throughCache(PLAYBILL.origin) : undefined,
);

const loadKeyRing =
  (bindings: Environment): LoadText =>
  async (name) => {
    const { keyRing, keyRingToken } = PLAYBILL;
    const binding = bindings[keyRing];
    // A service binding appears to have every method, so only a binding without `fetch` is a store.
    if (isStore(binding)) {
      const found = await binding.get(name);
      return typeof found === 'string' ? new Response(found) : found;
    }
    const authorization = textOrNull(bindings[keyRingToken]);
    const service = binding as Pick<typeof globalThis, 'fetch'> | undefined;
    const response = await (service ?? globalThis).fetch(service ? `http://tree/${name}` : keyRing, {
      headers: authorization ? { authorization } : {},
      // A redirect must not send the secret to another origin.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status !== 200) throw new Error(String(response.status));
    return response;
  };

const isStore = (binding: unknown): binding is KeyRingStore =>
  typeof binding === 'object' && binding !== null && 'get' in binding && !('fetch' in binding);
