// All commands with their options, as one program of the argument parser, and its refusals as our errors. What a command does is loaded
// when it runs.

import { CommanderError, type Command } from 'commander';
import { AppError, driverError, shellWord } from '../errors.ts';
import { addBuildCommand } from './commands/build.ts';
import { addCheckDbCommand } from './commands/check-db.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDiffCommand } from './commands/diff.ts';
import { addEdgeCommand } from './commands/edge/build.ts';
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
import { helpColumns, PlaybillCommand } from './command.ts';
import type { CommandContext } from './context.ts';
import { addShowCommand } from './commands/show.ts';
import { addSignCommand } from './commands/sign.ts';
import { addFinishCommand, addSnapshotCommand } from './commands/shards.ts';
import { addStatusCommand } from './commands/status.ts';
import { errorText } from './output/terminal.ts';
import { addVerifyCommand } from './commands/verify.ts';

/** As --help groups them. */
const COMMANDS = {
  'Build:': [addBuildCommand, addFinishCommand, addSnapshotCommand, addDemoCommand],
  'Look:': [
    addVerifyCommand,
    addShowCommand,
    addNextCommand,
    addStatusCommand,
    addExplainCommand,
    addPreviewCommand,
    addCompletionCommand,
  ],
  'Go back:': [addDiffCommand, addReleasesCommand, addRollbackCommand, addPruneCommand],
  'Catalogue:': [addCheckDbCommand, addImportCommand, addExportCommand],
  'Keys and edge:': [addKeysCommand, addSignCommand, addServeCommand, addEdgeCommand, addOpenApiCommand],
};

/** Runs the command that `argv` names. @returns the exit code; nothing is thrown */
export async function runProgram(argv: readonly string[], context: CommandContext): Promise<number> {
  const program = programOf(context);
  try {
    await program.parseAsync(askedOf(argv, program), { from: 'user' });
    return context.exitCode;
  } catch (thrown) {
    return report(thrown, argv, program, context);
  }
}

/** The whole command line as the argument parser knows it: every command with its options, and what they do to a context. */
export function programOf(context: CommandContext): Command {
  const program = new PlaybillCommand('playbill', context)
    .description(
      'Renders a ticketing catalogue into static JSON, per storefront, that is right at the moment of every request.',
    )
    .version(context.toolVersion, '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({ outputError: () => undefined, getOutHelpWidth: helpColumns, getErrHelpWidth: helpColumns })
    .showSuggestionAfterError(true)
    .enablePositionalOptions();
  for (const [heading, additions] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading);
    for (const add of additions) add(program);
  }
  program.commandsGroup('Look:').helpCommand(true);
  return program;
}

/**
 * What the parser is to take for `help`: it prints all help for `help nope`, and that of keys for `help keys nope` and `help keys issue`,
 * without a word on the last one. `nope` and `keys nope` are unknown commands, and run nothing; `keys issue --help` is the help asked for.
 */
function askedOf(argv: readonly string[], program: Command): string[] {
  const [first, ...words] = argv;
  if (first !== 'help') return [...argv];
  const command = commandNamed(words, program);
  const depth = pathOf(command).split(' ').length - 1;
  const next = words[depth] ?? '--';
  const isUnknown = command.commands.length > 0 && next !== 'help' && !next.startsWith('-');
  if (isUnknown) return words.slice(0, depth + 1);
  return depth === 0 && next !== 'help' ? [...argv] : [...words.slice(0, depth), '--help'];
}

function report(thrown: unknown, argv: readonly string[], program: Command, { terminal }: CommandContext): number {
  // To the argument parser help and version are errors.
  if (thrown instanceof CommanderError && thrown.exitCode === 0) return EXIT.done;
  if (thrown instanceof CommanderError && thrown.code === 'commander.help') return EXIT.usage;
  const error = thrown instanceof CommanderError ? usageError(thrown, argv, program) : (driverError(thrown) ?? thrown);
  if (error instanceof AppError) {
    if (argv.includes('--json')) {
      const { code, message, details, hint } = error;
      terminal.print(JSON.stringify({ error: { code, message, details, hint } }));
    }
    terminal.log(errorText(error));
    return exitCodeOf(error.code);
  }
  const found = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const hint = 'what was published stands; please report the lines above';
  terminal.log(`error bug: this should not happen: ${found}\n  hint: ${hint}`);
  return EXIT.bug;
}

function usageError(error: CommanderError, argv: readonly string[], program: Command): AppError {
  const command = commandNamed(argv[0] === 'help' ? argv.slice(1) : argv, program);
  const extra = error.code === 'commander.excessArguments' ? command.args[command.registeredArguments.length] : '';
  const flags = command.options.flatMap(({ long }) => (long === '--db' || long === '--out' ? [long] : []));
  const typed = extra ? flags.map((flag) => `${flag} ${shellWord(extra)}`).join(' or ') : '';
  const hint = `${typed === '' ? '' : `type it as ${typed}; `}see ${pathOf(command)} --help`;
  return new AppError('usage', error.message.replace(/^error: /, '').replaceAll('\n', ' '), hint);
}

/** The command that the first words name, as far as they name one. */
function commandNamed([name, ...others]: readonly string[], parent: Command): Command {
  const command = parent.commands.find((one) => one.name() === name);
  return command === undefined ? parent : commandNamed(others, command);
}

/** `playbill keys issue`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
