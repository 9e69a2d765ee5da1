// The price of a request: what nobody has signed costs an edge at most ten times the CPU time of a
// plain refusal, whatever its size and shape. CPU time, not time: how long a process waits for its
// turn does not count. Noise only adds, so that the least of several measurements is compared, and
// what stands out is measured again.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyRingText } from '../../src/release/tree/codec.ts';
import { compiledCommand } from '../support/compiled.ts';
import { plainRefusal, SHAPES } from '../support/edge/costly-requests.ts';
import { cpuOf, descendants } from '../support/edge/cpu.ts';
import { prepareLines } from '../support/edge/exchange.ts';
import { sendLines } from '../support/edge/messages.ts';
import { startAuthorizer } from '../support/edge/runtimes/authorizer.ts';
import { startCore } from '../support/edge/runtimes/core.ts';
import { startNginx, startQuickjs } from '../support/edge/runtimes/nginx.ts';
import { freePort, startProgram } from '../support/edge/runtimes/runtime.ts';
import { hostByUrl } from '../support/edge/runtimes/worker-hosts.ts';
import type { Runtime, StartRuntime } from '../support/edge/runtimes/runtime.ts';
import { startWorkerd } from '../support/edge/runtimes/workerd.ts';
import { makeWorld, withManyKeys, type World } from '../support/edge/world.ts';
import { IS_SOAK, sample } from '../speeds.ts';

const RATIO_MAX = 10;
/** With 4,000 keys in the ring. What a ring costs once, or every few seconds, counts as well. */
const KEYS_RATIO_MAX = 2;
const ROUNDS = 6;
const REQUESTS = 12;
const WARM_UP = 1000;
/**
 * Longer than any edge looks at a key ring again and again after it has changed (file systems round
 * the time of a change).
 */
const SETTLED_MS = 3000;
/** Bytes of a request's fields: nginx takes 32 kB in four lines, and the others 16 kB or more. */
const SIZES = IS_SOAK ? [500, 2000, 7500, 15_000, 24_000, 30_000] : [7500, 30_000];

/** `playbill serve`, as a process of its own. */
async function startServe(world: World): Promise<Runtime> {
  const port = await freePort();
  const words = ['serve', '--out', world.root, '--port', `${port}`];
  const profiles = (world.profiles ?? []).flatMap((profile) => ['--profile', profile]);
  const stop = await startProgram(process.execPath, [compiledCommand(), ...words, ...profiles], port, {
    cwd: world.root,
    env: { ...process.env, ...world.secrets },
  });
  return { name: 'serve', now: () => Math.floor(Date.now() / 1000), send: (lines) => sendLines(port, lines), stop };
}

const EDGES: { readonly [name: string]: StartRuntime } = {
  // In this process.
  core: startCore,
  nginx: (world: World) => startNginx(world),
  'nginx with QuickJS': (world: World) => startQuickjs(world),
  workerd: (world: World) => startWorkerd(world, 5),
  serve: startServe,
  'a service behind nginx': (world: World) => startAuthorizer('nginx', world),
  deno: hostByUrl('deno'),
  bun: hostByUrl('bun'),
};

let world: World;
/** One with the keys of the world, and one with 4,000 in its ring. */
const pairs = new Map<string, readonly [edge: Runtime, large: Runtime]>();
const pidsOf = new Map<Runtime, readonly number[]>();

async function started(name: string, start: StartRuntime, made: World): Promise<Runtime> {
  const before = descendants();
  const running = await start(made);
  pidsOf.set(running, name === 'core' ? [process.pid] : [...descendants()].filter((pid) => !before.has(pid)));
  return running;
}

// All of them, so that they settle at the same time.
beforeAll(async () => {
  world = await makeWorld(Math.floor(Date.now() / 1000), ['rfc9421', 'signed-headers']);
  const another = await makeWorld(world.now, world.profiles);
  const largeWorld = { ...another, keyRing: await withManyKeys(world.keyRing, 4000) };
  for (const { root, keyRing } of [world, largeWorld])
    writeFileSync(join(root, 'edge/keyring.json'), keyRingText(keyRing));
  for (const [name, start] of Object.entries(EDGES))
    pairs.set(name, [await started(name, start, world), await started(name, start, largeWorld)]);
  await sleep(SETTLED_MS);
});
afterAll(() => Promise.all([...pairs.values()].flat().map((running) => running.stop())));

describe.each(Object.keys(EDGES))('%s', (name) => {
  let edge: Runtime;
  let large: Runtime;
  beforeAll(async () => {
    const pair = pairs.get(name);
    if (pair === undefined) throw new Error(`${name} has not started`);
    [edge, large] = pair;
    for (const running of pair) await costOf(plainRefusal(running.now()), WARM_UP, running);
  });

  /** A server may accept a request before it has started the process that will answer it. */
  const processesOf = (running: Runtime): ReadonlySet<number> => {
    const pids = pidsOf.get(running) ?? [];
    return new Set(name === 'core' ? pids : pids.flatMap((pid) => [pid, ...descendants(pid)]));
  };

  /** CPU time of one request, nanoseconds. */
  async function costOf(lines: readonly string[], requests = REQUESTS, of = edge): Promise<number> {
    const pids = processesOf(of);
    const before = cpuOf(pids);
    for (let i = 0; i < requests; i++) await of.send(lines).catch(() => null);
    return (cpuOf(pids) - before) / requests;
  }

  test('a plain refusal, or an edition, costs no more with 4,000 keys in the ring', async () => {
    const written = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: moscow', 'Sign: keyid=moscow-1'];
    const signed = await prepareLines(written, edge.now(), world);
    for (const running of [edge, large]) expect((await running.send(signed)).status).toBe(200);
    for (const lines of [plainRefusal(edge.now()), signed]) {
      let few = Infinity;
      let many = Infinity;
      for (let round = 0; round < ROUNDS && (round === 0 || many > few * KEYS_RATIO_MAX); round++) {
        few = Math.min(few, await costOf(lines));
        many = Math.min(many, await costOf(lines, REQUESTS, large));
      }
      expect(many / few).toBeLessThan(KEYS_RATIO_MAX);
    }
  });

  test('a plain refusal is one, and costs something', async () => {
    expect((await edge.send(plainRefusal(edge.now()))).status).toBe(401);
    expect(await costOf(plainRefusal(edge.now()))).toBeGreaterThan(0);
  });

  // Each edge another third of them.
  test.each(sample(Object.keys(SHAPES).slice(Object.keys(EDGES).indexOf(name) % 3), 3))(
    '%s',
    async (what) => {
      const ratios: (readonly [bytes: number, ratio: number])[] = [];
      for (const bytes of SIZES) {
        const lines = SHAPES[what]?.(bytes, edge.now()) ?? [];
        let plain = Infinity;
        let least = Infinity;
        for (let round = 0; round < ROUNDS && (round === 0 || least > plain * RATIO_MAX); round++) {
          plain = Math.min(plain, await costOf(plainRefusal(edge.now())));
          least = Math.min(least, await costOf(lines));
        }
        ratios.push([bytes, Math.round((10 * least) / plain) / 10]);
      }
      // Times the cost of a plain refusal, by the bytes of a request's fields.
      expect(ratios.filter(([, ratio]) => ratio > RATIO_MAX)).toEqual([]);
    },
    600_000,
  );
});
