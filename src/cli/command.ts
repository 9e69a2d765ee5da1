// A command of the argument parser whose flags and operands have the types that their declarations give them. With the flags that
// several commands have, and what all of them do alike.

import { Argument, Command, Option } from 'commander';
import { withoutUser } from '../errors.ts';
import { databaseText } from '../operations/database-text.ts';
import { durationArgument, instantArgument, portArgument, type ArgumentParser } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { publishHookArgument } from './on-publish.ts';
import { COLUMNS } from './output/text.ts';
import { durationText, quiet } from './output/terminal.ts';

/** The property of a flag: `maxAge` of `--max-age <duration>`. */
type NameOf<Term extends string> = Term extends `--${infer Flag}`
  ? NameOf<Flag>
  : Term extends `${infer Flag} ${string}`
    ? NameOf<Flag>
    : Term extends `${infer Head}-${infer Tail}`
      ? `${Head}${Capitalize<NameOf<Tail>>}`
      : Term;

/** What a term such as `<file>`, `[file]` or `<file...>` yields; `Value` is what one word becomes. */
type ValueOf<Term extends string, Value> = Term extends `${string}...${string}`
  ? readonly Value[]
  : Term extends `${string}<${string}`
    ? Value
    : Term extends `${string}[${string}`
      ? Value | undefined
      : true;

type Optional<Term extends string, Value> = Term extends `--no-${infer Flag}`
  ? { readonly [Name in NameOf<Flag>]: boolean }
  : { readonly [Name in NameOf<Term>]?: ValueOf<Term, Value> };

type Present<Term extends string, Value> = { readonly [Name in NameOf<Term>]: ValueOf<Term, Value> };

/** How a word of the command line becomes a value; or the words that may be chosen. */
type Rule<Value> = ArgumentParser<Value> | readonly Value[];

/** The flags of the command that a function declares. */
export type FlagsOf<Declare extends (program: PlaybillCommand) => unknown> =
  ReturnType<Declare> extends PlaybillCommand<infer Flags, infer _Operands> ? Flags : never;

export class PlaybillCommand<Flags = unknown, Operands extends readonly unknown[] = []> extends Command {
  readonly #context: CommandContext;

  constructor(name: string | undefined, context: CommandContext) {
    super(name);
    this.#context = context;
  }

  override createCommand(name?: string): PlaybillCommand {
    return new PlaybillCommand(name, this.#context);
  }

  /** An option that the methods below cannot declare: with `Flag` as the type of its property. */
  typedFlag<Flag>(option: Option) {
    this.addOption(option);
    return this as unknown as PlaybillCommand<Flags & Flag, Operands>;
  }

  /** A flag that may be left out. */
  flag<const Term extends string, const Value = string>(term: Term, text: string, rule?: Rule<Value>) {
    return this.typedFlag<Optional<Term, Value>>(optionOf(term, text, rule));
  }

  requiredFlag<const Term extends string, const Value = string>(term: Term, text: string, rule?: Rule<Value>) {
    return this.typedFlag<Present<Term, Value>>(optionOf(term, text, rule).makeOptionMandatory());
  }

  /** A flag with a value where it is left out, which --help shows as `presetText`. */
  presetFlag<const Term extends string, const Value = string>(
    term: Term,
    text: string,
    preset: NoInfer<Value>,
    rule?: Rule<Value>,
    presetText?: string,
  ) {
    return this.typedFlag<Present<Term, Value>>(optionOf(term, text, rule).default(preset, presetText));
  }

  operand<const Term extends string>(term: Term, text: string, choices?: readonly string[]) {
    const operand = new Argument(term, text);
    this.addArgument(choices === undefined ? operand : operand.choices(choices));
    return this as unknown as PlaybillCommand<Flags, [...Operands, ValueOf<Term, string>]>;
  }

  /** The catalogue, and how it is addressed. */
  dbFlag(text = 'the catalogue, opened read-only') {
    const db = `${text}: an SQLite file or postgres://…`;
    return this.#environmentFlag('--db <catalogue>', db, 'PLAYBILL_DB', 'data/catalogue.sqlite', databaseText);
  }

  /** The tree, and how a bucket is addressed. */
  outFlag(text: string) {
    const out = `${text}: a folder or s3://bucket/prefix`;
    return this.#environmentFlag('--out <tree>', out, 'PLAYBILL_OUT', 'out', withoutUser).#bucketFlag();
  }

  /** The tree, where a command can do without one. */
  optionalOutFlag(text: string) {
    const given = this.#context.environment('PLAYBILL_OUT') ?? '';
    const option = new Option('--out <tree>', `${text}: a folder or s3://bucket/prefix; PLAYBILL_OUT names one, too`);
    if (given !== '') option.default(given, withoutUser(given));
    return this.typedFlag<{ readonly out?: string }>(option).#bucketFlag();
  }

  #bucketFlag() {
    return this.flag(
      '--s3-virtual-hosts',
      'the name of the bucket is part of the host, also where AWS_ENDPOINT_URL is set',
    ).hook('preAction', (_, command) => {
      // What opens a bucket, and whatever this command starts, finds it where all other settings of S3 are.
      if (command.getOptionValue('s3VirtualHosts') === true) process.env['PLAYBILL_S3_VIRTUAL_HOSTS'] = 'yes';
    });
  }

