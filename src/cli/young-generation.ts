// Limits V8's space for new objects in long runs. V8 keeps doubling it, up to 128 MB on large
// machines. Measured at L, more than 32 MB gains nothing, and costs a quarter of a build's memory.

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Two semi-spaces of 16 MB: V8 copies surviving objects from one to the other. */
const ENOUGH_BYTES = 2 * (16 << 20);

/**
 * Stops the growth until it is let grow: what a run reads before its rows, the published release
 * above all, it keeps to the end. `--max-semi-space-size` would do, but must be set before the
 * process starts.
 */
export function stopYoungGeneration(): void {
  // V8 reads the factor each time before it grows the space.
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * Lets the space grow until it is large enough; call it repeatedly while rows are read. In a small
 * one, short-lived objects would be promoted to the old generation.
 */
export function growYoungGeneration(): void {
  const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
  if (young === undefined) return;
  if (young.space_size >= ENOUGH_BYTES) stopYoungGeneration();
  else setFlagsFromString('--semi-space-growth-factor=2');
}
