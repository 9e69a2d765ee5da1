// All commands with their options, as one program of the argument parser, and its refusals as our errors. What a command does is loaded
// when it runs.

import { CommanderError, type Command } from 'commander';
import { AppError, driverError } from '../errors.ts';
import { addBuildCommand } from './commands/build.ts';
import { addCheckDbCommand } from './commands/check-db.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDiffCommand } from './commands/diff.ts';
import { addEdgeCommand } from './commands/edge.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { addExplainCommand } from './commands/explain.ts';
import { addExportCommand } from './commands/export.ts';
import { addImportCommand } from './commands/import.ts';
import { addKeysCommand } from './commands/keys.ts';
import { addNextCommand } from './commands/next.ts';
import { addOpenApiCommand } from './commands/openapi.ts';
import { addPreviewCommand } from './commands/preview.ts';
import { addPruneCommand } from './commands/prune.ts';
import { addReleasesCommand } from './commands/releases.ts';
import { addRollbackCommand } from './commands/rollback.ts';
import { addServeCommand } from './commands/serve.ts';
import { PlaybillCommand } from './command.ts';
import type { CommandContext } from './context.ts';
import { addShowCommand } from './commands/show.ts';
import { addSignCommand } from './commands/sign.ts';
import { addStatusCommand } from './commands/status.ts';
import { errorText } from './output/terminal.ts';
import { addVerifyCommand } from './commands/verify.ts';

/** Runs the command that `argv` names. @returns the exit code; nothing is thrown */
export async function runProgram(argv: readonly string[], context: CommandContext): Promise<number> {
  try {
    await programOf(context).parseAsync([...argv], { from: 'user' });
    return context.exitCode;
  } catch (thrown) {
    return report(thrown, argv, context);
  }
}

/** The whole command line as the argument parser knows it: every command with its options, and what they do to a context. */
export function programOf(context: CommandContext): Command {
  const program = new PlaybillCommand('playbill', context)
    .description(
      'Renders a ticketing catalogue into static JSON, per storefront, that is right at the moment of every request.',
    )
    .version(context.toolVersion, '--version', 'print the version')
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
    .showSuggestionAfterError(true)
    .enablePositionalOptions();
  addDemoCommand(program);
  addBuildCommand(program);
  addVerifyCommand(program);
  addShowCommand(program);
  addNextCommand(program);
  addStatusCommand(program);
  addDiffCommand(program);
  addExplainCommand(program);
  addReleasesCommand(program);
  addRollbackCommand(program);
  addPruneCommand(program);
  addCheckDbCommand(program);
  addImportCommand(program);
  addExportCommand(program);
  addKeysCommand(program);
  addSignCommand(program);
  addServeCommand(program);
  addPreviewCommand(program);
  addEdgeCommand(program);
  addOpenApiCommand(program);
  return program;
}

function report(thrown: unknown, argv: readonly string[], { terminal }: CommandContext): number {
  // To the argument parser help and version are errors.
  if (thrown instanceof CommanderError && thrown.exitCode === 0) return EXIT.done;
  if (thrown instanceof CommanderError && thrown.code === 'commander.help') return EXIT.usage;
  const error = thrown instanceof CommanderError ? usageError(thrown, argv) : (driverError(thrown) ?? thrown);
  if (error instanceof AppError) {
    if (argv.includes('--json')) {
      const { code, message, details, hint } = error;
      terminal.print(JSON.stringify({ error: { code, message, details, hint } }));
    }
    terminal.log(errorText(error));
    return exitCodeOf(error.code);
  }
  terminal.log(
    `error bug: this should not happen: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
  terminal.log('  hint: what was published stands; please report the lines above');
  return EXIT.bug;
}

function usageError(error: CommanderError, argv: readonly string[]): AppError {
  const [command = '', subcommand = ''] = argv;
  const isKnown = /^[^-]/.test(command) && error.code !== 'commander.unknownCommand';
  const isNested = ['keys', 'edge'].includes(command) && /^[a-z]/.test(subcommand);
  const path = isKnown ? [command, ...(isNested ? [subcommand] : [])] : [];
  const help = ['playbill', ...path, '--help'].join(' ');
  return new AppError('usage', error.message.replace(/^error: /, '').replaceAll('\n', ' '), `see ${help}`);
}
