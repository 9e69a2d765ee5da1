// The time by which requests are signed: the runtime's clock, corrected once where an edge refuses
// it.

/**
 * How far a clock may be off to be corrected. One that is further off has worse to fix: it takes
 * certificates for expired.
 */
const OFF_MS_MAX = 86_400_000;

/**
 * A clock that the `Date` of a refusal may correct, once in its life. That is safe, because the
 * edge goes on judging by its own clock: after a wrong `Date` it refuses again. But whoever answers
 * in its place gets a signature for an instant of their choice, by which they can read the front's
 * documents for five minutes then, if the key is still valid. So they get one, at most a day away:
 * a second `Date` is not believed.
 */
export class CorrectableClock {
  readonly #ownMs: () => number;
  #offsetMs = 0;
  #isCorrected = false;

  /** `ownMs`: milliseconds since 1970. */
  constructor(ownMs: () => number) {
    this.#ownMs = ownMs;
  }

  nowMs(): number {
    return this.#ownMs() + this.#offsetMs;
  }

  /** What is added to the runtime's clock. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /**
   * Takes note that an edge has refused a time with this offset, and of its `Date`. @returns whether
   * the time is another now, so that the request is worth another try
   */
  refused(offsetMs: number, date: string | null): boolean {
    // Requests may be under way at the same time, and one has corrected the clock for all.
    if (offsetMs !== this.#offsetMs) return true;
    // NaN where there is no date.
    const offMs = Date.parse(date ?? '') - this.#ownMs();
    if (this.#isCorrected) {
      // The runtime's clock has been set right meanwhile, or the correction was wrong.
      this.#offsetMs = 0;
    } else if (Math.abs(offMs) <= OFF_MS_MAX) {
      this.#offsetMs = offMs;
      this.#isCorrected = true;
    }
    return offsetMs !== this.#offsetMs;
  }
}
