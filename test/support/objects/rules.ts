// What an object store answers, as a table: the rules of S3 on which a published tree depends. Run on the store in memory, on a real
// gateway in its own dialect, and on the proxy that makes AWS's dialect of it. Where the gateway differs, the row says so.

import { createHash } from 'node:crypto';
import { send, sha256, signRequest, transmit, receive } from './send.ts';
import type { Destination, ReceivedAnswer, SentRequest, SignedRequest } from './send.ts';
import type { TestStore } from './test-store.ts';

export interface Expected {
  readonly status: number;
  /** Of the error. */
  readonly code?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** All that the bucket holds afterwards. */
  readonly objects?: Readonly<Record<string, string>>;
}

export interface Rule {
  readonly name: string;
  /** What the bucket holds before. */
  readonly given?: Readonly<Record<string, string>>;
  readonly request: SentRequest | ((to: Destination) => Promise<SignedRequest>);
  readonly expected: Expected;
  /** What Ceph's gateway answers where it differs. */
  readonly ceph?: Expected;
}

/** Quoted. */
export function etagOf(text: string): string {
  return `"${createHash('md5').update(text).digest('hex')}"`;
}

function unquoted(etag: string): string {
  return etag.slice(1, -1);
}

const OLD = { key: 'old' };
const KEPT = {
  'content-type': 'application/json',
  'cache-control': 'public, max-age=31536000, immutable',
  'content-encoding': 'gzip',
};

const put = (body: string, headers: Readonly<Record<string, string>> = {}): SentRequest => ({
  method: 'PUT',
  key: 'key',
  body,
  headers,
});

const WRITES: readonly Rule[] = [
  {
    name: 'PUT makes an object, and says its ETag',
    request: put('new'),
    expected: { status: 200, headers: { etag: etagOf('new') }, objects: { key: 'new' } },
  },
  {
    name: 'PUT replaces an object',
    given: OLD,
    request: put('new'),
    expected: { status: 200, objects: { key: 'new' } },
  },
  {
    name: 'a key may have spaces, a plus, quotes and any letter',
    request: { method: 'PUT', key: "a b/c+d/é'(1)*&=$@ö🎭", body: 'x' },
    expected: { status: 200, objects: { "a b/c+d/é'(1)*&=$@ö🎭": 'x' } },
  },
  {
    name: 'PUT If-None-Match: * makes an object that is not there',
    request: put('new', { 'if-none-match': '*' }),
    expected: { status: 200, objects: { key: 'new' } },
  },
  {
    name: 'PUT If-None-Match: * leaves an object that is there',
    given: OLD,
    request: put('new', { 'if-none-match': '*' }),
    expected: { status: 412, code: 'PreconditionFailed', objects: OLD },
  },
  {
    name: 'PUT If-None-Match with an ETag is not known',
    given: OLD,
    request: put('new', { 'if-none-match': etagOf('old') }),
    expected: { status: 501, code: 'NotImplemented', objects: OLD },
  },
  {
    name: 'PUT If-Match replaces the object with this ETag',
    given: OLD,
    request: put('new', { 'if-match': etagOf('old') }),
    expected: { status: 200, objects: { key: 'new' } },
  },
  {
    name: 'PUT If-Match without quotes',
    given: OLD,
    request: put('new', { 'if-match': unquoted(etagOf('old')) }),
    expected: { status: 412, code: 'PreconditionFailed', objects: OLD },
  },
  {
    name: 'PUT If-Match leaves an object with another ETag',
    given: OLD,
    request: put('new', { 'if-match': etagOf('older') }),
    expected: { status: 412, code: 'PreconditionFailed', objects: OLD },
  },
  {
    name: 'PUT If-Match makes no object',
    request: put('new', { 'if-match': etagOf('old') }),
    expected: { status: 404, code: 'NoSuchKey', objects: {} },
  },
  {
    name: 'PUT with the Content-MD5 of its body',
    request: put('new', { 'content-md5': createHash('md5').update('new').digest('base64') }),
    expected: { status: 200, objects: { key: 'new' } },
  },
  {
    name: 'PUT with the Content-MD5 of another body',
    given: OLD,
    request: put('new', { 'content-md5': createHash('md5').update('other').digest('base64') }),
    expected: { status: 400, code: 'BadDigest', objects: OLD },
  },
  {
    name: 'PUT with the signed digest of another body',
    given: OLD,
    request: put('new', { 'x-amz-content-sha256': sha256(Buffer.from('other')) }),
    expected: { status: 400, code: 'XAmzContentSHA256Mismatch', objects: OLD },
  },
  {
    name: 'PUT without a signed digest of its body',
    request: put('new', { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }),
    expected: { status: 200, objects: { key: 'new' } },
  },
  {
    name: 'DELETE removes an object',
    given: { key: 'old', other: 'x' },
    request: { method: 'DELETE', key: 'key' },
    expected: { status: 204, objects: { other: 'x' } },
  },
  {
    name: 'DELETE of no object',
    request: { method: 'DELETE', key: 'key' },
    expected: { status: 204, objects: {} },
  },
  {
    name: 'DELETE ignores If-Match',
    given: OLD,
    request: { method: 'DELETE', key: 'key', headers: { 'if-match': etagOf('older') } },
    expected: { status: 204, objects: {} },
  },
];

