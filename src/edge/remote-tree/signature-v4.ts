// AWS Signature Version 4 in the Authorization header, for requests without a body to a private
// bucket. Uses the Web Cryptography API. Keeps no credentials.

import { instantText } from '../rule/instant.ts';
import type { FieldLine } from '../rule/request.ts';
import { NO_BODY } from '../rule/signed-headers.ts';
import type { Credentials } from './bucket-credentials.ts';

/** The signed parts of a request. */
export interface CanonicalRequest {
  readonly method: string;
  /** Encoded as sent. */
  readonly path: string;
  /** Encoded and sorted, without the question mark. */
  readonly query: string;
  /** The signed headers, with lower-case names, sorted. */
  readonly headers: readonly FieldLine[];
  /** SHA-256 of the body, in hex. */
  readonly payload: string;
}

const { subtle } = crypto;

type Bytes = ArrayBuffer | Uint8Array<ArrayBuffer>;

/** The headers to add to a request without a body; `now`: seconds since 1970. */
export const signatureV4Headers = async (
  method: string,
  url: URL,
  credentials: Credentials,
  region: string,
  now: number,
): Promise<FieldLine[]> => {
  const stamp = instantText(now).replace(/[-:]/g, '');
  const { sessionToken } = credentials;
  const headers: FieldLine[] = [
    ['x-amz-content-sha256', NO_BODY],
    ['x-amz-date', stamp],
    ...(sessionToken ? [['x-amz-security-token', sessionToken] as const] : []),
  ];
  const request: CanonicalRequest = {
    method,
    path: url.pathname,
    query: url.search.slice(1),
    headers: [['host', url.host], ...headers],
    payload: NO_BODY,
  };
  return [...headers, ['authorization', await authorization(request, credentials, `${region}/s3`, stamp)]];
};

/** The value of Authorization. `scope`: REGION/SERVICE; `stamp`: the value of x-amz-date. */
export const authorization = async (
  { method, path, query, headers, payload }: CanonicalRequest,
  { accessKeyId, secretAccessKey }: Credentials,
  scope: string,
  stamp: string,
): Promise<string> => {
  const names = headers.map(([name]) => name).join(';');
  const lines = headers.map((line) => `${line.join(':')}\n`).join('');
  const canonical = [method, path, query, lines, names, payload].join('\n');
  const parts = [stamp.slice(0, 8), ...scope.split('/'), 'aws4_request'];
  const digest = hexOf(await subtle.digest('SHA-256', bytesOf(canonical)));
  let key: Bytes = bytesOf(`AWS4${secretAccessKey}`);
  for (const part of parts) key = await hmac(key, part);
  const signature = hexOf(await hmac(key, ['AWS4-HMAC-SHA256', stamp, parts.join('/'), digest].join('\n')));
  return `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${parts.join('/')}, SignedHeaders=${names}, Signature=${signature}`;
};

const hmac = async (secret: Bytes, text: string): Promise<ArrayBuffer> => {
  const key = await subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return subtle.sign('HMAC', key, bytesOf(text));
};

const hexOf = (bytes: ArrayBuffer): string =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
