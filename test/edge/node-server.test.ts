// What the local server adds to the rule: another instant, no signatures on loopback, an access log, and that it follows changes.

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type AccessLogEntry, createServer, isLoopback, type ServeOptions } from '../../src/edge/runtimes/node.ts';
import { DEFAULT_SETTINGS } from '../../src/edge/rule/settings.ts';
import { prepareLines } from '../support/edge/exchange.ts';
import { startNodeServer } from '../support/edge/runtimes/node-server.ts';
import type { Runtime } from '../support/edge/runtimes/runtime.ts';
import { temporaryFolder } from '../support/edge/temporary-folder.ts';
import { headerValues, type RawResponse } from '../support/edge/messages.ts';
import { makeWorld, pointerText, type World } from '../support/edge/world.ts';

const UNSIGNED = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: moscow'];
const SIGNED = [...UNSIGNED, 'Sign: keyid=moscow-1'];

let world: World;
beforeAll(async () => {
  world = await makeWorld(1_800_000_000);
});

const running: Runtime[] = [];
afterEach(async () => {
  for (const runtime of running.splice(0)) await runtime.stop();
});

async function serve(options: Partial<ServeOptions>, tree: World = world): Promise<Runtime> {
  const runtime = await startNodeServer(tree, options);
  running.push(runtime);
  return runtime;
}

async function ask(runtime: Runtime, written: readonly string[], tree: World = world): Promise<RawResponse> {
  return runtime.send(await prepareLines(written, runtime.now(), tree));
}

describe('as of another instant', () => {
  test('serves the edition of that instant under no-store, and checks signatures by the clock', async () => {
    const runtime = await serve({ at: world.now + 3 * 3600 });
    const answer = await ask(runtime, SIGNED);
    expect(answer.content.equals(world.fronts.get('moscow')?.products[2]?.content ?? Buffer.alloc(0))).toBe(true);
    expect(headerValues(answer, 'Cache-Control')).toEqual(['no-store']);
    expect((await ask(runtime, [...UNSIGNED, 'Sign: keyid=moscow-1 created=-361'])).status).toBe(401);
  });
});

describe('unsigned', () => {
  test('serves without a signature on loopback', async () => {
    const answer = await ask(await serve({ isUnsigned: true }), UNSIGNED);
    expect(answer.status).toBe(200);
    expect(headerValues(answer, 'ETag')).toEqual([`W/"${world.fronts.get('moscow')?.products[1]?.digest}"`]);
  });

  test('still checks front, path and method', async () => {
    const runtime = await serve({ isUnsigned: true });
    expect((await ask(runtime, UNSIGNED.slice(0, 2))).status).toBe(400);
    expect((await ask(runtime, ['GET / HTTP/1.1', 'Host: edge.test'])).status).toBe(404);
    expect((await ask(runtime, ['POST / HTTP/1.1', 'Host: edge.test', 'Content-Length: 0'])).status).toBe(405);
  });

  test('requires a signature from a client that reached another address', async () => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find((entry) => entry !== undefined && !entry.internal && entry.family === 'IPv4')?.address;
    // A machine without a network has loopback addresses only.
    if (address === undefined) return;
    const server = createServer({
      root: world.root,
      settings: DEFAULT_SETTINGS,
      clock: () => world.now,
      secretOf: () => null,
      at: null,
      isUnsigned: true,
      accessLog: () => undefined,
    });
    await new Promise<void>((resolve) => server.listen(0, address, resolve));
    const bound = server.address();
    const port = bound !== null && typeof bound === 'object' ? bound.port : 0;
    const response = await fetch(`http://${address}:${port}/products/`, {
      headers: { 'X-Front': 'moscow', Connection: 'close' },
    });
    expect(response.status).toBe(401);
    await new Promise((resolve) => server.close(resolve));
  });

  test.each([
    ['127.0.0.1', true],
    ['127.8.8.8', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['localhost', true],
    ['0.0.0.0', false],
    ['::', false],
    ['10.127.0.1', false],
    ['localhost.example.com', false],
    ['', false],
  ])('%s is loopback: %s', (address, expected) => {
    expect(isLoopback(address)).toBe(expected);
  });
});

