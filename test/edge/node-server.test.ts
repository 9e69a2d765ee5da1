// What the local server adds to the rule: another instant, no signatures on loopback, an access
// log, and that it follows changes.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type AccessLogEntry,
  createServer,
  folderTree,
  isLoopback,
  type ServedFile,
  type ServeOptions,
} from '../../src/edge/node-server/server.ts';
import { DEFAULT_SETTINGS } from '../../src/edge/rule/settings.ts';
import { compare, prepareLines } from '../support/edge/exchange.ts';
import { startNodeServer } from '../support/edge/runtimes/node-server.ts';
import type { Runtime } from '../support/edge/runtimes/runtime.ts';
import { temporaryFolder } from '../support/edge/temporary-folder.ts';
import { headerValues, type RawResponse } from '../support/edge/messages.ts';
import { makeWorld, pointerText, type World } from '../support/edge/world.ts';

const UNSIGNED = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: moscow'];
const SIGNED = [...UNSIGNED, 'Sign: keyid=moscow-1'];
const LOCAL = ['GET /products/ HTTP/1.1', 'Host: localhost:8080', 'X-Front: moscow'];

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
    const answer = await ask(await serve({ isUnsigned: true }), LOCAL);
    expect(answer.status).toBe(200);
    expect(headerValues(answer, 'ETag')).toEqual([`W/"${world.fronts.get('moscow')?.products[1]?.digest}"`]);
  });

  test('still checks front, path and method', async () => {
    const runtime = await serve({ isUnsigned: true });
    expect((await ask(runtime, LOCAL.slice(0, 2))).status).toBe(400);
    expect((await ask(runtime, ['GET / HTTP/1.1', 'Host: localhost'])).status).toBe(404);
    expect((await ask(runtime, ['POST / HTTP/1.1', 'Host: localhost', 'Content-Length: 0'])).status).toBe(405);
  });

  test.each([
    ['LOCALHOST', 200],
    ['127.0.0.1:8080', 200],
    ['[::1]:8080', 200],
    ['edge.test', 401],
    ['localhost.example.com', 401],
    ['127.0.0.1.example.com:80', 401],
    ['', 400],
  ])('a name that somebody has pointed at this machine is not enough: Host "%s" is %d', async (host, status) => {
    const runtime = await serve({ isUnsigned: true });
    expect((await ask(runtime, ['GET /products/ HTTP/1.1', `Host: ${host}`, 'X-Front: moscow'])).status).toBe(status);
    // The absolute form counts, whatever Host says.
    const absolute = [`GET http://${host || 'edge.test'}/products/ HTTP/1.1`, 'Host: localhost', 'X-Front: moscow'];
    expect((await ask(runtime, absolute)).status).toBe(host === '' ? 401 : status);
  });

  test.each([
    ['cross-site', 401],
    ['same-site', 200],
    ['same-origin', 200],
    ['none', 200],
  ])('requires a signature from a page of another site: Sec-Fetch-Site "%s" is %d', async (site, status) => {
    const runtime = await serve({ isUnsigned: true });
    expect((await ask(runtime, [...LOCAL, `Sec-Fetch-Site: ${site}`])).status).toBe(status);
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

describe('the host that was asked', () => {
  test.each([{ isUnsigned: false }, { isUnsigned: true }])('is not one of two: %j', async (options) => {
    const runtime = await serve(options);
    for (const other of ['Host: localhost', 'host: edge.test', 'HOST: another.test']) {
      const answer = await ask(runtime, [...SIGNED, other]);
      expect(answer.status).toBe(400);
      expect(answer.content.toString()).toContain('"code":"request-malformed"');
    }
  });

  test('may stand in the request line, and counts there', async () => {
    const runtime = await serve({});
    const sign = async (authority: string, host: string): Promise<number> => {
      const fields = [`Host: ${host}`, 'X-Front: moscow', 'Sign: keyid=moscow-1 host=edge.test target=/products/?a=1'];
      return (await ask(runtime, [`GET http://${authority}/products/?a=1 HTTP/1.1`, ...fields])).status;
    };
    expect(await sign('edge.test', 'edge.test')).toBe(200);
    expect(await sign('Edge.test:80', 'another.test')).toBe(200);
    expect(await sign('another.test', 'edge.test')).toBe(401);
  });
});

describe('what is no request', () => {
  test.each([
    ['no Host', 400, 'request-malformed', ['GET /products/ HTTP/1.1']],
    ['no method', 400, 'request-malformed', ['get /products/ HTTP/1.1', 'Host: edge.test']],
    ['a header that is none', 400, 'request-malformed', ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X Front: a']],
    ['long headers', 431, 'header-too-large', ['GET / HTTP/1.1', 'Host: edge.test', `X-Long: ${'x'.repeat(20_000)}`]],
  ])('is refused in the form of the rule: %s', async (_, status, code, lines) => {
    const answer = await (await serve({})).send(lines);
    compare(answer, { status, code, headers: [], absent: [], edition: null, content: null }, false, world);
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
      { now: world.now, method: 'GET', target: '/products/', front: 'moscow', status: 200, reason: null, cause: null },
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

  test('has a line for a client that leaves with its last byte, before the file is read to its end', async () => {
    const entries: AccessLogEntry[] = [];
    const tree = folderTree(world.root);
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const open = async (path: string): Promise<ServedFile | null> => {
      const bytes = readFileSync(join(world.root, 'public', path));
      const content = async function* () {
        yield bytes;
        await left;
      };
      return { bytes: bytes.length, content, close: async () => undefined };
    };
    const runtime = await startNodeServer(world, {
      tree: { ...tree, open },
      accessLog: (entry) => entries.push(entry),
    });
    running.push(runtime);
    const socket = connect(runtime.port, '127.0.0.1');
    socket.write([...(await prepareLines(SIGNED, runtime.now(), world)), '', ''].join('\r\n'));
    let received = '';
    // Leaving the loop ends the connection.
    for await (const chunk of socket) {
      received += String(chunk);
      if (received.endsWith('"}]}\n')) break;
    }
    expect(received).toMatch(/^HTTP\/1\.1 200 /);
    setTimeout(leave, 200);
    await expect.poll(() => entries).toMatchObject([{ status: 200 }]);
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

test.each([100_000, 1_000_000])('an edition of %d bytes is sent whole', async (length) => {
  const tree = await makeWorld(1_800_000_000);
  const digest = tree.fronts.get('kazan')?.products[0]?.digest ?? '';
  const content = 'x'.repeat(length);
  writeFileSync(join(tree.root, `public/fronts/kazan/products.${digest}.json`), content);
  const runtime = await serve({}, tree);
  const lines = ['/products/ HTTP/1.1', 'Host: edge.test', 'X-Front: kazan', 'Sign: keyid=kazan-1'];
  for (const method of ['GET', 'HEAD']) {
    const answer = await ask(runtime, [`${method} ${lines[0]}`, ...lines.slice(1)], tree);
    expect(headerValues(answer, 'Content-Length')).toEqual([String(length)]);
    expect(answer.content.toString() === (method === 'HEAD' ? '' : content)).toBe(true);
  }
});

describe('a tree that it cannot read', () => {
  /** The operator is given the cause, and the client is not. */
  async function expectUnreadable(options: Partial<ServeOptions>, tree: World, cause: string, front = 'moscow') {
    const entries: AccessLogEntry[] = [];
    const runtime = await serve({ ...options, accessLog: (entry) => entries.push(entry) }, tree);
    const request = ['GET /products/ HTTP/1.1', 'Host: edge.test', `X-Front: ${front}`, `Sign: keyid=${front}-1`];
    const answer = await ask(runtime, request, tree);
    expect(answer.status).toBe(503);
    expect(answer.content.toString()).not.toContain(cause);
    expect(entries).toMatchObject([{ reason: 'internal', cause: expect.stringContaining(cause) }]);
  }

  test.each([
    ['no key ring', null, 'ENOENT: no such file'],
    ['a key ring that is not JSON', '{"schema":1,', 'JSON'],
    ['a key ring of a newer schema', '{"schema":2,"keys":{}}\n', 'expected an object of schema 1'],
  ])('%s: 503 for a signed request, and the log says why', async (_, text, cause) => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'edge'));
    if (text !== null) writeFileSync(join(root, 'edge/keyring.json'), text);
    await expectUnreadable({ root }, world, cause);
  });

  test('a pointer that is a folder: 503, and the log says why', async () => {
    const tree = await makeWorld(1_800_000_000);
    const pointer = join(tree.root, 'public/fronts/moscow/pointer.json');
    rmSync(pointer);
    mkdirSync(pointer);
    await expectUnreadable({}, tree, 'EISDIR');
  });

  test.each(['torn', 'newer', 'foreign', 'gone'])('the front %s: 503, and the log says why', async (front) => {
    await expectUnreadable({}, world, "the front's pointer is torn", front);
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
