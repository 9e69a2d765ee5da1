// The real command line inside the test's own process: its parser without the actions, to see what
// a line would be taken for; and whole commands, where a process for each would cost more than what
// they do.

import { Command, CommanderError } from 'commander';
import { PlaybillCommand } from '../../../src/cli/command.ts';
import { programOf, runProgram } from '../../../src/cli/program.ts';
import type { CommandContext } from '../../../src/cli/context.ts';
import { emptyContext } from '../../../scripts/commands.ts';

/** A context whose results go into a list, and everything else nowhere. */
export function testContext(printed: string[] = []): CommandContext {
  const context = emptyContext();
  const print = (text: string): void => void printed.push(text);
  return { ...context, terminal: { ...context.terminal, print, printExact: print } };
}

/**
 * Why the parser refuses a line; null when it takes it. Values are parsed too: instants, durations,
 * choices. `folder` has a file of settings, or there is none.
 */
export async function refusalOf(words: readonly string[], folder: string | null = null): Promise<string | null> {
  // A file that a line names need not be there.
  const settingsFolders = folder === null ? [] : [{ folder, mayRunCommands: true }];
  const program = programOf({ ...testContext(), readsSettingsFile: folder !== null, settingsFolders });
  const disarm = (command: Command): void => {
    if (!(command instanceof PlaybillCommand) || command.isRunnable) command.action(() => undefined);
    for (const child of command.commands) disarm(child.configureOutput({ writeOut: () => undefined }));
  };
  disarm(program.configureOutput({ writeOut: () => undefined }));
  try {
    await program.parseAsync([...words], { from: 'user' });
    return null;
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return null;
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

/** What a command prints by the terminal; nothing of what it streams. */
export async function printedBy(words: readonly string[]): Promise<string> {
  const printed: string[] = [];
  await runProgram(words, testContext(printed));
  return printed.join('\n');
}
