// Reads the key files of `playbill keys issue`, for code that signs. It opens no file and reads no
// environment itself.

import type { PrivateJwk } from '../edge/web-crypto/key-pair.ts';
import type { ClientKey } from './signature.ts';

/** A key and the front that it speaks for: to be spread into the options of a client. */
export interface IssuedKey {
  readonly front: string;
  readonly key: ClientKey;
}

/**
 * The key in the text of a key file. `secretOf`: an hmac key's secret by its name. Throws Error for
 * other texts and missing secrets.
 */
export function keyFrom(text: string, secretOf: (name: string) => string | undefined = () => undefined): IssuedKey {
  const issued = parsed(text);
  const front = textOf(issued, 'front');
  const keyid = textOf(issued, 'keyid');
  const jwk = memberOf(issued, 'privateKey');
  if (jwk !== null && jwk !== undefined) return { front, key: { keyid, privateKey: privateKeyFrom(jwk) } };
  const name = textOf(issued, 'secretRef');
  const secret = secretOf(name);
  if (secret === undefined || secret === '') throw new Error(`expected the secret ${name} of key ${keyid}, found none`);
  return { front, key: { keyid, secret } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Without the parser's own words: they quote the text, which may be a key.
    throw new Error('key file: expected the JSON that keys issue writes, found no JSON');
  }
}

function privateKeyFrom(jwk: unknown): PrivateJwk {
  const frame = { kty: textOf(jwk, 'kty'), crv: textOf(jwk, 'crv'), x: textOf(jwk, 'x'), d: textOf(jwk, 'd') };
  return frame.kty === 'EC' ? { ...frame, y: textOf(jwk, 'y') } : frame;
}

function textOf(holder: unknown, name: string): string {
  const value = memberOf(holder, name);
  if (typeof value === 'string') return value;
  throw new Error(`key file: expected what keys issue writes, found no text under "${name}"`);
}

function memberOf(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined;
}
