// Whole commands in the test's own process, with what they print and log. Only for what goes through the terminal: not for streams.

import { runProgram } from '../../../src/cli/program.ts';
import type { CommandContext } from '../../../src/cli/context.ts';
import { testContext } from './parser.ts';

export interface Output {
  readonly code: number;
  /** What went to stdout. */
  readonly printed: string;
  /** What went to stderr. */
  readonly logged: string;
}

export async function outputOf(argv: readonly string[], changes: Partial<CommandContext> = {}): Promise<Output> {
  const printed: string[] = [];
  const logged: string[] = [];
  const context = { ...testContext(printed), ...changes };
  const terminal = { ...context.terminal, log: (text: string) => void logged.push(text) };
  const code = await runProgram(argv, { ...context, terminal });
  return { code, printed: printed.join('\n'), logged: logged.join('\n') };
}
