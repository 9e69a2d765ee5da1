// What a command has got from the file of settings and elsewhere, for its context.

import type { Setting } from './settings.ts';

/** A value as it stands in the file. */
export type SettingJson = string | number | readonly string[] | boolean;

/** The name of the file where it is looked for. */
export const SETTINGS_FILE = 'playbill.json';

/** A value of the file, as the flag would have it. */
export interface FileValue {
  readonly line: number;
  /** As it stands there, but for a path, which is as the current folder sees it. */
  readonly json: SettingJson;
  readonly value: unknown;
}

export interface SettingsFile {
  readonly path: string;
  /** Whether its commands may run: it was named, or lies in the system's folder. */
  readonly mayRunCommands: boolean;
  readonly values: ReadonlyMap<Setting, FileValue>;
}

export type Source =
  | { readonly kind: 'flag' | 'default' }
  | { readonly kind: 'environment'; readonly variable: string }
  | { readonly kind: 'file'; readonly file: SettingsFile; readonly line: number };

export interface InForce {
  readonly source: Source;
  /** As the command uses it; undefined without a default. */
  readonly value: unknown;
  /** As it would stand in the file; null without a default. */
  readonly json: SettingJson | null;
}

/** The file that a command has read, if there is one, and its settings. */
export interface AppliedSettings {
  readonly file: SettingsFile | null;
  readonly inForce: ReadonlyMap<Setting, InForce>;
}

export const NO_SETTINGS: AppliedSettings = { file: null, inForce: new Map() };
