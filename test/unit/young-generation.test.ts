// A build's memory: what V8 sets aside for new objects stays bounded, however many survive.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** One more step of growth than the bound: the one that was under way. */
const MOST_BYTES = 64 << 20;

/** Prints the bytes that are set aside for new objects at its end. */
const PROGRAM = `
import { getHeapSpaceStatistics } from 'node:v8';
import { boundYoungGeneration } from './src/cli/young-generation.ts';
const kept = [];
for (let round = 0; round < 400; round++) {
  // About a megabyte of objects that survive.
  kept.push(Array.from({ length: 20_000 }, (_, i) => ({ i, round })));
  boundYoungGeneration();
}
console.log(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size, kept.length);
`;

test('room for new objects stops growing', async () => {
  // A process of its own: the room of this one may have grown before.
  const argv = ['--import', 'tsx', '--input-type=module', '--eval', PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, argv);
  expect(stdout).toMatch(/^\d+ 400\n$/);
  expect(Number.parseInt(stdout)).toBeLessThanOrEqual(MOST_BYTES);
});
