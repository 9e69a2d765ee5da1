// Commands that find a playbill.json.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandContext } from '../../../src/cli/context.ts';
import { temporaryFolder } from '../trees.ts';
import { outputOf } from './run.ts';

/** A new folder with a file of settings. */
export function settingsFolder(settings: object | string, folder = temporaryFolder()): string {
  mkdirSync(folder, { recursive: true });
  const text = typeof settings === 'string' ? settings : JSON.stringify(settings, null, 2);
  writeFileSync(join(folder, 'playbill.json'), text, { mode: 0o644 });
  return folder;
}

/** Runs a command that looks for playbill.json in this folder alone, as in the current one. */
export function inFolder(folder: string, words: readonly string[], changes: Partial<CommandContext> = {}) {
  return outputOf(words, { settingsFolders: [{ folder, mayRunCommands: false }], ...changes });
}
