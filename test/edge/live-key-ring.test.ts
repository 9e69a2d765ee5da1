// How long a worker goes on with a key ring: ten seconds without looking, a minute, or as long as
// it is told, where it cannot look, and then it lets nobody in.

import { once } from 'node:events';
import { beforeEach, expect, test, vi } from 'vitest';
import { findKey } from '../../src/edge/rule/key-store.ts';
import type { LoadText } from '../../src/edge/remote-tree/load.ts';
import type { liveKeyRing } from '../../src/edge/remote-tree/live-key-ring.ts';

let ring: typeof liveKeyRing;
let log: string[];
beforeEach(async () => {
  // As in a worker that has just started: the module keeps the last ring.
  vi.resetModules();
  ({ liveKeyRing: ring } = await import('../../src/edge/remote-tree/live-key-ring.ts'));
  log = [];
  vi.spyOn(console, 'error').mockImplementation((line: string) => log.push(line));
});

/**
 * Answers with these texts, one after the other; null: nothing is there; an error: it cannot be
 * known.
 */
function answers(...texts: readonly (string | null | Error)[]): LoadText & { asked: number } {
  const load = async (path: string, wasThere?: boolean) => {
    // A tree always has a key ring, so that 403 is a failure.
    expect([path, wasThere]).toEqual(['keyring.json', true]);
    const text = texts[load.asked++] ?? null;
    if (text instanceof Error) throw text;
    return text === null ? null : { text: async () => text };
  };
  load.asked = 0;
  return load;
}

const key = { front: 'f', alg: 'hmac-sha256', secretRef: 'S', notBefore: null, notAfter: null, revokedAt: null };
const withKey = (keyid: string): string => JSON.stringify({ schema: 1, keys: { [keyid]: key } });
const has = async (load: LoadText, keyid: string, now: number): Promise<boolean> =>
  findKey(await ring(load, now, 60), keyid) !== null;

test('it looks again after ten seconds', async () => {
  const load = answers(withKey('a'), withKey('b'));
  expect(await has(load, 'a', 1000)).toBe(true);
  expect(await has(load, 'a', 1009.9)).toBe(true);
  expect(load.asked).toBe(1);
  expect(await has(load, 'a', 1010)).toBe(false);
  expect(await has(load, 'b', 1019)).toBe(true);
  expect(load.asked).toBe(2);
});

test('a ring that has not changed is the same object, of which everything has been made already', async () => {
  const load = answers(withKey('a'), withKey('a'), withKey('b'));
  const first = await ring(load, 1000, 60);
  expect(await ring(load, 1010, 60)).toBe(first);
  expect(await ring(load, 1020, 60)).not.toBe(first);
  expect(load.asked).toBe(3);
});

test('where it cannot, it goes on for a minute since it last could, and asks once a second', async () => {
  const away = new Error('away');
  const load = answers(withKey('a'), away, away, away, withKey('b'));
  expect(await has(load, 'a', 1000)).toBe(true);
  expect(await has(load, 'a', 1030)).toBe(true);
  expect(await has(load, 'a', 1030.9)).toBe(true);
  expect(load.asked).toBe(2);
  expect(await has(load, 'a', 1059.9)).toBe(true);
  await expect(has(load, 'a', 1061)).rejects.toThrow();
  expect(load.asked).toBe(4);
  // As soon as it can, it does.
  expect(await has(load, 'b', 1062)).toBe(true);
});

test.each([10, 60, 3600])('with a grace of %d s it lets nobody in after that time', async (grace) => {
  const load = answers(withKey('a'), new Error('away'), new Error('away'));
  const hasKey = async (now: number): Promise<boolean> => findKey(await ring(load, now, grace), 'a') !== null;
  expect(await hasKey(1000)).toBe(true);
  expect(await hasKey(1000 + grace - 0.1)).toBe(true);
  await expect(hasKey(1000 + grace)).rejects.toThrow();
});

test.each([
  ['half of one', withKey('b').slice(0, -9)],
  ['an error in JSON', '{"error":"maintenance"}'],
  ['a page', '<html></html>'],
  ['nothing', ''],
  ['one of another schema', withKey('b').replace('"schema":1', '"schema":2')],
  ['a missing one', null],
])('%s replaces no ring', async (_, bad) => {
  const load = answers(withKey('a'), bad, withKey('b'));
  expect(await has(load, 'a', 1000)).toBe(true);
  expect(await has(load, 'a', 1010)).toBe(true);
  expect(log).toHaveLength(1);
  expect(await has(load, 'b', 1011)).toBe(true);
});

test('a store that hangs holds up one request, and the others use the last ring', async () => {
  const load = answers(withKey('a'));
  expect(await has(load, 'a', 1000)).toBe(true);
  const stop = new AbortController();
  let asked = 0;
  const hangs: LoadText = () => {
    asked += 1;
    return once(stop.signal, 'abort').then(() => null);
  };
  const waiting = ring(hangs, 1010, 60);
  const others = [has(hangs, 'a', 1010), has(hangs, 'a', 1010.9)];
  expect(asked).toBe(1);
  expect(await Promise.all(others)).toEqual([true, true]);
  stop.abort();
  expect(findKey(await waiting, 'a')).not.toBe(null);
});

test('without a ring each request looks for itself, and gets it', async () => {
  const load = answers(withKey('a'), withKey('a'));
  expect(await Promise.all([has(load, 'a', 1000), has(load, 'a', 1000)])).toEqual([true, true]);
});

test('a clock that is set back keeps no ring in use, and no failure', async () => {
  const load = answers(withKey('a'), withKey('b'), new Error('away'), withKey('a'));
  expect(await has(load, 'a', 5000)).toBe(true);
  expect(await has(load, 'b', 1000)).toBe(true);
  expect(load.asked).toBe(2);
  await expect(has(load, 'b', 9000)).rejects.toThrow();
  expect(await has(load, 'a', 900)).toBe(true);
  expect(load.asked).toBe(4);
});

test.each([
  ['nothing there', null, 'it is missing'],
  ['something else there', '<html>', `Unexpected token '<', "<html>" is not valid JSON`],
  ['a ring of another schema', '{"schema":2,"keys":{}}', 'expected an object of schema 1 with "keys"'],
])('with %s nobody is let in, and the log says so', async (_, text, why) => {
  const load = answers(text);
  await expect(has(load, 'a', 1000)).rejects.toThrow();
  expect(log).toEqual([`playbill: the tree cannot be read: edge/keyring.json: ${why}`]);
});
