// How messages and hints show the value of `--db`, and whether there is a catalogue to open.

import { existsSync } from 'node:fs';
import { isAddress } from '../database/postgres/address.ts';

export { displayAddress as databaseText } from '../database/postgres/address.ts';

/** Whether there is something to open. True for any server: only opening it shows whether it is there. */
export function mayBeOpened(databasePath: string): boolean {
  return isAddress(databasePath) || existsSync(databasePath);
}
