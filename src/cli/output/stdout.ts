// Prints results that are too large for memory: as fast as the reader takes them.

import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { systemCodeOf } from '../../errors.ts';
import { escapeAllButColours } from './escape.ts';

/**
 * Writes pieces of text to stdout: as they are, but escaped on a terminal, and each after `makeRoom`, which ends a bar that would
 * stand in the way. Ends early, without an error, when the reader has gone away (`… | head`).
 * @returns whether all of it was read
 */
export async function printAll(pieces: AsyncGenerator<string>, makeRoom = (): void => undefined): Promise<boolean> {
  try {
    if (process.stdout.isTTY) await showAll(pieces, makeRoom);
    else await pipeline(Readable.from(pieces), process.stdout, { end: false });
    return true;
  } catch (error) {
    if (systemCodeOf(error) !== 'EPIPE') throw error;
    return false;
  } finally {
    // The stream closes its source some time later; what the source has open is closed now.
    await pieces.return(undefined);
  }
}

async function showAll(pieces: AsyncGenerator<string>, makeRoom: () => void): Promise<void> {
  for await (const piece of pieces) {
    makeRoom();
    if (!process.stdout.write(escapeAllButColours(piece))) await once(process.stdout, 'drain');
  }
}
