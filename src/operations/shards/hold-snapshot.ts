// Holds one state of a catalogue on a server, so that shards that begin at different moments read the same.

import { holdSnapshot, type HeldSnapshot } from '../../database/open.ts';

/** The present state, until its disposal. @throws AppError database-…, usage: a file needs none */
export function holdState(databasePath: string): Promise<HeldSnapshot> {
  return holdSnapshot(databasePath);
}
