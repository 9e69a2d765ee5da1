// Requests that an object store must not believe, each spoilt in one way.

import type { Rule } from './judge.ts';
import { signRequest, type SentRequest, type SignedRequest } from './send.ts';

const OLD = { key: 'old' };
const GET: SentRequest = { method: 'GET', key: 'key' };
const put = (body: string, headers: Readonly<Record<string, string>> = {}): SentRequest => ({
  method: 'PUT',
  key: 'key',
  body,
  headers,
});

export const SIGNATURES: readonly Rule[] = [
  {
    name: 'a request that is not signed',
    given: OLD,
    request: async (to) => spoilt(await signRequest(to, GET), { authorization: undefined }),
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
    name: 'a header added after the others were signed',
    given: OLD,
    request: async (to) => spoilt(await signRequest(to, put('new')), { 'x-amz-meta-note': 'x' }),
    expected: { status: 403, code: 'AccessDenied', objects: OLD },
    ceph: { status: 200, objects: { key: 'new' } },
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
    ceph: { status: 200, objects: { key: 'new' } },
  },
  {
    name: 'a session that is over',
    given: OLD,
    request: async (to) => signRequest(to, put('new', { 'x-amz-security-token': 'expired' })),
    expected: { status: 400, code: 'ExpiredToken', objects: OLD },
    ceph: { status: 200, objects: { key: 'new' } },
  },
];

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
