// Sets up the process: the context of the command, the exit code. Loads the argument parser and the
// commands only when needed, to start quickly.

import { instantOf } from '../catalogue/instant.ts';
import { EXIT } from './exit-codes.ts';
import type { CommandContext } from './context.ts';
import { outputError, standardOutput } from './output/standard-output.ts';
import { errorMessage } from './output/messages.ts';
import { terminalOn } from './output/terminal.ts';
import { NO_SETTINGS } from './settings/applied-settings.ts';
import { versionOfPackage } from './version.ts';

async function main(argv: readonly string[]): Promise<number> {
  const environment = (name: string): string | undefined => process.env[name];
  const stdout = standardOutput();
  // Output or a message that cannot be written does not stop the work. That output was cut off is
  // said at the end.
  for (const stream of [stdout, process.stderr]) stream.on('error', () => undefined);
  const context: CommandContext = {
    terminal: terminalOn(stdout, process.stderr, environment),
    now: () => instantOf(Math.floor(Date.now() / 1000)),
    clock: () => Date.now() / 1000,
    environment,
    settingsFolders: [
      { folder: '.', mayRunCommands: false },
      { folder: '/etc/playbill', mayRunCommands: true },
    ],
    // Where there are no users, every file is taken for one's own.
    userId: process.geteuid?.() ?? 0,
    readsSettingsFile: true,
    settings: NO_SETTINGS,
    processId: String(process.pid),
    toolVersion: versionOfPackage(),
    onInterrupt,
    tzdata: process.versions['tz'] ?? 'unknown',
    isWriting: false,
    exitCode: EXIT.done,
  };
  const { runProgram } = await import('./program.ts');
  const exitCode = await runProgram(argv, context);
  const failure = outputError(stdout);
  if (failure === null) return exitCode;
  context.terminal.log(errorMessage(failure));
  return context.isWriting ? EXIT.notWritten : failure.exitCode;
}

let interrupted: ((signal: NodeJS.Signals) => void) | null = null;

/**
 * Most commands have nothing to clean up: writes are ordered so that the tree is whole at any
 * instant. The lock of a folder ends with the process, the lease of a bucket by itself. One
 * listener stays while one act replaces another: a signal that came while there is none for a
 * moment would be lost.
 */
function onInterrupt(act: ((signal: NodeJS.Signals) => void) | null): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    if (act === null) process.removeListener(signal, interrupt);
    else if (interrupted === null) process.once(signal, interrupt);
  }
  interrupted = act;
}

function interrupt(signal: NodeJS.Signals): void {
  const act = interrupted;
  onInterrupt(null);
  act?.(signal);
}

// Not process.exit(): that would lose output that is still being written to a pipe.
process.exitCode = await main(process.argv.slice(2));
