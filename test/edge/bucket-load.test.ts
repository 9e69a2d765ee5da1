// How long a worker waits for a private bucket: not long for an answer to begin, and longer for a
// file that a slow client reads.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { bucketLoad } from '../../src/edge/remote-tree/bucket-load.ts';

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };

/**
 * A bucket that answers by `answer`; and the time limits that are set, in milliseconds, to be
 * reached when the test says so.
 */
async function bucketThat(answer: (response: ServerResponse) => void) {
  const limits = new Map<number, AbortController>();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const limit = new AbortController();
    limits.set(ms, limit);
    return limit.signal;
  });
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    timeout.mockRestore();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const load = bucketLoad(
    { origin: `http://127.0.0.1:${port}/shop`, region: 'r' },
    'public/',
    CREDENTIALS,
    1_777_626_000,
  );
  return { load, port, limits };
}

test('a file may come slowly once its answer has begun', async () => {
  let end = (): void => undefined;
  const { load, limits } = await bucketThat((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('[1,');
    end = () => void response.end('2]');
  });
  const file = await load('a.json');
  limits.get(10_000)?.abort();
  end();
  expect(await file?.text()).toBe('[1,2]');
});

test('an answer that does not begin within ten seconds is given up', async () => {
  const { load, port, limits } = await bucketThat(() => limits.get(10_000)?.abort());
  const file = load('a.json');
  await expect(file).rejects.toThrow(`127.0.0.1:${port} does not answer`);
});

test('a file that does not end within a minute is cut off', async () => {
  const { load, limits } = await bucketThat((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('[1,');
  });
  const file = await load('a.json');
  limits.get(60_000)?.abort(new Error('a minute is over'));
  await expect(file?.text()).rejects.toThrow('a minute is over');
});
