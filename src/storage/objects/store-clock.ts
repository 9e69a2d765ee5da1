// The clock of a store, which judges leases: every run that meets there sees the same one, however wrong its own is. And the time that
// passes for this process, a stop of it included.

export class StoreClock {
  #seenAt = 0;
  #seen = Number.NaN;

  /** Takes the `Date` of a response (RFC 9110, 6.6.1). */
  see(date: string): void {
    const seconds = Date.parse(date) / 1000;
    if (Number.isNaN(seconds)) return;
    this.#seen = seconds;
    this.#seenAt = monotonicSeconds();
  }

  /** Seconds since 1970: at most as late as it is there; earlier by up to a second and the way of a response. NaN before the first. */
  now(): number {
    return this.#seen + monotonicSeconds() - this.#seenAt;
  }
}

/** Seconds since the process began. */
export function monotonicSeconds(): number {
  return performance.now() / 1000;
}