  /** A flag whose value, where it is left out, is that of an environment variable, if that is not empty. */
  #environmentFlag<const Term extends string>(
    term: Term,
    text: string,
    variable: string,
    preset: string,
    shownText: (value: string) => string,
  ) {
    const given = this.#context.environment(variable) ?? '';
    const value = given === '' ? preset : given;
    // --help prints it, and may be asked for before anything has refused what is no address.
    const shown = shownText(value) === value ? undefined : shownText(value);
    return this.presetFlag(term, `${text}; ${variable} names another`, value, undefined, shown);
  }

  jsonFlag(text = 'print the result as JSON') {
    return this.flag('--json', text);
  }

  portFlag(preset: number) {
    return this.presetFlag('--port <number>', 'the port; 0 for any that is free', preset, portArgument);
  }

  onPublishFlags() {
    const text = 'notify this command (on stdin) or URL (by POST) of what was published, as JSON';
    return this.flag('--on-publish <command|url>', text, publishHookArgument).durationFlag(
      '--on-publish-timeout',
      'how long that may take',
      60,
    );
  }

  onChangeFlags() {
    const text = 'notify this command (on stdin) or URL (by POST) where the key ring of the tree changed, as JSON';
    return this.flag('--on-change <command|url>', text, publishHookArgument).durationFlag(
      '--on-change-timeout',
      'how long that may take',
      60,
    );
  }

  instantFlag<const Flag extends string>(flag: Flag, text: string) {
    return this.flag(`${flag} <instant>`, text, instantArgument);
  }

  durationFlag<const Flag extends string>(flag: Flag, text: string, presetSeconds: number) {
    return this.presetFlag(`${flag} <duration>`, text, presetSeconds, durationArgument, durationText(presetSeconds));
  }

  /**
   * What --help prints below the options: prose is wrapped; what is two blanks behind an example gets a line of its own where both are
   * too long for one.
   */
  helpBelow(text: string): this {
    return this.addHelpText('after', () => {
      const prose = text.replaceAll(/^(?![A-Z][a-z ]*:\n)(\S.*)\n(?=\S)/gm, '$1 ');
      const lines = prose
        .split('\n')
        .map((line) => (line.length <= helpColumns() ? line : line.replace(/(\S) {2,}(?=\S)/, '$1\n      ')));
      return this.createHelp().boxWrap(lines.join('\n'), helpColumns());
    });
  }

  /** Has a signal that ends the command say what stands, for one that writes; the tree, where nothing else is said. */
  writes(interruptedText = ': what was published stands; run the same command again to finish'): this {
    return this.hook('preAction', (_, command) => {
      const isLeased = String(command.getOptionValue('out')).startsWith('s3:');
      this.#context.interruptedText = interruptedText + (isLeased ? LEASED : '');
    });
  }

  /** What the command does with its arguments and flags; returns the exit code, or nothing where all is done. */
  runs(run: (...args: [...Operands, Flags, CommandContext]) => Promise<number | void>): void {
    this.option('--quiet', 'no progress and no notes on stderr; errors and warnings still');
    this.action(async (...args: unknown[]) => {
      if (this.getOptionValue('quiet') === true) this.#context.terminal = quiet(this.#context.terminal);
      // The parser's last argument is the command itself.
      const given = args.slice(0, -1) as unknown as [...Operands, Flags];
      this.#context.exitCode = (await run(...given, this.#context)) ?? EXIT.done;
    });
  }
}

/** A lease outlives its run; the error that the next one may get says how long. */
const LEASED = '; if that is refused because of another run, it is the lease of this one: wait for its end';

/** How wide help is. */
export const helpColumns = (): number => Math.min(COLUMNS, process.stdout.columns || COLUMNS);

function optionOf<Value>(term: string, text: string, rule?: Rule<Value>): Option {
  const option = new Option(term, text);
  if (rule === undefined) return option;
  if (typeof rule !== 'function') return option.choices(rule.map(String));
  return option.argParser((given: string) => rule(given, option.long ?? ''));
}
