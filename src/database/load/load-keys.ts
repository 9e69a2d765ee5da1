// Loads front_keys for the key ring that edges verify with: public keys and names of secrets, never
// a secret. What the published ring has to do with it is decided in
// release/publish/next-key-ring.ts.

import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { formatInstant, type Instant } from '../../catalogue/instant.ts';
import type { KeyRingEntry } from '../../contract/key-ring.ts';
import type { Finding } from '../../findings.ts';
import { earliest, type CatalogueKey, type CatalogueKeys } from '../../release/publish/next-key-ring.ts';
import type { CatalogueReader } from '../reader.ts';
import { dangling, FindingLog, findingOf, names, repeated, RowChecker, type RowOf } from '../contract/row-checker.ts';
import { checkedRows } from '../contract/query-builders.ts';
import { TABLES } from '../contract/tables.ts';
import type { FrontCodes } from './load-fronts.ts';

export const KEY = new RowChecker(
  'front_keys',
  names('keyid front_id alg public_key secret_ref not_before not_after revoked_at'),
);

type KeyRow = RowOf<'front_keys', typeof KEY.columns>;

const { keyid: KEYID, front_id: FRONT_ID, not_after: NOT_AFTER, revoked_at: REVOKED_AT } = TABLES.front_keys;

/**
 * All rows with a keyid. An error in a row is a finding, and takes out that key alone: the front is
 * not held back. What can be read of its dates still counts, so that a mistyped revocation never
 * lets anyone in.
 */
export async function loadKeys(
  reader: CatalogueReader,
  fronts: FrontCodes,
  log: FindingLog,
  now: Instant,
): Promise<CatalogueKeys> {
  const certain = new Map([...fronts.codeOf].filter(([id]) => !fronts.doubtfulIds.has(id)));
  const keys = new Map<string, CatalogueKey>();
  const rows = await reader.rows(checkedRows(KEY));
  await reader.markUndecodable(KEY, rows);
  for (const row of rows) {
    const isAccepted = KEY.check(row, log, {});
    const [keyid, frontId, , , , , notAfter, revokedAt] = row;
    if (!KEYID.accepts(keyid)) continue;
    const front = FRONT_ID.accepts(frontId) ? certain.get(frontId) : undefined;
    const entry = isAccepted ? entryOf(row, front, fronts, log) : null;
    // Where an expression throws, nothing says that the key is revoked.
    const failed = reader.failedRows.get(KEY.locationOf(row));
    const unreadable = failed?.columns.has('revoked_at') === true ? null : formatInstant(now);
    const dates = {
      notAfter: NOT_AFTER.accepts(notAfter) ? notAfter : null,
      revokedAt: REVOKED_AT.accepts(revokedAt) ? revokedAt : unreadable,
    };
    const other = keys.get(keyid);
    if (other !== undefined) log.add([repeated(KEY.locationOf(row))], {});
    keys.set(keyid, oneOf({ entry, isFrontUnknown: front === undefined, ...dates }, other));
  }
  return {
    rows: keys,
    frontCodes: new Set(certain.values()),
    isEveryFrontKnown: fronts.isEveryCodeKnown,
    disabledCodes: fronts.disabledCodes,
  };
}

/**
 * The entry of an accepted row; null, with a finding, if its front is not known or its material is
 * wrong.
 */
function entryOf(row: KeyRow, front: string | undefined, { codeOf }: FrontCodes, log: FindingLog): KeyRingEntry | null {
  const entry = keyRingEntry(row, front ?? '');
  if (typeof entry === 'string') log.add([materialFinding(row, entry)], {});
  // A front that is known but not certain has a finding of its own.
  if (front === undefined && !codeOf.has(row[1]))
    log.add([dangling(KEY.locationOf(row), 'front_id', 'fronts', row[1], codeOf)], {});
  return front === undefined || typeof entry === 'string' ? null : entry;
}

/**
 * Which of two rows with one keyid is right cannot be known, and either may be the revocation: no
 * key, with the earliest dates of both.
 */
function oneOf(row: CatalogueKey, other: CatalogueKey | undefined): CatalogueKey {
  if (other === undefined) return row;
  return {
    entry: null,
    isFrontUnknown: row.isFrontUnknown && other.isFrontUnknown,
    notAfter: earliest(row.notAfter, other.notAfter),
    revokedAt: earliest(row.revokedAt, other.revokedAt),
  };
}

/** A key has exactly the material that its algorithm needs. */
export function keyFinding(row: KeyRow): Finding | null {
  const entry = keyRingEntry(row, '');
  return typeof entry === 'string' ? materialFinding(row, entry) : null;
}

function materialFinding(row: KeyRow, problem: string): Finding {
  return findingOf('error', 'key-material-wrong', KEY.locationOf(row), problem);
}

/**
 * The entry of a key that has exactly what its algorithm needs; otherwise what is wrong, without
 * showing any material.
 */
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
