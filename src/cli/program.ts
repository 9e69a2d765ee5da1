// Registers all commands with the argument parser, runs one of them, and reports errors. The work
// of a command is loaded when it runs.

import { CommanderError, type Command } from 'commander';
import { AppError, driverError, shellWord } from '../errors.ts';
import { addBuildCommand } from './commands/build.ts';
import { addCheckDbCommand } from './commands/check-db.ts';
import { addConfigCommand } from './commands/config/config.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDiffCommand } from './commands/diff.ts';
import { addEdgeCommand } from './commands/edge/build.ts';
import { EXIT } from './exit-codes.ts';
import { addExplainCommand } from './commands/explain.ts';
import { addExportCommand } from './commands/export.ts';
import { addImportCommand } from './commands/import.ts';
import { addKeysCommand } from './commands/keys.ts';
import { addNextCommand } from './commands/next.ts';
import { addOpenApiCommand } from './commands/openapi.ts';
import { addPreviewCommand } from './commands/preview.ts';
import { addPruneCommand } from './commands/prune.ts';
import { addNotifyCommand } from './commands/notify.ts';
import { addReleasesCommand } from './commands/releases.ts';
import { addRollbackCommand } from './commands/rollback.ts';
import { addServeCommand } from './commands/serve.ts';
import { helpColumns, pathOf, PlaybillCommand } from './command.ts';
import type { CommandContext } from './context.ts';
import { addShowCommand } from './commands/show.ts';
import { addSignCommand } from './commands/sign.ts';
import { addFinishCommand, addSnapshotCommand } from './commands/shards.ts';
import { addStatusCommand } from './commands/status.ts';
import { errorMessage, typedValue } from './output/messages.ts';
import { withJsonMessages } from './output/terminal.ts';
import { NO_SETTINGS } from './settings/applied-settings.ts';
import { settingsNamedIn } from './settings/in-force.ts';
import { SETTINGS } from './settings/settings.ts';
import { addVerifyCommand } from './commands/verify.ts';

/** Grouped as in --help. */
const COMMANDS = {
  'Build:': [addBuildCommand, addFinishCommand, addSnapshotCommand, addDemoCommand],
  'Look:': [
    addVerifyCommand,
    addShowCommand,
    addNextCommand,
    addStatusCommand,
    addExplainCommand,
    addPreviewCommand,
    addConfigCommand,
    addCompletionCommand,
  ],
  'Go back:': [addDiffCommand, addReleasesCommand, addRollbackCommand, addNotifyCommand, addPruneCommand],
  'Catalogue:': [addCheckDbCommand, addImportCommand, addExportCommand],
  'Keys and edge:': [addKeysCommand, addSignCommand, addServeCommand, addEdgeCommand, addOpenApiCommand],
};

/** Runs the command that `argv` names. Never throws. @returns the exit code */
export async function runProgram(argv: readonly string[], context: CommandContext): Promise<number> {
  // Even what is wrong with the words is then said so.
  if (typedValue('--log-format', argv) === 'json') context.terminal = withJsonMessages(context.terminal, context.clock);
  const program = programOf(context);
  try {
    await program.parseAsync(withHelpFlag(argv, program), { from: 'user' });
    return context.exitCode;
  } catch (thrown) {
    await takeLogFormat(argv, context);
    return report(thrown, argv, program, context);
  }
}

/** Before a command has read the file of settings, its words may have been refused. */
async function takeLogFormat(argv: readonly string[], context: CommandContext): Promise<void> {
  const isTyped = typedValue('--log-format', argv) !== undefined;
  if (context.settings !== NO_SETTINGS || !context.readsSettingsFile || isTyped) return;
  const { settingsFile } = await import('./settings/settings-file.ts');
  try {
    const file = await settingsFile(typedValue('--config', argv), context);
    if (file?.values.get(SETTINGS.logFormat)?.value === 'json')
      context.terminal = withJsonMessages(context.terminal, context.clock);
  } catch {
    // What is wrong with the file is not what ended the command, or is said as text.
  }
}

