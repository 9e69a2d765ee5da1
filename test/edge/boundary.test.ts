// By the runtime's own clock, an answer is the edition in force at some instant between question
// and answer, and max-age ends with it. And while new trees are published, every answer is one
// published edition, whole. Whatever is expected follows from instants and orders that were seen,
// never from how quick the machine is.

import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROXIES } from '../../src/edge/targets/authorizer/proxies.ts';
import { instantText } from '../../src/edge/rule/instant.ts';
import { prepareLines } from '../support/edge/exchange.ts';
import { startAuthorizer } from '../support/edge/runtimes/authorizer.ts';
import { startLambdaEdge } from '../support/edge/runtimes/lambda-edge.ts';
import { startNginx } from '../support/edge/runtimes/nginx.ts';
import { startNodeServer } from '../support/edge/runtimes/node-server.ts';
import type { Runtime, StartRuntime } from '../support/edge/runtimes/runtime.ts';
import { HOSTS } from '../support/edge/runtimes/worker-hosts.ts';
import { startWorkerd } from '../support/edge/runtimes/workerd.ts';
import { headerValues, type RawResponse } from '../support/edge/messages.ts';
import { makeWorld, type World } from '../support/edge/world.ts';

const CLOCKED: readonly { readonly name: string; readonly start: StartRuntime }[] = [
  { name: 'node', start: (world) => startNodeServer(world, { clock: () => Date.now() / 1000 }) },
  { name: 'nginx', start: startNginx },
  { name: 'workerd', start: (world) => startWorkerd(world, 0) },
  ...HOSTS,
  { name: 'lambda-edge', start: (world) => startLambdaEdge(world, { pointerSeconds: 0 }) },
  ...PROXIES.map((proxy) => ({
    name: `a service behind ${proxy}`,
    start: (world: World) => startAuthorizer(proxy, world),
  })),
];

const REQUEST = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: unpublished', 'Sign: keyid=unpublished-1'];

/**
 * Publishes editions (start in seconds since 1970 → content) for the front that has none, as a
 * build would: contents, then the pointer.
 */
function publish(
  world: World,
  editions: readonly (readonly [start: number, content: string])[],
  validUntil: number,
): readonly string[] {
  const folder = join(world.root, 'public', 'fronts', 'unpublished');
  mkdirSync(folder, { recursive: true });
  const digests = editions.map(([, content]) => createHash('sha256').update(content).digest('hex').slice(0, 16));
  const entries = editions.map(([start], i) => `${instantText(start)} ${digests[i]}`);
  editions.forEach(([, content], i) => writeFileSync(join(folder, `products.${digests[i]}.json`), content));
  const pointer = {
    schema: 1,
    front: 'unpublished',
    now: entries[0]?.slice(0, 20),
    validUntil: instantText(validUntil),
    today: '2026-05-01',
    timezone: 'UTC',
    products: entries,
    categories: entries.slice(0, 1),
  };
  writeFileSync(join(folder, 'pointer.tmp'), `${JSON.stringify(pointer)}\n`);
  renameSync(join(folder, 'pointer.tmp'), join(folder, 'pointer.json'));
  return digests;
}

function maxAgeOf(answer: RawResponse): number {
  return Number(/^private, max-age=(\d+)$/.exec(headerValues(answer, 'Cache-Control').join())?.[1] ?? Number.NaN);
}

/** Seconds for which an edition is in force here. */
const LENGTH = 3;

/**
 * How far a runtime's clock may lag behind ours, in seconds: workerd reads the kernel's coarse one.
 */
const CLOCK_TICK = 0.01;

/** Releases published, and those of them that are kept. */
const ROUNDS = 24;
const KEPT = 5;

