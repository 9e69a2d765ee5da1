// Seconds since 1970 and the one form of an instant in text, in both directions. The rule compares
// instants as text, so that neither the pointer nor the key ring has to be parsed. It reads no
// clock.

/**
 * `2026-05-01T09:00:00Z` of a number of seconds since 1970; fractions are cut off. Throws
 * RangeError beyond the year 9999 or so.
 */
export const instantText = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 19) + 'Z';

/** Seconds since 1970 of canonical text; NaN for any other text. */
export const secondsOf = (instant: string): number => Date.parse(instant) / 1000;
