// Runs every transcript against the pure core, node:http over a folder and over a bucket, and every
// target of `edge build`.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TARGETS } from '../../src/edge/targets/targets.ts';
import { runExchange } from '../support/edge/exchange.ts';
import { RUNTIMES, runtimesOf, TRANSCRIPT_RUNTIMES } from '../support/edge/runtimes/all.ts';
import { startBucketServer } from '../support/edge/runtimes/bucket.ts';
import type { Runtime } from '../support/edge/runtimes/runtime.ts';
import { TRANSCRIPTS, transcriptsOf } from '../support/edge/transcript.ts';
import { makeWorld, type World } from '../support/edge/world.ts';

describe.each([...TRANSCRIPT_RUNTIMES, { name: 'node, over a bucket', start: startBucketServer }])(
  '$name',
  ({ name, start }) => {
    let world: World;
    let runtime: Runtime;

    beforeAll(async () => {
      world = await makeWorld(Math.floor(Date.now() / 1000));
      runtime = await start(world);
    });
    afterAll(() => runtime.stop());

    describe.each(TRANSCRIPTS)('$name', ({ exchanges }) => {
      // Vercel compresses by itself: there the worker serves plain files.
      const isPlain = ({ expected }: (typeof exchanges)[number]): boolean =>
        expected.headers.every(([header]) => header !== 'Content-Encoding');
      test.each(name === 'vercel' ? exchanges.filter(isPlain) : exchanges)('$name', async (exchange) => {
        const sent = await runExchange(exchange, runtime, world);
        expect(sent).toBeGreaterThan(0);
      });
    });
  },
);

const SETS = [['signed-headers'], ['rfc9421', 'signed-headers']] as const;

describe.each(RUNTIMES.flatMap(({ name, start }) => SETS.map((profiles) => ({ name, start, profiles }))))(
  '$name, $profiles',
  ({ start, profiles }) => {
    let world: World;
    let runtime: Runtime;
    beforeAll(async () => {
      world = await makeWorld(Math.floor(Date.now() / 1000), profiles);
      runtime = await start(world);
    });
    afterAll(() => runtime.stop());

    // With both profiles the transcripts of one are run as the other's neighbour; what that leaves
    // out is what a 401 proposes.
    describe.each(transcriptsOf(['signed-headers']))('$name', ({ exchanges }) => {
      test.each(exchanges)('$name', async (exchange) => {
        expect(await runExchange(exchange, runtime, world)).toBeGreaterThan(0);
      });
    });
  },
);

test('a target that no transcript runs fails', () => {
  expect(runtimesOf(TARGETS).length).toBeGreaterThanOrEqual(TARGETS.length);
  const planted = [...TARGETS, { name: 'toy' }];
  expect(() => runtimesOf(planted)).toThrow('no transcript runs the target toy');
});

test('reads all the transcripts that there are', () => {
  expect(TRANSCRIPTS.length).toBeGreaterThan(6);
  for (const { exchanges } of TRANSCRIPTS) expect(exchanges.length).toBeGreaterThan(5);
});
