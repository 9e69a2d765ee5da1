// The service behind a proxy by itself: what it refuses before the rule, its limits, its end by a
// signal, its key ring by a clock; and a tree in a bucket.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync } from 'node:fs';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { bundleEdge } from '../../src/edge/targets/bundle.ts';
import { DEFAULT_SETTINGS } from '../../src/edge/rule/settings.ts';
import type { createAuthorizer } from '../../src/edge/targets/authorizer/service.ts';
import { bucketTree } from '../../src/edge/targets/authorizer/bucket-tree.ts';
import { compare, prepareLines, runExchange } from '../support/edge/exchange.ts';
import { headerValues, parseAnswer, type RawResponse, sendLines } from '../support/edge/messages.ts';
import { ask, asked, editionOf } from '../support/edge/ask.ts';
import { originIn, PREFIX, startPrivateBucket, UNREADABLE_BUCKETS } from '../support/edge/private-bucket.ts';
import { startAuthorizer } from '../support/edge/runtimes/authorizer.ts';
import { freePort, type Runtime, writeFolder } from '../support/edge/runtimes/runtime.ts';
import { TRANSCRIPTS } from '../support/edge/transcript.ts';
import { editionContent, makeWorld, type World } from '../support/edge/world.ts';
import type { MemoryStore } from '../support/objects/memory-store.ts';
import { run } from '../support/recipe.ts';
import { authorizerFiles } from '../support/edge/target-files.ts';

let world: World;
let create: typeof createAuthorizer;
const log: string[] = [];
const servers: Server[] = [];
let clock = 0;

beforeAll(async () => {
  world = await makeWorld(Math.floor(Date.now() / 1000));
});
beforeEach(async () => {
  // As in a process that has just started: a module keeps the last key ring.
  vi.resetModules();
  ({ createAuthorizer: create } = await import('../../src/edge/targets/authorizer/service.ts'));
  log.length = 0;
  vi.spyOn(console, 'error').mockImplementation((line: string) => log.push(line));
  clock = world.now;
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** The service over the world's folder, which sends files itself, by this clock. */
async function startService(tree: World = world): Promise<Runtime & { readonly port: number }> {
  const server = create(
    {
      ...DEFAULT_SETTINGS,
      profiles: tree.profiles,
      host: '127.0.0.1',
      port: 0,
      tree: {
        kind: 'folder',
        publicRoot: join(tree.root, 'public'),
        keyRing: join(tree.root, 'edge/keyring.json'),
        fileHeaders: null,
      },
    },
    tree.secrets,
    () => clock,
    (line) => log.push(line),
  );
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const send = (lines: readonly string[]): Promise<RawResponse> => sendLines(port, lines);
  return { name: 'service', port, now: () => Math.floor(clock), send, stop: async () => undefined };
}

function expectRefusal(answer: RawResponse, status: number, code: string): void {
  compare(answer, { status, code, headers: [], absent: [], edition: null, content: null }, false, world);
}

/** What comes back on a connection until it ends, for bytes that are no request of `sendLines`. */
async function answerTo(port: number, text: string): Promise<RawResponse> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text, 'latin1');
  return parseAnswer(await received(socket));
}

