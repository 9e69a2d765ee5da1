// A worker whose origin, by URL, answers with what is no file of the tree, or not at all: clients
// get 503 or the plain file, and the log one line that says why. On three runtimes, from the folder
// that `edge build` writes.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prepareLines } from '../support/edge/exchange.ts';
import { headerValues } from '../support/edge/messages.ts';
import { freePort, type Runtime } from '../support/edge/runtimes/runtime.ts';
import { startWorkerHost } from '../support/edge/runtimes/worker-hosts.ts';
import { startWorkerd } from '../support/edge/runtimes/workerd.ts';
import { editionContent, makeWorld, type World } from '../support/edge/world.ts';

/** What an origin answers in place of a file; null: nothing, on a connection that it closes. */
type Instead = { readonly status: number; readonly headers?: OutgoingHttpHeaders } | null;

const PAGE: Instead = { status: 200, headers: { 'Content-Type': 'text/html; charset=utf-8' } };
const isPointer = (path: string): boolean => path.endsWith('/pointer.json');
const isEdition = (path: string): boolean => /\/products\.\w+\.json$/.test(path);
const isSibling = (path: string): boolean => /\.(gz|br)$/.test(path);
const isInPublic = (path: string): boolean => path.startsWith('/public/');

let world: World;
let server: Server;
let origin: string;
let isReplaced: (path: string) => boolean = () => false;
let instead: Instead = null;
/** What a sibling comes with. */
let sibling: OutgoingHttpHeaders = {};
function answer(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? '';
  if (path === '/login') sendPage(response, 200, { 'Content-Type': 'text/html' });
  else if (!isReplaced(path)) sendFile(path, response, isSibling(path) ? sibling : {});
  else if (instead === null) request.socket.destroy();
  else sendPage(response, instead.status, instead.headers ?? {});
}

function sendPage(response: ServerResponse, status: number, headers: OutgoingHttpHeaders): void {
  response.writeHead(status, headers).end(status === 204 ? '' : '<html><title>secret of the origin</title></html>\n');
}

function sendFile(path: string, response: ServerResponse, headers: OutgoingHttpHeaders): void {
  readFile(join(world.root, path)).then(
    (bytes) => response.writeHead(200, { 'Content-Length': bytes.length, ...headers }).end(bytes),
    () => response.writeHead(404).end(),
  );
}

