// Prints results that are too many to hold: as fast as the reader takes them, and no faster.

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { systemCodeOf } from '../errors.ts';

/**
 * Writes pieces of text to stdout. Ends early, and without error, where nobody reads any more (`… | head`).
 * @returns whether all of it was read
 */
export async function printAll(pieces: AsyncGenerator<string>): Promise<boolean> {
  try {
    await pipeline(Readable.from(pieces), process.stdout, { end: false });
    return true;
  } catch (error) {
    if (systemCodeOf(error) !== 'EPIPE') throw error;
    return false;
  } finally {
    // The stream lets go of its source some time later; what the source holds is wanted back now.
    await pieces.return(undefined);
  }
}
