// What a command gets from its process: clock, environment, versions, terminal. Nothing below cli/
// accesses them directly.

import type { Instant } from '../catalogue/instant.ts';
import type { Terminal } from './output/terminal.ts';
import type { AppliedSettings } from './settings/applied-settings.ts';

/** A folder in which playbill.json is looked for. */
export interface SettingsFolder {
  readonly folder: string;
  /** Whether commands in that file may run although nobody has named it. */
  readonly mayRunCommands: boolean;
}

export interface CommandContext {
  terminal: Terminal;
  /** The current time, floored to whole seconds. */
  readonly now: () => Instant;
  /** The current time in seconds since 1970, with its fraction. */
  readonly clock: () => number;
  /** Reads an environment variable. */
  readonly environment: (name: string) => string | undefined;
  /**
   * Calls `act` at the next Ctrl-C or SIGTERM; with null, the system ends the process. Only for
   * what must happen then: while SQLite works, no code of ours runs, and the process would be deaf.
   */
  readonly onInterrupt: (act: ((signal: NodeJS.Signals) => void) | null) => void;
  /** Where playbill.json is looked for, if it is not named. */
  readonly settingsFolders: readonly SettingsFolder[];
  /** Whether commands read it at all. */
  readsSettingsFile: boolean;
  /** The id of the user whose rights the process has. */
  readonly userId: number;
  /** What the running command has got from elsewhere than its flags. */
  settings: AppliedSettings;
  /** Distinguishes this process's temporary files from another's. */
  readonly processId: string;
  readonly toolVersion: string;
  /** Version of the time-zone rules. */
  readonly tzdata: string;
  /** Whether the command writes more than its output. */
  isWriting: boolean;
  exitCode: number;
}
