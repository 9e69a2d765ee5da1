// Gives the flags of a command that were not typed their values from the environment or the file,
// and refuses what must not be done with them.

import { resolve } from 'node:path';
import type { Command } from 'commander';
import { AppError, shellWord } from '../../errors.ts';
import type { CommandContext } from '../context.ts';
import { isCommand, isUrl } from '../hook-argument.ts';
import type { InForce, SettingJson, SettingsFile } from './applied-settings.ts';
import { settingInForce, shownText, sourceText } from './in-force.ts';
import { SettingOption } from './setting-option.ts';
import { flagOf, SETTINGS, type Setting } from './settings.ts';

export function settingOptions(command: Command): readonly SettingOption[] {
  return command.options.filter((option) => option instanceof SettingOption);
}

/** @returns the settings that have a flag in this command */
export function applySettings(
  command: Command,
  file: SettingsFile | null,
  environment: CommandContext['environment'],
): ReadonlyMap<Setting, InForce> {
  const isOtherTarget = namesOtherTarget(command, file);
  const inForce = (option: SettingOption): InForce => {
    const { setting } = option;
    const name = option.attributeName();
    const isInFile = option.isInFile && !(isOtherTarget && setting.isOfTarget === true);
    const value: unknown = command.getOptionValue(name);
    const jsonOf = (typed: string | undefined): SettingJson | null =>
      (setting.form === undefined ? typed : (value as SettingJson | undefined)) ?? null;
    if (command.getOptionValueSource(name) === 'cli')
      return { source: { kind: 'flag' }, value, json: jsonOf(option.typed ?? String(value)) };
    const found = settingInForce(setting, isInFile ? file : null, environment);
    if (found === null) return { source: { kind: 'default' }, value, json: jsonOf(setting.preset) };
    command.setOptionValueWithSource(name, option.take(found.value), 'config');
    return found;
  };
  return new Map(settingOptions(command).map((option) => [option.setting, inForce(option)]));
}

/**
 * Whether --target names another target than the file: what the file says about its own must not
 * apply to that one.
 */
function namesOtherTarget(command: Command, file: SettingsFile | null): boolean {
  const target = file?.values.get(SETTINGS.target)?.value;
  if (target === undefined || command.getOptionValueSource('target') !== 'cli') return false;
  return command.getOptionValue('target') !== target;
}

/** @throws AppError settings-mixed, settings-unsafe, usage */
export function refuseSettings(
  settings: ReadonlyMap<Setting, InForce>,
  environment: CommandContext['environment'],
): void {
  refuseMixed(SETTINGS.db, SETTINGS.out, settings);
  refuseMixed(SETTINGS.out, SETTINGS.db, settings);
  for (const [setting, found] of settings) refuseFoundCommand(setting, found);
  for (const { hook, token } of HOOKS) {
    const variable = settings.get(token)?.value;
    if (!isUrl(settings.get(hook)?.value) || typeof variable !== 'string' || environment(variable)) continue;
    const message = `${flagOf(token)}: expected a token in the environment variable ${variable}, found none`;
    throw new AppError('usage', message, `set it: export ${variable}='the token'`);
  }
}

const HOOKS = [
  { hook: SETTINGS.onPublish, token: SETTINGS.onPublishTokenEnv },
  { hook: SETTINGS.onFailure, token: SETTINGS.onFailureTokenEnv },
  { hook: SETTINGS.onChange, token: SETTINGS.onChangeTokenEnv },
];

/**
 * Refuses to take one from the file where the other was given, unless it is that of the file: a trial
 * catalogue must not be published into the tree of the file.
 */
function refuseMixed(one: Setting, other: Setting, settings: ReadonlyMap<Setting, InForce>): void {
  const [given, kept] = [settings.get(one), settings.get(other)];
  if (kept?.source.kind !== 'file' || given === undefined || /^(file|default)$/.test(given.source.kind)) return;
  if (isSameAddress(given.value, kept.source.file.values.get(one)?.value)) return;
  const name = given.source.kind === 'flag' ? flagOf(one) : sourceText(given.source);
  const where = `in ${sourceText(kept.source)} alone, where it goes with another ${flagOf(one)}`;
  throw new AppError(
    'settings-mixed',
    `expected ${flagOf(other)} with ${name}, found it ${where}`,
    `type it as well; that of the file is ${flagOf(other)} ${shellWord(shownText(other, kept))}`,
  );
}

/** Whether both are the same path or address; links are not followed. */
function isSameAddress(typed: unknown, inFile: unknown): boolean {
  return typeof typed === 'string' && typeof inFile === 'string' && resolve(typed) === resolve(inFile);
}

/** Whoever can put a file into a folder must not run commands as the next one who builds there. */
function refuseFoundCommand(setting: Setting, { source, value }: InForce): void {
  if (source.kind !== 'file' || source.file.mayRunCommands || !isCommand(value)) return;
  throw new AppError(
    'settings-unsafe',
    `${sourceText(source)}: ${setting.key}: expected a URL, because nobody has named this file, found a command`,
    `if it is yours, name it: --config ${shellWord(source.file.path)}, or PLAYBILL_CONFIG; or install it as /etc/playbill/playbill.json`,
  );
}
