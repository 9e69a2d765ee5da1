// Folders that servers read, removed when the last test of the run has ended: the servers of all
// suites have stopped by then.

import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { folderOfRun } from '../compiled.ts';

/**
 * A fresh folder that every user of the machine may read: nginx drops its privileges before it
 * reads.
 */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(folderOfRun(), 'edge-'));
  chmodSync(folder, 0o755);
  return folder;
}