async function received(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const HOST = 'Host: edge.test';

describe('what is refused before the rule', () => {
  test.each([
    ['no Host', 400, 'request-malformed', ['GET /products/ HTTP/1.1', 'Connection: close']],
    ['two of them', 400, 'request-malformed', ['GET /products/ HTTP/1.1', HOST, HOST, 'Connection: close']],
    ['no HTTP', 400, 'request-malformed', ['what is this']],
    ['a header that is none', 400, 'request-malformed', ['GET /products/ HTTP/1.1', HOST, 'X Front: moscow']],
    ['a length twice', 400, 'request-malformed', ['GET / HTTP/1.1', HOST, 'Content-Length: 1', 'Content-Length: 2']],
    [
      'two framings',
      400,
      'request-malformed',
      ['GET / HTTP/1.1', HOST, 'Content-Length: 1', 'Transfer-Encoding: chunked'],
    ],
    ['headers of 20,000 bytes', 431, 'header-too-large', ['GET / HTTP/1.1', HOST, `X-Long: ${'x'.repeat(20_000)}`]],
    ['a URL of 20,000 bytes', 431, 'header-too-large', [`GET /${'x'.repeat(20_000)} HTTP/1.1`, HOST]],
    ['a body to come', 413, 'content-too-large', ['POST /products/ HTTP/1.1', HOST, 'Content-Length: 300000000']],
    ['a body in chunks', 413, 'content-too-large', ['GET /products/ HTTP/1.1', HOST, 'Transfer-Encoding: chunked']],
    [
      'a body, on invitation',
      413,
      'content-too-large',
      ['GET / HTTP/1.1', HOST, 'Content-Length: 1', 'Expect: 100-continue'],
    ],
  ])('%s: %d, and the connection ends', async (_, status, code, lines) => {
    const { port } = await startService();
    expectRefusal(await answerTo(port, [...lines, '', ''].join('\r\n')), status, code);
  });

  test('the rest of what is refused is read, so that no reset overtakes the answer', async () => {
    const { port } = await startService();
    // Half open: this client goes on although the other side has said its last word.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.write(`GET / HTTP/1.1\r\n${HOST}\r\nX-Long: ${'x'.repeat(20_000)}`);
    await once(socket, 'end');
    // Each is written after the one before has been: a reset would fail one of them.
    for (let count = 0; count < 64; count++)
      await new Promise<void>((resolve, reject) => {
        socket.write('x'.repeat(65_536), (error) => (error ? reject(error) : resolve()));
      });
    socket.end();
    expectRefusal(parseAnswer(Buffer.concat(chunks)), 431, 'header-too-large');
  });

  test('another expectation is no reason to refuse', async () => {
    const service = await startService();
    const written = [
      'GET /products/ HTTP/1.1',
      HOST,
      'X-Front: moscow',
      'Expect: the unexpected',
      'Sign: keyid=moscow-1',
    ];
    expect((await service.send(await prepareLines(written, clock, world))).status).toBe(200);
  });

  test('whoever does not come to the end of a request is disconnected', async () => {
    const { port } = await startService();
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /products/ HTTP/1.1\r\nHost: edge.test\r\nX-Sl');
    // As long as it takes; 15 s if the machine is quick.
    expect(String(await received(socket))).toBe('');
  });
});

describe('the key ring', () => {
  test('counts for a minute where it cannot be read, and then nobody is let in', async () => {
    const tree = await makeWorld(world.now);
    const service = await startService(tree);
    const status = async (): Promise<number> => (await ask(tree, service, 'moscow')).status;
    expect(await status()).toBe(200);
    renameSync(join(tree.root, 'edge/keyring.json'), join(tree.root, 'edge/away.json'));
    clock += 59;
    expect(await status()).toBe(200);
    clock += 2;
    expectRefusal(await ask(tree, service, 'moscow'), 503, 'internal');
    expect(log.at(-1)).toBe('503: the tree cannot be read: edge/keyring.json cannot be used');
    expect(log.join('\n')).toMatch(/edge\/keyring\.json: ENOENT/);
    renameSync(join(tree.root, 'edge/away.json'), join(tree.root, 'edge/keyring.json'));
    clock += 2;
    expect(await status()).toBe(200);
  });
});

describe('its end', () => {
  const running: ChildProcess[] = [];
  afterEach(() => running.splice(0).forEach((child) => child.kill('SIGKILL')));

  async function start(origin: Parameters<typeof authorizerFiles>[0]['origin'] = 'ASSETS', more: object = {}) {
    const port = await freePort();
    const files = authorizerFiles({
      bundle: await bundleEdge('authorizer'),
      keyRing: world.keyRing,
      settings: DEFAULT_SETTINGS,
      proxy: 'haproxy',
      profiles: ['rfc9421'],
      listen: '8080',
      authorizer: `127.0.0.1:${port}`,
      publicRoot: join(world.root, 'public'),
      keyRingPath: join(world.root, 'edge/keyring.json'),
      origin,
      originEndpoint: null,
      originRegion: null,
      encodings: [],
      folder: '/etc/playbill/edge',
      ...more,
    });
    const child = spawn(process.execPath, ['authorizer.mjs'], {
      cwd: writeFolder(files),
      env: { ...process.env, ...world.secrets, ...more },
    });
    running.push(child);
    const [line] = (await once(child.stderr, 'data')) as [Buffer];
    expect(String(line)).toBe(`playbill: listening on 127.0.0.1:${port}\n`);
    return { child, port };
  }

  test.each(['SIGTERM', 'SIGINT'] as const)('by %s it closes what is idle, and ends with 0', async (signal) => {
    const { child, port } = await start();
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET /nothing/ HTTP/1.1\r\n${HOST}\r\n\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(String(answer)).toMatch(/^HTTP\/1\.1 404 /);
    child.kill(signal);
    await once(socket, 'close');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('a request under way gets its answer first', async () => {
    let goOn = (): void => undefined;
    const until = new Promise<void>((resolve) => (goOn = resolve));
    const store = await startPrivateBucket(world, 'obeyed', {
      faults: ({ key }) => (key.endsWith('/fronts/moscow/pointer.json') ? { kind: 'hold', until } : null),
    });
    try {
      const { child, port } = await start(undefined, { ...originIn(store), ...store.environment });
      const written = ['GET /products/ HTTP/1.1', HOST, 'X-Front: moscow', 'Sign: keyid=moscow-1'];
      const answering = sendLines(port, await prepareLines(written, Math.floor(Date.now() / 1000), world));
      await expect.poll(() => store.log.some(({ key }) => key.endsWith('/keyring.json'))).toBe(true);
      child.kill('SIGTERM');
      // Nobody new is let in by then.
      await expect.poll(() => refusesConnections(port)).toBe(true);
      goOn();
      const answer = await answering;
      expect(answer.content).toEqual(editionContent(world, 'moscow products 2'));
      expect(await once(child, 'exit')).toEqual([0, null]);
    } finally {
      await store.close();
    }
  });

  test('an address that is taken is an error of one line', async () => {
    const { port } = await start();
    const files = authorizerFiles({
      bundle: await bundleEdge('authorizer'),
      keyRing: world.keyRing,
      settings: DEFAULT_SETTINGS,
      proxy: 'haproxy',
      profiles: ['rfc9421'],
      listen: '8080',
      authorizer: `127.0.0.1:${port}`,
      publicRoot: '/srv/public',
      keyRingPath: '/srv/edge/keyring.json',
      origin: 'ASSETS',
      originEndpoint: null,
      originRegion: null,
      encodings: [],
      folder: '/etc/playbill/edge',
    });
    const second = await run([process.execPath, join(writeFolder(files), 'authorizer.mjs')], {});
    expect(second).toMatchObject({
      status: 1,
      stderr: `playbill: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`,
    });
  });
});

function refusesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.on('error', () => resolve(true));
  });
}

