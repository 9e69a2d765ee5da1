// The stores on which publishing into a bucket is tested: they must keep S3's rules themselves, and
// break them only when asked.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf, differences } from '../support/objects/judge.ts';
import { startMemoryStore, type MemoryStore } from '../support/objects/memory-store.ts';
import type { StoreRequest } from '../support/objects/messages.ts';
import { listPages } from '../support/objects/remote-bucket.ts';
import { etagOf, RULES } from '../support/objects/rules.ts';
import { startS3rver } from '../support/objects/s3rver.ts';
import { expectOneWinner, expectPages, expectSuspended, FAULTS, seenOf } from '../support/objects/scenarios.ts';
import { send, signRequest, transmit } from '../support/objects/send.ts';
import { SIGNATURES } from '../support/objects/signature-rules.ts';
import { verifyRequest } from '../support/objects/signature.ts';
import { StoreClock } from '../support/objects/test-store.ts';

describe('the store in memory', () => {
  let store: MemoryStore;
  beforeAll(async () => {
    store = await startMemoryStore();
  });
  afterAll(() => store.close());

  test.each([...RULES, ...SIGNATURES])('$name', async (rule) => {
    expect(await differences(store, rule, rule.expected)).toEqual({});
  });

  test('of eight creates at once one wins', () => expectOneWinner(store));
  test('a listing comes in pages', () => expectPages(store));
  test('suspended requests', () => expectSuspended(store));
  test.each(FAULTS)('%s', async (_name, fault, seen) => {
    expect(await seenOf(store, fault)).toEqual(seen);
  });
});

describe("the store in memory, in Ceph's dialect", () => {
  let store: MemoryStore;
  beforeAll(async () => {
    store = await startMemoryStore({ dialect: 'unquoted' });
  });
  afterAll(() => store.close());

  test.each(RULES)('$name', async (rule) => {
    expect(await differences(store, rule, (!rule.isCephsOwn && rule.ceph) || rule.expected)).toEqual({});
  });
});

test('s3rver ignores conditions', async () => {
  await using store = await startS3rver();
  await store.put('key', 'old');
  for (const headers of [{ 'if-none-match': '*' }, { 'if-match': etagOf('older') }]) {
    const { status } = await send(store, { method: 'PUT', key: 'key', body: JSON.stringify(headers), headers });
    expect(status).toBe(200);
    expect((await store.objects()).get('key')?.bytes.toString()).toBe(JSON.stringify(headers));
  }
});

