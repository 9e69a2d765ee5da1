// A request just before and just after an edition's start, by the runtime's own clock: the one edition and the other, and max-age shrinks
// to the boundary. And while new trees are published, every answer is one published edition, whole.

import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instantText } from '../../src/edge/instant.ts';
import { prepareLines } from './exchange.ts';
import { startNginx } from './runtimes/nginx.ts';
import { startNodeServer } from './runtimes/node-server.ts';
import type { Runtime, StartRuntime } from './runtimes/runtime.ts';
import { startWorkerd } from './runtimes/workerd.ts';
import { headerValues, type WireAnswer } from './wire.ts';
import { makeWorld, type World } from './world.ts';

const CLOCKED: readonly { readonly name: string; readonly start: StartRuntime }[] = [
  { name: 'node', start: (world) => startNodeServer(world, { clock: () => Date.now() / 1000 }) },
  { name: 'nginx', start: startNginx },
  { name: 'workerd', start: (world) => startWorkerd(world, 0) },
];

const REQUEST = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: unpublished', 'Sign: keyid=unpublished-1'];

/** Publishes editions (start in seconds since 1970 → content) for the front that has none, as a build would: contents, then the pointer. */
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

function maxAgeOf(answer: WireAnswer): number {
  return Number(/^private, max-age=(\d+)$/.exec(headerValues(answer, 'Cache-Control').join())?.[1] ?? Number.NaN);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(CLOCKED)('$name', ({ start }) => {
  let world: World;
  let runtime: Runtime;
  beforeAll(async () => {
    world = await makeWorld(Math.floor(Date.now() / 1000));
    runtime = await start(world);
  });
  afterAll(() => runtime.stop());

  it('changes from one edition to the next in the second in which it starts', async () => {
    const boundary = Math.ceil(Date.now() / 1000) + 3;
    publish(
      world,
      [
        [boundary - 100, 'before\n'],
        [boundary, 'after\n'],
      ],
      boundary + 1000,
    );
    const lines = await prepareLines(REQUEST, runtime.now(), world);
    let before = 0;
    let after = 0;
    const maxAges = new Set<number>();
    while (after < 5) {
      const askedAt = Date.now() / 1000;
      const answer = await runtime.send(lines);
      const answeredAt = Date.now() / 1000;
      const content = answer.content.toString();
      expect(answer.status).toBe(200);
      if (answeredAt < boundary) {
        expect(content).toBe('before\n');
        // Kept from the answer on, it is never kept beyond the boundary.
        expect(maxAgeOf(answer)).toBeLessThanOrEqual(boundary - askedAt);
        expect(maxAgeOf(answer)).toBeGreaterThan(boundary - answeredAt - 1);
        maxAges.add(maxAgeOf(answer));
        before += 1;
      } else if (askedAt >= boundary) {
        expect(content).toBe('after\n');
        expect(maxAgeOf(answer)).toBe(60);
        after += 1;
      }
      await pause(40);
    }
    expect(before).toBeGreaterThan(10);
    expect([...maxAges]).toEqual([...maxAges].toSorted((a, b) => b - a));
    expect(maxAges).toContain(0);
  });

  it('answers with whole published editions while trees are published and pruned under it', async () => {
    const published = new Set<string>();
    const digests: string[] = [];
    const folder = join(world.root, 'public', 'fronts', 'unpublished');
    rmSync(folder, { recursive: true, force: true });
    const next = (count: number): void => {
      const content = `release ${count} ${'x'.repeat(20_000)} end\n`;
      published.add(content);
      digests.push(...publish(world, [[world.now - 100, content]], world.now + 1000));
      // A grace of half a second, where a build leaves an hour.
      for (const digest of digests.splice(0, digests.length - 25)) rmSync(join(folder, `products.${digest}.json`));
    };
    next(0);
    const lines = await prepareLines(REQUEST, runtime.now(), world);
    const answers: Promise<WireAnswer>[] = [];
    for (let count = 1; count <= 60; count++) {
      for (let i = 0; i < 8; i++) answers.push(runtime.send(lines));
      await pause(20);
      next(count);
    }
    const seen = new Set<string>();
    for (const answer of await Promise.all(answers)) {
      expect(answer.status).toBe(200);
      expect(published.has(answer.content.toString())).toBe(true);
      seen.add(answer.content.toString());
    }
    expect(seen.size).toBeGreaterThan(20);
  });
});

it('a worker that has kept a pointer looks again when the edition in it is gone', async () => {
  const world = await makeWorld(Math.floor(Date.now() / 1000));
  const runtime = await startWorkerd(world, 10);
  try {
    const ask = async (): Promise<string> => {
      const answer = await runtime.send(await prepareLines(REQUEST, runtime.now(), world));
      return `${answer.status} ${answer.content.toString()}`;
    };
    const release = (content: string): string =>
      publish(world, [[world.now - 100, content]], world.now + 1000)[0] ?? '';
    const first = release('first');
    expect(await ask()).toBe('200 first');
    release('second');
    expect(await ask()).toBe('200 first');
    rmSync(join(world.root, `public/fronts/unpublished/products.${first}.json`));
    expect(await ask()).toBe('200 second');
    expect(await ask()).toBe('200 second');
  } finally {
    await runtime.stop();
  }
});