const get = (headers: Readonly<Record<string, string>>): SentRequest => ({ method: 'GET', key: 'key', headers });

const READS: readonly Rule[] = [
  {
    name: 'GET gives the bytes',
    given: OLD,
    request: get({}),
    expected: { status: 200, body: 'old', headers: { etag: etagOf('old') } },
  },
  { name: 'GET of no object', request: get({}), expected: { status: 404, code: 'NoSuchKey' } },
  {
    name: 'HEAD gives length and ETag',
    given: OLD,
    request: { method: 'HEAD', key: 'key' },
    expected: { status: 200, body: '', headers: { etag: etagOf('old'), 'content-length': '3' } },
  },
  { name: 'HEAD of no object', request: { method: 'HEAD', key: 'key' }, expected: { status: 404, body: '' } },
  {
    name: 'GET of the first bytes',
    given: OLD,
    request: get({ range: 'bytes=0-1' }),
    expected: { status: 206, body: 'ol', headers: { 'content-range': 'bytes 0-1/3' } },
  },
  {
    name: 'GET of the last bytes',
    given: OLD,
    request: get({ range: 'bytes=-2' }),
    expected: { status: 206, body: 'ld', headers: { 'content-range': 'bytes 1-2/3' } },
  },
  {
    name: 'GET from a byte on',
    given: OLD,
    request: get({ range: 'bytes=1-' }),
    expected: { status: 206, body: 'ld', headers: { 'content-range': 'bytes 1-2/3' } },
  },
  {
    name: 'GET of a range beyond the end',
    given: OLD,
    request: get({ range: 'bytes=3-' }),
    expected: { status: 416, code: 'InvalidRange' },
  },
  {
    name: 'GET If-None-Match with the ETag it has',
    given: OLD,
    request: get({ 'if-none-match': etagOf('old') }),
    expected: { status: 304, body: '' },
  },
  {
    name: 'GET If-Match with another ETag',
    given: OLD,
    request: get({ 'if-match': etagOf('older') }),
    expected: { status: 412, code: 'PreconditionFailed' },
  },
  {
    name: 'another bucket',
    request: async (to) => signRequest({ ...to, bucket: 'no-such-bucket' }, get({})),
    expected: { status: 404, code: 'NoSuchBucket' },
  },
];

