// Measures how long the phases of a run take, for its metrics.

import type { Phase } from '../../operations/publish-release.ts';

export type RunPhase = 'open' | Phase | 'notify';

export class Phases {
  readonly #seconds = new Map<RunPhase, number>();
  #current: RunPhase = 'open';
  #since = performance.now();

  /** Ends the phase before. One that is begun again, because a run reads once more, goes on. */
  readonly begin = (phase: RunPhase): void => {
    const now = performance.now();
    this.#seconds.set(this.#current, (this.#seconds.get(this.#current) ?? 0) + (now - this.#since) / 1000);
    this.#current = phase;
    this.#since = now;
  };

  /** Seconds by phase, up to now. */
  seconds(): ReadonlyMap<RunPhase, number> {
    this.begin(this.#current);
    return new Map(this.#seconds);
  }
}
