#!/usr/bin/env node
// The command line: dispatches to one file per command, and turns whatever is thrown into a coded line and an exit code.

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Command, CommanderError } from 'commander';
import { instantOf } from '../catalogue/instant.ts';
import { AppError } from '../errors.ts';
import { addBuildCommand } from './build-command.ts';
import { addCheckDbCommand } from './check-db-command.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { addEdgeCommand } from './edge-command.ts';
import { addExportCommand } from './export-command.ts';
import { addImportCommand } from './import-command.ts';
import { addKeysCommand } from './keys-command.ts';
import { addServeCommand } from './serve-command.ts';
import type { Session } from './session.ts';
import { addShowCommand } from './show-command.ts';
import { addSignCommand } from './sign-command.ts';
import { errorText, processTerminal } from './terminal.ts';
import { addVerifyCommand } from './verify-command.ts';

function programOf(session: Session): Command {
  const program = new Command('playbill')
    .description(
      'Presses a ticketing catalogue into static JSON, per storefront, that is right at the moment of every request.',
    )
    .version(session.toolVersion, '--version', 'print the version')
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
    .showSuggestionAfterError(true)
    .enablePositionalOptions();
  addBuildCommand(program, session);
  addVerifyCommand(program, session);
  addShowCommand(program, session);
  addCheckDbCommand(program, session);
  addImportCommand(program, session);
  addExportCommand(program, session);
  addKeysCommand(program, session);
  addSignCommand(program, session);
  addServeCommand(program, session);
  addEdgeCommand(program, session);
  return program;
}

async function main(words: readonly string[]): Promise<number> {
  const session: Session = {
    terminal: processTerminal(),
    now: () => instantOf(Math.floor(Date.now() / 1000)),
    clock: () => Date.now() / 1000,
    environment: (name) => process.env[name],
    cores: availableParallelism(),
    toolVersion: versionOfPackage(),
    onInterrupt: null,
    tzdata: process.versions['tz'] ?? 'unknown',
    exitCode: EXIT.done,
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      if (session.onInterrupt !== null) {
        session.onInterrupt();
        return;
      }
      // Every write is ordered so that the tree is whole at any instant: there is nothing to finish, the lock dies with us.
      session.terminal.say(`interrupted by ${signal}: what was published stands; run the same command again to finish`);
      process.kill(process.pid, signal);
    });
  }
  try {
    await programOf(session).parseAsync([...words], { from: 'user' });
    return session.exitCode;
  } catch (thrown) {
    return report(thrown, words, session);
  }
}

function report(thrown: unknown, words: readonly string[], { terminal }: Session): number {
  // Help and version are no errors to us, though they are to the argument parser.
  if (thrown instanceof CommanderError && thrown.exitCode === 0) return EXIT.done;
  if (thrown instanceof CommanderError && thrown.code === 'commander.help') return EXIT.usage;
  const error = thrown instanceof CommanderError ? usageError(thrown, words) : thrown;
  if (error instanceof AppError) {
    if (words.includes('--json')) {
      const { code, message, hint } = error;
      terminal.print(JSON.stringify({ error: { code, message, hint } }));
    }
    terminal.say(errorText(error));
    return exitCodeOf(error.code);
  }
  terminal.say(
    `error bug: this should not happen: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
  terminal.say('  hint: what was published stands; please report the lines above');
  return EXIT.bug;
}

function usageError(error: CommanderError, words: readonly string[]): AppError {
  const [command = '', subcommand = ''] = words;
  const isNested =
    ['keys', 'edge'].includes(command) && /^[a-z]/.test(subcommand) && error.code !== 'commander.unknownCommand';
  const isKnown = !command.startsWith('-') && command !== '' && error.code !== 'commander.unknownCommand';
  const help = isNested
    ? `playbill ${command} ${subcommand} --help`
    : isKnown
      ? `playbill ${command} --help`
      : 'playbill --help';
  return new AppError('usage', error.message.replace(/^error: /, '').replaceAll('\n', ' '), `see ${help}`);
}

function versionOfPackage(): string {
  const parsed: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof parsed === 'object' && parsed !== null && 'version' in parsed ? String(parsed.version) : 'unknown';
}

// A reader that has seen enough (`playbill … | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// Set, not called: what is still on its way to a pipe gets there.
process.exitCode = await main(process.argv.slice(2));
