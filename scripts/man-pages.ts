// Makes the man pages from what --help prints: playbill(1), and a page for each command, such as
// playbill-keys-issue(1). Written in the man macros, man(7).

import type { Command, Option } from 'commander';
import { PlaybillCommand } from '../src/cli/command.ts';
import { EXIT } from '../src/cli/exit-codes.ts';
import { programOf } from '../src/cli/program.ts';
import {
  commandsOf,
  emptyContext,
  EXIT_MEANINGS,
  type Listed,
  operandsOf,
  optionsOf,
  optionText,
  sentence,
} from './commands.ts';

/** Every page, by the name of its file. */
export function manPages(version: string): ReadonlyMap<string, string> {
  const program = programOf(emptyContext());
  const commands = commandsOf(emptyContext());
  const pages = commands.map(({ words, command }) => [pageName(words), commandPage(words, command, version)] as const);
  return new Map([['playbill.1', programPage(program, commands, version)], ...pages]);
}

const pageName = (words: readonly string[]): string => `playbill-${words.join('-')}.1`;

function programPage(program: Command, commands: readonly Listed[], version: string): string {
  const groupOf = ({ words: [first = ''] }: Listed): string =>
    program.commands.find((command) => command.name() === first)?.helpGroup() ?? '';
  return page('playbill', 'render a ticketing catalogue into static JSON', version, [
    section('Synopsis', ['.B playbill', `${italic('command')} [options]`]),
    section('Description', [escaped(program.description())]),
    section('Commands', belowHeadings(commands, groupOf, commandLines)),
    section('Options', program.options.flatMap(optionLines)),
    section('Exit status', Object.entries(EXIT).flatMap(exitLines)),
  ]);
}

const commandLines = ({ words, command }: Listed): string[] =>
  tagged(`${bold(`playbill-${words.join('-')}`)}(1)`, sentence(command.summary()));

const exitLines = ([name, code]: readonly [string, number]): string[] =>
  tagged(bold(String(code)), sentence(EXIT_MEANINGS[name as keyof typeof EXIT]));

function commandPage(words: readonly string[], command: Command, version: string): string {
  const required = optionsOf(command).filter(({ mandatory }) => mandatory);
  const operands = operandsOf(command);
  const terms = [...required.map(({ flags }) => flags), '[options]', ...operands.map(([term]) => term)];
  const groupOf = ({ helpGroupHeading = '' }: Option): string => helpGroupHeading;
  const below = command instanceof PlaybillCommand ? command.textBelow : '';
  return page(`playbill-${words.join('-')}`, command.summary(), version, [
    section('Synopsis', [`.B playbill ${escaped(words.join(' '))}`, terms.map(termText).join(' ')]),
    section('Description', [escaped(command.description())]),
    ...(operands.length === 0
      ? []
      : [
          section(
            'Operands',
            operands.flatMap(([term, text]) => tagged(termText(term), text)),
          ),
        ]),
    section('Options', belowHeadings(optionsOf(command), groupOf, optionLines)),
    ...sectionsOf(below),
    section('See also', [`${bold('playbill')}(1)`]),
  ]);
}

/**
 * A page without a date: the same source makes the same page on any day. Words are not broken at
 * hyphens, nor lines filled with blanks, so that names can be copied.
 */
function page(name: string, summary: string, version: string, sections: readonly string[]): string {
  const title = `.TH ${name.toUpperCase()} 1 "" "playbill ${version}" "Playbill"`;
  const head = [title, '.nh', '.ad l', section('Name', [`${escaped(name)} \\- ${escaped(summary)}`])];
  return `${[...head, ...sections].join('\n')}\n`;
}

function section(heading: string, lines: readonly string[]): string {
  return [`.SH ${heading.toUpperCase()}`, ...lines].join('\n');
}

/** The lines of each item, below the heading of its group where it has one. */
function belowHeadings<T>(
  items: readonly T[],
  headingOf: (item: T) => string,
  linesOf: (item: T) => readonly string[],
): string[] {
  return [...grouped(items, headingOf)].flatMap(([heading, own]) => [
    ...(heading === '' ? [] : [`.SS ${escaped(heading.replace(/:$/, ''))}`]),
    ...own.flatMap(linesOf),
  ]);
}

/** The items by a text of theirs, in the order in which each text comes first. */
function grouped<T>(items: readonly T[], textOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(textOf(item), [...(groups.get(textOf(item)) ?? []), item]);
  return groups;
}

function optionLines(option: Option): string[] {
  return tagged(
    termText(option.flags),
    optionText(option, (text) => text),
  );
}

/** A term and its explanation, which is indented. */
const tagged = (term: string, text: string): string[] => ['.TP', term, escaped(text)];

/** `--now <instant>`: what is typed as it is in bold, what stands for something else in italics. */
function termText(term: string): string {
  return term.replaceAll(/(<[^>]*>|\[[^\]]*\])|([\w-]+)/g, (_, place: string | undefined, word: string) =>
    place === undefined ? bold(word) : italic(place),
  );
}

const bold = (text: string): string => `\\fB${escaped(text)}\\fR`;
const italic = (text: string): string => `\\fI${escaped(text)}\\fR`;

/**
 * The text below the options as sections. A part of it is prose, or begins with a heading: `Exit
 * codes: 0 done, …`, or `Examples:` alone on a line, with indented lines below it.
 */
function sectionsOf(below: string): string[] {
  const parts = below
    .trim()
    .split(/\n{2,}/)
    .filter((part) => part !== '')
    .map((part) => {
      const [, heading = 'Notes', text = ''] = /^(?:([A-Z][a-z ]*):(?=\s))?([^]*)$/.exec(part) ?? [];
      return { heading: HEADINGS[heading] ?? heading, text };
    });
  return [...grouped(parts, ({ heading }) => heading)].map(([heading, own]) => {
    const lines = own.flatMap(({ text }) => ['.PP', ...textLines(text)]);
    return section(heading, lines.slice(1));
  });
}

/** What man pages call it. */
const HEADINGS: Readonly<Record<string, string>> = {
  'Exit codes': 'Exit status',
  'Exit code': 'Exit status',
  Example: 'Examples',
};

/** Prose, and indented lines as they are. */
function textLines(text: string): string[] {
  const isExample = (line = ''): boolean => line.startsWith('  ');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line, i, lines) => [
      ...(isExample(line) && !isExample(lines[i - 1]) ? ['.nf'] : []),
      escaped(line.trim()),
      ...(isExample(line) && !isExample(lines[i + 1]) ? ['.fi'] : []),
    ]);
}

/** Text that roff prints as it is: nothing in it is an escape or a request, and a hyphen can be copied as a minus. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^(?=[.'])/gm, '\\&');
}
