// What an object store answers, as a table: the rules of S3 on which a published tree depends. Run
// on the store in memory, on a real gateway in its own dialect, and on the proxy that makes AWS's
// dialect of it. Where the gateway differs, the row says so.

import { createHash } from 'node:crypto';
import type { Expected, Rule } from './judge.ts';
import { sha256, signRequest, type SentRequest } from './send.ts';

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
    ceph: { status: 200, objects: { key: 'new' } },
  },
  {
    name: 'PUT If-Match replaces the object with this ETag',
    given: OLD,
    request: put('new', { 'if-match': etagOf('old') }),
    expected: { status: 200, objects: { key: 'new' } },
    ceph: { status: 412, code: 'PreconditionFailed', objects: OLD },
  },
  {
    name: 'PUT If-Match without quotes',
    given: OLD,
    request: put('new', { 'if-match': unquoted(etagOf('old')) }),
    expected: { status: 412, code: 'PreconditionFailed', objects: OLD },
    ceph: { status: 200, objects: { key: 'new' } },
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
    ceph: { status: 412, code: 'PreconditionFailed', objects: {} },
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
    name: 'GET gives back what PUT said of the object',
    first: put('new', KEPT),
    request: get({}),
    expected: { status: 200, body: 'new', headers: KEPT },
  },
  {
    name: 'HEAD gives back what PUT said of the object',
    first: put('new', KEPT),
    request: { method: 'HEAD', key: 'key' },
    expected: { status: 200, headers: { ...KEPT, 'content-length': '3' } },
  },
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

/** In the order of their bytes in UTF-8: the last two stand the other way round in UTF-16. */
const NAMES = ['a', 'a b', 'a/1', 'a/2', 'a/b/3', 'b+&<"', 'c/4', 'é', '\uff5e', '🎭'];
const NAMED = Object.fromEntries(NAMES.toReversed().map((name) => [name, 'x']));

const list = (query: Readonly<Record<string, string>>): SentRequest => ({
  method: 'GET',
  query: { 'list-type': '2', ...query },
});
const listed = (keys: readonly string[], commonPrefixes: readonly string[] = []): Expected => ({
  status: 200,
  listed: { keys, commonPrefixes },
});

const LISTINGS: readonly Rule[] = [
  { name: 'a list of nothing', request: list({}), expected: listed([]) },
  { name: 'a list is in the order of UTF-8', given: NAMED, request: list({}), expected: listed(NAMES) },
  {
    name: 'a list of a prefix',
    given: NAMED,
    request: list({ prefix: 'a/' }),
    expected: listed(['a/1', 'a/2', 'a/b/3']),
  },
  {
    name: 'a list up to a delimiter',
    given: NAMED,
    request: list({ delimiter: '/' }),
    expected: listed(['a', 'a b', 'b+&<"', 'é', '\uff5e', '🎭'], ['a/', 'c/']),
  },
  {
    name: 'a list of a prefix up to a delimiter',
    given: NAMED,
    request: list({ prefix: 'a/', delimiter: '/' }),
    expected: listed(['a/1', 'a/2'], ['a/b/']),
  },
  {
    name: 'a list of no more than is asked for',
    given: NAMED,
    request: list({ 'max-keys': '2' }),
    expected: listed(['a', 'a b']),
  },
  {
    name: 'a list after a name',
    given: NAMED,
    request: list({ 'start-after': 'c/4' }),
    expected: listed(['é', '\uff5e', '🎭']),
  },
  {
    name: 'a list with names encoded',
    given: NAMED,
    request: list({ 'encoding-type': 'url' }),
    expected: listed([
      'a',
      'a+b',
      'a/1',
      'a/2',
      'a/b/3',
      'b%2B%26%3C%22',
      'c/4',
      '%C3%A9',
      '%EF%BD%9E',
      '%F0%9F%8E%AD',
    ]),
    ceph: listed([
      'a',
      'a%20b',
      'a%2F1',
      'a%2F2',
      'a%2Fb%2F3',
      'b%2B%26%3C%22',
      'c%2F4',
      '%C3%A9',
      '%EF%BD%9E',
      '%F0%9F%8E%AD',
    ]),
    isCephsOwn: true,
  },
  {
    name: 'a list says length and ETag of each object',
    given: OLD,
    request: list({}),
    expected: {
      ...listed(['key']),
      says: [`<ETag>${etagOf('old').replaceAll('"', '&quot;')}</ETag>`, '<Size>3</Size>'],
    },
  },
];

/** Rules about single requests that any store keeps, in its dialect. */
export const RULES: readonly Rule[] = [...WRITES, ...READS, ...LISTINGS];
