// What the proxies do by themselves: with clients that never come to an end, and with what they do
// not pass on. As their READMEs say.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROXIES } from '../../src/edge/targets/authorizer/proxies.ts';
import { compare } from '../support/edge/exchange.ts';
import { headerValues, parseAnswer, type RawResponse, sendLines } from '../support/edge/messages.ts';
import { type AuthorizerRuntime, startAuthorizer } from '../support/edge/runtimes/authorizer.ts';
import { startNginx } from '../support/edge/runtimes/nginx.ts';
import { makeWorld, type World } from '../support/edge/world.ts';

const HOST = 'Host: edge.test';

let world: World;
beforeAll(async () => {
  world = await makeWorld(Math.floor(Date.now() / 1000));
});

/**
 * What comes back on a connection until it ends. A byte may meet a connection that has just been
 * closed, which is no error here.
 */
function answerOn(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => undefined);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

/**
 * Sends this, then one more byte after another until there is an answer, or the connection ends.
 * @returns the answer
 */
async function drip(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  const dripping = setInterval(() => socket.write('x'), 100);
  socket.once('data', () => socket.end());
  const answer = await answerOn(socket);
  clearInterval(dripping);
  return answer;
}

const STARTS = [
  { name: 'nginx', start: (edit: (name: string, text: string) => string) => startNginx(world, edit) },
  ...PROXIES.map((proxy) => ({
    name: `a service behind ${proxy}`,
    start: (edit: (name: string, text: string) => string) => startAuthorizer(proxy, world, { edit }),
  })),
];

/** The limits of a client's time in each configuration. Nobody waits for ten seconds here. */
const LIMITS = /(client_header_timeout|client_body_timeout|timeout http-request|read_header|read_body) 10s/g;

describe.each(STARTS)('$name', ({ start }) => {
  test.each([
    ['a header', `GET /products/ HTTP/1.1\r\n${HOST}\r\nX-Slow: `],
    ['a body', `POST /products/ HTTP/1.1\r\n${HOST}\r\nContent-Length: 1000\r\n\r\n`],
  ])('ends a connection on which %s comes byte by byte', async (_, begun) => {
    const limits: string[] = [];
    const runtime = await start((_name, text) =>
      text.replace(LIMITS, (limit, name: string) => {
        limits.push(limit);
        return `${name} 1s`;
      }),
    );
    try {
      expect(limits).not.toEqual([]);
      expect(await drip(runtime.port, begun)).not.toMatch(/^HTTP\/1\.1 2/);
    } finally {
      await runtime.stop();
    }
  });
});

describe.each(PROXIES)('a service behind %s', (proxy) => {
  let runtime: AuthorizerRuntime;
  beforeAll(async () => {
    runtime = await startAuthorizer(proxy, world);
  });
  afterAll(() => runtime.stop());

  const expectRefusal = (answer: RawResponse, status: number, code: string): void =>
    compare(answer, { status, code, headers: [], absent: [], edition: null, content: null }, false, world);

  test('CONNECT is a method like others, and the service stays', async () => {
    // nginx itself refuses an authority there.
    const target = proxy === 'nginx' ? '/' : 'edge.test:443';
    for (let count = 0; count < 5; count++)
      expectRefusal(
        await runtime.send([`CONNECT ${target} HTTP/1.1`, 'Host: edge.test:443']),
        405,
        'method-not-allowed',
      );
    // Whoever resets the connection ends no process.
    const socket = connect(runtime.servicePort, '127.0.0.1');
    socket.write('CONNECT edge.test:443 HTTP/1.1\r\nHost: edge.test:443\r\n\r\n');
    await once(socket, 'data');
    socket.resetAndDestroy();
    expectRefusal(await runtime.send(['GET / HTTP/1.1', HOST]), 404, 'not-found');
  });

  test('headers that are too large are the client’s fault, however large they are', async () => {
    for (const bytes of [20_000, 60_000, 900_000])
      for (let count = 0; count < 20; count++) {
        const lines = Array.from({ length: bytes / 1000 }, (_, i) => `X-${i}: ${'x'.repeat(1000)}`);
        const text = await sendAll(runtime.port, ['GET /products/ HTTP/1.1', HOST, ...lines]);
        // HAProxy reads no more than it must, and a reset of the connection may overtake its own
        // answer.
        if (proxy === 'haproxy' && text === '') continue;
        const answer = parseAnswer(Buffer.from(text, 'latin1'));
        if (proxy === 'haproxy') expect([answer.status, ...headerValues(answer, 'Content-Type')]).toEqual(HTML);
        else expectRefusal(answer, 431, 'header-too-large');
      }
  });
});

const HTML = [400, 'text/html'];

/** Sends a request, of which an answer may come before its end. */
async function sendAll(port: number, lines: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write([...lines, 'Connection: close', '', ''].join('\r\n'));
  return answerOn(socket);
}

describe('what a parser refuses, its README says', () => {
  const CASES: readonly (readonly [name: string, lines: readonly string[], caddy: number, haproxy: number])[] = [
    ['two hosts', ['GET / HTTP/1.1', HOST, 'Host: b.test'], 400, 400],
    ['no length', ['GET / HTTP/1.1', HOST, 'Content-Length: 1x'], 400, 400],
    ['no HTTP', ['what is this'], 400, 400],
    ['a header that is none', ['GET / HTTP/1.1', HOST, 'X Front: moscow'], 400, 400],
    ['a control character', ['GET /\u007f HTTP/1.1', HOST], 400, 400],
    ['another coding', ['GET / HTTP/1.1', HOST, 'Transfer-Encoding: gzip'], 501, 400],
  ];
  test.each(CASES)('%s', async (_, lines, caddy, haproxy) => {
    for (const [proxy, status, type] of [
      ['caddy', caddy, 'text/plain; charset=utf-8'],
      ['haproxy', haproxy, 'text/html'],
    ] as const) {
      const { answer, readme } = await answerOf(proxy, lines);
      expect([answer.status, ...headerValues(answer, 'Content-Type')]).toEqual([status, type]);
      expect(limitsIn(readme)).toContain(String(status));
    }
  });

  test.each([
    ['caddy', 417, ['GET / HTTP/1.1', HOST, 'Expect: the unexpected']],
    ['caddy', 505, ['GET / HTTP/3.0', HOST]],
    ['caddy', 431, ['GET / HTTP/1.1', HOST, ...Array.from({ length: 20 }, () => `X: ${'x'.repeat(60_000)}`)]],
    ['caddy', 200, ['OPTIONS * HTTP/1.1', HOST]],
    ['haproxy', 400, ['GET / HTTP/1.1', HOST, ...Array.from({ length: 101 }, () => 'X: x')]],
  ] as const)('of %s: %d', async (proxy, status, lines) => {
    const { answer, readme } = await answerOf(proxy, lines);
    expect(answer.status).toBe(status);
    expect(headerValues(answer, 'Content-Type')).not.toEqual(['application/problem+json']);
    expect(limitsIn(readme)).toContain(String(status));
  });

  async function answerOf(proxy: 'caddy' | 'haproxy', lines: readonly string[]) {
    let readme = '';
    const runtime = await startAuthorizer(proxy, world, {
      edit: (name, text) => (name === 'README.md' ? (readme = text) : text),
    });
    try {
      return { answer: await sendLines(runtime.port, lines), readme };
    } finally {
      await runtime.stop();
    }
  }

  const limitsIn = (readme: string): string =>
    / answers malformed HTTP itself,[^]*?(?=\n- )/.exec(readme)?.[0] ?? 'nothing';
});
