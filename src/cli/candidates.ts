// What may come next on a command line, for a shell that completes it: commands, options, choices and names, from the declarations that the
// parser has, and nothing beside them.

import type { Command, Option } from 'commander';

export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** A value that is to be typed, and what has been typed before it. */
export interface WantedValue {
  /** `--front` of an option, `release` of an operand. */
  readonly name: string;
  /** The command that it belongs to: `rollback`. */
  readonly command: string;
  readonly typed: string;
  /** A value of an option of the command, or its preset. */
  readonly valueOf: (flag: string) => string | null;
}

/** Names of things that only a tree or a catalogue knows. */
export type NamesOf = (wanted: WantedValue) => Promise<readonly string[]>;

/** What a shell's word list cannot spoil, and no terminal obeys. */
const PLAIN = /^[\w.,:~-]+$/;

/** Candidates for the last of the words, which may be empty; a path of files has none: shells complete those better. */
export async function candidatesFor(
  words: readonly string[],
  program: Command,
  namesOf: NamesOf,
): Promise<Candidate[]> {
  const typed = words.at(-1) ?? '';
  const { command, operands, pending, given } = parsed(words.slice(0, -1), program);
  const help = command.createHelp();
  const all = async (): Promise<Candidate[]> => {
    const wanted = {
      command: command.name(),
      typed,
      valueOf: (flag: string) => given.get(flag) ?? presetOf(flag, command),
    };
    if (pending === null && typed.startsWith('-'))
      return help.visibleOptions(command).map(({ long, description }) => ({ value: long ?? '', description }));
    if (pending === null && command.commands.length > 0) {
      const isUnknown = operands > 0;
      const commands = isUnknown ? [] : help.visibleCommands(command);
      return commands.map((one) => ({ value: one.name(), description: help.subcommandDescription(one) }));
    }
    const declared = command.registeredArguments;
    const operand = declared[operands] ?? declared.find(({ variadic }) => variadic);
    const name = pending?.long ?? operand?.name();
    if (name === undefined) return [];
    const values = (pending ?? operand)?.argChoices ?? (await namesOf({ ...wanted, name }));
    return values.map((value) => ({ value, description: '' }));
  };
  return (await all()).filter(({ value }) => value.startsWith(typed) && PLAIN.test(value));
}

/** Where words lead: to a command, past some of its operands, perhaps to an option that still wants a value. */
function parsed(words: readonly string[], program: Command) {
  let command = program;
  let operands = 0;
  let pending: Option | null = null;
  const given = new Map<string, string>();
  for (const word of words) {
    if (word.startsWith('-')) {
      const [flag, value] = word.split('=', 2);
      const option = command.options.find(({ long, short }) => flag === long || flag === short);
      pending = option !== undefined && value === undefined && (option.required || option.optional) ? option : null;
      if (option?.long && value !== undefined) given.set(option.long, value);
    } else if (pending !== null) {
      given.set(pending.long ?? '', word);
      if (!pending.variadic) pending = null;
    } else {
      const next = command.commands.find((one) => one.name() === word);
      if (next === undefined) operands += 1;
      command = next ?? command;
    }
  }
  return { command, operands, pending, given };
}

function presetOf(flag: string, command: Command): string | null {
  const preset: unknown = command.options.find(({ long }) => long === flag)?.defaultValue;
  return typeof preset === 'string' ? preset : null;
}
