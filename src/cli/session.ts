// What a command gets from the process it runs in: the clock, versions, the terminal. Nothing below cli/ asks for them itself.

import type { Instant } from '../catalogue/instant.ts';
import type { Terminal } from './terminal.ts';

export interface Session {
  readonly terminal: Terminal;
  /** The current time, floored to whole seconds. */
  readonly now: () => Instant;
  readonly toolVersion: string;
  /** Version of the time-zone rules. */
  readonly tzdata: string;
  /** What the process will exit with. */
  exitCode: number;
}
