// A plain folder of files, such as a deployable edge rule: no tree, no lock, nothing that a reader looks at meanwhile.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { treeError } from './tree-error.ts';

/** Writes a folder of files, over what was there under the same names. @throws AppError tree-not-writable, tree-full */
export function writeFolder(folder: string, files: readonly (readonly [name: string, text: string])[]): void {
  try {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
  } catch (error) {
    throw treeError(folder, error);
  }
}
