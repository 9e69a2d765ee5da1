// The service behind a proxy, with real nginx, Caddy and HAProxy: what a client cannot smuggle past
// them, what becomes of what fails, and the end of the service. The rule itself: transcripts,
// refusals and boundary, which run on each of them as on every other edge.

import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROXIES, type Proxy } from '../../src/edge/targets/authorizer/proxies.ts';
import { instantText } from '../../src/edge/rule/instant.ts';
import { keyRingText } from '../../src/release/tree/codec.ts';
import { compare, prepareLines } from '../support/edge/exchange.ts';
import { headerValues, type RawResponse, sendLines } from '../support/edge/messages.ts';
import { ask } from '../support/edge/ask.ts';
import { OWN_REFUSALS } from '../support/edge/own-refusals.ts';
import { type AuthorizerRuntime, startAuthorizer } from '../support/edge/runtimes/authorizer.ts';
import { temporaryFolder } from '../support/edge/temporary-folder.ts';
import { editionContent, keyRingOf, makeWorld, type World } from '../support/edge/world.ts';

const HOST = 'Host: edge.test';
const SIGNED = [HOST, 'X-Front: moscow', 'Sign: keyid=moscow-1'];

/** A refusal, as the rule would say it. */
function expectRefusal(answer: RawResponse, status: number, code: string, world: World): void {
  compare(answer, { status, code, headers: [], absent: [], edition: null, content: null }, false, world);
}

describe.each(PROXIES)('%s', (proxy) => {
  let world: World;
  let runtime: AuthorizerRuntime;
  beforeAll(async () => {
    world = await makeWorld(Math.floor(Date.now() / 1000));
    runtime = await startAuthorizer(proxy, world);
  });
  afterAll(() => runtime.stop());

  const send = async (lines: readonly string[], body = ''): Promise<RawResponse> =>
    sendLines(runtime.port, await prepareLines(lines, runtime.now(), world), body);

  const kazanFile = (): string => `fronts/kazan/products.${world.fronts.get('kazan')?.products[0]?.digest}.json`;

  /** What somebody might send, to be taken for somebody else or for another request. */
  const smuggled = (): readonly string[] => [
    'X-Forwarded-Method: GET',
    'X-Forwarded-Uri: /products/',
    'X-Forwarded-Host: edge.test',
    'X-Original-Method: GET',
    'X-Original-URI: /products/',
    'X-Original-URL: /products/',
    'X-Rewrite-URL: /products/',
    'X-HTTP-Method-Override: GET',
    'X-Auth-Request-Redirect: /products/',
    `X-Playbill-File: /${kazanFile()}`,
    'X-Accel-Redirect: @playbill_edition',
    `X-Accel-Redirect: /${kazanFile()}`,
    `X-Sendfile: /${kazanFile()}`,
  ];

  test('headers that name another request or a file change nothing', async () => {
    const plain = (answer: RawResponse): unknown => [
      answer.status,
      answer.content.toString(),
      answer.headers.filter(([name]) => name.toLowerCase() !== 'date'),
    ];
    for (const lines of [
      ['GET /products/ HTTP/1.1', ...SIGNED],
      ['GET /products/ HTTP/1.1', HOST, 'X-Front: moscow'],
      ['GET /products/ HTTP/1.1', HOST, 'X-Front: moscow', 'Sign: keyid=kazan-1'],
      ['GET /fronts/categories/ HTTP/1.1', ...SIGNED],
      // Signed for what the headers name, and sent to something else.
      ['GET / HTTP/1.1', HOST, 'X-Front: moscow', 'Sign: keyid=moscow-1 target=/products/'],
      ['POST /products/ HTTP/1.1', HOST, 'Content-Length: 0', 'X-Front: moscow', 'Sign: keyid=moscow-1 method=GET'],
      ['GET /products/ HTTP/1.1', 'Host: other.test', 'X-Front: moscow', 'Sign: keyid=moscow-1 host=edge.test'],
    ]) {
      const filled = await prepareLines(lines, runtime.now(), world);
      const expected = await sendLines(runtime.port, filled);
      expect(plain(await sendLines(runtime.port, [...filled, ...smuggled()]))).toEqual(plain(expected));
      for (const header of smuggled())
        expect(plain(await sendLines(runtime.port, [...filled, header])), header).toEqual(plain(expected));
    }
  });

  test('the scheme is the proxy’s word, and not the client’s', async () => {
    const lines = ['GET /products/ HTTP/1.1', HOST, 'X-Front: moscow'];
    const covers = 'cover=@method,@authority,@path,x-front,@scheme';
    expect((await send([...lines, `Sign: keyid=moscow-1 ${covers}`])).status).toBe(200);
    for (const header of ['X-Forwarded-Proto: https', 'X-Forwarded-Proto: https, http'])
      expect((await send([...lines, header, `Sign: keyid=moscow-1 ${covers}`])).status).toBe(200);
  });

  test('no header of the service gets to a client, and nothing but the rule’s', async () => {
    const answer = await send(['GET /products/ HTTP/1.1', ...SIGNED]);
    expect(answer.content).toEqual(editionContent(world, 'moscow products 2'));
    const names = answer.headers.map(([name]) => name.toLowerCase()).filter((name) => !OF_PROXIES.includes(name));
    expect(names.toSorted()).toEqual(OF_THE_RULE);
  });

  test.each(['/@playbill_edition/', '@playbill_edition', '/'])('no client gets to a file below %s', async (prefix) => {
    for (const file of [kazanFile(), 'fronts/kazan/pointer.json', '../edge/keyring.json', '']) {
      const answer = await send([`GET ${prefix}${file} HTTP/1.1`, ...SIGNED.slice(0, 2)]);
      expect([400, 404]).toContain(answer.status);
      expect(answer.content.toString()).not.toContain('filler');
    }
  });

  test('the service names a file that the proxy can send, and sends it only where it cannot', async () => {
    const lines = await prepareLines(['GET /products/ HTTP/1.1', ...SIGNED], runtime.now(), world);
    const answer = await sendLines(runtime.servicePort, lines);
    expect(answer.status).toBe(200);
    const file = `fronts/moscow/products.${world.fronts.get('moscow')?.products[1]?.digest}.json`;
    const named = ['X-Accel-Redirect', 'X-Playbill-File'].flatMap((name) => headerValues(answer, name));
    expect(named).toEqual({ nginx: ['@playbill_edition', `/${file}`], caddy: [`/${file}`], haproxy: [] }[proxy]);
    expect(answer.content.length > 0).toBe(proxy === 'haproxy');
  });

  test('a body is refused and not read, announced or in chunks', async () => {
    const chunk = `ffff\r\n${'x'.repeat(0xffff)}\r\n0\r\n\r\n`;
    // At once: nginx waits for the rest of a body for some seconds.
    const answers = await Promise.all(
      ['GET', 'POST'].flatMap((method) => [
        send([`${method} /products/ HTTP/1.1`, ...SIGNED, 'Content-Length: 300000000'], 'x=1'),
        send([`${method} /products/ HTTP/1.1`, ...SIGNED, 'Transfer-Encoding: chunked'], chunk),
      ]),
    );
    for (const answer of answers) expectRefusal(answer, 413, 'content-too-large', world);
  });

  test('each 503 leaves one line, which says why and names no key', async () => {
    const before = runtime.log.join('').length;
    for (const front of ['torn', 'folder', 'gone'])
      expectRefusal(await ask(world, runtime, front), 503, 'internal', world);
    const said = (): readonly string[] => runtime.log.join('').slice(before).split('\n').slice(0, -1);
    await expect
      .poll(said)
      .toEqual([
        "playbill: 503: the tree cannot be read: the front's pointer is torn, of another schema or front, or names an edition that is not there",
        'playbill: 503: the tree cannot be read: EISDIR: illegal operation on a directory, read',
        "playbill: 503: the tree cannot be read: the front's pointer is torn, of another schema or front, or names an edition that is not there",
      ]);
  });

  test('a revoked key is refused, and nobody does anything; while the key ring cannot be read, the last one counts', async () => {
    const tree = await makeWorld(Math.floor(Date.now() / 1000));
    const own = await startAuthorizer(proxy, tree);
    try {
      expect((await ask(tree, own, 'moscow')).status).toBe(200);
      const path = join(tree.root, 'edge/keyring.json');
      renameSync(path, `${path}.away`);
      // As long as it takes for the service to notice: it says so once a second.
      while (!own.log.join('').includes('edge/keyring.json')) expect((await ask(tree, own, 'moscow')).status).toBe(200);
      const revoked = Object.entries(tree.keyRing.keys).map(([keyid, key]) => [
        keyid,
        keyid === 'moscow-1' ? { ...key, revokedAt: instantText(tree.now) } : key,
      ]);
      writeFileSync(path, keyRingText(keyRingOf(Object.fromEntries(revoked) as Record<string, unknown>)));
      while ((await ask(tree, own, 'moscow')).status === 200) await sleep(100);
      expectRefusal(await ask(tree, own, 'moscow'), 401, 'signature-invalid', tree);
      expect((await ask(tree, own, 'kazan')).status).toBe(200);
    } finally {
      await own.stop();
    }
  });

  test('without its service the proxy lets nobody in, and says so as the rule would', async () => {
    const own = await startAuthorizer(proxy, world);
    try {
      await own.stopService();
      // At once: HAProxy tries to connect for some seconds.
      const answers = await Promise.all([
        ask(world, own, 'moscow'),
        own.send(['GET /fronts/kazan/pointer.json HTTP/1.1', HOST]),
      ]);
      for (const answer of answers) expectRefusal(answer, 503, 'internal', world);
    } finally {
      await own.stop();
    }
  });
});

