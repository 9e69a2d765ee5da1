// A key store for the runtimes with a complete Web Cryptography API. Public keys are JWKs, a format
// that all of them import. Secrets never leave this file. What is made of a key ring is made once,
// not at every request, and looking up a key takes as long whether or not the ring has it.
//
// What is kept of a key ring: importing a key costs Node.js half as much as a verification. So a
// key that has verified a signature is kept imported for as long as its ring. A refusal imports
// keys all the same: where one under a keyid in use did not, the time gave it away (an area under
// the curve of 0.62 on Deno, 0.75 on Node.js). The keys that stand in for an unknown one are chosen
// once for each ring: looking for them among thousands took milliseconds for each request, and gave
// keys of rare algorithms away.

import type { KeyRing, KeyRingEntry } from '../../contract/key-ring.ts';
import { DECOY_SECRET, findKey, HMAC, type KeyStore, type SecretOf } from '../rule/key-store.ts';

/** The parameters of importKey and verify (RFC 9421, 3.3) for each algorithm with public keys. */
const PUBLIC = {
  'ecdsa-p256-sha256': { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  ed25519: { name: 'Ed25519' },
};
const SECRET = { name: 'HMAC', hash: 'SHA-256' };

type PublicEntry = Exclude<KeyRingEntry, { readonly alg: typeof HMAC }>;

/** A key that can verify, and the entry that it was imported from. */
interface Verifier {
  readonly entry: PublicEntry;
  readonly key: Awaited<ReturnType<typeof subtle.importKey>>;
}

/**
 * The keys of a key ring. `secretOf` looks up secrets. The same ring again, as an object, costs
 * nothing.
 */
export const webCryptoKeyStore = (ring: KeyRing, secretOf: SecretOf): KeyStore => ({
  find: (keyid) => findKey(ring, keyid),
  verify: async (own, isHmac, signature, base) => {
    const bytes = Uint8Array.from(atob(signature), (char) => char.charCodeAt(0));
    const signed = bytesOf(base);
    if (isHmac) {
      // For an unknown key as well: on Deno, looking up a secret takes long enough to tell keys
      // apart.
      const secret = secretOf(own?.alg === HMAC ? own.secretRef : DECOY_SECRET);
      // An empty secret must not verify: some runtimes would import it, and then anybody could
      // sign.
      const key = await subtle.importKey('raw', bytesOf(secret || DECOY_SECRET), SECRET, false, ['verify']);
      return (await subtle.verify(SECRET, key, bytes, signed)) && !!secret;
    }
    // Once with each algorithm that the ring has public keys for: algorithms differ in time, so a
    // single verification would reveal the kind of a key, or that it is unknown.
    const decoys = await decoysOf(ring);
    const kept = own && keptVerifiers.get(own);
    const verifiers = kept ? decoys.map((decoy) => inPlaceOf(decoy, kept)) : await importFor(own, decoys);
    const results = await Promise.all(
      verifiers.map(
        async ({ entry, key }) => (await subtle.verify(PUBLIC[entry.alg], key, bytes, signed)) && entry === own,
      ),
    );
    const verified = verifiers[results.indexOf(true)];
    if (verified) keptVerifiers.set(verified.entry, verified);
    // As long as for a key that is not kept: a quicker refusal would tell that a key is in use.
    else if (kept) await importFor(own, decoys);
    return !!verified;
  },
});

/**
 * A key that can be imported of each algorithm that a ring has, in place of a key that is unknown
 * or may not be used. The promises of one request are never kept for another: in a worker, no
 * request may wait for the work of another.
 */
const ringDecoys = new WeakMap<KeyRing, readonly Verifier[]>();

/** Those that have verified a signature. */
const keptVerifiers = new WeakMap<KeyRingEntry, Verifier>();

/**
 * The first importable key of each algorithm. A ring without one needs no decoy: none of its keys
 * can verify.
 */
const decoysOf = async (ring: KeyRing): Promise<readonly Verifier[]> => {
  const found = ringDecoys.get(ring);
  if (found) return found;
  const decoys: Verifier[] = [];
  for (const entry of Object.values(ring.keys)) {
    const isNew = !decoys.some((decoy) => decoy.entry.alg === entry.alg);
    const decoy = isNew ? await imported(entry) : null;
    if (decoy) decoys.push(decoy);
  }
  ringDecoys.set(ring, decoys);
  return decoys;
};

/**
 * Imports a key for each algorithm: that of the entry if it has this algorithm, else the decoy's
 * once more, which takes as long.
 */
const importFor = (own: KeyRingEntry | null, decoys: readonly Verifier[]): Promise<readonly Verifier[]> =>
  Promise.all(decoys.map(async (decoy) => (await imported(own?.alg === decoy.entry.alg ? own : decoy.entry)) ?? decoy));

const inPlaceOf = (decoy: Verifier, own: Verifier): Verifier => (own.entry.alg === decoy.entry.alg ? own : decoy);

/**
 * null for a key that is broken, or of an algorithm that this runtime lacks, or has no public key.
 */
const imported = async (entry: KeyRingEntry): Promise<Verifier | null> => {
  if (entry.alg === HMAC) return null;
  const key = subtle.importKey('jwk', entry.jwk, PUBLIC[entry.alg], false, ['verify']);
  return key.then(
    (key) => ({ entry, key }),
    () => null,
  );
};

const { subtle } = crypto;

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