beforeAll(async () => {
  world = await makeWorld(Math.floor(Date.now() / 1000));
  server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  origin = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}/public`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function ask(runtime: Runtime, front: string, encoding = 'identity', method = 'GET') {
  const written = [`${method} /products/ HTTP/1.1`, 'Host: edge.test', `X-Front: ${front}`];
  const lines = [...written, `Accept-Encoding: ${encoding}`, `Sign: keyid=${front}-1`];
  return runtime.send(await prepareLines(lines, runtime.now(), world));
}

const by = (url: string) => ({ origin: url, originEndpoint: null, originRegion: null });
const hostAt = (host: 'deno' | 'bun') => (url: string, output: string[]) =>
  startWorkerHost(host, world, by(url), { output });

describe.each<[string, (url: string, output: string[]) => Promise<Runtime>]>([
  ['workerd', (url, output) => startWorkerd(world, 5, by(url), {}, output)],
  ['deno', hostAt('deno')],
  ['bun', hostAt('bun')],
])('%s', (_, start) => {
  const output: string[] = [];
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await start(origin, output);
  });
  afterAll(() => runtime.stop());

  /** What the log says since the test began. */
  const linesIn = (printed: readonly string[]): readonly string[] => printed.join('').match(/playbill: .*/g) ?? [];

  // Each of its own front: a pointer that could be read is kept for five seconds.
  test.each<[string, string, (path: string) => boolean, Instead, RegExp]>([
    ['a page for a pointer', 'kazan', isPointer, PAGE, /fronts\/kazan\/pointer\.json: 200 text\/html/],
    ['a page for every path', 'unpublished', isInPublic, PAGE, /fronts\/unpublished\/pointer\.json: 200 text\/html/],
    ['a page for an edition', 'moscow', isEdition, PAGE, /fronts\/moscow\/products\.\w+\.json: 200 text\/html/],
    [
      'an error in XML with 200',
      'moscow',
      isEdition,
      { status: 200, headers: { 'Content-Type': 'application/xml' } },
      /fronts\/moscow\/products\.\w+\.json: 200 application\/xml/,
    ],
    ['no content', 'moscow', isEdition, { status: 204 }, /fronts\/moscow\/products\.\w+\.json: 204/],
    [
      'a redirect to a page',
      'moscow',
      isEdition,
      { status: 302, headers: { Location: '/login' } },
      /fronts\/moscow\/products\.\w+\.json: 302/,
    ],
    ['an error for a pointer', 'early', isPointer, { status: 500 }, /fronts\/early\/pointer\.json: 500/],
    ['nothing', 'stale', isPointer, null, /fronts\/stale\/pointer\.json: .*\w/],
    ['a pointer that is torn', 'torn', () => false, null, /fronts\/torn\/pointer\.json: expected a whole pointer/],
    ['an edition that is gone', 'gone', () => false, null, /fronts\/gone\/pointer\.json: names no file$/],
  ])('%s is a 503, and one line in the log', async (_name, front, replaced, sent, why) => {
    for (const method of ['GET', 'HEAD']) {
      output.length = 0;
      [isReplaced, instead] = [replaced, sent];
      const response = await ask(runtime, front, 'identity', method);
      expect(response.status).toBe(503);
      expect(headerValues(response, 'Content-Type')).toEqual(['application/problem+json']);
      expect(headerValues(response, 'Cache-Control')).toEqual(['no-store']);
      expect(response.content.toString()).toMatch(method === 'HEAD' ? /^$/ : /"code":"internal"/);
      expect(response.content.toString()).not.toContain('secret of the origin');
      await expect.poll(() => linesIn(output)).toHaveLength(1);
      expect(linesIn(output)[0]).toMatch(new RegExp(`^playbill: the tree cannot be read: ${why.source}`));
      for (const secret of ['secret of the origin', 'Signature', ...Object.values(world.secrets)])
        expect(output.join('')).not.toContain(secret);
    }
  });

  test('recovers as soon as the origin does: no page is kept', async () => {
    [isReplaced, instead] = [isPointer, PAGE];
    expect((await ask(runtime, 'kazan')).status).toBe(503);
    isReplaced = () => false;
    const recovered = await ask(runtime, 'kazan');
    expect([recovered.status, headerValues(recovered, 'Content-Type')]).toEqual([200, ['application/json']]);
    expect(recovered.content.equals(editionContent(world, 'kazan products 1'))).toBe(true);
  });

  test('a page for a sibling is the plain file, and nothing in the log', async () => {
    output.length = 0;
    [isReplaced, instead] = [isSibling, PAGE];
    const plain = await ask(runtime, 'moscow', 'br, gzip');
    expect([plain.status, headerValues(plain, 'Content-Encoding')]).toEqual([200, []]);
    expect(plain.content.equals(editionContent(world, 'moscow products 2'))).toBe(true);
    expect(linesIn(output)).toEqual([]);
  });

  // A bucket by URL may do so: fetch undoes the encoding.
  test.each(['gzip', 'br'])(
    'a sibling that comes with its Content-Encoding is the plain file: %s',
    async (encoding) => {
      isReplaced = () => false;
      sibling = { 'Content-Encoding': encoding };
      try {
        for (const method of ['GET', 'HEAD']) {
          const plain = await ask(runtime, 'moscow', encoding, method);
          expect([plain.status, headerValues(plain, 'Content-Encoding')]).toEqual([200, []]);
          const content = method === 'HEAD' ? Buffer.alloc(0) : editionContent(world, 'moscow products 2');
          expect(plain.content.equals(content)).toBe(true);
        }
      } finally {
        sibling = {};
      }
    },
  );

  test('an origin that compresses for those who ask for it is not asked to', async () => {
    const compressing = createServer((request, response) => {
      const isAsked = /gzip|br|deflate|\*/.test(String(request.headers['accept-encoding']));
      readFile(join(world.root, request.url ?? '')).then(
        (bytes) =>
          isAsked ? response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(bytes)) : response.end(bytes),
        () => response.writeHead(404).end(),
      );
    });
    const port = await freePort();
    compressing.listen(port, '127.0.0.1');
    await once(compressing, 'listening');
    const worker = await start(`http://127.0.0.1:${port}/public`, []);
    try {
      expect((await ask(worker, 'moscow')).content.equals(editionContent(world, 'moscow products 2'))).toBe(true);
    } finally {
      await worker.stop();
      compressing.close();
      compressing.closeAllConnections();
    }
  });

  test.each(['application/json', 'application/json; charset=utf-8', 'application/octet-stream', 'text/plain'])(
    'a file of the type %s is a file',
    async (type) => {
      isReplaced = () => false;
      const typed = createServer((request, response) =>
        sendFile(request.url ?? '', response, { 'Content-Type': type }),
      );
      const port = await freePort();
      typed.listen(port, '127.0.0.1');
      await once(typed, 'listening');
      const worker = await start(`http://127.0.0.1:${port}/public`, []);
      try {
        expect((await ask(worker, 'moscow')).content.equals(editionContent(world, 'moscow products 2'))).toBe(true);
      } finally {
        await worker.stop();
        typed.close();
        typed.closeAllConnections();
      }
    },
  );
});
