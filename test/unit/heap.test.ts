// A build's memory: what V8 sets aside for new objects stays bounded, however many survive.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** One more step of growth than the bound: the one that was under way. */
const MOST_BYTES = 64 << 20;

/**
 * Prints the bytes that are set aside for new objects at first, after the one phase, and after the
 * other.
 */
const PROGRAM = `
import { getHeapSpaceStatistics } from 'node:v8';
import { growYoungGeneration, boundHeap } from './src/cli/heap.ts';
const spaces = [];
const kept = [];
const measure = () => spaces.push(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size);
// About a megabyte of objects that survive, in each round.
const fill = (each) => {
  for (let round = 0; round < 200; round++) {
    kept.push(Array.from({ length: 20_000 }, (_, i) => ({ i, round })));
    each();
  }
};
boundHeap();
measure();
fill(() => {});
measure();
fill(growYoungGeneration);
measure();
console.log(JSON.stringify({ spaces, kept: kept.length }));
`;

test('room for new objects grows only while it is let, and then stops', async () => {
  // A process of its own: the room of this one may have grown before.
  const argv = ['--import', 'tsx', '--input-type=module', '--eval', PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, argv);
  const { spaces, kept } = JSON.parse(stdout) as { spaces: readonly [number, number, number]; kept: number };
  const [atFirst, stopped, grown] = spaces;
  expect(kept).toBe(400);
  expect(stopped).toBeLessThanOrEqual(2 * atFirst);
  expect(grown).toBeGreaterThan(stopped);
  expect(grown).toBeLessThanOrEqual(MOST_BYTES);
});
