// What `--db` names, in messages and hints; and whether it may be asked.

import { existsSync } from 'node:fs';
import { isAddress } from '../database/postgres/address.ts';

export { displayAddress as databaseText } from '../database/postgres/address.ts';

/** Whether there is something to open. Of a server that is found out by opening it. */
export function mayBeOpened(databasePath: string): boolean {
  return isAddress(databasePath) || existsSync(databasePath);
}
