// Folders for one test file, removed after it.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const folders: string[] = [];

// At the top level of whoever imports this: after the servers of its suites have stopped.
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A fresh folder that every user of the machine may read: nginx drops its privileges before it reads. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'playbill-edge-'));
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}
