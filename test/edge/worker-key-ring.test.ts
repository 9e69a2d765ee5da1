// The key ring of a worker with a URL or a folder, in the tree or elsewhere: on workerd, Deno and
// Bun a revoked key is refused and nobody deploys. How long a ring counts that cannot be read:
// live-key-ring.test.ts, by a clock.

import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Miniflare, Response as MiniflareResponse } from 'miniflare';
import { describe, expect, test } from 'vitest';
import { bundleEdge } from '../../src/edge/targets/bundle.ts';
import type { OriginOptions } from '../../src/edge/targets/origin.ts';
import { instantText } from '../../src/edge/rule/instant.ts';
import { DEFAULT_SETTINGS } from '../../src/edge/rule/settings.ts';
import { keyRingText } from '../../src/release/tree/codec.ts';
import { prepareLines } from '../support/edge/exchange.ts';
import { sendLines } from '../support/edge/messages.ts';
import { ask } from '../support/edge/ask.ts';
import type { Runtime } from '../support/edge/runtimes/runtime.ts';
import { startWorkerHost } from '../support/edge/runtimes/worker-hosts.ts';
import { startWorkerd } from '../support/edge/runtimes/workerd.ts';
import { keyRingOf, makeWorld, type World } from '../support/edge/world.ts';
import { workerFiles } from '../support/edge/target-files.ts';

const TOKEN = 'Bearer of-the-key-ring';
const ENVIRONMENT = { PLAYBILL_KEY_RING_TOKEN: TOKEN };
const by = (origin: string): OriginOptions => ({ origin, originEndpoint: null, originRegion: null });

/** A world whose tree is served as well, for one test. */
interface Stage extends Disposable {
  readonly world: World;
  /** Where the tree's public folder is, and its key ring, which wants the token. */
  readonly treeUrl: string;
  readonly ringUrl: string;
  isRingReadable: boolean;
  /** What came with each request for a file of the public folder. */
  readonly authorizations: (string | undefined)[];
}

