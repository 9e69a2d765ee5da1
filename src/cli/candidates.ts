// Shell completion: the commands, options, choices and names that can come next on a command line.
// Everything is taken from the parser's own declarations, so completion never disagrees with the
// parser.

import type { Command, Option } from 'commander';

export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** A value to complete. */
export interface WantedValue {
  /** `--front` of an option, `release` of an operand. */
  readonly name: string;
  /** The command that it belongs to: `rollback`. */
  readonly command: string;
  /** What has been typed of it. */
  readonly typed: string;
  /** The value given to an option of the command. */
  readonly valueOf: (flag: string) => string | undefined;
}

/** Looks up names that only a tree or a catalogue knows. */
export type NamesOf = (wanted: WantedValue) => Promise<readonly string[]>;

/** Values that a shell does not split and a terminal does not interpret. */
const PLAIN = /^[\w.,:~-]+$/;

/**
 * Candidates for the last argument, which may be empty. File paths get none: the shell completes
 * those better.
 */
export async function candidatesFor(argv: readonly string[], program: Command, namesOf: NamesOf): Promise<Candidate[]> {
  const typed = argv.at(-1) ?? '';
  const candidates = await allCandidates(typed, parsed(argv.slice(0, -1), program), namesOf);
  return candidates.filter(({ value }) => value.startsWith(typed) && PLAIN.test(value));
}

async function allCandidates(
  typed: string,
  { command, operands, pending, given }: ReturnType<typeof parsed>,
  namesOf: NamesOf,
): Promise<Candidate[]> {
  const help = command.createHelp();
  if (pending === null && typed.startsWith('-'))
    return help.visibleOptions(command).map(({ long, description }) => ({ value: long ?? '', description }));
  if (pending === null && command.commands.length > 0) {
    // An operand here is an unknown command.
    const commands = operands > 0 ? [] : help.visibleCommands(command);
    return commands.map((one) => ({ value: one.name(), description: help.subcommandDescription(one) }));
  }
  const declared = command.registeredArguments;
  const operand = declared[operands] ?? declared.find(({ variadic }) => variadic);
  const name = pending?.long ?? operand?.name();
  if (name === undefined) return [];
  const valueOf = (flag: string): string | undefined => given.get(flag);
  const values = (pending ?? operand)?.argChoices ?? (await namesOf({ name, command: command.name(), typed, valueOf }));
  return values.map((value) => ({ value, description: '' }));
}

/**
 * The command that the arguments name, how many operands it has, and the option that still needs a
 * value, if any.
 */
function parsed(argv: readonly string[], program: Command) {
  let command = program;
  let operands = 0;
  let pending: Option | null = null;
  const given = new Map<string, string>();
  for (const argument of argv) {
    if (argument.startsWith('-')) {
      const [flag, value] = argument.split('=', 2);
      const option = command.options.find(({ long, short }) => flag === long || flag === short);
      pending = option !== undefined && value === undefined && (option.required || option.optional) ? option : null;
      if (option?.long && value !== undefined) given.set(option.long, value);
    } else if (pending !== null) {
      given.set(pending.long ?? '', argument);
      if (!pending.variadic) pending = null;
    } else {
      const next = command.commands.find((one) => one.name() === argument);
      if (next === undefined) operands += 1;
      command = next ?? command;
    }
  }
  return { command, operands, pending, given };
}
