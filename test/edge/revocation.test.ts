// From the operator's `keys revoke` to the refusal, on edges as `edge build` writes them.

import { writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyFrom } from '../../src/client/key-file.ts';
import { signRequest } from '../../src/client/signature.ts';
import { instantText } from '../../src/edge/rule/instant.ts';
import { keyRingText } from '../../src/release/tree/codec.ts';
import { playbill } from '../support/cli/run.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { catalogueAt } from '../support/trees.ts';
import { ask } from '../support/edge/ask.ts';
import { originIn, PREFIX, startPrivateBucket } from '../support/edge/private-bucket.ts';
import { startAuthorizer } from '../support/edge/runtimes/authorizer.ts';
import { startLambdaEdge } from '../support/edge/runtimes/lambda-edge.ts';
import { freePort, type Runtime, startProgram } from '../support/edge/runtimes/runtime.ts';
import { startWorkerd, WORKERD } from '../support/edge/runtimes/workerd.ts';
import { temporaryFolder } from '../support/edge/temporary-folder.ts';
import { keyRingOf, makeWorld, type World } from '../support/edge/world.ts';
import type { MemoryStore } from '../support/objects/memory-store.ts';

const folder = temporaryFolder();
const database = join(folder, 'catalogue.sqlite');
const out = join(folder, 'a tree');
const places = ['--db', database, '--out', out];
const edge = join(folder, 'edge');
let url = '';
let key = '';
let stop: () => Promise<void> = async () => undefined;

async function run(words: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const { status, stdout, stderr } = await playbill(words);
  expect(status, stderr).toBe(0);
  return { stdout, stderr };
}

/** The text of a new key of the front alpha. */
const issuedKey = async (keyid: string): Promise<string> =>
  (await run(['keys', 'issue', '--front', 'alpha', '--keyid', keyid, ...places, '--json'])).stdout;

async function statusOfSigned(key: string, at = url): Promise<number> {
  const created = Math.floor(Date.now() / 1000);
  const headers = await signRequest({ method: 'GET', url: at, ...keyFrom(key), created });
  // A connection of its own: one that is kept may be closed by a reload just as it is used again.
  return new Promise((resolve, reject) => {
    get(at, { headers: { ...headers }, agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0)).on('error', reject);
    }).on('error', reject);
  });
}

beforeAll(async () => {
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 0, edition: 'e' });
  catalogueAt(database, rows);
  await run(['build', ...places, '--now', now]);
  const port = await freePort();
  url = `http://127.0.0.1:${port}/products/`;
  key = await issuedKey('alpha-1');
  await run(['edge', 'build', '--target', 'nginx', '--out', out, '--to', edge, '--listen', `127.0.0.1:${port}`]);
  stop = await startProgram('nginx', ['-p', edge, '-c', 'nginx.conf'], port, { cwd: edge, env: process.env });
});

afterAll(() => stop());

test('a valid key is accepted', async () => {
  expect(await statusOfSigned(key)).toBe(200);
});

test('nginx refuses a revoked key at the next request, and nobody does anything', async () => {
  await run(['keys', 'revoke', 'alpha-1', ...places]);
  expect(await statusOfSigned(key)).toBe(401);
});

// At once: each looks at its key ring again after ten seconds.

test.concurrent('a worker over the tree’s folder, as edge build writes it, refuses a revoked key, and nobody does anything', async () => {
  const workerKey = await issuedKey('alpha-worker');
  const worker = join(folder, 'edge-worker');
  await run(['edge', 'build', '--target', 'worker', '--out', out, '--to', worker]);
  const port = await freePort();
  const words = ['serve', 'workerd.capnp', `--socket-addr=http=127.0.0.1:${port}`];
  const end = await startProgram(WORKERD, words, port, { cwd: worker, env: process.env });
  try {
    const at = `http://127.0.0.1:${port}/products/`;
    expect(await statusOfSigned(workerKey, at)).toBe(200);
    await run(['keys', 'revoke', 'alpha-worker', ...places]);
    while ((await statusOfSigned(workerKey, at)) === 200) await sleep(200);
    expect(await statusOfSigned(workerKey, at)).toBe(401);
  } finally {
    await end();
  }
});

/** Revokes a key: the edge refuses it after a while, and still accepts another front's. */
async function seeRevocation(world: World, runtime: Runtime, replace: (ring: string) => Promise<void>): Promise<void> {
  expect((await ask(world, runtime, 'moscow')).status).toBe(200);
  const { keys } = world.keyRing;
  const revoked = Object.entries(keys).map(([keyid, key]) => [
    keyid,
    keyid === 'moscow-1' ? { ...key, revokedAt: instantText(world.now) } : key,
  ]);
  await replace(keyRingText(keyRingOf(Object.fromEntries(revoked) as Record<string, unknown>)));
  while ((await ask(world, runtime, 'moscow')).status === 200) await sleep(200);
  expect((await ask(world, runtime, 'moscow')).status).toBe(401);
  expect((await ask(world, runtime, 'kazan')).status).toBe(200);
}

describe.concurrent('over a private bucket a revoked key is refused, and nobody does anything', () => {
  const worldNow = Math.floor(Date.now() / 1000);
  const starts: readonly (readonly [name: string, start: (world: World, store: MemoryStore) => Promise<Runtime>])[] = [
    [
      'a service behind nginx',
      (world, store) => startAuthorizer('nginx', world, { origin: originIn(store), credentials: store.environment }),
    ],
    ['workerd', (world, store) => startWorkerd(world, 0, originIn(store), store.environment)],
  ];
  test.each(starts)('%s', async (_, start) => {
    const world = await makeWorld(worldNow);
    const store = await startPrivateBucket(world);
    const runtime = await start(world, store);
    try {
      await seeRevocation(world, runtime, (text) => store.put(`${PREFIX}/edge/keyring.json`, text));
    } finally {
      await runtime.stop();
      await store.close();
    }
  });

  test('CloudFront with Lambda@Edge', async () => {
    const world = await makeWorld(worldNow);
    const runtime = await startLambdaEdge(world);
    try {
      const file = join(world.root, 'edge/keyring.json');
      await seeRevocation(world, runtime, async (text) => writeFileSync(file, text));
    } finally {
      await runtime.stop();
    }
  });
});
