// AWS Signature Version 4 with the synchronous module `crypto` of njs, because nginx evaluates the signature while it sends a request to the
// bucket. Only for GET of an object without a query. Keeps no credentials.

import { type Credentials, EMPTY_PAYLOAD } from './bucket-credentials.ts';
import type { NjsBytes, NjsCrypto } from './njs-crypto.ts';

/** The request for an object. */
export interface SignedObject {
  /** The value of the Host header. */
  readonly host: string;
  /** Encoded as sent. */
  readonly path: string;
  readonly region: string;
  /** The header x-amz-date. */
  readonly date: string;
}

/** The value of Authorization. It covers the headers that nginx sends, including x-amz-security-token if there is a session token. */
export function njsAuthorization(object: SignedObject, credentials: Credentials, njsCrypto: NjsCrypto): string {
  const token = credentials.sessionToken;
  const names = `host;x-amz-content-sha256;x-amz-date${token ? ';x-amz-security-token' : ''}`;
  const fields = `host:${object.host}\nx-amz-content-sha256:${EMPTY_PAYLOAD}\nx-amz-date:${object.date}\n`;
  const lines = token ? `${fields}x-amz-security-token:${token}\n` : fields;
  const canonical = ['GET', object.path, '', lines, names, EMPTY_PAYLOAD].join('\n');
  const parts = [object.date.slice(0, 8), object.region, 's3', 'aws4_request'];
  const scope = parts.join('/');
  const text = ['AWS4-HMAC-SHA256', object.date, scope, njsCrypto.createHash('sha256').update(canonical).digest('hex')];
  const hmac = (key: string | NjsBytes, part: string): NjsBytes =>
    njsCrypto.createHmac('sha256', key).update(part).digest();
  const start: string | NjsBytes = `AWS4${credentials.secretAccessKey}`;
  const key = parts.reduce<string | NjsBytes>(hmac, start);
  const signature = njsCrypto.createHmac('sha256', key).update(text.join('\n')).digest('hex');
  return `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
}
