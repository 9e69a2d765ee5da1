// Signs the requests of transcripts: by two libraries that are not ours, so that ours is never its
// own judge; and by hand over any text whatever, so that what must be refused is refused for its
// form and not for its signature.

import { createHash, createHmac, createPrivateKey, sign as nodeSign } from 'node:crypto';
import { createSignature } from 'http-message-sig';
import { httpbis } from 'http-message-signatures';
import type { PrivateJwk } from '../../../src/edge/web-crypto/key-pair.ts';

export interface SignedMessage {
  readonly method: string;
  readonly host: string;
  readonly target: string;
  /** Field lines, names as written. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

export interface SignatureOptions {
  readonly label: string;
  readonly keyid: string;
  /** What to sign with: a private key, or a secret. */
  readonly key: PrivateJwk | string;
  readonly components: readonly string[];
  readonly created: number;
  readonly expires: number | null;
  readonly alg: string | null;
  readonly nonce: string | null;
}

export interface SignatureLines {
  readonly input: string;
  readonly signature: string;
}

export const SIGNERS = ['http-message-sig', 'http-message-signatures'] as const;

/** Signs with the named library. */
export function signBy(
  signer: (typeof SIGNERS)[number],
  message: SignedMessage,
  options: SignatureOptions,
): Promise<SignatureLines> {
  return signer === 'http-message-sig' ? signWithSig(message, options) : signWithSignatures(message, options);
}

async function signWithSig(message: SignedMessage, options: SignatureOptions): Promise<SignatureLines> {
  const { signature, signatureInput } = await createSignature(
    {
      kind: 'request',
      method: message.method,
      targetUri: `http://${message.host}${message.target}`,
      fields: message.fields.map(([name, value]) => ({ name, value })),
    },
    {
      label: options.label,
      components: [...options.components],
      parameters: {
        created: options.created,
        keyid: options.keyid,
        tag: 'x-front',
        ...(options.expires === null ? {} : { expires: options.expires }),
        ...(options.alg === null ? {} : { alg: options.alg }),
        ...(options.nonce === null ? {} : { nonce: options.nonce }),
      },
      signer: { algorithm: options.alg ?? algorithmOf(options.key), sign: (data) => rawSignature(options.key, data) },
    },
  );
  return { input: signatureInput, signature };
}

async function signWithSignatures(message: SignedMessage, options: SignatureOptions): Promise<SignatureLines> {
  const headers: Record<string, string> = { Host: message.host };
  for (const [name, value] of message.fields) headers[name] = value;
  const optional = { expires: options.expires, alg: options.alg, nonce: options.nonce };
  const signed = await httpbis.signMessage(
    {
      name: options.label,
      key: {
        id: options.keyid,
        alg: algorithmOf(options.key),
        sign: async (data) => Buffer.from(rawSignature(options.key, data)),
      },
      fields: [...options.components],
      params: [
        'created',
        'keyid',
        'tag',
        ...Object.entries(optional).flatMap(([name, value]) => (value === null ? [] : [name])),
      ],
      paramValues: {
        created: new Date(options.created * 1000),
        keyid: options.keyid,
        tag: 'x-front',
        ...(options.expires === null ? {} : { expires: new Date(options.expires * 1000) }),
        ...(options.alg === null ? {} : { alg: options.alg }),
        ...(options.nonce === null ? {} : { nonce: options.nonce }),
      },
    },
    { method: message.method, url: `http://${message.host}${message.target}`, headers },
  );
  return { input: headerOf(signed.headers, 'signature-input'), signature: headerOf(signed.headers, 'signature') };
}

function headerOf(headers: Record<string, string | string[]>, name: string): string {
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return String(entry?.[1] ?? '');
}

/**
 * Signs a label's raw text, whatever it is. Components that no signer would know count as empty.
 */
export function signRaw(message: SignedMessage, key: PrivateJwk | string, parameters: string): string {
  const list = parameters.slice(0, parameters.indexOf(')') + 1);
  const identifiers = list.match(/"[^"]*"(?:;[a-z]+(?:="[^"]*")?)*/g) ?? [];
  const lines = identifiers.map(
    (identifier) => `${identifier}: ${componentOf(message, /"([^"]*)"/.exec(identifier)?.[1] ?? '')}`,
  );
  const base = [...lines, `"@signature-params": ${parameters}`].join('\n');
  return Buffer.from(rawSignature(key, Buffer.from(base, 'latin1'))).toString('base64');
}

/**
 * The signature of the profile `signed-headers`, over the headers that the message lists. One that
 * it lacks counts as empty.
 */
export function signListed(message: Omit<SignedMessage, 'host'>, secret: string): string {
  const list = componentOf({ ...message, host: '' }, 'x-api-signed-headers');
  const [path = '', ...query] = message.target.split('?');
  const parameters = query.join('?').split('&');
  const headers = list.split(';').map((name) => {
    const value = componentOf({ ...message, host: '' }, name).toLowerCase();
    return `${name.toLowerCase()}:${value.split(/[ \t]+/).join(' ')}`;
  });
  const body = createHash('sha256').digest('hex');
  const canonical = [message.method, path, parameters.toSorted().join('&'), ...headers, list, body];
  return createHmac('sha256', secret).update(canonical.join('\n'), 'latin1').digest('hex');
}

function componentOf(message: SignedMessage, name: string): string {
  const mark = message.target.indexOf('?');
  const path = mark === -1 ? message.target : message.target.slice(0, mark);
  switch (name) {
    case '@method':
      return message.method;
    case '@authority':
      return message.host.toLowerCase();
    case '@path':
      return path;
    case '@query':
      return mark === -1 ? '?' : message.target.slice(mark);
    case '@scheme':
      return 'http';
    case '@target-uri':
      return `http://${message.host}${message.target}`;
    case '@request-target':
      return message.target;
    default:
      return message.fields
        .filter(([key]) => key.toLowerCase() === name.toLowerCase())
        .map(([, value]) => value.trim())
        .join(', ');
  }
}

/** By the names of RFC 9421. */
export function algorithmOf(key: PrivateJwk | string): string {
  if (typeof key === 'string') return 'hmac-sha256';
  return key.kty === 'EC' ? 'ecdsa-p256-sha256' : 'ed25519';
}

/** The bytes of a signature over data, by a private key or a secret. */
export function rawSignature(key: PrivateJwk | string, data: Uint8Array): Uint8Array {
  if (typeof key === 'string') return createHmac('sha256', key).update(data).digest();
  const privateKey = createPrivateKey({ key: { ...key }, format: 'jwk' });
  return key.kty === 'EC'
    ? nodeSign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' })
    : nodeSign(null, data, privateKey);
}
