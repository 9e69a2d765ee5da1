// All commands and what they take, as one program of the argument parser; and what it refuses, in our words. What a command does
// is loaded when it runs.

import { Command, CommanderError } from 'commander';
import { AppError, driverError } from '../errors.ts';
import { addBuildCommand } from './build-command.ts';
import { addCheckDbCommand } from './check-db-command.ts';
import { addDiffCommand } from './diff-command.ts';
import { addEdgeCommand } from './edge-command.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { addExplainCommand } from './explain-command.ts';
import { addExportCommand } from './export-command.ts';
import { addImportCommand } from './import-command.ts';
import { addKeysCommand } from './keys-command.ts';
import { addNextCommand } from './next-command.ts';
import { addOpenApiCommand } from './openapi-command.ts';
import { addPreviewCommand } from './preview-command.ts';
import { addPruneCommand } from './prune-command.ts';
import { addReleasesCommand } from './releases-command.ts';
import { addRollbackCommand } from './rollback-command.ts';
import { addServeCommand } from './serve-command.ts';
import type { Session } from './session.ts';
import { addShowCommand } from './show-command.ts';
import { addSignCommand } from './sign-command.ts';
import { addStatusCommand } from './status-command.ts';
import { errorText } from './terminal.ts';
import { addVerifyCommand } from './verify-command.ts';

/** Runs the command that the words name. @returns the exit code; nothing is thrown */
export async function runProgram(words: readonly string[], session: Session): Promise<number> {
  try {
    await programOf(session).parseAsync([...words], { from: 'user' });
    return session.exitCode;
  } catch (thrown) {
    return report(thrown, words, session);
  }
}

/** The whole command line as the argument parser knows it: every command with its options, and what they do to a session. */
export function programOf(session: Session): Command {
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
  addNextCommand(program, session);
  addStatusCommand(program, session);
  addDiffCommand(program, session);
  addExplainCommand(program, session);
  addReleasesCommand(program, session);
  addRollbackCommand(program, session);
  addPruneCommand(program, session);
  addCheckDbCommand(program, session);
  addImportCommand(program, session);
  addExportCommand(program, session);
  addKeysCommand(program, session);
  addSignCommand(program, session);
  addServeCommand(program, session);
  addPreviewCommand(program, session);
  addEdgeCommand(program, session);
  addOpenApiCommand(program, session);
  return program;
}

function report(thrown: unknown, words: readonly string[], { terminal }: Session): number {
  // Help and version are no errors to us, though they are to the argument parser.
  if (thrown instanceof CommanderError && thrown.exitCode === 0) return EXIT.done;
  if (thrown instanceof CommanderError && thrown.code === 'commander.help') return EXIT.usage;
  const error = thrown instanceof CommanderError ? usageError(thrown, words) : (driverError(thrown) ?? thrown);
  if (error instanceof AppError) {
    if (words.includes('--json')) {
      const { code, message, details, hint } = error;
      terminal.print(JSON.stringify({ error: { code, message, details, hint } }));
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
