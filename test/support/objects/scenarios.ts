// What takes more than one request to see of an object store: races, pages, faults on the wire. For
// every store that stands them.

import { once } from 'node:events';
import { expect } from 'vitest';
import { codeOf } from './judge.ts';
import type { Fault } from './faults.ts';
import { listPages } from './remote-bucket.ts';
import { receive, send, signRequest, transmit } from './send.ts';
import type { ObservedStore, TestStore } from './test-store.ts';

/** Eight requests at once to make one object: one of them does. */
export async function expectOneWinner(store: TestStore): Promise<void> {
  const bodies = Array.from({ length: 8 }, (_, i) => `racer ${i}`);
  const answers = await Promise.all(
    bodies.map((body) => send(store, { method: 'PUT', key: 'raced', body, headers: { 'if-none-match': '*' } })),
  );
  const winners = bodies.filter((_, i) => answers[i]?.status === 200);
  expect(winners).toHaveLength(1);
  expect((await store.objects()).get('raced')?.bytes.toString()).toBe(winners[0]);
  // Ceph answers 500 to some that lost at the same moment.
  for (const { status } of answers) expect([200, 409, 412, 500]).toContain(status);
}

/** Pages of two, with common prefixes among them: together they are the whole, in its order. */
export async function expectPages(store: TestStore): Promise<void> {
  for (const key of (await store.objects()).keys()) await store.delete(key);
  for (const key of ['a', 'b/1', 'b/2', 'b/3', 'c', 'd/1', 'é', '🎭']) await store.put(key, 'x');
  const pages: string[][] = [];
  for await (const { keys, commonPrefixes } of listPages(store, { 'max-keys': '2', delimiter: '/' }))
    pages.push([...keys, ...commonPrefixes]);
  expect(pages).toEqual([
    ['a', 'b/'],
    ['c', 'd/'],
    ['é', '🎭'],
  ]);
}

/**
 * What a client sees of a PUT, and then of a GET, that meet this fault; and whether the bytes of
 * the PUT are there.
 */
export interface Seen {
  readonly put: string;
  readonly get: string;
  readonly isApplied: boolean;
}

/** Every fault that ends by itself, and what is seen of it. */
export const FAULTS: readonly (readonly [name: string, fault: Fault, seen: Seen])[] = [
  ['reset', { kind: 'reset' }, { put: 'ECONNRESET', get: 'ECONNRESET', isApplied: false }],
  ['answer dropped', { kind: 'answer-dropped' }, { put: 'ECONNRESET', get: 'ECONNRESET', isApplied: true }],
  [
    '409',
    { kind: 'status', status: 409 },
    { put: '409 ConditionalRequestConflict', get: '409 ConditionalRequestConflict', isApplied: false },
  ],
  [
    '429 with Retry-After',
    { kind: 'status', status: 429, retryAfterSeconds: 7 },
    { put: '429 TooManyRequests, retry after 7', get: '429 TooManyRequests, retry after 7', isApplied: false },
  ],
  ['500', { kind: 'status', status: 500 }, { put: '500 InternalError', get: '500 InternalError', isApplied: false }],
  ['503', { kind: 'status', status: 503 }, { put: '503 SlowDown', get: '503 SlowDown', isApplied: false }],
  [
    'an error in a 200',
    { kind: 'error-in-200' },
    { put: '200 InternalError', get: '200 InternalError', isApplied: false },
  ],
  ['a body in pieces', { kind: 'slow-body', pieces: 3, gapMs: 5 }, { put: '200', get: '200 bytes', isApplied: true }],
  ['a body cut in the middle', { kind: 'cut-body' }, { put: '200', get: '200 ECONNRESET', isApplied: true }],
];

/** Sends a PUT and a GET, each of which meets the fault once, and says what is seen. */
export async function seenOf(store: ObservedStore, fault: Fault): Promise<Seen> {
  await store.delete('met');
  await store.put('read', 'bytes');
  store.faults = () => fault;
  const put = await describeAnswer(store, 'PUT', 'met');
  const get = await describeAnswer(store, 'GET', 'read');
  store.faults = null;
  return { put, get, isApplied: (await store.objects()).has('met') };
}

async function describeAnswer(store: ObservedStore, method: string, key: string): Promise<string> {
  let seen = '';
  try {
    const incoming = await transmit(await signRequest(store, { method, key, body: method === 'PUT' ? 'bytes' : '' }));
    const retry = incoming.headers['retry-after'];
    seen = String(incoming.statusCode);
    const answer = await receive(incoming);
    const code = codeOf(answer);
    const text = answer.body.toString();
    const content = code !== '' ? ` ${code}` : text === '' ? '' : ` ${text}`;
    return seen + content + (retry === undefined ? '' : `, retry after ${retry}`);
  } catch (error) {
    return `${seen} ${error instanceof Error && 'code' in error ? String(error.code) : String(error)}`.trim();
  }
}

/** Something that a test waits for. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** The faults that do not end by themselves: the client gives up, or the test goes on. */
export async function expectSuspended(store: ObservedStore): Promise<void> {
  await store.put('read', 'bytes');
  await store.delete('met');
  const ever = 3_600_000;
  for (const fault of [{ kind: 'endless-body' }, { kind: 'slow-body', pieces: 2, gapMs: ever }] as const) {
    store.faults = ({ key }) => (key === 'read' ? fault : null);
    const gone = new AbortController();
    const incoming = await transmit(await signRequest(store, { method: 'GET', key: 'read' }), gone.signal);
    expect(incoming.headers['content-length']).toBe('5');
    let received = '';
    incoming.on('data', (part: Buffer) => (received += part.toString()));
    await once(incoming, 'data');
    await roundTrip(store);
    expect(received).not.toBe('');
    expect(received).not.toBe('bytes');
    const failed = expect(once(incoming, 'end')).rejects.toThrow();
    gone.abort();
    await failed;
  }
  await expectHang(store);
  await expectHold(store);
  store.faults = null;
}

/**
 * Another request, from its beginning to its end: what the store did not keep back has happened by
 * then.
 */
async function roundTrip(store: TestStore): Promise<void> {
  await send(store, { method: 'GET', key: 'round-trip' });
}

async function expectHang(store: ObservedStore): Promise<void> {
  const arrived = gate();
  const gone = new AbortController();
  store.faults = ({ key }) => {
    if (key !== 'met') return null;
    arrived.open();
    return { kind: 'hang' };
  };
  const answer = transmit(await signRequest(store, { method: 'PUT', key: 'met', body: 'bytes' }), gone.signal);
  const failed = expect(answer).rejects.toThrow();
  await arrived.opened;
  gone.abort();
  await failed;
  await roundTrip(store);
  expect((await store.objects()).has('met')).toBe(false);
}

async function expectHold(store: ObservedStore): Promise<void> {
  const arrived = gate();
  const release = gate();
  store.faults = ({ key }) => {
    if (key !== 'met') return null;
    arrived.open();
    return { kind: 'hold', until: release.opened };
  };
  const answer = send(store, { method: 'PUT', key: 'met', body: 'bytes' });
  await arrived.opened;
  await roundTrip(store);
  expect((await store.objects()).has('met')).toBe(false);
  release.open();
  expect((await answer).status).toBe(200);
  expect((await store.objects()).has('met')).toBe(true);
}
