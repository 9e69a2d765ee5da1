// `playbill edge check` against real edges: a sound one has no finding; each misconfiguration that
// is planted before or behind one is found, and named by its row.

import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { standalone } from '../../src/edge/targets/nginx/configuration.ts';
import type { ProfileName } from '../../src/edge/rule/profile.ts';
import { DEFAULT_SETTINGS } from '../../src/edge/rule/settings.ts';
import { CheckedTrees, clock, namesOf, worldOf } from '../support/edge/checked-trees.ts';
import { askedWith, misconfigurations } from '../support/edge/misconfigurations.ts';
import { startNginx } from '../support/edge/runtimes/nginx.ts';
import { startNodeServer } from '../support/edge/runtimes/node-server.ts';
import { freePort, startProgram, writeFolder } from '../support/edge/runtimes/runtime.ts';
import { startWorkerHost } from '../support/edge/runtimes/worker-hosts.ts';
import { startWorkerd } from '../support/edge/runtimes/workerd.ts';
import {
  type ProxyAnswer,
  type ProxyRequest,
  type Spoiling,
  startProxy,
  withField,
} from '../support/edge/spoiling-proxy.ts';
import { temporaryFolder } from '../support/edge/temporary-folder.ts';
import type { World } from '../support/edge/world.ts';

const trees = new CheckedTrees(temporaryFolder());

beforeAll(() => trees.make());

const IN_FOLDER = { origin: 'ASSETS', originEndpoint: null, originRegion: null };

describe('a sound edge has no finding, and every row is checked', () => {
  test.each([
    ['node', async (world: World) => startNodeServer(world, { clock })],
    ['nginx', async (world: World) => startNginx(world)],
    ['workerd', async (world: World) => startWorkerd(world, 0)],
    ['Deno', async (world: World) => startWorkerHost('deno', world, IN_FOLDER, { pointerSeconds: 0 })],
    ['Bun', async (world: World) => startWorkerHost('bun', world, IN_FOLDER, { pointerSeconds: 0 })],
  ])('%s', async (_, start) => {
    const runtime = await start(worldOf(trees.out));
    try {
      const result = await trees.check(`http://127.0.0.1:${runtime.port}`);
      expect(result.checks.filter(({ state }) => state !== 'ok')).toEqual([]);
      expect(result.checks.length).toBeGreaterThan(30);
      expect(result.latency?.requests).toBe(20);
      expect(result.next).toHaveLength(2);
    } finally {
      await runtime.stop();
    }
  });
});

describe('a sound edge of another profile has no finding', () => {
  const ofProfiles = (profiles: readonly ProfileName[]): World => ({ ...worldOf(trees.out), profiles });
  test.each([
    ['node', (world: World) => startNodeServer(world, { clock }), ['signed-headers']],
    ['node', (world: World) => startNodeServer(world, { clock }), ['rfc9421', 'signed-headers']],
    ['nginx', (world: World) => startNginx(world), ['signed-headers']],
    ['workerd', (world: World) => startWorkerd(world, 0), ['rfc9421', 'signed-headers']],
  ] as const)('%s: %3$j', async (_, start, profiles) => {
    const runtime = await start(ofProfiles(profiles));
    try {
      const url = `http://127.0.0.1:${runtime.port}`;
      const words = ['--out', trees.out, '--profile', 'signed-headers'];
      const result = await trees.check(url, words, trees.keys('-hmac'));
      // This profile has no authority to sign.
      expect(result.checks.filter(({ state }) => state !== 'ok').map(({ check }) => check)).toEqual(['authority']);
      // Under the profile that only some of them have.
      const first = namesOf(await trees.check(url), 'differs');
      if (profiles.some((name) => name === 'rfc9421')) expect(first).toEqual([]);
      else expect(first).toEqual(expect.arrayContaining(['signed-products', 'challenge']));
    } finally {
      await runtime.stop();
    }
  });
});

