// How long something that an edge reread has been kept.

/** Seconds since `readAt`. Absolute, as a clock that is set back must not keep anything longer. */
export const keptFor = (readAt: number, now: number): number => Math.abs(now - readAt);