async function staged(): Promise<Stage> {
  const world = await makeWorld(Math.floor(Date.now() / 1000));
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    const { authorization } = request.headers;
    if (url.startsWith('/public/')) stage.authorizations.push(authorization);
    const isRing = url === '/edge/keyring.json';
    const status = isRing && authorization !== TOKEN ? 401 : isRing && !stage.isRingReadable ? 500 : 200;
    if (url === '/elsewhere.json') response.writeHead(302, { location: '/public/stolen' }).end();
    else if (status !== 200) response.writeHead(status).end();
    else
      readFile(join(world.root, url)).then(
        (bytes) => response.end(bytes),
        () => response.writeHead(404).end(),
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [treeUrl, ringUrl] = [`${origin}/public`, `${origin}/edge/keyring.json`];
  const stage: Stage = {
    world,
    treeUrl,
    ringUrl,
    isRingReadable: true,
    authorizations: [],
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return stage;
}

/** The key ring, with this key revoked. */
function ringWithout(world: World, keyid: string): string {
  const keys = Object.entries(world.keyRing.keys).map(([id, key]) => [
    id,
    id === keyid ? { ...key, revokedAt: instantText(world.now) } : key,
  ]);
  return keyRingText(keyRingOf(Object.fromEntries(keys) as Record<string, unknown>));
}

/** Starts a host that prints to `output`. */
type Start = (
  world: World,
  tree: string,
  ring: string | null,
  environment: Readonly<Record<string, string>>,
  output: string[],
) => Promise<Runtime>;

const STARTS: readonly Start[] = [
  (world, tree, ring, environment, output) => startWorkerd(world, 0, by(tree), environment, output, ring),
  ...(['deno', 'bun'] as const).map(
    (host): Start =>
      (world, tree, ring, environment, output) =>
        startWorkerHost(host, world, by(tree), { environment, output, keyRingAt: ring }),
  ),
];

interface Host {
  readonly runtime: Runtime;
  readonly output: readonly string[];
}

/** Runs with workerd, Deno and Bun at the same time: each of them waits for seconds that pass. */
async function onEachHost(
  { world }: Stage,
  [tree, ring]: readonly [tree: string, ring: string | null],
  environment: Readonly<Record<string, string>>,
  use: (hosts: readonly Host[]) => Promise<void>,
): Promise<void> {
  const hosts: Host[] = [];
  try {
    for (const start of STARTS) {
      const output: string[] = [];
      hosts.push({ runtime: await start(world, tree, ring, environment, output), output });
    }
    await use(hosts);
  } finally {
    for (const { runtime } of hosts) await runtime.stop();
  }
}

// Side by side: each waits for the same seconds.
describe.concurrent('workerd, Deno and Bun', () => {
  test.each([
    ['a URL', ({ treeUrl }: Stage) => [treeUrl, null] as const],
    ['a folder', () => ['TREE', null] as const],
    ['a folder, and the key ring at a URL', ({ ringUrl }: Stage) => ['TREE', ringUrl] as const],
  ] as const)('%s: a revoked key is refused, and the last ring counts where there is no other', async (_, places) => {
    using stage = await staged();
    const { world } = stage;
    await onEachHost(stage, places(stage), ENVIRONMENT, async (hosts) => {
      const statusOf = async ({ runtime }: Host, front: string): Promise<number> =>
        (await ask(world, runtime, front)).status;
      for (const host of hosts) expect(await statusOf(host, 'moscow'), host.runtime.name).toBe(200);
      await writeFile(join(world.root, 'edge/keyring.json'), ringWithout(world, 'moscow-1'));
      for (const host of hosts) {
        // As long as it takes; ten seconds.
        while ((await statusOf(host, 'moscow')) === 200) await sleep(200);
        expect(await statusOf(host, 'moscow'), host.runtime.name).toBe(401);
        expect(await statusOf(host, 'kazan'), host.runtime.name).toBe(200);
      }

      stage.isRingReadable = false;
      await writeFile(join(world.root, 'edge/keyring.json'), '{"schema":1,');
      for (const host of hosts) {
        while (!host.output.join('').includes('edge/keyring.json')) {
          await statusOf(host, 'kazan');
          await sleep(200);
        }
        // On a slow machine its minute may be over.
        expect([200, 503], host.runtime.name).toContain(await statusOf(host, 'kazan'));
        expect(await statusOf(host, 'moscow'), host.runtime.name).not.toBe(200);
      }
      // The secret of the key ring goes nowhere else.
      expect(stage.authorizations.filter((one) => one !== undefined)).toEqual([]);
    });
  });

  test.each([
    ['a wrong token', ({ ringUrl }: Stage) => ringUrl, { PLAYBILL_KEY_RING_TOKEN: 'Bearer of-nobody' }],
    ['no token', ({ ringUrl }: Stage) => ringUrl, {}],
    [
      'a redirect, which is not followed',
      ({ ringUrl }: Stage) => ringUrl.replace('edge/keyring', 'elsewhere'),
      ENVIRONMENT,
    ],
    ['nothing there', ({ ringUrl }: Stage) => ringUrl.replace('edge/keyring', 'edge/nothing'), ENVIRONMENT],
  ] as const)('%s: nobody is let in, and the log says so', async (_, ring, environment) => {
    using stage = await staged();
    await onEachHost(stage, ['TREE', ring(stage)], environment, async (hosts) => {
      for (const { runtime, output } of hosts) {
        expect((await ask(stage.world, runtime, 'moscow')).status, runtime.name).toBe(503);
        while (!output.join('').includes('edge/keyring.json: ')) await sleep(20);
        expect(output.join('')).not.toContain('of-the-key-ring');
        const unsigned = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: moscow'];
        expect((await runtime.send(unsigned)).status, runtime.name).toBe(401);
      }
      expect(stage.authorizations).toEqual([]);
    });
  });
});

/** The files below the world's public folder. */
const assetsOf =
  (world: World) =>
  async (request: { readonly url: string }): Promise<MiniflareResponse> => {
    const bytes = await readFile(join(world.root, 'public', new URL(request.url).pathname)).catch(() => null);
    return new MiniflareResponse(bytes, { status: bytes === null ? 404 : 200 });
  };

test.concurrent.each([
  ['the tree as assets, the key ring in a KV namespace', 'kvNamespaces', 'ASSETS', null],
  ['the tree at a URL, the key ring in an R2 bucket', 'r2Buckets', '', 'KEYRING'],
] as const)('on Cloudflare, %s', async (_, kind, binding, keyRingAt) => {
  using stage = await staged();
  const { world, treeUrl } = stage;
  const files = workerFiles({
    target: 'cloudflare',
    bundle: await bundleEdge('worker'),
    keyRing: world.keyRing,
    settings: DEFAULT_SETTINGS,
    publicRoot: join(world.root, 'public'),
    ...by(binding || treeUrl),
    encodings: [],
    pointerSeconds: 5,
    profiles: world.profiles,
    keyRingAt,
  });
  const textOf = (name: string): string => files.find(([key]) => key === name)?.[1] ?? '';
  expect(textOf('wrangler.toml')).toContain('[[kv_namespaces]]\nbinding = "KEYRING"\n');
  const miniflare = new Miniflare({
    modules: true,
    script: textOf('worker.js'),
    compatibilityDate: '2025-01-01',
    [kind]: { KEYRING: 'key-ring' },
    // As Cloudflare serves the folder of assets.
    ...(binding && { serviceBindings: { [binding]: assetsOf(world) } }),
    bindings: { ...world.secrets },
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
    cf: false,
  });
  try {
    const { port } = await miniflare.unsafeGetDirectURL();
    const send = (lines: readonly string[]) => sendLines(Number(port), lines);
    const status = async (): Promise<number> => {
      const written = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: moscow', 'Sign: keyid=moscow-1'];
      return (await send(await prepareLines(written, Math.floor(Date.now() / 1000), world))).status;
    };
    expect(await status()).toBe(503);
    const { KEYRING } =
      await miniflare.getBindings<Record<string, { put(key: string, text: string): Promise<unknown> }>>();
    await KEYRING?.put('keyring.json', keyRingText(world.keyRing));
    while ((await status()) === 503) await sleep(200);
    expect(await status()).toBe(200);
    await KEYRING?.put('keyring.json', ringWithout(world, 'moscow-1'));
    while ((await status()) === 200) await sleep(200);
    expect(await status()).toBe(401);
  } finally {
    await miniflare.dispose();
  }
});
