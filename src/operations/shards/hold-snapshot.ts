// Holds one state of a catalogue on a server, so that shards that start at different moments read the same rows.

import { holdSnapshot, type HeldSnapshot } from '../../database/open.ts';

/** Holds the present state until disposed. @throws AppError database-…; usage for an SQLite file */
export function holdState(databasePath: string): Promise<HeldSnapshot> {
  return holdSnapshot(databasePath);
}
