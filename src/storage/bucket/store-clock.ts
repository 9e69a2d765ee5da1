// The clock of a store, by which leases are judged: all runs share it, however wrong their own
// clocks are.

export class StoreClock {
  #seenAt = 0;
  #seen = Number.NaN;

  /** Sets the clock by the `Date` of a response (RFC 9110, 6.6.1). */
  see(date: string): void {
    const seconds = Date.parse(date) / 1000;
    if (Number.isNaN(seconds)) return;
    this.#seen = seconds;
    this.#seenAt = monotonicSeconds();
  }

  /**
   * Seconds since 1970; NaN before the first response. Never ahead of the store, but behind it by
   * up to a second plus the latency.
   */
  now(): number {
    return this.#seen + monotonicSeconds() - this.#seenAt;
  }
}

/** Seconds since the process began, including time in which it was stopped. */
export function monotonicSeconds(): number {
  return performance.now() / 1000;
}