describe('what is planted before a sound edge is found, and named', () => {
  let port = 0;
  let stop: () => Promise<void> = async () => undefined;
  beforeAll(async () => {
    const runtime = await startNodeServer(worldOf(trees.out), { clock });
    port = runtime.port;
    stop = () => runtime.stop();
  });
  afterAll(() => stop());

  test('nothing, where the proxy spoils nothing', async () => {
    const proxy = await startProxy(port, {});
    expect(namesOf(await trees.check(proxy.url), 'differs')).toEqual([]);
    await proxy.close();
  });

  test.each(misconfigurations(trees.out))('%s', async (name, spoiling, rows) => {
    const proxy = await startProxy(port, spoiling);
    const result = await trees.check(proxy.url, [
      '--out',
      trees.out,
      '--timeout',
      name.includes('never answered') ? '10s' : '2m',
    ]);
    await proxy.close();
    expect(namesOf(result, 'differs')).toEqual(rows);
  });
});

describe('nginx with proxy_cache before a sound edge, as the guide says,', () => {
  test.each([
    ['turns a signed HEAD into a 401, even if it keeps nothing', '', expect.arrayContaining(['head'])],
    [
      'lets the unsigned in where caching is forced',
      'proxy_ignore_headers Cache-Control Vary; proxy_cache_valid 200 1m;',
      expect.arrayContaining(['fronts-apart', 'unsigned-after-signed']),
    ],
  ])('%s', async (_, forced, rows) => {
    const runtime = await startNodeServer(worldOf(trees.out), { clock });
    const port = await freePort();
    const folder = writeFolder([
      [
        'nginx.conf',
        standalone(false).replace(
          'include playbill.conf;',
          `proxy_cache_path cache keys_zone=cache:1m;
  server {
    listen 127.0.0.1:${port};
    proxy_cache cache;
    proxy_set_header Host $http_host;
    ${forced}
    location / { proxy_pass http://127.0.0.1:${runtime.port}; }
  }`,
        ),
      ],
    ]);
    const options = { cwd: folder, env: process.env };
    const stop = await startProgram('nginx', ['-p', folder, '-c', 'nginx.conf'], port, options);
    try {
      expect(namesOf(await trees.check(`http://127.0.0.1:${port}`), 'differs')).toEqual(rows);
    } finally {
      await stop();
      await runtime.stop();
    }
  });
});

describe('another body than the ETag names is found, and where it comes from', () => {
  const rowsOf = async (check: string, port: number, spoiling: Spoiling = {}) => {
    const proxy = await startProxy(port, spoiling);
    const { checks } = await trees.check(proxy.url);
    await proxy.close();
    return checks.find((row) => row.check === check);
  };
  const withBody = (answer: ProxyAnswer, content: string): ProxyAnswer => ({
    ...answer,
    fields: withField(answer.fields, 'content-length', null),
    content: Buffer.from(content),
  });
  const ofProducts = (answer: ProxyAnswer, { target }: ProxyRequest): boolean =>
    answer.status === 200 && target === '/products/' && answer.fields['content-encoding'] === undefined;
  const OVER = /^products: ETag: W\/"[\da-f]{16}" over a document of digest [\da-f]{16}$/;

  test('a cache in front of the rule', async () => {
    const runtime = await startNodeServer(worldOf(trees.out), { clock });
    const answered = (answer: ProxyAnswer, asked: ProxyRequest): ProxyAnswer =>
      ofProducts(answer, asked) ? withBody(answer, '{"error":"maintenance"}') : answer;
    expect(await rowsOf('etag', runtime.port, { answered })).toMatchObject({
      state: 'differs',
      found: expect.stringMatching(OVER) as string,
      hint: expect.stringContaining('a cache in front of the rule keeps another body') as string,
    });
    await runtime.stop();
  });

  test('the tree of the edge', async () => {
    const root = trees.withOtherProducts();
    const runtime = await startNodeServer({ ...worldOf(trees.out), root }, { clock });
    expect(await rowsOf('etag', runtime.port)).toMatchObject({
      state: 'differs',
      found: expect.stringMatching(OVER) as string,
      hint: expect.stringContaining('from its origin or its cache') as string,
    });
    expect(await rowsOf('edition', runtime.port)).toMatchObject({ state: 'differs', hint: 'see the row etag' });
    await runtime.stop();
  });

  test('a page that is called JSON', async () => {
    const runtime = await startNodeServer(worldOf(trees.out), { clock });
    const answered = (answer: ProxyAnswer, asked: ProxyRequest): ProxyAnswer =>
      ofProducts(answer, asked) ? withBody(answer, '<html>') : answer;
    expect(await rowsOf('signed-products', runtime.port, { answered })).toMatchObject({
      state: 'differs',
      found: '200 application/json, and a body that is not JSON',
      hint: expect.stringContaining('the body is not') as string,
    });
    await runtime.stop();
  });
});

