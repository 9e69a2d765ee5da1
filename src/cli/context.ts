// What a command gets from its process: clock, environment, versions, terminal. Nothing below cli/ accesses them directly.

import type { Instant } from '../catalogue/instant.ts';
import type { Terminal } from './output/terminal.ts';

export interface CommandContext {
  terminal: Terminal;
  /** The current time, floored to whole seconds. */
  readonly now: () => Instant;
  /** The current time in seconds since 1970, with its fraction. */
  readonly clock: () => number;
  /** Reads an environment variable. */
  readonly environment: (name: string) => string | undefined;
  /** Called on Ctrl-C or SIGTERM. With null the signal ends the process. */
  onInterrupt: (() => void) | null;
  /** Printed after the signal's name when a signal ends a command that writes: the state of what it wrote. */
  interruptedText: string;
  /** Distinguishes this process's temporary files from another's. */
  readonly processId: string;
  readonly toolVersion: string;
  /** Version of the time-zone rules. */
  readonly tzdata: string;
  exitCode: number;
}