/** The argument parser with every command and option. */
export function programOf(context: CommandContext): Command {
  const program = new PlaybillCommand('playbill', context)
    .description(
      'Renders a ticketing catalogue into static JSON, per storefront, that is right at the moment of every request.',
    )
    .version(context.toolVersion, '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.terminal.printExact(text.replace(/\n$/, '')),
      outputError: () => undefined,
      getOutHelpWidth: helpColumns,
      getErrHelpWidth: helpColumns,
    })
    .showSuggestionAfterError(true)
    .hook('preAction', (_, command) => (command as PlaybillCommand).prepare())
    .enablePositionalOptions();
  for (const [heading, additions] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading);
    for (const add of additions) add(program);
  }
  program.commandsGroup('Look:').helpCommand(true);
  return program;
}

/**
 * Rewrites `help keys issue` to `keys issue --help`, and `help nope` to `nope`, which is refused as
 * an unknown command. The parser's own `help` looks only one level deep and prints the general help
 * for an unknown command.
 */
function withHelpFlag(argv: readonly string[], program: Command): string[] {
  const [first, ...names] = argv;
  if (first !== 'help') return [...argv];
  const command = commandNamed(names, program);
  const depth = pathOf(command).split(' ').length - 1;
  const next = names[depth] ?? '--';
  const isUnknown = command.commands.length > 0 && next !== 'help' && !next.startsWith('-');
  if (isUnknown) return names.slice(0, depth + 1);
  const isOfHelp = ['help', '--help', '-h'].includes(next);
  return depth === 0 && !isOfHelp ? [...argv] : [...names.slice(0, depth), '--help'];
}

function report(thrown: unknown, argv: readonly string[], program: Command, context: CommandContext): number {
  const { terminal } = context;
  // The argument parser throws for --help and --version, too.
  if (thrown instanceof CommanderError && thrown.exitCode === 0) return EXIT.done;
  if (thrown instanceof CommanderError && thrown.code === 'commander.help') return EXIT.usage;
  const error = thrown instanceof CommanderError ? usageError(thrown, argv, program) : (driverError(thrown) ?? thrown);
  if (error instanceof AppError) {
    const { code, message, hint } = error;
    const shown = { code, message, details: [...error.details, ...settingsNamedIn(message, context.settings)], hint };
    if (argv.includes('--json')) terminal.print(JSON.stringify({ error: shown }));
    terminal.log(errorMessage(shown));
    return error.exitCode;
  }
  const [found = '', ...details] = (error instanceof Error ? (error.stack ?? error.message) : String(error)).split(
    '\n',
  );
  const hint = 'the published tree is intact; please report this message';
  terminal.log({ level: 'error', code: 'bug', message: `this should not happen: ${found}`, details, hint });
  return EXIT.bug;
}

function usageError(error: CommanderError, argv: readonly string[], program: Command): AppError {
  const command = commandNamed(argv[0] === 'help' ? argv.slice(1) : argv, program);
  const extra = error.code === 'commander.excessArguments' ? command.args[command.registeredArguments.length] : '';
  const flags = command.options.flatMap(({ long }) => (long === '--db' || long === '--out' ? [long] : []));
  const typed = extra ? flags.map((flag) => `${flag} ${shellWord(extra)}`).join(' or ') : '';
  const instead = error.message.includes("unknown option '--allow-shrink'") ? '--allow max-shrink' : typed;
  const hint = `${instead === '' ? '' : `type ${instead}; `}see ${pathOf(command)} --help`;
  return new AppError('usage', error.message.replace(/^error: /, '').replaceAll('\n', ' '), hint);
}

/** The command that the first arguments name; `parent` if they name none. */
function commandNamed([name, ...others]: readonly string[], parent: Command): Command {
  const command = parent.commands.find((one) => one.name() === name);
  return command === undefined ? parent : commandNamed(others, command);
}
