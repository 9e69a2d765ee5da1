// What `keys issue` and `keys list` print with --json.

import * as z from 'zod';
import { frontCode } from '../primitives.ts';

/** `keys issue`, and what `sign --key` reads. The private key is printed only this once. */
export const issuedKeySchema = z.strictObject({
  keyid: z.string(),
  front: frontCode,
  alg: z.enum(['ecdsa-p256-sha256', 'ed25519', 'hmac-sha256']),
  /** JWK with `d`; null for hmac. */
  privateKey: z
    .strictObject({ kty: z.string(), crv: z.string(), x: z.string(), y: z.string().optional(), d: z.string() })
    .nullable(),
  privatePem: z.string().nullable(),
  /** hmac: the name of the secret. */
  secretRef: z.string().nullable(),
});

/** `keys list`. */
export const keysResultSchema = z.strictObject({
  keys: z.array(
    z.strictObject({
      keyid: z.string(),
      front: z.string(),
      alg: z.string(),
      secretRef: z.string().nullable(),
      notBefore: z.string().nullable(),
      notAfter: z.string().nullable(),
      revokedAt: z.string().nullable(),
      state: z.enum(['valid', 'not-yet-valid', 'expired', 'revoked']),
    }),
  ),
});

export type IssuedKeyJson = z.infer<typeof issuedKeySchema>;
export type KeysResultJson = z.infer<typeof keysResultSchema>;
