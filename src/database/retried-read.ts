// A build whose catalogue was busy, or was altered under it, reads it once more by itself: most of
// what ends a read is over by then.

import { AppError } from '../errors.ts';

/** Called before the second read. */
export type OnRetry = (error: AppError) => void;

/**
 * Runs a job again, once, if it ends with `database-busy`. All its reads of the catalogue come
 * before whatever must happen once.
 */
export async function retriedRead<T>(job: () => Promise<T>, onRetry?: OnRetry): Promise<T> {
  try {
    return await job();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'database-busy') throw error;
    onRetry?.(error);
    return await job();
  }
}
