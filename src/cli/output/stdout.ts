// Prints results that are too large for memory: as fast as the reader takes them.

import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { systemCodeOf } from '../../errors.ts';
import { escapeAllButColours } from './escape.ts';

/** Where a terminal writes: a stream that may be one. */
export interface Output extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
}

/**
 * Writes pieces of text to stdout: as they are, but escaped on a terminal, and each after `makeRoom`, which ends a bar that would
 * stand in the way. Ends early, without an error, when the reader has gone away (`… | head`).
 * @returns whether all of it was read
 */
export async function printAll(
  stdout: Output,
  pieces: AsyncGenerator<string>,
  makeRoom = (): void => undefined,
): Promise<boolean> {
  try {
    if (stdout.isTTY === true) await showAll(stdout, pieces, makeRoom);
    else await pipeline(Readable.from(pieces), stdout, { end: false });
    return true;
  } catch (error) {
    if (systemCodeOf(error) !== 'EPIPE') throw error;
    return false;
  } finally {
    // The stream closes its source some time later; what the source has open is closed now.
    await pieces.return(undefined);
  }
}

async function showAll(stdout: Output, pieces: AsyncGenerator<string>, makeRoom: () => void): Promise<void> {
  for await (const piece of pieces) {
    makeRoom();
    if (!stdout.write(escapeAllButColours(piece))) await once(stdout, 'drain');
  }
}
