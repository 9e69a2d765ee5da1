// Signs a request of the API (RFC 9421, in the profile of the edge rule). For servers and edges: a browser would publish its key.
// It keeps nothing and reads no clock.

import { base64OfBytes } from '../edge/rule/base64.ts';
import type { PrivateJwk } from '../edge/rule/key-pair.ts';
import { componentValue, requiredComponents, signatureBase } from '../edge/rule/rfc9421.ts';

/** What a client signs with: the private key from `playbill keys issue`, or the secret that both sides share (used as UTF-8). */
export type ClientKey =
  | { readonly keyid: string; readonly privateKey: PrivateJwk }
  | { readonly keyid: string; readonly secret: string };

export interface SignOptions {
  readonly method: 'GET' | 'HEAD';
  /** The whole URL of the request. */
  readonly url: string;
  readonly front: string;
  readonly key: ClientKey;
  /** Whole seconds since 1970; the rule accepts the signature for five minutes from then on. */
  readonly created: number;
  /** False only for a deployment whose proxy rewrites Host. */
  readonly coversAuthority?: boolean;
}

/** The header lines of a signed request. */
export interface SignatureHeaders {
  readonly 'X-Front': string;
  readonly 'Signature-Input': string;
  readonly Signature: string;
}

/** Signs a request. Rejects for a key of another algorithm than the three, and for a keyid that no header can carry. */
export async function signRequest(options: SignOptions): Promise<SignatureHeaders> {
  const { method, front, key, created } = options;
  if (!/^[\w.:-]{1,128}$/.test(key.keyid))
    throw new Error(`keyid: expected 1 to 128 of A-Z a-z 0-9 . _ : -, found "${key.keyid}"`);
  const url = new URL(options.url);
  const request = {
    method,
    scheme: url.protocol.slice(0, -1),
    authority: url.host,
    target: url.pathname + url.search,
    lines: (name: string): readonly string[] => (name === 'x-front' ? [front] : []),
  };
  const names = requiredComponents({ requiresAuthority: options.coversAuthority ?? true });
  const values = names.map((name) => componentValue(request, name));
  const parameters = `("${names.join('" "')}");created=${created};keyid="${key.keyid}";tag="x-front"`;
  const base = new TextEncoder().encode(signatureBase(names, values, parameters));
  const signature = base64OfBytes(new Uint8Array(await sign(key, base)));
  return { 'X-Front': front, 'Signature-Input': `sig=${parameters}`, Signature: `sig=:${signature}:` };
}

/** A command for a POSIX shell that sends the signed request and prints the answer with its headers. */
export function curlCommand(url: string, headers: SignatureHeaders): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const lines = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return ['curl -i', ...lines, quoted(url)].join(' \\\n  ');
}

async function sign(key: ClientKey, base: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  if ('secret' in key) {
    const hmac = { name: 'HMAC', hash: 'SHA-256' };
    const secret = await crypto.subtle.importKey('raw', new TextEncoder().encode(key.secret), hmac, false, ['sign']);
    return crypto.subtle.sign(hmac, secret, base);
  }
  const { kty, crv } = key.privateKey;
  const parameters = parametersOf(kty, crv);
  const imported = await crypto.subtle.importKey('jwk', { ...key.privateKey }, parameters, false, ['sign']);
  return crypto.subtle.sign(parameters, imported, base);
}

function parametersOf(kty: string, crv: string) {
  if (kty === 'EC' && crv === 'P-256') return { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  if (kty === 'OKP' && crv === 'Ed25519') return { name: 'Ed25519' };
  throw new Error(`private key: expected EC P-256 or OKP Ed25519, found ${kty} ${crv}`);
}