describe('what a test asks of the store in memory', () => {
  const PUT = { method: 'PUT', key: 'a/key', body: 'new' } as const;

  test.each([
    ['read', [403, 403, 200, 204, 200]],
    ['write', [200, 200, 403, 204, 200]],
    ['delete', [200, 200, 200, 403, 200]],
    ['list', [200, 200, 200, 204, 403]],
  ] as const)('it denies to %s a prefix, and that alone', async (action, statuses) => {
    await using store = await startMemoryStore({ denied: [{ action, prefix: 'a/' }] });
    const found = async (prefix: string): Promise<number[]> => {
      await store.put(`${prefix}key`, 'old');
      const requests = [
        ...['GET', 'HEAD', 'PUT', 'DELETE'].map((method) => ({ method, key: `${prefix}key` })),
        { method: 'GET', query: { 'list-type': '2', prefix } },
      ];
      const answers: number[] = [];
      for (const request of requests) answers.push((await send(store, request)).status);
      return answers;
    };
    expect(await found('a/')).toEqual(statuses);
    expect(await found('b/')).toEqual([200, 200, 200, 204, 200]);
  });

  test('who may not list does not learn what is not there', async () => {
    await using store = await startMemoryStore({ denied: [{ action: 'list', prefix: '' }] });
    const answer = await send(store, { method: 'GET', key: 'absent' });
    expect([answer.status, codeOf(answer)]).toEqual([403, 'AccessDenied']);
  });

  test('what is locked is neither replaced nor deleted; what is not there may be made', async () => {
    await using store = await startMemoryStore({ locked: ['a/'] });
    expect((await send(store, PUT)).status).toBe(200);
    for (const request of [PUT, { method: 'DELETE', key: 'a/key' }]) {
      const answer = await send(store, request);
      expect([answer.status, codeOf(answer)]).toEqual([403, 'AccessDenied']);
      expect(answer.body.toString()).toContain('object lock');
    }
    expect((await store.objects()).size).toBe(1);
  });

  test.each([
    ['kept', [412, 412, 412, 412, 412, 412, 412, 412], 412],
    ['ignored', [200, 200, 200, 200, 200, 200, 200, 200], 200],
    ['one-create-in-eight-lost', [412, 412, 412, 200, 412, 412, 412, 412], 412],
  ] as const)('conditions %s', async (conditions, creates, swap) => {
    await using store = await startMemoryStore({ conditions });
    await store.put('a/key', 'old');
    const found: number[] = [];
    for (let i = 0; i < 8; i += 1)
      found.push((await send(store, { ...PUT, headers: { 'if-none-match': '*' } })).status);
    expect(found).toEqual(creates);
    expect((await send(store, { ...PUT, headers: { 'if-match': etagOf('older') } })).status).toBe(swap);
  });

  test('its clock is its own, and signatures are judged by another', async () => {
    const clock = new StoreClock(() => Date.UTC(2030, 0, 1), -1000);
    await using store = await startMemoryStore({ clock });
    const { headers } = await send(store, PUT);
    expect(headers.date).toBe('Mon, 31 Dec 2029 23:59:59 GMT');
    clock.advance(3_600_000);
    const { headers: later } = await send(store, { method: 'HEAD', key: 'a/key' });
    expect([later.date, later['last-modified']]).toEqual(['Tue, 01 Jan 2030 00:59:59 GMT', headers.date]);
    await using ahead = await startMemoryStore({ skewMs: 3_600_000 });
    expect(codeOf(await send(ahead, PUT))).toBe('RequestTimeTooSkewed');
  });

  test("a bucket in the host's name is the same bucket", async () => {
    await using store = await startMemoryStore();
    const { region, credentials } = store;
    const endpoint = store.endpoint.replace('127.0.0.1', 'bucket.localhost');
    // The client puts what it takes for a bucket first in the path; here it is a part of the key.
    const answer = await send({ endpoint, region, credentials, bucket: 'in' }, { ...PUT, key: 'a folder/key' });
    expect(answer.status).toBe(200);
    expect([...(await store.objects()).keys()]).toEqual(['in/a folder/key']);
  });

  test('it says what arrived, and calls before and after each request takes effect', async () => {
    const seen: unknown[] = [];
    await using store = await startMemoryStore({
      beforeApply: async ({ n }) => void seen.push([n, 'before', (await store.objects()).size]),
      afterApply: async ({ n, status }) => void seen.push([n, status, (await store.objects()).size]),
      faults: ({ n, method, attempt }) => (n === 3 && method === 'PUT' && attempt === 2 ? { kind: 'reset' } : null),
    });
    await send(store, { ...PUT, headers: { 'if-none-match': '*' } });
    await send(store, { method: 'GET', query: { 'list-type': '2', prefix: 'a/' } });
    await expect(send(store, PUT)).rejects.toThrow();
    await send(store, PUT);
    const host = new URL(store.endpoint).host;
    expect(store.log).toEqual([
      { method: 'PUT', key: 'a/key', query: {}, host, conditional: 'If-None-Match: *', bytes: 3, status: 200 },
      {
        method: 'GET',
        key: '',
        query: { 'list-type': '2', prefix: 'a/' },
        host,
        conditional: null,
        bytes: 0,
        status: 200,
      },
      { method: 'PUT', key: 'a/key', query: {}, host, conditional: null, bytes: 3, status: null },
      { method: 'PUT', key: 'a/key', query: {}, host, conditional: null, bytes: 3, status: 200 },
    ]);
    expect(seen).toEqual([
      [1, 'before', 0],
      [1, 200, 1],
      [2, 'before', 1],
      [2, 200, 1],
      [4, 'before', 1],
      [4, 200, 1],
    ]);
  });

  test('a PUT that is cut off in its body does nothing', async () => {
    await using store = await startMemoryStore();
    const signed = await signRequest(store, PUT);
    signed.headers['content-length'] = '1000';
    const gone = new AbortController();
    const failed = expect(transmit(signed, gone.signal)).rejects.toThrow();
    await expect.poll(() => store.log.length).toBe(1);
    gone.abort();
    await failed;
    // Behind it on the same event loop: whatever the first did, it has done.
    await send(store, { method: 'HEAD', key: 'a/key' });
    expect(await store.objects()).toEqual(new Map());
  });

  test('a thousand names a page', async () => {
    await using store = await startMemoryStore();
    for (let i = 0; i < 1001; i += 1) await store.put(`key ${i}`, '');
    const sizes: number[] = [];
    for await (const { keys } of listPages(store, { 'max-keys': '2000' })) sizes.push(keys.length);
    expect(sizes).toEqual([1000, 1]);
  });
});

/**
 * The examples of "Authenticating Requests: Using the Authorization Header" in the Amazon S3 API
 * Reference.
 */
describe("AWS's own examples of signatures", () => {
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  const verifier = {
    credentials: { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
    region: 'us-east-1',
    now: () => Date.UTC(2013, 4, 24),
  };
  const example = (
    target: string,
    signedHeaders: string,
    signature: string,
    headers: Record<string, string>,
  ): StoreRequest => ({
    method: 'GET',
    target,
    bucket: 'examplebucket',
    key: target.slice(1),
    query: {},
    body: Buffer.alloc(0),
    headers: {
      host: 'examplebucket.s3.amazonaws.com',
      'x-amz-date': '20130524T000000Z',
      'x-amz-content-sha256': empty,
      ...headers,
      authorization: `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=${signedHeaders},Signature=${signature}`,
    },
  });
  const OBJECT = example(
    '/test.txt',
    'host;range;x-amz-content-sha256;x-amz-date',
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    { range: 'bytes=0-9' },
  );
  const LIST = example(
    '/?max-keys=2&prefix=J',
    'host;x-amz-content-sha256;x-amz-date',
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    {},
  );

  test.each([OBJECT, LIST])('GET $target is believed', async (request) => {
    await expect(verifyRequest(request, verifier)).resolves.toBeUndefined();
  });

  test('GET of other bytes is not', async () => {
    const changed = { ...OBJECT, headers: { ...OBJECT.headers, range: 'bytes=0-8' } };
    await expect(verifyRequest(changed, verifier)).rejects.toMatchObject({ code: 'SignatureDoesNotMatch' });
  });
});
