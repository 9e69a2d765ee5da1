// `serve` and `preview` over a tree in a bucket: both follow the builds.

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/edge/rule/settings.ts';
import { serveTree, servePreview } from '../../src/operations/serve.ts';
import { bucketOfFile, leaveEnvironmentAtEnd } from '../support/cli/bucket.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import type { MemoryStore } from '../support/objects/memory-store.ts';
import { buildTree, catalogueAt, instant, temporaryFolderOfFile } from '../support/trees.ts';

leaveEnvironmentAtEnd();
const folder = temporaryFolderOfFile();
const LATER = '2026-05-01T09:05:00Z';
let store: MemoryStore;
let databases = 0;
beforeAll(async () => {
  store = await bucketOfFile();
});
afterAll(() => store.close());

function databaseOf(edition: string, fronts: readonly string[]): string {
  const size = { fronts, productsPerFront: 1, sessionsPerProduct: 2 };
  return catalogueAt(join(folder, `${edition}-${(databases += 1)}.sqlite`), smallCatalogue({ ...size, edition }));
}

async function originOf(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const SERVED = { settings: DEFAULT_SETTINGS, at: null, accessLog: () => undefined };

test('serve answers from the bucket, compressed where it has a sibling, and follows a new build', async () => {
  const out = 's3://bucket/served';
  await buildTree(databaseOf('one', ['alpha']), out, instant(NOW), { precompress: ['gzip'] });
  const options = { ...SERVED, root: out, clock: () => instant(LATER), secretOf: () => null, isUnsigned: true };
  const { server, keysWithoutSecret } = await serveTree('127.0.0.1', options);
  expect(keysWithoutSecret).toEqual([]);
  const origin = await originOf(server);
  const ask = async (headers: Record<string, string> = {}, method = 'GET') => {
    const response = await fetch(`${origin}/products/`, { method, headers: { 'X-Front': 'alpha', ...headers } });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const before = await ask({ 'Accept-Encoding': 'identity' });
  expect([before.status, before.text]).toEqual([200, expect.stringContaining('Show 1 \\"one\\"')]);
  expect(Number(before.headers.get('content-length'))).toBe(Buffer.byteLength(before.text));
  const compressed = await ask({ 'Accept-Encoding': 'gzip' });
  expect([compressed.headers.get('content-encoding'), compressed.text]).toEqual(['gzip', before.text]);
  expect(await ask({}, 'HEAD')).toMatchObject({ status: 200, text: '' });

  await buildTree(databaseOf('two', ['alpha']), out, instant(LATER));
  expect((await ask()).text).toContain('Show 1 \\"two\\"');
});

test('serve says which keys lack their secret, without a signature and not', async () => {
  const out = 's3://bucket/keys';
  await buildTree(databaseOf('one', ['alpha']), out, instant(NOW));
  const options = { ...SERVED, root: out, clock: () => instant(NOW), secretOf: () => null, isUnsigned: false };
  const { keysWithoutSecret } = await serveTree('127.0.0.1', options);
  expect(keysWithoutSecret).toEqual([['alpha-site', 'SECRET_alpha_one']]);
});

test('preview shows a new build at the next request', async () => {
  const out = 's3://bucket/previewed';
  await buildTree(databaseOf('one', ['alpha']), out, instant(NOW));
  const bugs: string[] = [];
  const preview = {
    out,
    host: '127.0.0.1',
    catalogue: null,
    page: { script: '', style: '' },
    now: () => instant(LATER),
  };
  const origin = await originOf(await servePreview({ ...preview, onBug: (message) => bugs.push(message) }));
  const ask = async (path: string): Promise<unknown> => (await fetch(`${origin}/api/${path}`)).json();
  const [current, inForce] = [await ask('current'), await ask('releases/current')];
  expect(inForce).toMatchObject({ fronts: [{ front: 'alpha', pointer: { now: NOW } }] });
  expect(await ask('overview')).toMatchObject({ releases: [{ now: NOW }], root: out });

  const { releaseId } = await buildTree(databaseOf('two', ['alpha', 'bravo']), out, instant(LATER));
  expect(await ask('current')).not.toEqual(current);
  expect(await ask('current')).toMatchObject({ current: releaseId });
  expect(await ask('overview')).toMatchObject({ releases: [{ now: LATER }, { now: NOW }] });
  expect(await ask('releases/current')).toMatchObject({
    fronts: [
      { front: 'alpha', pointer: { now: LATER } },
      { front: 'bravo', pointer: { now: LATER } },
    ],
  });
  expect(await ask(`changes/${releaseId}/alpha`)).toEqual([
    { count: 0, products: [] },
    ...Array.from({ length: 4 }, () => ({ count: expect.any(Number), products: expect.any(Array) })),
  ]);
  expect(bugs).toEqual([]);
});
