// `playbill config init`: writes the file of settings.

import { dirname, join, resolve } from 'node:path';
import type { Manifest } from '../../../contract/manifest.ts';
import type { ConfigInitResultJson } from '../../../contract/results/config.ts';
import { AppError, shellWord } from '../../../errors.ts';
import type { PlaybillCommand } from '../../command.ts';
import { isCommand } from '../../hook-argument.ts';
import { errorMessage } from '../../output/messages.ts';
import { durationText, type Terminal } from '../../output/terminal.ts';
import { SETTINGS_FILE, type InForce } from '../../settings/applied-settings.ts';
import { SETTINGS, type Setting } from '../../settings/settings.ts';

export function addConfigInit(config: PlaybillCommand): void {
  const init = config
    .command('init')
    .summary('write the file of settings')
    .description(
      'Writes playbill.json with the flags that are given and the variables that are set, and for the rest with what the current release ' +
        'of the tree was built with, or the default. Does not overwrite a file.',
    );
  init
    .allSettings()
    .flag('--config <file>', 'the file to write (default: PLAYBILL_CONFIG, or playbill.json in this folder)')
    .withoutFile()
    .listsSettings()
    .jsonFlag()
    .helpBelow(`
Examples:
  playbill config init
  playbill config init --db /srv/catalogue.sqlite --out /srv/out --horizon 24h
  playbill config init --config /etc/playbill/playbill.json --precompress gzip

A path that is typed relative to this folder is written so that it means the same in the file.

Exit codes: 0 written, 2 wrong usage, a secret, or a file that exists already or cannot be written.`)
    .runs(async (flags, context) => {
      const { terminal, settings, environment } = context;
      const here = join(context.settingsFolders[0]?.folder ?? '.', SETTINGS_FILE);
      const path = flags.config ?? (environment('PLAYBILL_CONFIG') || here);
      const values = writtenValues(
        settings.inForce,
        await currentManifest(String(settings.inForce.get(SETTINGS.out)?.value), terminal),
        dirname(path),
      );
      const { settingsFile, writeSettingsFile } = await import('../../settings/settings-file.ts');
      await writeSettingsFile(path, values, context.toolVersion);
      const json: ConfigInitResultJson = { file: path, keys: [...values.keys()] };
      terminal.print(flags.json === true ? JSON.stringify(json) : `Wrote ${path}; look at it with: playbill config`);
      try {
        await settingsFile(path, context);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        terminal.log(errorMessage(error, 'warning'));
      }
      if ([...settings.inForce.values()].some(({ value }) => isCommand(value)))
        terminal.log({
          level: 'note',
          message: `its commands run only if it is named: export PLAYBILL_CONFIG=${shellWord(resolve(path))}`,
        });
    });
}

/** The manifest of the current release; null where there is none, or it cannot be read. */
async function currentManifest(out: string, terminal: Terminal): Promise<Manifest | null> {
  const { openNamedRelease } = await import('../../../operations/diff.ts');
  try {
    return (await openNamedRelease('current', out)).manifest;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code !== 'tree-missing')
      terminal.log({ level: 'note', message: `nothing is taken from the tree: ${error.message}` });
    return null;
  }
}

/** Written even if nobody has asked for them: they are what a build is about. */
const ALWAYS: readonly Setting[] = [
  SETTINGS.db,
  SETTINGS.out,
  SETTINGS.horizon,
  SETTINGS.precompress,
  SETTINGS.maxShrink,
  SETTINGS.maxBad,
];

/** What to write, by key. */
function writtenValues(
  inForce: ReadonlyMap<Setting, InForce>,
  current: Manifest | null,
  folder: string,
): ReadonlyMap<string, unknown> {
  const found = new Map<Setting, unknown>();
  if (current !== null)
    found.set(SETTINGS.horizon, durationText(current.horizonSeconds)).set(SETTINGS.precompress, current.precompress);
  const isElsewhere = resolve(folder) !== resolve('.');
  const written = [...inForce].flatMap(([setting, { source, json }]) => {
    const isAsked = source.kind !== 'default';
    if (!isAsked && !ALWAYS.includes(setting)) return [];
    const value = isAsked ? json : (found.get(setting) ?? json);
    const isPath = typeof value === 'string' && setting.isPath?.(value) === true;
    return [[setting.key, isPath && isElsewhere ? resolve(value) : value] as const];
  });
  return new Map(written);
}
