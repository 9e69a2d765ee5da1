// Flags that set a setting.

import { Option } from 'commander';
import type { Setting } from './settings.ts';

/** A flag that sets a setting. */
export class SettingOption extends Option {
  readonly setting: Setting;
  /** The value of the flag, made of that of the setting. */
  take = (value: unknown): unknown => value;
  /** Whether the file may set it. */
  isInFile = true;
  /** What was typed last, where a parser has made something else of it. */
  typed: string | undefined;

  constructor(setting: Setting, text: string, term = setting.term) {
    super(term, text);
    this.setting = setting;
  }
}

/** The flag as the setting declares it, without its default. */
export function settingOption(setting: Setting, text: string): SettingOption {
  const option = new SettingOption(setting, text);
  const { rule, choices } = setting;
  if (typeof rule === 'object') return option.choices(rule.map(String));
  if (choices !== undefined) option.choices(choices);
  if (rule === undefined) return option;
  return option.argParser((given: string) => {
    option.typed = given;
    return rule(given, option.long ?? '');
  });
}

/** The flag with its default. */
export function withPreset(option: SettingOption, preset: string): SettingOption {
  const { rule } = option.setting;
  return typeof rule === 'function' ? option.default(rule(preset, option.long ?? ''), preset) : option.default(preset);
}