/** Requests that a store must not believe. */
const SIGNATURES: readonly Rule[] = [
  {
    name: 'a request that is not signed',
    given: OLD,
    request: async (to) => spoilt(await signRequest(to, get({})), { authorization: undefined }),
    expected: { status: 403, code: 'AccessDenied' },
  },
  {
    name: 'a request signed with another secret',
    given: OLD,
    request: async (to) =>
      signRequest({ ...to, credentials: { ...to.credentials, secretAccessKey: 'other' } }, put('new')),
    expected: { status: 403, code: 'SignatureDoesNotMatch', objects: OLD },
  },
  {
    name: 'a request signed by nobody known',
    given: OLD,
    request: async (to) =>
      signRequest({ ...to, credentials: { ...to.credentials, accessKeyId: 'AKIDNOBODY' } }, put('new')),
    expected: { status: 403, code: 'InvalidAccessKeyId', objects: OLD },
  },
  {
    name: 'a header changed after it was signed',
    given: OLD,
    request: async (to) =>
      spoilt(await signRequest(to, put('new', { 'if-none-match': '*' })), { 'if-none-match': undefined }),
    expected: { status: 403, code: 'SignatureDoesNotMatch', objects: OLD },
  },
  {
    name: 'a key changed after it was signed',
    given: OLD,
    request: async (to) => {
      const signed = await signRequest(to, put('new'));
      return { ...signed, url: new URL('other', signed.url) };
    },
    expected: { status: 403, code: 'SignatureDoesNotMatch', objects: OLD },
  },
  {
    name: 'a body changed after it was signed',
    given: OLD,
    request: async (to) => ({ ...(await signRequest(to, put('new'))), body: Buffer.from('wen') }),
    expected: { status: 400, code: 'XAmzContentSHA256Mismatch', objects: OLD },
  },
  {
    name: 'a request of 16 minutes ago',
    given: OLD,
    request: async (to) => signRequest(to, put('new'), datetimeAgo(16 * 60_000)),
    expected: { status: 403, code: 'RequestTimeTooSkewed', objects: OLD },
  },
  {
    name: 'a request of 14 minutes ago',
    given: OLD,
    request: async (to) => signRequest(to, put('new'), datetimeAgo(14 * 60_000)),
    expected: { status: 200, objects: { key: 'new' } },
  },
  {
    name: 'a request signed for another region',
    given: OLD,
    request: async (to) => signRequest({ ...to, region: 'mars-north-1' }, put('new')),
    expected: { status: 400, code: 'AuthorizationHeaderMalformed', objects: OLD },
  },
  {
    name: 'a session that is over',
    given: OLD,
    request: async (to) => signRequest(to, put('new', { 'x-amz-security-token': 'expired' })),
    expected: { status: 400, code: 'ExpiredToken', objects: OLD },
  },
];

export const RULES: readonly Rule[] = [
  ...WRITES,
  ...READS,
  ...SIGNATURES,
  {
    name: 'PUT gives back the headers that a tree needs: written',
    request: put('new', KEPT),
    expected: { status: 200, objects: { key: 'new' } },
  },
];

export { KEPT };

function spoilt(request: SignedRequest, changes: Readonly<Record<string, string | undefined>>): SignedRequest {
  const headers = Object.entries({ ...request.headers, ...changes });
  return {
    ...request,
    headers: Object.fromEntries(headers.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
  };
}

function datetimeAgo(milliseconds: number): string {
  return `${new Date(Date.now() - milliseconds)
    .toISOString()
    .replaceAll(/[-:]|\.\d+/g, '')
    .slice(0, 15)}Z`;
}

/** What a store answers to a rule's request, in the form of what is expected of it. */
export async function outcomeOf(store: TestStore, { given = {}, request }: Rule): Promise<Required<Expected>> {
  for (const key of (await store.objects()).keys()) await store.delete(key);
  for (const [key, text] of Object.entries(given)) await store.put(key, text);
  const answer =
    typeof request === 'function' ? await receive(await transmit(await request(store))) : await send(store, request);
  const objects = [...(await store.objects())].map(([key, { bytes }]) => [key, bytes.toString()] as const);
  return {
    status: answer.status,
    code: codeOf(answer),
    body: answer.body.toString(),
    headers: Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)])),
    objects: Object.fromEntries(objects),
  };
}

/** The code in an error's document; empty where there is none. */
export function codeOf({ body }: ReceivedAnswer): string {
  return /<Code>(\w+)<\/Code>/.exec(body.toString())?.[1] ?? '';
}
