// Random numbers that are the same ones for the same seed.

/** Numbers from 0 to 1: a linear congruence is good enough to spread kills. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