test('a limit on requests before the rule is not taken for a rule that lets everybody in', async () => {
  const runtime = await startNodeServer(worldOf(trees.out), { clock });
  const limitedTo = async (allowed: number) => {
    let asked = 0;
    const busy = { status: 429, fields: { 'content-type': 'text/plain' }, content: Buffer.from('slow down\n') };
    const proxy = await startProxy(runtime.port, { instead: () => (asked++ < allowed ? null : busy) });
    const differing = namesOf(await trees.check(proxy.url), 'differs');
    await proxy.close();
    return { differing, asked };
  };
  expect((await limitedTo(0)).differing).toEqual(['signed-products', 'signed-categories']);
  const { differing, asked } = await limitedTo(Infinity);
  expect(differing).toEqual([]);
  expect((await limitedTo(asked - 1)).differing).toEqual(['latency']);
  await runtime.stop();
});

describe('what is wrong with the edge itself is found, and named', () => {
  const asked = async (options: Parameters<typeof startNodeServer>[1], more?: readonly string[], root = trees.out) => {
    const runtime = await startNodeServer(worldOf(root), { clock, ...options });
    try {
      return await trees.check(`http://127.0.0.1:${runtime.port}`, more);
    } finally {
      await runtime.stop();
    }
  };

  test('the rule switched off', async () => {
    expect(namesOf(await asked({ isUnsigned: true }), 'differs')).toEqual([
      'unsigned',
      'wrong-signature',
      'unknown-key',
      'stale-signature',
      'signature-malformed',
      'other-front',
      'revoked-key',
      'key-ring',
      'unsigned-after-signed',
    ]);
  });

  test.each([
    [600, 'ahead'],
    [-600, 'behind'],
  ])('a clock that is off by %i s', async (seconds, direction) => {
    const result = await asked({ clock: () => clock() + seconds });
    expect(namesOf(result, 'differs')).toEqual(['signed-products', 'signed-categories', 'clock']);
    expect(result.checks.find((row) => row.check === 'clock')?.found).toContain(`${direction} by more`);
  });

  test('an old key ring', async () => {
    const result = await asked({}, ['--out', trees.out], trees.beforeRevocation);
    expect(namesOf(result, 'differs')).toEqual(['revoked-key', 'key-ring']);
  });

  test('an old tree, past its end', async () => {
    const result = await asked({}, ['--out', trees.out], trees.stale);
    expect(namesOf(result, 'differs')).toEqual(['fresh', 'as-of', 'edition']);
  });

  test('a tree without the front of the key', async () => {
    const root = join(trees.folder, 'without');
    cpSync(trees.out, root, { recursive: true });
    rmSync(join(root, 'public/fronts/moscow'), { recursive: true });
    const runtime = await startNodeServer({ ...worldOf(trees.out), root }, { clock });
    const result = await trees.check(`http://127.0.0.1:${runtime.port}`);
    await runtime.stop();
    expect(namesOf(result, 'differs')).toEqual(['signed-products', 'signed-categories']);
    expect(result.checks[1]).toMatchObject({
      found: '404 not-found',
      hint: expect.stringContaining('has nothing for this front') as string,
    });
  });

  test('another --max-age than was said', async () => {
    const settings = { ...DEFAULT_SETTINGS, maxAge: 3600 };
    expect(namesOf(await asked({ settings }, ['--out', trees.out]), 'differs')).toEqual(['cache-control']);
    expect(namesOf(await asked({ settings }, ['--out', trees.out, '--max-age', '1h']), 'differs')).toEqual([]);
  });

  test('@authority that the edge does not want, and that the proxy rewrites', async () => {
    const settings = { ...DEFAULT_SETTINGS, requiresAuthority: false };
    const runtime = await startNodeServer(worldOf(trees.out), { clock, settings });
    const proxy = await startProxy(runtime.port, { asked: askedWith('host', 'upstream') });
    expect(namesOf(await trees.check(proxy.url), 'differs')).toContain('authority');
    const result = await trees.check(proxy.url, ['--out', trees.out, '--no-authority']);
    expect([namesOf(result, 'differs'), namesOf(result, 'not-checked')]).toEqual([[], ['authority']]);
    await proxy.close();
    await runtime.stop();
  });
});
