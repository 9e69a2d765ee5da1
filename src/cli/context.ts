// What a command gets from the process it runs in: the clock, versions, the terminal. Nothing below cli/ asks for them itself.

import type { Instant } from '../catalogue/instant.ts';
import type { Terminal } from './output/terminal.ts';

export interface CommandContext {
  terminal: Terminal;
  /** The current time, floored to whole seconds. */
  readonly now: () => Instant;
  /** The current time in seconds since 1970, with its fraction. */
  readonly clock: () => number;
  /** An environment variable: where secrets of hmac keys are kept. */
  readonly environment: (name: string) => string | undefined;
  /** What Ctrl-C or SIGTERM does from now on, in place of ending the process by the signal. */
  onInterrupt: (() => void) | null;
  /** What is said where a signal ends the process: behind its name, what stands by then, if the command writes. */
  interruptedText: string;
  /** Distinguishes this process's temporary files from another's. */
  readonly processId: string;
  readonly toolVersion: string;
  /** Version of the time-zone rules. */
  readonly tzdata: string;
  /** What the process will exit with. */
  exitCode: number;
}
