// Standard output of the process.

import { fstatSync, writeFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { AppError, messageOf, systemCodeOf } from '../../errors.ts';
import type { Output } from './stdout.ts';

/**
 * Standard output. Node's own stream for a file writes each chunk once: where a disk that fills
 * takes only the beginning, the result would be cut off without an error.
 */
export function standardOutput(): Output {
  const stats = fstatSync(1);
  if (process.stdout.isTTY || stats.isFIFO() || stats.isSocket()) return process.stdout;
  return new Writable({
    write: (chunk: Uint8Array, _encoding, done) => {
      try {
        writeFileSync(1, chunk);
        done();
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
  });
}

/**
 * The error of an output that could not be written; null where it could, or where its reader has
 * stopped early: `playbill … | head`.
 */
export function outputError({ errored }: Pick<Output, 'errored'>): AppError | null {
  if (errored === null || errored === undefined || systemCodeOf(errored) === 'EPIPE') return null;
  const message = `expected to be able to write standard output, found: ${messageOf(errored)}; the result is cut off`;
  const hint = 'free some space, or send it elsewhere; what the command itself has written or changed stands';
  return new AppError('output-not-writable', message, hint, errored);
}
