// How much room a long run gives to new objects. V8 doubles it again and again, up to 128 MB where the machine has plenty. Measured at L, that
// gains nothing over 32 MB, and is a quarter of all memory that a build takes.

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** V8 moves what survives from one half to the other: two of 16 MB. */
const ENOUGH_BYTES = 2 * (16 << 20);

/**
 * Stops that growth once there is enough; to be called again and again while objects are made. At the start it would be too early: with
 * less room objects count as old that are not. `--max-semi-space-size` does the same, but only before anything of ours runs.
 */
export function boundYoungGeneration(): void {
  const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
  // V8 looks at the factor whenever it would grow.
  if (young !== undefined && young.space_size >= ENOUGH_BYTES) setFlagsFromString('--semi-space-growth-factor=1');
}
