// Runs every transcript against every runtime: the pure core, node:http, real nginx with njs, real workerd.

import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runExchange } from './exchange.ts';
import { RUNTIMES } from './runtimes/all.ts';
import type { Runtime } from './runtimes/runtime.ts';
import { parseTranscript } from './transcript.ts';
import { makeWorld, type World } from './world.ts';

const folder = new URL('.', import.meta.url);
const transcripts = readdirSync(folder)
  .filter((name) => name.endsWith('.http.txt'))
  .map((name) => ({ name, ...parseTranscript(readFileSync(new URL(name, folder), 'utf8')) }));

describe.each(RUNTIMES)('$name', ({ start }) => {
  let world: World;
  let runtime: Runtime;

  beforeAll(async () => {
    world = await makeWorld(Math.floor(Date.now() / 1000));
    runtime = await start(world);
  });
  afterAll(() => runtime.stop());

  describe.each(transcripts)('$name', ({ exchanges }) => {
    it.each(exchanges)('$name', async (exchange) => {
      const sent = await runExchange(exchange, runtime, world);
      expect(sent).toBeGreaterThan(0);
    });
  });
});

it('reads all the transcripts that there are', () => {
  expect(transcripts.length).toBeGreaterThan(6);
  for (const { exchanges } of transcripts) expect(exchanges.length).toBeGreaterThan(5);
});
