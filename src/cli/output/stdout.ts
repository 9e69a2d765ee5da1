// Prints results that are too large for memory, as fast as the reader accepts them.

import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { systemCodeOf } from '../../errors.ts';
import { escapeAllButColours } from './escape.ts';

/** An output stream that may be a terminal. */
export interface Output extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  /** Why it can no longer be written. */
  readonly errored?: Error | null;
  /** Its width, if it is one. */
  readonly columns?: number;
}

/**
 * Writes pieces of text to stdout: escaped on a terminal, unchanged elsewhere. On a terminal, calls
 * `makeRoom` before each piece to remove a progress bar. Stops early, without an error, when the
 * reader closes the pipe (`… | head`) or stdout fails in another way, which it keeps.
 * @returns whether everything was written
 */
export async function printAll(stdout: Output, pieces: AsyncGenerator<string>, makeRoom: () => void): Promise<boolean> {
  try {
    if (stdout.isTTY === true) await showAll(stdout, pieces, makeRoom);
    else await pipeline(Readable.from(pieces), stdout, { end: false });
    return true;
  } catch (error) {
    if (error !== stdout.errored && systemCodeOf(error) !== 'EPIPE') throw error;
    return false;
  } finally {
    // The stream would close its source only later. Close it now, with whatever it has open.
    await pieces.return(undefined);
  }
}

async function showAll(stdout: Output, pieces: AsyncGenerator<string>, makeRoom: () => void): Promise<void> {
  for await (const piece of pieces) {
    makeRoom();
    if (!stdout.write(escapeAllButColours(piece))) await once(stdout, 'drain');
  }
}
