// What nginx does by itself, before or after the rule: it stores no request body on disk, and its refusals look like the rule's.

import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compare, prepareLines } from '../support/edge/exchange.ts';
import { OWN_REFUSALS } from '../support/edge/own-refusals.ts';
import { type NginxRuntime, startNginx } from '../support/edge/runtimes/nginx.ts';
import { headerValues, parseAnswer, sendLines, type RawResponse } from '../support/edge/messages.ts';
import { makeWorld, type World } from '../support/edge/world.ts';

let world: World;
let nginx: NginxRuntime;

beforeAll(async () => {
  world = await makeWorld(Math.floor(Date.now() / 1000));
  nginx = await startNginx(world);
});
afterAll(() => nginx.stop());

/** Bytes that nginx holds on disk for bodies: files in its folder, and unlinked files that a worker still has open. */
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

/** Sends a head and a body in blocks for as long as nginx takes it, all but the end; what was answered, and the most disk that was used. */
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