/** What each proxy adds of its own. */
const OF_PROXIES = ['connection', 'date', 'keep-alive', 'server'];
const OF_THE_RULE = [
  'cache-control',
  'catalogue-as-of',
  'catalogue-valid-until',
  'content-length',
  'content-type',
  'etag',
  'vary',
];

describe('a proxy that cannot read what the service can', () => {
  const files: readonly (readonly [Proxy, string])[] = [
    ['nginx', 'playbill-locations.conf'],
    ['caddy', 'playbill.caddy'],
  ];
  test.each(files)('%s answers 503, as the rule would', async (proxy, file) => {
    const world = await makeWorld(Math.floor(Date.now() / 1000));
    const empty = temporaryFolder();
    mkdirSync(join(empty, 'public'));
    const edit = (name: string, text: string): string => (name === file ? text.replace(world.root, empty) : text);
    const runtime = await startAuthorizer(proxy, world, { edit });
    try {
      expectRefusal(await ask(world, runtime, 'moscow'), 503, 'internal', world);
    } finally {
      await runtime.stop();
    }
  });
});

describe('nginx’s own refusals', () => {
  let world: World;
  let runtime: AuthorizerRuntime;
  beforeAll(async () => {
    world = await makeWorld(Math.floor(Date.now() / 1000));
    runtime = await startAuthorizer('nginx', world);
  });
  afterAll(() => runtime.stop());

  test.each(OWN_REFUSALS)('$name', async ({ lines, body, status, code }) => {
    const answer = await sendLines(runtime.port, await prepareLines(lines, runtime.now(), world), body);
    expectRefusal(answer, status, code, world);
  });
});