// Side by side: each waits for the same seconds.
describe.concurrent.each(CLOCKED)('$name', ({ start }) => {
  let world: World;
  let runtime: Runtime;
  beforeAll(async () => {
    world = await makeWorld(Math.floor(Date.now() / 1000));
    runtime = await start(world);
  });
  afterAll(() => runtime.stop());

  test('changes from one edition to the next in the second in which it starts', { concurrent: false }, async () => {
    const first = Math.floor(Date.now() / 1000) - LENGTH;
    const editions = Array.from({ length: 200 }, (_, i) => [first + i * LENGTH, `edition ${i}\n`] as const);
    publish(world, editions, first + editions.length * LENGTH);
    // As long as it takes: on a slow machine more requests lie across a boundary, and say less.
    const seen = new Set<number>();
    const maxAges = new Set<number>();
    let pinned = 0;
    while (seen.size < 3 || ![0, 1, 2].every((maxAge) => maxAges.has(maxAge)) || pinned < 20) {
      const lines = await prepareLines(REQUEST, runtime.now(), world);
      const asked = Date.now() / 1000 - CLOCK_TICK;
      const answer = await runtime.send(lines);
      const answered = Date.now() / 1000;
      expect(answer.status).toBe(200);
      const index = Number(/^edition (\d+)\n$/.exec(answer.content.toString())?.[1]);
      const start = first + index * LENGTH;
      // In force at some instant between question and answer; mostly that is one edition alone.
      expect(start).toBeLessThanOrEqual(answered);
      expect(start + LENGTH).toBeGreaterThan(asked);
      // Kept from the answer on, it is never kept beyond the boundary.
      expect(maxAgeOf(answer)).toBeLessThanOrEqual(start + LENGTH - asked);
      expect(maxAgeOf(answer)).toBeGreaterThan(start + LENGTH - answered - 1);
      seen.add(index);
      maxAges.add(maxAgeOf(answer));
      if (start <= asked && answered < start + LENGTH) pinned += 1;
    }
    expect([...seen]).toEqual([...seen].toSorted((a, b) => a - b));
  });

  test(
    'answers with whole published editions while trees are published and pruned under it',
    { concurrent: false },
    async () => {
      const published = new Set<string>();
      const digests: string[] = [];
      const folder = join(world.root, 'public', 'fronts', 'unpublished');
      rmSync(folder, { recursive: true, force: true });
      const next = (count: number): void => {
        const content = `release ${count} ${'x'.repeat(20_000)} end\n`;
        published.add(content);
        digests.push(...publish(world, [[world.now - 100, content]], world.now + 1000));
        for (const digest of digests.splice(0, digests.length - KEPT)) rmSync(join(folder, `products.${digest}.json`));
      };
      next(0);
      const lines = await prepareLines(REQUEST, runtime.now(), world);
      const rounds: Promise<readonly RawResponse[]>[] = [];
      for (let count = 1; count <= ROUNDS; count++) {
        rounds.push(Promise.all(Array.from({ length: 8 }, () => runtime.send(lines))));
        next(count);
        // An answer may be as old as the oldest request under way: what a pointer named by then is
        // kept, as a build keeps it for an hour.
        await rounds[count - KEPT];
      }
      const seen = new Set<string>();
      for (const answer of (await Promise.all(rounds)).flat()) {
        expect(answer.status).toBe(200);
        expect(published.has(answer.content.toString())).toBe(true);
        seen.add(answer.content.toString());
      }
      // While a round is under way KEPT releases are published: rounds that lie further apart cannot
      // have seen the same one.
      expect(seen.size).toBeGreaterThanOrEqual(ROUNDS / (KEPT + 1));
    },
  );
});

const POINTER_SECONDS = 10;

test('a worker that has kept a pointer reads it again when its edition has vanished', async () => {
  const world = await makeWorld(Math.floor(Date.now() / 1000));
  const runtime = await startWorkerd(world, POINTER_SECONDS);
  try {
    const ask = async (): Promise<string> => {
      const answer = await runtime.send(await prepareLines(REQUEST, runtime.now(), world));
      return `${answer.status} ${answer.content.toString()}`;
    };
    const release = (content: string): string =>
      publish(world, [[world.now - 100, content]], world.now + 1000)[0] ?? '';
    const first = release('first');
    const asked = Date.now();
    expect(await ask()).toBe('200 first');
    release('second');
    const kept = await ask();
    // Unless the machine was so slow that those seconds are over.
    if (Date.now() - asked < POINTER_SECONDS * 1000) expect(kept).toBe('200 first');
    rmSync(join(world.root, `public/fronts/unpublished/products.${first}.json`));
    expect(await ask()).toBe('200 second');
    expect(await ask()).toBe('200 second');
  } finally {
    await runtime.stop();
  }
});
