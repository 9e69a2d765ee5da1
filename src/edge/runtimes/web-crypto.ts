// A key store for the runtimes with a complete Web Cryptography API. Public keys are JWKs, a format that all of them import. Secrets never leave
// this file. What is made of a key ring is made once, not at every request, and looking up a key takes as long whether or not the ring has it.

import type { KeyRing, KeyRingEntry } from '../../contract/key-ring.ts';
import { DECOY_SECRET, findKey, HMAC, type KeyStore, type SecretOf } from '../rule/key-store.ts';

/** The parameters of importKey and verify (RFC 9421, 3.3) for each algorithm with public keys. */
const PUBLIC = {
  'ecdsa-p256-sha256': { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  ed25519: { name: 'Ed25519' },
};
const SECRET = { name: 'HMAC', hash: 'SHA-256' };

/** For how many keyids a ring's imported keys are kept. */
const KEPT_MAX = 256;

type PublicEntry = Exclude<KeyRingEntry, { readonly alg: typeof HMAC }>;
type ImportedKey = Awaited<ReturnType<typeof subtle.importKey>>;

/** A key to verify with, and whether it is that of the keyid or stands in for it. */
interface Verifier {
  readonly alg: PublicEntry['alg'];
  readonly key: ImportedKey;
  readonly isOwn: boolean;
}

/** The keys of a key ring. `secretOf` looks up secrets. The same ring again, as an object, costs nothing. */
export const webCryptoKeyStore = (ring: KeyRing, secretOf: SecretOf): KeyStore => ({
  find: (keyid) => findKey(ring, keyid),
  verify: async (own, isHmac, { keyid, signature }, base) => {
    const bytes = Uint8Array.from(atob(signature), (char) => char.charCodeAt(0));
    const signed = bytesOf(base);
    if (isHmac) {
      // For an unknown key as well: on Deno, looking up a secret takes long enough to tell keys apart.
      const secret = secretOf(own?.alg === HMAC ? own.secretRef : DECOY_SECRET);
      // An empty secret must not verify: some runtimes would import it, and then anybody could sign.
      const key = await subtle.importKey('raw', bytesOf(secret || DECOY_SECRET), SECRET, false, ['verify']);
      return (await subtle.verify(SECRET, key, bytes, signed)) && !!secret;
    }
    // Once with each algorithm that the ring has public keys for: algorithms differ in time, so a single verification would reveal the
    // kind of a key, or that it is unknown.
    const results = await Promise.all(
      (await verifiersOf(ring, keyid)).map(
        async ({ alg, key, isOwn }) =>
          (await subtle.verify(PUBLIC[alg], key, bytes, signed)) && isOwn && own?.alg === alg,
      ),
    );
    return results.includes(true);
  },
});

/** What has been made of a ring. Results, never promises: in a worker, one request must not wait for the work of another. */
interface LoadedRing {
  /** A sound key of each algorithm that the ring has; null until they are found. */
  decoys: readonly PublicEntry[] | null;
  /** By keyid, unknown ones included, the least recently used first. */
  readonly verifiers: Map<string, readonly Verifier[]>;
}

const loadedRings = new WeakMap<KeyRing, LoadedRing>();

/**
 * A key for each algorithm of the ring: that of the keyid if it is of this algorithm and sound, else a copy of the decoy. An unknown keyid is
 * imported for and kept like a known one: the first request under a keyid takes longer than the next, and must not tell them apart.
 */
const verifiersOf = async (ring: KeyRing, keyid: string): Promise<readonly Verifier[]> => {
  const loaded = loadedRings.get(ring) ?? { decoys: null, verifiers: new Map<string, readonly Verifier[]>() };
  loadedRings.set(ring, loaded);
  const decoys = loaded.decoys ?? (await decoysOf(ring));
  loaded.decoys = decoys;
  const { verifiers } = loaded;
  const found = verifiers.get(keyid) ?? (await importFor(findKey(ring, keyid), decoys));
  verifiers.delete(keyid);
  verifiers.set(keyid, found);
  for (const oldest of verifiers.keys()) {
    if (verifiers.size <= KEPT_MAX) break;
    verifiers.delete(oldest);
  }
  return found;
};

const importFor = async (entry: KeyRingEntry | null, decoys: readonly PublicEntry[]): Promise<readonly Verifier[]> => {
  const verifiers = decoys.map(async (decoy): Promise<readonly Verifier[]> => {
    const { alg } = decoy;
    const own = entry?.alg === alg ? await imported(entry) : null;
    const key = own ?? (await imported(decoy));
    return key ? [{ alg, key, isOwn: own !== null }] : [];
  });
  return (await Promise.all(verifiers)).flat();
};

/** The first sound key of each algorithm. A ring without one needs no decoy: none of its keys can verify. */
const decoysOf = async (ring: KeyRing): Promise<readonly PublicEntry[]> => {
  const decoys: PublicEntry[] = [];
  for (const entry of Object.values(ring.keys))
    if (entry.alg !== HMAC && !decoys.some(({ alg }) => alg === entry.alg) && (await imported(entry)))
      decoys.push(entry);
  return decoys;
};

/** null for a key that is broken, or of an algorithm that this runtime lacks. */
const imported = (entry: KeyRingEntry): Promise<ImportedKey | null> =>
  entry.alg === HMAC
    ? Promise.resolve(null)
    : subtle.importKey('jwk', entry.jwk, PUBLIC[entry.alg], false, ['verify']).catch(() => null);

const { subtle } = crypto;

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
