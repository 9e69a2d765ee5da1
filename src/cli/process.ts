// Sets up the process: the context of the command, signal handlers, the exit code. Loads the argument parser and the commands only when
// needed, to start quickly.

import { instantOf } from '../catalogue/instant.ts';
import { EXIT } from './exit-codes.ts';
import type { CommandContext } from './context.ts';
import { terminalOn } from './output/terminal.ts';
import { ignoreClosedReader, versionOfPackage } from './version.ts';

async function main(argv: readonly string[]): Promise<number> {
  const environment = (name: string): string | undefined => process.env[name];
  const context: CommandContext = {
    terminal: terminalOn(process.stdout, process.stderr, environment),
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
  return runProgram(argv, context);
}

for (const stream of [process.stdout, process.stderr]) ignoreClosedReader(stream);

// Not process.exit(): that would lose output that is still being written to a pipe.
process.exitCode = await main(process.argv.slice(2));
