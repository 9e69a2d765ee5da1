// What nginx does by itself, before or after the rule: it stores no request body on disk, and its
// refusals look like the rule's.

import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyRingText } from '../../src/release/tree/codec.ts';
import { compare, prepareLines } from '../support/edge/exchange.ts';
import { OWN_REFUSALS } from '../support/edge/own-refusals.ts';
import { type NginxRuntime, startNginx } from '../support/edge/runtimes/nginx.ts';
import { headerValues, parseAnswer, sendLines, type RawResponse } from '../support/edge/messages.ts';
import { keyRingOf, makeWorld, type World } from '../support/edge/world.ts';

let world: World;
let nginx: NginxRuntime;

beforeAll(async () => {
  world = await makeWorld(Math.floor(Date.now() / 1000));
  nginx = await startNginx(world);
});
afterAll(() => nginx.stop());

/**
 * Bytes that nginx holds on disk for bodies: files in its folder, and unlinked files that a worker
 * still has open.
 */
function bodyBytes(): number {
  const named = readdirSync(join(nginx.folder, 'temp'), { recursive: true, encoding: 'utf8' });
  const workers = readFileSync(`/proc/${nginx.pid}/task/${nginx.pid}/children`, 'utf8').trim().split(' ');
  const open = workers.flatMap((pid) => readdirSync(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`));
  const paths = [
    ...named.map((name) => join(nginx.folder, 'temp', name)),
    ...open.filter((path) => linkOf(path).includes('/temp/')),
  ];
  return paths.map(sizeOf).reduce((sum, size) => sum + size, 0);
}

// A file that has been removed in the meantime holds nothing.
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function sizeOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true ? found.size : 0;
}

const BLOCK = Buffer.alloc(4 << 20, 'x');

/**
 * Sends a head and a body in blocks for as long as nginx takes it, all but the end; what was
 * answered, and the most disk that was used.
 */
function sendBody(head: readonly string[], bytes: number): Promise<{ answer: RawResponse; diskMax: number }> {
  const isChunked = head.includes('Transfer-Encoding: chunked');
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let diskMax = 0;
    // Half open: what it is sent goes on when nginx has said its last word.
    const socket = connect({ port: nginx.port, host: '127.0.0.1', allowHalfOpen: true });
    const finish = (): void => {
      socket.destroy();
      try {
        const all = Buffer.concat(chunks).toString('latin1').replace('HTTP/1.1 100 Continue\r\n\r\n', '');
        resolve({ answer: parseAnswer(Buffer.from(all, 'latin1')), diskMax });
      } catch (error) {
        reject(error);
      }
    };
    const write = (data: Buffer | string): Promise<void> =>
      new Promise((written) => {
        socket.once('close', written);
        socket.write(data, () => {
          socket.off('close', written);
          written();
        });
      });
    const sendAll = async (): Promise<void> => {
      await write(`${head.join('\r\n')}\r\n\r\n`);
      for (let sent = 0; sent < bytes && !socket.destroyed; sent += BLOCK.length) {
        if (isChunked) await write(`${BLOCK.length.toString(16)}\r\n`);
        await write(BLOCK);
        if (isChunked) await write('\r\n');
        diskMax = Math.max(diskMax, bodyBytes());
      }
      // Nobody answers before the end: then it comes.
      if (!socket.destroyed) await write(isChunked ? '0\r\n\r\n' : '');
    };
    socket.on('data', (data) => chunks.push(data));
    // nginx closes on somebody who goes on sending.
    socket.on('error', () => undefined);
    socket.on('close', finish);
    sendAll()
      .then(() => {
        diskMax = Math.max(diskMax, bodyBytes());
        if (chunks.length > 0) finish();
        else socket.once('data', () => finish());
      })
      .catch(reject);
  });
}

describe('a request with a body', () => {
  const bytes = Math.ceil(300e6 / BLOCK.length) * BLOCK.length;

  test.each([
    ['unsigned', 'GET', [`Content-Length: ${bytes}`]],
    ['unsigned, in chunks', 'GET', ['Transfer-Encoding: chunked']],
    ['by POST', 'POST', [`Content-Length: ${bytes}`]],
    ['by POST, in chunks', 'POST', ['Transfer-Encoding: chunked']],
    ['that waits to be asked for', 'POST', ['Transfer-Encoding: chunked', 'Expect: 100-continue']],
    ['well signed', 'GET', ['X-Front: moscow', 'Sign: keyid=moscow-1', `Content-Length: ${bytes}`]],
    ['well signed, in chunks', 'GET', ['X-Front: moscow', 'Sign: keyid=moscow-1', 'Transfer-Encoding: chunked']],
  ])('300 MB %s: no byte of it on disk, and a refusal', async (_, method, fields) => {
    const written = [`${method} /products/ HTTP/1.1`, 'Host: edge.test', ...fields];
    const { answer, diskMax } = await sendBody(await prepareLines(written, nginx.now(), world), bytes);
    expect(diskMax).toBe(0);
    expect(answer.status).toBe(413);
    expect(headerValues(answer, 'Content-Type')).toEqual(['application/problem+json']);
    expect(headerValues(answer, 'Cache-Control')).toEqual(['no-store']);
    expect(answer.content.toString()).toContain('"code":"content-too-large"');
  });
});

test.each([
  ['with its length', { 'content-length': 1_000_000 }],
  ['without its length', {}],
])('a body over HTTP/2, %s, is refused once', async (_, fields) => {
  const http2 = await startNginx(world, (name, content) =>
    name === 'playbill.conf' ? content.replace(/listen (\S+);/, 'listen $1 http2;') : content,
  );
  const client = connectHttp2(`http://127.0.0.1:${http2.port}`);
  try {
    const request = client.request({ ':method': 'POST', ':path': '/products/', ...fields });
    request.end(Buffer.alloc(1_000_000));
    const [headers] = (await once(request, 'response')) as [Record<string, unknown>];
    expect(headers).toMatchObject({
      ':status': 413,
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
    });
    expect(await text(request)).toContain('"code":"content-too-large"');
  } finally {
    client.destroy();
    await http2.stop();
  }
});

describe('what nginx refuses by itself', () => {
  test.each(OWN_REFUSALS)('$name: $status $code, in the form of the rule', async ({ lines, body, status, code }) => {
    const answer = await sendLines(nginx.port, await prepareLines(lines, nginx.now(), world), body);
    compare(answer, { status, code, headers: [], absent: [], edition: null, content: null }, false, world);
    expect(headerValues(answer, 'Allow')).toEqual(status === 405 ? ['GET, HEAD'] : []);
  });

  test.each(['playbill_edition', 'playbill_again', 'playbill_edition_again', 'playbill_unavailable'])(
    'no client can name the location @%s, which trusts that the request was authorized',
    async (location) => {
      for (const path of [`/@${location}`, `@${location}`, `/%40${location}`]) {
        const answer = await sendLines(nginx.port, [`GET ${path} HTTP/1.1`, 'Host: edge.test', 'X-Front: moscow']);
        expect([400, 404]).toContain(answer.status);
      }
    },
  );

  test('HEAD is refused without content', async () => {
    const answer = await nginx.send(['HEAD /products/ HTTP/3.0', 'Host: edge.test']);
    expect([answer.status, answer.content.length]).toEqual([505, 0]);
    expect(headerValues(answer, 'Cache-Control')).toEqual(['no-store']);
  });

  test('keeps the connection open after a refusal where it can', async () => {
    const ask = 'GET /playbill-refusal HTTP/1.1\r\nHost: edge.test\r\n';
    const answers = await new Promise<string>((resolve, reject) => {
      const chunks: Buffer[] = [];
      const socket = connect(nginx.port, '127.0.0.1', () => socket.write(`${ask}\r\n${ask}Connection: close\r\n\r\n`));
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.on('error', reject);
      socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    });
    expect(answers.match(/^HTTP\/1\.1 404 /gm)).toHaveLength(2);
  });
});

describe('a tree that it cannot read', () => {
  test.each([
    ['torn', "fronts/torn/pointer.json is torn, of another schema, or another front's"],
    ['newer', 'fronts/newer/pointer.json is torn'],
    ['foreign', 'fronts/foreign/pointer.json is torn'],
    ['empty', 'fronts/empty/pointer.json is torn'],
    ['folder', 'fronts/folder/pointer.json'],
    ['gone', 'cannot be sent'],
  ])('the front %s: 503, and one line in the log says why', async (front, cause) => {
    const output: string[] = [];
    const own = await startNginx(world, undefined, output);
    try {
      const request = ['GET /products/ HTTP/1.1', 'Host: edge.test', `X-Front: ${front}`, `Sign: keyid=${front}-1`];
      const answer = await own.send(await prepareLines(request, own.now(), world));
      expect(answer.status).toBe(503);
      expect(answer.content.toString()).toBe(
        '{"type":"urn:playbill:internal","title":"internal","status":503,"code":"internal"}\n',
      );
      await expect.poll(() => output.join('')).toContain('playbill: the tree cannot be read: ');
      const lines = output
        .join('')
        .split('\n')
        .filter((line) => line.includes('playbill: '));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain(cause);
    } finally {
      await own.stop();
    }
  });
});

describe('the key ring', () => {
  let own: World;
  let path: string;
  let edge: NginxRuntime;
  const output: string[] = [];
  beforeAll(async () => {
    own = await makeWorld(Math.floor(Date.now() / 1000));
    path = join(own.root, 'edge/keyring.json');
    edge = await startNginx(own, undefined, output);
  });
  afterAll(() => edge.stop());

  async function statusOf(keyid: string): Promise<number> {
    const request = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: moscow', `Sign: keyid=${keyid}`];
    return (await edge.send(await prepareLines(request, edge.now(), own))).status;
  }

  test('is that of the moment, in any form', async () => {
    const { 'moscow-1': gone, ...others } = own.keyRing.keys;
    expect(gone).toBeDefined();
    for (const text of [keyRingText({ schema: 1, keys: others }), JSON.stringify({ schema: 1, keys: others })]) {
      writeFileSync(path, keyRingText(own.keyRing));
      expect(await statusOf('moscow-1')).toBe(200);
      writeFileSync(path, text);
      expect(await statusOf('moscow-1')).toBe(401);
      expect(await statusOf('moscow-2')).toBe(200);
      expect(await statusOf('moscow-hmac')).toBe(200);
    }
  });

  test('has thousands of keys, and each is found', async () => {
    const many = Array.from({ length: 3000 }, (_, i) => [`key-${i}`, own.keyRing.keys['kazan-1']] as const);
    const ring = keyRingOf({ ...Object.fromEntries(many), ...own.keyRing.keys });
    writeFileSync(path, keyRingText(ring));
    expect(statSync(path).size).toBeGreaterThan(1_000_000);
    for (const keyid of ['moscow-1', 'moscow-2', 'moscow-hmac']) expect(await statusOf(keyid)).toBe(200);
    for (const keyid of ['moscow-over', 'stranger', 'constructor']) expect(await statusOf(keyid)).toBe(401);
  });

  test.each([
    ['is missing', null],
    ['is of another schema', '{"schema":2,"keys":{}}\n'],
    ['is torn', '{"schema":1,"keys":{\n"moscow-1"'],
    ['ends between two lines', (text: string) => text.slice(0, text.indexOf('\n', text.indexOf('"moscow-2"')) + 1)],
    ['is torn where its end would be', (text: string) => text.slice(0, text.indexOf('\n"moscow-over"') + 4)],
    ['has a line of another form', (text: string) => text.replaceAll(/"revokedAt":null/g, '"revokedAt":0   ')],
  ])('that %s: 503, and a line in the log', async (_, change) => {
    output.length = 0;
    if (change === null) rmSync(path);
    else writeFileSync(path, typeof change === 'string' ? change : change(keyRingText(own.keyRing)));
    expect(await statusOf('moscow-1')).toBe(503);
    await expect.poll(() => output.join('')).toContain(`playbill: the tree cannot be read: ${path}: `);
  });
});

describe('the authority where nginx has no line of Host, as over HTTP/3', () => {
  // This nginx has no HTTP/3. In HTTP/1.0 the absolute form needs no Host either, and nginx shows
  // the same variables then, but for the host in the request line, which HTTP/3 does not have.
  let http3: NginxRuntime;
  beforeAll(async () => {
    http3 = await startNginx(world, (_, content) =>
      content.replace('"HTTP/3.0"', '"HTTP/1.0"').replace('"~^\\S+ +', '"~^nothing '),
    );
  });
  afterAll(() => http3.stop());
  const ask = async (asked: string, signed: string, fields: readonly string[] = []): Promise<number> => {
    const sign = `Sign: keyid=moscow-1 host=${signed} target=/products/`;
    const lines = [`GET http://${asked}/products/ HTTP/1.0`, ...fields, 'X-Front: moscow', sign];
    return (await http3.send(await prepareLines(lines, http3.now(), world))).status;
  };

  test('is the name that was asked for, with the port of the server', async () => {
    expect(await ask(`edge.test:${http3.port}`, `edge.test:${http3.port}`)).toBe(200);
    expect(await ask(`Edge.Test:${http3.port}`, `edge.test:${http3.port}`)).toBe(200);
  });

  test('is no other one', async () => {
    expect(await ask(`another.test:${http3.port}`, `edge.test:${http3.port}`)).toBe(401);
    expect(await ask(`edge.test:${http3.port}`, 'edge.test')).toBe(401);
    expect(await ask(`edge.test:${http3.port}`, 'edge.test:1')).toBe(401);
  });

  test('counts for nothing where there is a line of Host', async () => {
    expect(await ask('edge.test', 'edge.test', ['Host: edge.test'])).toBe(200);
    expect(await ask('edge.test', `edge.test:${http3.port}`, ['Host: edge.test'])).toBe(401);
  });
});

test('over HTTP/2 the authority is signed as it was asked for', async () => {
  const http2 = await startNginx(world, (name, content) =>
    name === 'playbill.conf' ? content.replace(/listen (\S+);/, 'listen $1 http2;') : content,
  );
  const client = connectHttp2(`http://127.0.0.1:${http2.port}`);
  try {
    const written = ['GET /products/ HTTP/1.1', 'Host: edge.test:8443', 'X-Front: moscow', 'Sign: keyid=moscow-1'];
    const lines = await prepareLines(written, http2.now(), world);
    const fields = lines
      .slice(2)
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]);
    for (const [authority, status] of [
      ['edge.test:8443', 200],
      ['edge.test', 401],
    ] as const) {
      const request = client.request({ ':path': '/products/', ':authority': authority, ...Object.fromEntries(fields) });
      const [headers] = (await once(request, 'response')) as [Record<string, unknown>];
      expect(headers[':status']).toBe(status);
      request.resume();
    }
  } finally {
    client.destroy();
    await http2.stop();
  }
});
