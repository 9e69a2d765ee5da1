// `playbill config`: prints every setting and where it comes from.

import { join } from 'node:path';
import type { ConfigResultJson } from '../../../contract/results/config.ts';
import type { PlaybillCommand } from '../../command.ts';
import type { CommandContext } from '../../context.ts';
import { addConfigInit } from './init.ts';
import { tableText } from '../../output/table.ts';
import type { Terminal } from '../../output/terminal.ts';
import { SETTINGS_FILE, type InForce } from '../../settings/applied-settings.ts';
import { shownText, sourceText } from '../../settings/in-force.ts';
import { isThere } from '../../settings/settings-file.ts';
import { flagOf, type Setting } from '../../settings/settings.ts';

export function addConfigCommand(program: PlaybillCommand): void {
  const config = program
    .command('config')
    .summary('print every setting and where it comes from; write their file')
    .description(
      'Prints the value of every setting, and where it comes from: a flag, an environment variable, a line of the file, or the default. ' +
        'The file is the one that --config or PLAYBILL_CONFIG names, else playbill.json in this folder, else /etc/playbill/playbill.json.',
    );
  config
    .allSettings()
    .listsSettings()
    .jsonFlag()
    .helpBelow(`
Examples:
  playbill config
  playbill config --config /srv/playbill.json           with that file
  playbill config init --horizon 24h                    write playbill.json

Paths in the file are relative to the file. It holds no secret: what needs one names an environment variable. Of hooks,
only the host is printed, because the rest may hold a token.

The file must belong to you or to root, and nobody else may be able to change it. Commands in it run only if it was
named, or lies in /etc/playbill.

Exit codes: 0 printed, 2 wrong usage, or a file that cannot be used.`)
    .runs(async (flags, context) => {
      const json = listedSettings(context);
      context.terminal.print(flags.json === true ? JSON.stringify(json) : listText(json, context.terminal));
    });
  addConfigInit(config);
}

function listedSettings({ settings: { file, inForce }, settingsFolders }: CommandContext): ConfigResultJson {
  const found = settingsFolders.filter(isThere).map(({ folder }) => join(folder, SETTINGS_FILE));
  const ignored = found.filter((path) => path !== file?.path);
  const settings = [...inForce].map(([setting, one]) => ({
    key: setting.key,
    flag: flagOf(setting),
    value: shownValue(setting, one),
    source: sourceText(one.source),
  }));
  return { file: file?.path ?? null, ignored, settings };
}

function shownValue(setting: Setting, found: InForce): ConfigResultJson['settings'][number]['value'] {
  const { json } = found;
  if (json === null || typeof json === 'boolean') return json;
  return typeof json === 'object' ? [...json] : shownText(setting, found);
}

function listText({ file, ignored, settings }: ConfigResultJson, terminal: Terminal): string {
  const rows = settings.map(({ key, value, source }) => {
    const text = Array.isArray(value) ? value.join(', ') || 'none' : String(value ?? '-');
    return [key, text === '' ? '-' : text, source];
  });
  return [
    tableText(['setting', 'value', 'from'], rows, terminal),
    '',
    file === null ? 'There is no file of settings; write one: playbill config init' : `File: ${file}`,
    ...ignored.map((path) => `Not read: ${path}`),
  ].join('\n');
}