describe('a tree in a bucket', () => {
  test.each(TRANSCRIPTS)('the rule: $name', async ({ exchanges }) => {
    const store = await startPrivateBucket(world);
    const runtime = await startAuthorizer('haproxy', world, {
      origin: originIn(store),
      credentials: store.environment,
    });
    try {
      for (const exchange of exchanges)
        expect(await runExchange(exchange, runtime, world), exchange.name).toBeGreaterThan(0);
    } finally {
      await runtime.stop();
      await store.close();
    }
  });

  test.each(['nginx', 'caddy'] as const)('an edition is fetched once for 100 requests, behind %s', async (proxy) => {
    const store = await startPrivateBucket(world);
    const runtime = await startAuthorizer(proxy, world, { origin: originIn(store), credentials: store.environment });
    try {
      const keyids = ['moscow-1', 'moscow-2', 'moscow-hmac'];
      const requests = Array.from({ length: 100 }, (_, i) =>
        ask(world, runtime, 'moscow', { keyid: keyids[i % 3] ?? '' }),
      );
      const content = editionContent(world, 'moscow products 2');
      for (const answer of await Promise.all(requests)) {
        expect(answer.content).toEqual(content);
        expect(headerValues(answer, 'Cache-Control')).toEqual(['private, max-age=60']);
      }
      expect(asked(store).filter((line) => line.includes('products'))).toEqual([
        `GET ${editionOf(world, 'moscow', 2)} 200`,
      ]);
      const before = store.log.length;
      for (const keyid of ['moscow-revoked', 'stranger'])
        expect((await ask(world, runtime, 'moscow', { keyid })).status).toBe(401);
      expect(asked(store, before)).toEqual([]);
    } finally {
      await runtime.stop();
      await store.close();
    }
  });

  test.each(UNREADABLE_BUCKETS)(
    '%s: 503, and the log says why',
    async (_, { environment, origin, store: options }, why) => {
      const store = await startPrivateBucket(world, 'obeyed', options);
      const runtime = await startAuthorizer('haproxy', world, {
        origin: { ...originIn(store), ...origin },
        credentials: { ...store.environment, ...environment },
      });
      try {
        expectRefusal(await ask(world, runtime, 'moscow'), 503, 'internal');
        await expect.poll(() => runtime.log.join('')).toContain(why);
        expect(runtime.log.join('')).not.toContain('secret-of-nobody');
      } finally {
        await runtime.stop();
        await store.close();
      }
    },
  );

  /** What the configuration of the service has of it. */
  function bucketIn(store: MemoryStore) {
    const { origin, originEndpoint, originRegion } = originIn(store);
    expect(origin).toBe(`s3://${store.bucket}/${PREFIX}`);
    return {
      kind: 'bucket',
      origin: `${originEndpoint}/${store.bucket}/shows%20%28new%29/it%27s`,
      region: originRegion ?? '',
      encodings: [],
      folder: '/etc/playbill/edge',
    } as const;
  }

  test('a pointer is kept for five seconds, and no longer where the clock is set back', async () => {
    const store = await startPrivateBucket(world);
    const start = Math.floor(Date.now() / 1000);
    let now = start;
    const tree = bucketTree(bucketIn(store), store.environment, () => now, 60);
    try {
      // Within what the store itself allows a clock to be wrong.
      for (const seconds of [0, 4, 5, -100, -96, -95, 0]) {
        now = start + seconds;
        await tree.pointer('moscow', false);
      }
      expect(asked(store).filter((line) => line.includes('moscow/pointer.json'))).toHaveLength(5);
    } finally {
      await store.close();
    }
  });

  test('a pointer that was read and is now denied is a failure, and one that never was read is missing', async () => {
    const store = await startPrivateBucket(world);
    let now = Math.floor(Date.now() / 1000);
    const tree = bucketTree(bucketIn(store), store.environment, () => now, 60);
    try {
      expect(await tree.pointer('moscow', false)).toContain('"front":"moscow"');
      store.denied = [...store.denied, { action: 'read', prefix: `${PREFIX}/public/` }];
      now += 5;
      for (let time = 0; time < 2; time++)
        await expect(tree.pointer('moscow', false)).rejects.toThrow(
          /^fronts\/moscow\/pointer\.json: 127\.0\.0\.1:\d+ answers 403 AccessDenied$/,
        );
      expect(await tree.pointer('kazan', false)).toBe(null);
      store.denied = store.denied.slice(0, -1);
      expect(await tree.pointer('moscow', false)).toContain('"front":"moscow"');
    } finally {
      await store.close();
    }
  });

  test('what was asked for last is kept, up to so many bytes', async () => {
    const store = await startPrivateBucket(world);
    const bucket = bucketIn(store);
    const files = [1, 2, 3].map((number) => editionOf(world, 'moscow', number));
    const bytes = editionContent(world, 'moscow products 1').length;
    const tree = bucketTree(bucket, store.environment, () => Date.now() / 1000, 60, 2 * bytes);
    try {
      for (const at of [0, 1, 0, 2, 0, 1]) expect(await tree.open(files[at] ?? '')).toHaveLength(bytes);
      // The second was the one not asked for longest when the third came.
      expect(asked(store).map((line) => files.findIndex((file) => line.includes(file)))).toEqual([0, 1, 2, 1]);
      expect(await tree.open('fronts/moscow/products.0000000000000000.json')).toBe(null);
    } finally {
      await store.close();
    }
  });
});

test('systemd finds nothing wrong with the unit, and the service can do little but its work', async () => {
  const files = authorizerFiles({
    bundle: '',
    keyRing: world.keyRing,
    settings: DEFAULT_SETTINGS,
    proxy: 'caddy',
    profiles: ['rfc9421'],
    listen: '8080',
    authorizer: '127.0.0.1:9180',
    publicRoot: '/srv/public',
    keyRingPath: '/srv/edge/keyring.json',
    origin: 'ASSETS',
    originEndpoint: null,
    originRegion: null,
    encodings: [],
    folder: '/etc/playbill/edge',
  });
  const unit = join(
    writeFolder(files.map(([name, text]) => [name, text.replace('/usr/bin/node', process.execPath)])),
    'playbill-authorizer.service',
  );
  const env = { PATH: '/usr/bin:/bin' };
  expect(await run(['systemd-analyze', 'verify', unit], env)).toEqual({ status: 0, stdout: '', stderr: '' });
  const security = await run(['systemd-analyze', 'security', '--offline=true', '--threshold=25', unit], env);
  expect(security.status, security.stdout).toBe(0);
});
