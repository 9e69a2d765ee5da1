// Finds and reads playbill.json. What is wrong in it is refused with its line, whatever command
// reads it; so is a file that somebody else could have written or changed.

import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError, messageOf, shellWord, systemCodeOf } from '../../errors.ts';
import type { CommandContext, SettingsFolder } from '../context.ts';
import { SETTINGS_FILE, type SettingsFile } from './applied-settings.ts';
import { followPath } from './safe-path.ts';
import { valuesInFile } from './values-in-file.ts';

/**
 * The file in force: the named one, else the first in a folder where it is looked for.
 * @throws AppError settings-unreadable, settings-unsafe, settings-invalid
 */
export async function settingsFile(named: string | undefined, context: CommandContext): Promise<SettingsFile | null> {
  const variable = context.environment('PLAYBILL_CONFIG') || undefined;
  if (named !== undefined) return readFile(named, '--config', true, context);
  if (variable !== undefined) return readFile(variable, 'PLAYBILL_CONFIG', true, context);
  const found = context.settingsFolders.find(isThere);
  return found === undefined ? null : readFile(join(found.folder, SETTINGS_FILE), null, found.mayRunCommands, context);
}

/** Whether there is a file in the folder; also a link that leads nowhere, which is an error. */
export function isThere({ folder, mayRunCommands }: SettingsFolder): boolean {
  try {
    return lstatSync(join(folder, SETTINGS_FILE), { throwIfNoEntry: false }) !== undefined;
  } catch {
    // The current folder may be closed to this user, as root's is after `sudo -u playbill`. That of
    // the system should not be: reading it says so.
    return mayRunCommands;
  }
}

/** `by`: what named the file; null if it was found. */
async function readFile(
  path: string,
  by: string | null,
  mayRunCommands: boolean,
  { userId, toolVersion }: CommandContext,
): Promise<SettingsFile> {
  return { path, mayRunCommands, values: await valuesInFile(path, textOf(path, by, userId), toolVersion) };
}

function textOf(path: string, by: string | null, userId: number): string {
  let descriptor: number | null = null;
  try {
    const { real, unsafe } = followPath(path, userId);
    if (unsafe !== null) {
      const what = unsafe.path === real ? path : `${path}: ${unsafe.path}`;
      const message = `expected a file of settings that only you and root can change, found that ${what} ${unsafe.found}`;
      const remedy = `${unsafe.remedy} ${shellWord(unsafe.path === real ? path : unsafe.path)}`;
      throw new AppError(
        'settings-unsafe',
        message,
        `if you trust what is in it: ${remedy}; otherwise name another: --config FILE`,
      );
    }
    // Without waiting for the writer of a pipe.
    descriptor = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!fstatSync(descriptor).isFile()) throw new Error('something that is not a file');
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(descriptor));
  } catch (error) {
    if (error instanceof AppError) throw error;
    const isMissing = systemCodeOf(error) === 'ENOENT';
    const found = isMissing ? 'none' : error instanceof TypeError ? 'bytes that are not UTF-8' : messageOf(error);
    const hint = isMissing
      ? `write one: playbill config init --config ${shellWord(path)}`
      : 'check the path, its owner and permissions';
    const message = `${by === null ? '' : `${by}: `}expected a file of settings at ${path}, found ${found}`;
    throw new AppError('settings-unreadable', message, hint, error);
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

/**
 * Writes a new file of settings, which nobody else can change.
 * @throws AppError settings-invalid, settings-not-writable
 */
export async function writeSettingsFile(
  path: string,
  values: ReadonlyMap<string, unknown>,
  toolVersion: string,
): Promise<void> {
  const json: Record<string, unknown> = { $schema: 'urn:playbill:schema:playbill' };
  for (const [key, value] of values) {
    const [group = '', name] = key.split('.');
    json[group] = name === undefined ? value : { ...(json[group] as object | undefined), [name]: value };
  }
  const text = `${JSON.stringify(json, null, 2)}\n`;
  await valuesInFile(path, text, toolVersion);
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o644 });
  } catch (error) {
    const isThere = systemCodeOf(error) === 'EEXIST';
    const message = `expected to write a new file of settings at ${path}, found: ${isThere ? 'one is there' : messageOf(error)}`;
    const hint = isThere
      ? 'change that one, or name another: --config FILE'
      : `make its folder, with: mkdir -p ${shellWord(dirname(path))}`;
    throw new AppError('settings-not-writable', message, hint, error);
  }
}
