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
//
// Which key verified a signature is remembered. A key is what was imported from one entry of one
// ring, with one secret, so a new ring has none of what the one before it had.

import type { KeyRing, KeyRingEntry } from '../../contract/key-ring.ts';
import { DECOY_SECRET, findKey, HMAC, type KeyStore, type SecretOf } from '../rule/key-store.ts';
import { rememberSignatures } from './remembered-signatures.ts';

/** The parameters of importKey and verify (RFC 9421, 3.3) for each algorithm. */
const PARAMETERS = {
  [HMAC]: { name: 'HMAC', hash: 'SHA-256' },
  'ecdsa-p256-sha256': { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  ed25519: { name: 'Ed25519' },
};

/** What a key is imported from: its entry, and of an hmac key the secret. */
interface KeySource {
  readonly entry: KeyRingEntry;
  readonly secret: string | null;
}

/** A key that can verify. */
interface Verifier extends KeySource {
  readonly key: Awaited<ReturnType<typeof subtle.importKey>>;
}

/**
 * The keys of a key ring. `secretOf` looks up secrets. The same ring again, as an object, costs
 * nothing.
 */
export const webCryptoKeyStore = (ring: KeyRing, secretOf: SecretOf): KeyStore => ({
  find: (keyid) => findKey(ring, keyid),
  verify: (own, isHmac, signature, base) => {
    // For an unknown key as well: on Deno, looking up a secret takes long enough to tell keys
    // apart.
    const secret = isHmac ? secretOf(own?.alg === HMAC ? own.secretRef : DECOY_SECRET) : null;
    // An empty secret must not verify: some runtimes would import it, and then anybody could sign.
    const source = own && (!isHmac || secret) ? { entry: own, secret } : null;
    const kept = own && keptVerifiers.get(own);
    const verifier = kept?.secret === secret ? kept : null;
    // Without a key as well, which takes as long.
    const found = remembered.find(signature, base);
    return (found && found === verifier) || verifyAnew(ring, source, verifier, isHmac, signature, base);
  },
});

/** `kept`: the key of the source, if it is kept. */
const verifyAnew = async (
  ring: KeyRing,
  source: KeySource | null,
  kept: Verifier | null,
  isHmac: boolean,
  signature: string,
  base: string,
): Promise<boolean> => {
  const bytes = Uint8Array.from(atob(signature), (char) => char.charCodeAt(0));
  const signed = bytesOf(base);
  // Public keys once with each algorithm that the ring has of them: algorithms differ in time, so a
  // single verification would reveal the kind of a key, or that it is unknown.
  const decoys = (await decoysOf(ring)).filter(({ entry }) => (entry.alg === HMAC) === isHmac);
  const verifiers = kept ? decoys.map((decoy) => inPlaceOf(decoy, kept)) : await importFor(source, decoys);
  const results = await Promise.all(
    verifiers.map(
      async ({ entry, key }) =>
        (await subtle.verify(PARAMETERS[entry.alg], key, bytes, signed)) && entry === source?.entry,
    ),
  );
  const verified = verifiers[results.indexOf(true)];
  if (verified) {
    keptVerifiers.set(verified.entry, verified);
    remembered.add(signature, base, verified);
  }
  // As long as for a key that is not kept: a quicker refusal would tell that a key is in use.
  else if (kept) await importFor(source, decoys);
  return !!verified;
};

/**
 * A key that can be imported of each algorithm that a ring has, in place of a key that is unknown
 * or may not be used. The promises of one request are never kept for another: in a worker, no
 * request may wait for the work of another.
 */
const ringDecoys = new WeakMap<KeyRing, readonly Verifier[]>();

/** Those that have verified a signature. */
const keptVerifiers = new WeakMap<KeyRingEntry, Verifier>();

const remembered = rememberSignatures<Verifier>();

/** Belongs to nobody: what it verifies is refused. */
const DECOY: KeyRingEntry = {
  front: '',
  notBefore: null,
  notAfter: null,
  revokedAt: null,
  alg: HMAC,
  secretRef: DECOY_SECRET,
};

/**
 * The first importable key of each algorithm. A ring without public keys needs no decoy of them:
 * none of its keys can verify what a key pair signed.
 */
const decoysOf = async (ring: KeyRing): Promise<readonly Verifier[]> => {
  const found = ringDecoys.get(ring);
  if (found) return found;
  const decoys: Verifier[] = [];
  for (const entry of [DECOY, ...Object.values(ring.keys)]) {
    const isNew = !decoys.some((decoy) => decoy.entry.alg === entry.alg);
    const decoy = isNew ? await imported({ entry, secret: DECOY_SECRET }) : null;
    if (decoy) decoys.push(decoy);
  }
  ringDecoys.set(ring, decoys);
  return decoys;
};

/**
 * Imports a key for each algorithm: that of the source if it has this algorithm, else the decoy's
 * once more, which takes as long.
 */
const importFor = (source: KeySource | null, decoys: readonly Verifier[]): Promise<readonly Verifier[]> =>
  Promise.all(
    decoys.map(async (decoy) => (await imported(source?.entry.alg === decoy.entry.alg ? source : decoy)) ?? decoy),
  );

const inPlaceOf = (decoy: Verifier, own: Verifier): Verifier => (own.entry.alg === decoy.entry.alg ? own : decoy);

/** null for a public key that is broken, or of an algorithm that this runtime lacks. */
const imported = async ({ entry, secret }: KeySource): Promise<Verifier | null> => {
  const parameters = PARAMETERS[entry.alg];
  const key =
    entry.alg === HMAC
      ? subtle.importKey('raw', bytesOf(secret ?? ''), parameters, false, ['verify'])
      : subtle.importKey('jwk', entry.jwk, parameters, false, ['verify']);
  return key.then(
    (key) => ({ entry, secret, key }),
    () => null,
  );
};

const { subtle } = crypto;

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
