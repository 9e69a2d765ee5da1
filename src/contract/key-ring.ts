// The key ring: what an edge needs to verify signatures (product.md, edge.md). It holds public keys
// and names of secrets, never a secret.

import * as z from 'zod';
import { frontCode, instantText, TREE_SCHEMA } from './primitives.ts';

const keyIdText = z.string().regex(/^[A-Za-z0-9._:-]{1,128}$/);
const base64Url = z.string().regex(/^[A-Za-z0-9_-]+$/);

const validity = {
  front: frontCode,
  notBefore: instantText.nullable(),
  notAfter: instantText.nullable(),
  revokedAt: instantText.nullable(),
};

/** Public keys come as both JWK and SPKI, because each form has runtimes that accept no other. */
const keyRingEntrySchema = z.discriminatedUnion('alg', [
  z.strictObject({
    ...validity,
    alg: z.literal('ecdsa-p256-sha256'),
    jwk: z.strictObject({ kty: z.literal('EC'), crv: z.literal('P-256'), x: base64Url, y: base64Url }),
    spki: z.base64(),
  }),
  z.strictObject({
    ...validity,
    alg: z.literal('ed25519'),
    jwk: z.strictObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: base64Url }),
    spki: z.base64(),
  }),
  z.strictObject({ ...validity, alg: z.literal('hmac-sha256'), secretRef: z.string().min(1) }),
]);

export const keyRingSchema = z.strictObject({
  schema: z.literal(TREE_SCHEMA),
  /** By keyid. */
  keys: z.record(keyIdText, keyRingEntrySchema),
});

export type KeyRing = z.infer<typeof keyRingSchema>;
export type KeyRingEntry = z.infer<typeof keyRingEntrySchema>;
