// Sets up the process: the context of the command, signal handlers, the exit code. Loads the argument parser and the commands only when
// needed, to start quickly.

import { instantOf } from '../catalogue/instant.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import type { CommandContext } from './context.ts';
import { outputError, standardOutput } from './output/standard-output.ts';
import { errorText, terminalOn } from './output/terminal.ts';
import { versionOfPackage } from './version.ts';

async function main(argv: readonly string[]): Promise<number> {
  const environment = (name: string): string | undefined => process.env[name];
  const stdout = standardOutput();
  // Output or a message that cannot be written does not stop the work. That output was cut off is said at the end.
  for (const stream of [stdout, process.stderr]) stream.on('error', () => undefined);
  const context: CommandContext = {
    terminal: terminalOn(stdout, process.stderr, environment),
    now: () => instantOf(Math.floor(Date.now() / 1000)),
    clock: () => Date.now() / 1000,
    environment,
    processId: String(process.pid),
    toolVersion: versionOfPackage(),
    onInterrupt: null,
    interruptedText: '',
    tzdata: process.versions['tz'] ?? 'unknown',
    exitCode: EXIT.done,
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      if (context.onInterrupt !== null) {
        context.onInterrupt();
        return;
      }
      // Nothing to clean up: writes are ordered so that the tree is whole at any instant. The lock of a folder ends with the process, the lease
      // of a bucket by itself.
      context.terminal.log(`interrupted by ${signal}${context.interruptedText}`);
      process.kill(process.pid, signal);
    });
  }
  const { runProgram } = await import('./program.ts');
  const exitCode = await runProgram(argv, context);
  const failure = outputError(stdout);
  if (failure === null) return exitCode;
  context.terminal.log(errorText(failure));
  const isWriting = context.interruptedText !== '';
  return isWriting ? EXIT.notWritten : exitCodeOf(failure.code);
}

// Not process.exit(): that would lose output that is still being written to a pipe.
process.exitCode = await main(process.argv.slice(2));
