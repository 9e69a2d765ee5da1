// The value of a setting that is in force, and where it comes from: its flag, its environment
// variable, the file, or its default, in this order.

import type { CommandContext } from '../context.ts';
import type { AppliedSettings, InForce, SettingsFile, Source } from './applied-settings.ts';
import type { Setting } from './settings.ts';

/** What the file says, for a command without the flag of that setting. */
export function valueInFile<Value>(setting: Setting<string, Value>, { file }: AppliedSettings): Value | undefined {
  return file?.values.get(setting)?.value as Value | undefined;
}

/** The value that is in force where the flag is not given; null for the default. */
export function settingInForce(
  setting: Setting,
  file: SettingsFile | null,
  environment: CommandContext['environment'],
): InForce | null {
  const { variable, form } = setting;
  const given = variable === undefined ? '' : (environment(variable) ?? '');
  if (variable !== undefined && given !== '') {
    const value = form === 'switch' ? given === 'yes' : given;
    return { source: { kind: 'environment', variable }, value, json: value };
  }
  const found = file?.values.get(setting);
  if (file === null || found === undefined) return null;
  return { ...found, source: { kind: 'file', file, line: found.line } };
}

/** `flag`, `PLAYBILL_OUT`, `playbill.json:7` or `default`. */
export function sourceText(source: Source): string {
  if (source.kind === 'environment') return source.variable;
  return source.kind === 'file' ? `${source.file.path}:${source.line}` : source.kind;
}

/** The value of a setting as it may be shown: as it is typed, without what may be secret. */
export function shownText({ shown }: Setting, { json }: InForce): string {
  if (json === null) return '';
  const text = typeof json === 'object' ? json.join(',') || 'none' : String(json);
  return shown === undefined ? text : shown(text);
}

/** For a message that is about a path or an address: where in the file it stands. */
export function settingsNamedIn(message: string, { inForce }: AppliedSettings): readonly string[] {
  const words = message.split(/[\s,;"]+|:(?=\s|$)/);
  return [...inForce].flatMap(([setting, found]) => {
    const text = shownText(setting, found);
    const isNamed = words.some((word) => word === text || word.startsWith(`${text}/`));
    const isAddress = setting.isPath !== undefined && found.source.kind === 'file';
    return isAddress && isNamed ? [`${text} is ${setting.key} in ${sourceText(found.source)}`] : [];
  });
}
