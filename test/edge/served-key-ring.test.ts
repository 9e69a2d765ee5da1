// The key ring of `serve` and of the service in a folder: every change counts at once, and what has
// not changed is not parsed again.

import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderKeyRing, keyRingParser } from '../../src/edge/node-server/served-key-ring.ts';
import { temporaryFolder } from '../support/edge/temporary-folder.ts';

const key = { front: 'f', alg: 'hmac-sha256', secretRef: 'S', notBefore: null, notAfter: null, revokedAt: null };
const textOf = (keyid: string): string => JSON.stringify({ schema: 1, keys: { [keyid]: key } });

interface Served {
  readonly path: string;
  readonly ring: ReturnType<typeof folderKeyRing>;
  readonly keyids: () => Promise<readonly string[]>;
  readonly wait: (ms: number) => void;
}

function inFolder(): Served {
  const path = join(temporaryFolder(), 'keyring.json');
  writeFileSync(path, textOf('a'));
  let nowMs = 0;
  const ring = folderKeyRing(path, () => nowMs);
  return { path, ring, keyids: async () => Object.keys((await ring()).keys), wait: (ms) => (nowMs += ms) };
}

test('a ring that has not changed is the same object', async () => {
  const { path, ring } = inFolder();
  const first = await ring();
  expect(await ring()).toBe(first);
  // Written again, as it was.
  writeFileSync(path, textOf('a'));
  expect(await ring()).toBe(first);
});

test('of the same bytes, the parser returns the same object', () => {
  const parse = keyRingParser();
  const first = parse(Buffer.from(textOf('a')));
  expect(parse(Buffer.from(textOf('a')))).toBe(first);
  expect(Object.keys(parse(Buffer.from(textOf('b'))).keys)).toEqual(['b']);
  expect(() => parse(Buffer.from('{'))).toThrow('edge/keyring.json');
  expect(Object.keys(parse(Buffer.from(textOf('b'))).keys)).toEqual(['b']);
});

test.each([0, 10_000])('a change counts at once, also after %d ms: another file, or in its place', async (ms) => {
  const { path, keyids, wait } = inFolder();
  const next = async (): Promise<readonly string[]> => {
    wait(ms);
    await keyids();
    return keyids();
  };
  expect(await next()).toEqual(['a']);
  writeFileSync(`${path}.new`, textOf('b'));
  renameSync(`${path}.new`, path);
  expect(await keyids()).toEqual(['b']);
  expect(await next()).toEqual(['b']);
  writeFileSync(path, textOf('c, longer'));
  expect(await keyids()).toEqual(['c, longer']);
});

test('a change counts even if the file has the size and the times that it had', async () => {
  const { path, keyids } = inFolder();
  utimesSync(path, 1_777_626_000, 1_777_626_000);
  expect(await keyids()).toEqual(['a']);
  writeFileSync(path, textOf('b'));
  utimesSync(path, 1_777_626_000, 1_777_626_000);
  expect(await keyids()).toEqual(['b']);
});

test('a ring that is missing, or damaged, is an error until it is there again', async () => {
  const { path, ring, keyids } = inFolder();
  const first = await ring();
  rmSync(path);
  await expect(ring()).rejects.toThrow('ENOENT');
  writeFileSync(path, '{"schema":1,');
  await expect(ring()).rejects.toThrow('edge/keyring.json');
  writeFileSync(path, textOf('a'));
  expect(await ring()).toEqual(first);
  expect(await keyids()).toEqual(['a']);
});