describe('the access log', () => {
  test('records request and answer, and names no key', async () => {
    const entries: AccessLogEntry[] = [];
    const runtime = await serve({ accessLog: (entry) => entries.push(entry) });
    await ask(runtime, SIGNED);
    await ask(runtime, [
      'HEAD /products/?a=1 HTTP/1.1',
      'Host: edge.test',
      'X-Front: moscow',
      'Sign: keyid=moscow-revoked',
    ]);
    expect(entries).toMatchObject([
      { now: world.now, method: 'GET', target: '/products/', front: 'moscow', status: 200, reason: null },
      {
        now: world.now,
        method: 'HEAD',
        target: '/products/?a=1',
        front: 'moscow',
        status: 401,
        reason: 'signature-invalid',
      },
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/moscow-/);
  });
});

describe('changes of the tree', () => {
  test('a new pointer, a new key ring and a removed pointer count from the next request on', async () => {
    const tree = await makeWorld(1_800_000_000);
    const runtime = await serve({}, tree);
    const answerOf = async (): Promise<string> => {
      const answer = await ask(runtime, SIGNED, tree);
      return `${answer.status} ${headerValues(answer, 'ETag').join()}`;
    };
    const moscow = tree.fronts.get('moscow');
    const [first, second] = moscow?.products ?? [];
    if (moscow === undefined || first === undefined || second === undefined) throw new Error('no such front');
    expect(await answerOf()).toBe(`200 W/"${second.digest}"`);

    const pointer = join(tree.root, 'public/fronts/moscow/pointer.json');
    writeFileSync(`${pointer}.tmp`, pointerText('moscow', tree.now, { ...moscow, products: [first] }));
    renameSync(`${pointer}.tmp`, pointer);
    expect(await answerOf()).toBe(`200 W/"${first.digest}"`);

    rmSync(pointer);
    expect(await answerOf()).toBe('404 ');

    writeFileSync(join(tree.root, 'edge/keyring.json'), '{"schema":1,"keys":{}}\n');
    expect(await answerOf()).toBe('401 ');
  });
});

describe('a tree that it cannot read', () => {
  test.each([
    ['no key ring', null],
    ['a key ring that is not JSON', '{"schema":1,'],
    ['a key ring of a newer schema', '{"schema":2,"keys":{}}\n'],
  ])('%s: 503 for a signed request', async (_, text) => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'edge'));
    if (text !== null) writeFileSync(join(root, 'edge/keyring.json'), text);
    expect((await ask(await serve({ root }), SIGNED)).status).toBe(503);
  });

  test('a pointer that is a folder: 503', async () => {
    const tree = await makeWorld(1_800_000_000);
    const pointer = join(tree.root, 'public/fronts/moscow/pointer.json');
    rmSync(pointer);
    mkdirSync(pointer);
    expect((await ask(await serve({}, tree), SIGNED, tree)).status).toBe(503);
  });
});

test('refuses settings that cannot work, before it listens', () => {
  const options = {
    root: world.root,
    clock: () => 0,
    secretOf: () => null,
    at: null,
    isUnsigned: false,
    accessLog: () => undefined,
  };
  expect(() => createServer({ ...options, settings: { ...DEFAULT_SETTINGS, base: '/api/' } })).toThrow(
    'base: expected',
  );
  expect(() => createServer({ ...options, settings: { ...DEFAULT_SETTINGS, base: 'api' } })).toThrow('base: expected');
  expect(() => createServer({ ...options, settings: { ...DEFAULT_SETTINGS, maxAge: 1.5 } })).toThrow(
    'maxAge: expected',
  );
});
