// Runs every transcript against every runtime: the pure core, node:http over a folder and over a bucket, real nginx with njs, real
// workerd.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runExchange } from '../support/edge/exchange.ts';
import { RUNTIMES } from '../support/edge/runtimes/all.ts';
import { startBucketServer } from '../support/edge/runtimes/bucket.ts';
import type { Runtime } from '../support/edge/runtimes/runtime.ts';
import { TRANSCRIPTS, transcriptsOf } from '../support/edge/transcript.ts';
import { makeWorld, type World } from '../support/edge/world.ts';

describe.each([...RUNTIMES, { name: 'node, over a bucket', start: startBucketServer }])('$name', ({ start }) => {
  let world: World;
  let runtime: Runtime;

  beforeAll(async () => {
    world = await makeWorld(Math.floor(Date.now() / 1000));
    runtime = await start(world);
  });
  afterAll(() => runtime.stop());

  describe.each(TRANSCRIPTS)('$name', ({ exchanges }) => {
    test.each(exchanges)('$name', async (exchange) => {
      const sent = await runExchange(exchange, runtime, world);
      expect(sent).toBeGreaterThan(0);
    });
  });
});

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

    // With both profiles the transcripts of one are run as the other's neighbour; what that leaves out is what a 401 proposes.
    describe.each(transcriptsOf(['signed-headers']))('$name', ({ exchanges }) => {
      test.each(exchanges)('$name', async (exchange) => {
        expect(await runExchange(exchange, runtime, world)).toBeGreaterThan(0);
      });
    });
  },
);

test('reads all the transcripts that there are', () => {
  expect(TRANSCRIPTS.length).toBeGreaterThan(6);
  for (const { exchanges } of TRANSCRIPTS) expect(exchanges.length).toBeGreaterThan(5);
});
