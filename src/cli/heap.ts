// Limits V8's heap in long runs. V8 keeps doubling the space for new objects, up to 128 MB on large
// machines: measured at L, more than 32 MB gains nothing, and costs a quarter of a build's memory.
// And it lets the rest grow to up to four times what was left by the last collection, the more the
// faster the machine is: measured at L, twice as much costs no time, and saves up to a third.

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Two semi-spaces of 16 MB: V8 copies surviving objects from one to the other. */
const ENOUGH_BYTES = 2 * (16 << 20);

/** What the old generation may grow by until it is collected, of what the last collection left. */
const GROWING_PERCENT = 100;

/**
 * Stops the growth until it is let grow: what a run reads before its rows, the published release
 * above all, it keeps to the end. `--max-semi-space-size` would do, but must be set before the
 * process starts.
 */
export function boundHeap(): void {
  // V8 reads both each time before it grows a space.
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
}

/**
 * Lets the space grow until it is large enough; call it repeatedly while rows are read. In a small
 * one, short-lived objects would be promoted to the old generation.
 */
export function growYoungGeneration(): void {
  const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
  if (young === undefined) return;
  if (young.space_size >= ENOUGH_BYTES) boundHeap();
  else setFlagsFromString('--semi-space-growth-factor=2');
}
