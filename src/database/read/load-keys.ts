// Loads front_keys into the key ring that edges verify with: public keys and names of secrets, never a secret.

import { createPublicKey, type JsonWebKey } from 'node:crypto';
import type { KeyRing, KeyRingEntry } from '../../contract/key-ring.ts';
import { TREE_SCHEMA } from '../../contract/primitives.ts';
import type { Finding } from '../../findings.ts';
import type { CatalogueReader } from '../reader.ts';
import { dangling, FindingLog, findingOf, names, repeated, RowChecker, type RowOf } from '../schema/row-checker.ts';
import { checkedRows } from '../schema/query-builders.ts';
import type { FrontCodes } from './load-fronts.ts';

export const KEY = new RowChecker(
  'front_keys',
  names('keyid front_id alg public_key secret_ref not_before not_after revoked_at'),
);

type KeyRow = RowOf<'front_keys', typeof KEY.columns>;

/**
 * All good keys; a bad one is a finding against its front and is left out, so that a mistyped revocation never lets anyone in.
 * Where the id or code of a front cannot be read, `published`, the published key ring, says which front its keys belong to: they stay
 * valid for the front whose snapshot stays, with the catalogue's present dates, so that a revocation does not wait.
 */
export async function loadKeyRing(
  reader: CatalogueReader,
  fronts: FrontCodes,
  published: KeyRing | null,
  log: FindingLog,
): Promise<KeyRing> {
  const keys = new Map<string, KeyRingEntry>();
  let lastKeyid: string | null = null;
  const rows = await reader.rows(checkedRows(KEY));
  await reader.markUndecodable(KEY, rows);
  for (const row of rows) {
    if (!KEY.check(row, log, typeof row[1] === 'number' ? { frontId: row[1] } : {})) continue;
    const [keyid, frontId] = row;
    if (keyid === lastKeyid) {
      // Which of the rows is right cannot be known, and one of them may be a revocation: the key is left out.
      log.add([repeated(KEY.placeOf(row))], { frontId });
      keys.delete(keyid);
      continue;
    }
    lastKeyid = keyid;
    const front = fronts.codeOf.get(frontId) ?? publishedFrontOf(keyid, fronts, published);
    if (front === undefined) {
      log.add([dangling(KEY.placeOf(row), 'front_id', 'fronts', frontId)], {});
      continue;
    }
    const entry = keyRingEntry(row, front);
    if (typeof entry === 'string') log.add([materialFinding(row, entry)], { frontId });
    else keys.set(keyid, entry);
  }
  const sorted = [...keys].sort(([a], [b]) => (a < b ? -1 : 1));
  return { schema: TREE_SCHEMA, keys: Object.fromEntries(sorted) };
}

/** The front that a key without a known front belongs to so far. If a known front has that code, the key was moved to another front. */
function publishedFrontOf(
  keyid: string,
  { codeOf, isEveryCodeKnown }: FrontCodes,
  published: KeyRing | null,
): string | undefined {
  if (isEveryCodeKnown || published === null || !Object.hasOwn(published.keys, keyid)) return undefined;
  const front = published.keys[keyid]?.front;
  return front === undefined || [...codeOf.values()].includes(front) ? undefined : front;
}

/** A key has exactly the material that its algorithm needs. */
export function keyFinding(row: KeyRow): Finding | null {
  const entry = keyRingEntry(row, '');
  return typeof entry === 'string' ? materialFinding(row, entry) : null;
}

function materialFinding(row: KeyRow, problem: string): Finding {
  return findingOf('error', 'key-material-wrong', KEY.placeOf(row), problem);
}

/** The entry of a key that has exactly what its algorithm needs; otherwise what is wrong, without showing any material. */
export function keyRingEntry(row: KeyRow, front: string): KeyRingEntry | string {
  const [, , alg, publicKey, secretRef, notBefore, notAfter, revokedAt] = row;
  const validity = { front, notBefore, notAfter, revokedAt };
  if (alg === 'hmac-sha256') {
    if (publicKey !== null) return 'hmac-sha256: expected no public_key, found one';
    if (secretRef === null || secretRef === '')
      return 'hmac-sha256: expected the name of a secret in secret_ref, found none';
    return { ...validity, alg, secretRef };
  }
  if (secretRef !== null) return `${alg}: expected no secret_ref, found one`;
  if (publicKey === null) return `${alg}: expected a public key as JWK text in public_key, found NULL`;
  let parsed: unknown;
  try {
    parsed = JSON.parse(publicKey);
  } catch {
    return `${alg}: expected a JWK as JSON text, found text that is not JSON`;
  }
  if (typeof parsed !== 'object' || parsed === null) return `${alg}: expected a JWK object`;
  if ('d' in parsed) {
    return `${alg}: expected a public key, found a private one: replace it, and revoke it wherever it is in use`;
  }
  const { kty, crv, x, y }: Readonly<Record<string, unknown>> = { ...parsed };
  try {
    if (alg === 'ed25519') {
      if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string')
        return `${alg}: expected a JWK of kty OKP, crv Ed25519 with x, found another`;
      const jwk = { kty, crv, x } as const;
      return { ...validity, alg, jwk, spki: spkiOf(jwk) };
    }
    if (kty !== 'EC' || crv !== 'P-256' || typeof x !== 'string' || typeof y !== 'string')
      return `${alg}: expected a JWK of kty EC, crv P-256 with x and y, found another`;
    const jwk = { kty, crv, x, y } as const;
    return { ...validity, alg, jwk, spki: spkiOf(jwk) };
  } catch {
    return `${alg}: expected a point on the curve, found coordinates that are not`;
  }
}

/** Base64 of DER. Throws where the coordinates are not of a point. */
function spkiOf(jwk: JsonWebKey): string {
  return createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'der' }).toString('base64');
}
