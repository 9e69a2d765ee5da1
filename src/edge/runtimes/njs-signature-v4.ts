// AWS Signature Version 4 by the module `crypto` of njs, which answers at once: nginx asks for the signature while it writes a request to
// a bucket. For GET of an object without a query. Nothing of the credentials is kept.

import { type Credentials, EMPTY_PAYLOAD } from './bucket-credentials.ts';
import type { NjsBytes, NjsCrypto } from './njs-crypto.ts';

/** An object as it is asked for. */
export interface SignedObject {
  /** As the header Host has it. */
  readonly host: string;
  /** Encoded as sent. */
  readonly path: string;
  readonly region: string;
  /** The header x-amz-date. */
  readonly date: string;
}

/** The value of Authorization. It covers the headers that nginx sends, x-amz-security-token only if there is a session token. */
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
