// Values that are there at once in one runtime and promised in another. A promise for each step
// costs njs about as much as an HMAC, and its keys need none: what is there already goes on at
// once.

/** A value, or the promise of one. */
export type MaybeAsync<T> = T | Promise<T>;

/** What becomes of a value, as soon as it is there. */
export const andThen = <T, R>(value: MaybeAsync<T>, next: (value: T) => MaybeAsync<R>): MaybeAsync<R> =>
  value instanceof Promise ? value.then(next) : next(value);

/**
 * What a piece of work gives, or what the fallback makes of the error that it throws or rejects
 * with.
 */
export const recover = <T, F>(work: () => MaybeAsync<T>, fallback: (error: unknown) => F): MaybeAsync<T | F> => {
  try {
    const value = work();
    return value instanceof Promise ? value.catch(fallback) : value;
  } catch (error) {
    return fallback(error);
  }
};
