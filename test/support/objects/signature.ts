// AWS Signature Version 4 in the Authorization header: what a store checks before it does anything.
// The request is signed again from what arrived, by another implementation than the program's, and
// the signatures are compared.

import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { S3Error, type StoreRequest } from './messages.ts';
import type { Credentials } from './test-store.ts';

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([^/,\s]*)\/([^/,\s]+)\/aws4_request,\s*SignedHeaders=([a-z0-9;-]+),\s*Signature=([0-9a-f]{64})$/;
const TIME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
const SKEW_MAX_MS = 15 * 60_000;

/** Four of the five HMACs of a signature, which are the same all day. */
const derivedKeys = new Map<string, ArrayBuffer>();

/** The session token that is always past its end. */
export const EXPIRED_TOKEN = 'expired';

export interface Verifier {
  readonly credentials: Credentials;
  readonly region: string;
  /** By which signatures are judged, milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Throws the refusal that S3 gives, unless this request was signed with these credentials for this
 * region, now.
 */
export async function verifyRequest(request: StoreRequest, { credentials, region, now }: Verifier): Promise<void> {
  const { authorization } = request.headers;
  if (authorization === undefined) throw new S3Error('AccessDenied', 'Access Denied');
  const parsed = AUTHORIZATION.exec(authorization);
  if (parsed === null)
    throw new S3Error('AuthorizationHeaderMalformed', 'The authorization header that you provided is not valid.');
  const [, accessKeyId, date, regionGiven = '', service, list = '', signature] = parsed;
  if (headerOf(request, 'x-amz-content-sha256') === '')
    throw new S3Error('InvalidRequest', 'Missing required header for this request: x-amz-content-sha256');
  const datetime = headerOf(request, 'x-amz-date');
  if (TIME.exec(datetime) === null)
    throw new S3Error('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header');
  if (service !== 's3' || datetime.slice(0, 8) !== date)
    throw new S3Error('AuthorizationHeaderMalformed', 'The credential scope is not that of this service and date.');
  if (regionGiven !== region) {
    const text = `The authorization header is malformed; the region '${regionGiven}' is wrong; expecting '${region}'`;
    throw new S3Error('AuthorizationHeaderMalformed', text, { Region: region });
  }
  if (accessKeyId !== credentials.accessKeyId)
    throw new S3Error('InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.');
  checkToken(request);
  checkTime(datetime, now());
  const signed = signedHeadersOf(request, list.split(';'));
  const expected = await new AwsV4Signer({
    method: request.method,
    url: `http://${request.headers.host ?? ''}${request.target}`,
    headers: signed,
    ...credentials,
    service: 's3',
    region,
    datetime,
    cache: derivedKeys,
    allHeaders: true,
  }).signature();
  if (expected !== signature) {
    const text =
      'The request signature we calculated does not match the signature you provided. Check your key and signing method.';
    throw new S3Error('SignatureDoesNotMatch', text);
  }
}

function headerOf({ headers }: StoreRequest, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

function checkToken(request: StoreRequest): void {
  const token = headerOf(request, 'x-amz-security-token');
  if (token === EXPIRED_TOKEN) throw new S3Error('ExpiredToken', 'The provided token has expired.');
  if (token !== '') throw new S3Error('InvalidToken', 'The provided token is malformed or otherwise invalid.');
}

function checkTime(datetime: string, now: number): void {
  const then = Date.parse(datetime.replace(TIME, '$1-$2-$3T$4:$5:$6Z'));
  if (Math.abs(then - now) <= SKEW_MAX_MS) return;
  throw new S3Error(
    'RequestTimeTooSkewed',
    'The difference between the request time and the current time is too large.',
    {
      RequestTime: datetime,
      ServerTime: new Date(now).toISOString(),
      MaxAllowedSkewMilliseconds: String(SKEW_MAX_MS),
    },
  );
}

/** The headers that were signed; `host` and each `x-amz-` header must be among them. */
function signedHeadersOf(request: StoreRequest, names: readonly string[]): Record<string, string> {
  const required = ['host', ...Object.keys(request.headers).filter((name) => name.startsWith('x-amz-'))];
  const unsigned = required.filter((name) => !names.includes(name));
  if (unsigned.length > 0) {
    const text = 'There were headers present in the request which were not signed';
    throw new S3Error('AccessDenied', text, { HeadersNotSigned: unsigned.join(', ') });
  }
  return Object.fromEntries(names.map((name) => [name, headerOf(request, name)]));
}

/** Throws unless the body is the one that was signed and that Content-MD5 promises. */
export function checkBody(request: StoreRequest): void {
  const payload = headerOf(request, 'x-amz-content-sha256');
  if (payload.startsWith('STREAMING-'))
    throw new S3Error('NotImplemented', 'A header you provided implies functionality that is not implemented');
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== createHash('sha256').update(request.body).digest('hex'))
    throw new S3Error(
      'XAmzContentSHA256Mismatch',
      "The provided 'x-amz-content-sha256' header does not match what was computed.",
    );
  const md5 = headerOf(request, 'content-md5');
  if (md5 === '') return;
  if (!/^[A-Za-z0-9+/]{22}==$/.test(md5))
    throw new S3Error('InvalidDigest', 'The Content-MD5 you specified is not valid.');
  if (md5 !== createHash('md5').update(request.body).digest('base64'))
    throw new S3Error('BadDigest', 'The Content-MD5 you specified did not match what we received.');
}
