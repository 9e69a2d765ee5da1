// Signs a request of the API, under either profile of the edge rule. For servers and edges: a
// browser would publish its key. It keeps nothing and reads no clock.

import { base64OfBytes } from '../edge/rule/base64.ts';
import type { PrivateJwk } from '../edge/web-crypto/key-pair.ts';
import { componentValue, requiredComponents, signatureBase } from '../edge/rule/rfc9421.ts';
import type { SignedParts } from '../edge/rule/request.ts';
import { canonicalText, REQUIRED_HEADERS } from '../edge/rule/signed-headers.ts';

/**
 * What a client signs with: the private key from `playbill keys issue`, or the secret that both
 * sides share (used as UTF-8).
 */
export type ClientKey =
  | { readonly keyid: string; readonly privateKey: PrivateJwk }
  | { readonly keyid: string; readonly secret: string };

/**
 * How a deployment wants requests to be signed: one of PROFILE_NAMES, as types that need nothing of
 * the edge.
 */
export type ClientProfile = 'rfc9421' | 'signed-headers';

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
  /** Default: `rfc9421`. `signed-headers` needs a secret, and never covers the authority. */
  readonly profile?: ClientProfile;
}

/** The header lines of a signed request. */
export type SignatureHeaders = Readonly<Record<string, string>>;

/**
 * Signs a request. Rejects for a key that the profile cannot use, and for a keyid that no header
 * can carry.
 */
export async function signRequest(options: SignOptions): Promise<SignatureHeaders> {
  const { key, profile = 'rfc9421' } = options;
  if (!/^[\w.:-]{1,128}$/.test(key.keyid))
    throw new Error(`keyid: expected 1 to 128 of A-Z a-z 0-9 . _ : -, found "${key.keyid}"`);
  return profile === 'rfc9421' ? signComponents(options) : signHeaders(options);
}

async function signComponents(options: SignOptions): Promise<SignatureHeaders> {
  const { front, key, created } = options;
  const request = requestOf(options, { 'X-Front': front });
  const names = requiredComponents({ requiresAuthority: options.coversAuthority ?? true });
  const values = names.map((name) => componentValue(request, name));
  const parameters = `("${names.join('" "')}");created=${created};keyid="${key.keyid}";tag="x-front"`;
  const signature = base64OfBytes(await sign(key, signatureBase(names, values, parameters)));
  return { 'X-Front': front, 'Signature-Input': `sig=${parameters}`, Signature: `sig=:${signature}:` };
}

async function signHeaders(options: SignOptions): Promise<SignatureHeaders> {
  const { front, key, created } = options;
  if (!('secret' in key))
    throw new Error(
      `profile signed-headers: expected a key with a secret (hmac-sha256), found a private key: ${key.keyid}`,
    );
  const headers = {
    'X-Front': front,
    'X-API-Key': key.keyid,
    'X-API-Timestamp': new Date(created * 1000).toISOString(),
    'X-API-Signed-Headers': REQUIRED_HEADERS.join(';'),
  };
  const bytes = await sign(key, canonicalText(requestOf(options, headers), REQUIRED_HEADERS));
  const signature = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { ...headers, 'X-API-Signature': signature };
}

/** The request as the edge will see it. */
function requestOf({ method, url: text }: SignOptions, headers: SignatureHeaders): SignedParts {
  const url = new URL(text);
  const lines = (name: string): readonly string[] =>
    Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? [value] : []));
  return { method, scheme: url.protocol.slice(0, -1), authority: url.host, target: url.pathname + url.search, lines };
}

/**
 * A command for a POSIX shell that sends the signed request and prints the answer with its headers.
 */
export function curlCommand(url: string, headers: SignatureHeaders): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const lines = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return ['curl -i', ...lines, quoted(url)].join(' \\\n  ');
}

async function sign(key: ClientKey, text: string): Promise<Uint8Array> {
  return new Uint8Array(await signBytes(key, new TextEncoder().encode(text)));
}

async function signBytes(key: ClientKey, base: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
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
