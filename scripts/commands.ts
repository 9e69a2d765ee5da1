// The commands as the argument parser has them, for what is made from their help: the reference and
// the man pages.

import type { Command, Option } from 'commander';
import { instantOf } from '../src/catalogue/instant.ts';
import { PlaybillCommand } from '../src/cli/command.ts';
import type { CommandContext } from '../src/cli/context.ts';
import type { EXIT } from '../src/cli/exit-codes.ts';
import { programOf } from '../src/cli/program.ts';
import { NO_SETTINGS } from '../src/cli/settings/applied-settings.ts';
import { settingOptions } from '../src/cli/settings/apply-settings.ts';
import { SettingOption } from '../src/cli/settings/setting-option.ts';
import { ALL_SETTINGS } from '../src/cli/settings/settings.ts';

/** A context in which nothing is set, and which prints nothing. */
export function emptyContext(): CommandContext {
  const now = instantOf(Date.UTC(2026, 4, 1, 9) / 1000);
  return {
    terminal: {
      print: () => undefined,
      printExact: () => undefined,
      printAll: async () => true,
      log: () => undefined,
      progress: () => ({ show: () => undefined, note: () => undefined, end: () => undefined }),
      isTerminal: false,
      columns: 80,
      isColoured: false,
    },
    now: () => now,
    clock: () => now,
    environment: () => undefined,
    settingsFolders: [],
    userId: process.geteuid?.() ?? 0,
    readsSettingsFile: true,
    settings: NO_SETTINGS,
    toolVersion: 'test',
    processId: '1',
    onInterrupt: () => undefined,
    tzdata: 'test',
    isWriting: false,
    exitCode: 0,
  };
}

export interface Listed {
  /** `keys`, `issue`. */
  readonly words: readonly string[];
  readonly command: Command;
}

/** Every command that does something, with its words: `config` and `config init`, but not `keys`. */
export function commandsOf(context: CommandContext): Listed[] {
  const below = (parent: Command, words: readonly string[]): Listed[] =>
    parent.commands.flatMap((command) => {
      const own = [...words, command.name()];
      const isGroup = command instanceof PlaybillCommand && !command.isRunnable;
      return [...(isGroup ? [] : [{ words: own, command }]), ...below(command, own)];
    });
  return below(programOf(context), []);
}

/** The operands of a command, as they are typed, and what they mean. */
export function operandsOf(command: Command): (readonly [term: string, text: string])[] {
  return command.registeredArguments.map((operand) => {
    const name = `${operand.name()}${operand.variadic ? '...' : ''}`;
    return [operand.required ? `<${name}>` : `[${name}]`, operand.description] as const;
  });
}

/** The options that --help shows, without those of the settings where a command has all of these. */
export function optionsOf(command: Command): readonly Option[] {
  const isListed = (option: Option): boolean => !(hasAllSettings(command) && option instanceof SettingOption);
  return command.options.filter((option) => !option.hidden && isListed(option));
}

export function hasAllSettings(command: Command): boolean {
  return settingOptions(command).length === ALL_SETTINGS.length;
}

/** What an option means, with its choices and its default as they are typed; `code` sets them off. */
export function optionText(option: Option, code: (text: string) => string): string {
  const { description, mandatory, argChoices, negate, defaultValue, defaultValueDescription } = option;
  const choices = argChoices === undefined ? '' : ` (${argChoices.map(code).join(', ')})`;
  const isPreset = !negate && defaultValue !== undefined && defaultValue !== '';
  const preset = isPreset ? ` (default: ${code(defaultValueDescription ?? String(defaultValue))})` : '';
  return `${description}${choices}${mandatory ? '; required' : ''}${preset}`;
}

export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done, or nothing to do',
  findings: 'findings, differences, or a stale front',
  usage: 'wrong usage or unreadable input; nothing of a tree was written',
  someFailed: 'some fronts failed; the others are published',
  guarded: 'a guard held back at least one front, or a whole import; or a rollback holds the tree',
  locked: 'another run holds the lock',
  notWritten: 'the tree could not be written, or only in part; what is published stays intact',
  rowsLeftOut: 'published; errors in rows left out products or sessions',
  bug: 'a bug in Playbill; the stack is printed',
  tryAgain:
    'another attempt may succeed: the database or the store is busy or does not answer; what is published stays intact',
};
