// A typed layer over the argument parser: the declaration of a flag or operand gives it its type.
// Also holds the flags and the behaviour that commands share.

import { Argument, Command, Option } from 'commander';
import { ALLOWABLE_GUARDS } from '../contract/allowable-guards.ts';
import { withoutUser } from '../errors.ts';
import { databaseText } from '../database/open.ts';
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

/**
 * The type of a term such as `<file>`, `[file]` or `<file...>`; `Value` is the type of one
 * argument.
 */
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

/** How an argument becomes a value: a parser, or a list of choices. */
type Rule<Value> = ArgumentParser<Value> | readonly Value[];

/** The flags of the command that the function declares. */
export type FlagsOf<Declare extends (program: PlaybillCommand) => unknown> =
  ReturnType<Declare> extends PlaybillCommand<infer Flags, infer _Operands> ? Flags : never;

export class PlaybillCommand<Flags = unknown, Operands extends readonly unknown[] = []> extends Command {
  readonly #context: CommandContext;
  /** What `helpBelow` was given. */
  textBelow = '';

  constructor(name: string | undefined, context: CommandContext) {
    super(name);
    this.#context = context;
  }

  override createCommand(name?: string): PlaybillCommand {
    return new PlaybillCommand(name, this.#context);
  }

  /** An option that the methods below cannot declare. `Flag` is the type of its property. */
  typedFlag<Flag>(option: Option) {
    this.addOption(option);
    return this as unknown as PlaybillCommand<Flags & Flag, Operands>;
  }

  /** An optional flag. */
  flag<const Term extends string, const Value = string>(term: Term, text: string, rule?: Rule<Value>) {
    return this.typedFlag<Optional<Term, Value>>(optionOf(term, text, rule));
  }

  requiredFlag<const Term extends string, const Value = string>(term: Term, text: string, rule?: Rule<Value>) {
    return this.typedFlag<Present<Term, Value>>(optionOf(term, text, rule).makeOptionMandatory());
  }

  /** A flag with a default, which --help shows as `presetText`. */
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

  /** The address of the catalogue. */
  dbFlag(text = 'the catalogue, opened read-only') {
    const db = `${text}: an SQLite file or postgres://…`;
    return this.#environmentFlag('--db <catalogue>', db, 'PLAYBILL_DB', 'data/catalogue.sqlite', databaseText);
  }

  /** The address of the tree, with the option for buckets. */
  outFlag(text: string) {
    const out = `${text}: a folder or s3://bucket/prefix`;
    return this.#environmentFlag('--out <tree>', out, 'PLAYBILL_OUT', 'out', withoutUser).#bucketFlag();
  }

  /** `--out` of a command that also works without a tree. */
  optionalOutFlag(text: string) {
    const given = this.#context.environment('PLAYBILL_OUT') ?? '';
    const option = new Option('--out <tree>', `${text}: a folder or s3://bucket/prefix; PLAYBILL_OUT also names one`);
    if (given !== '') option.default(given, withoutUser(given));
    return this.typedFlag<{ readonly out?: string }>(option).#bucketFlag();
  }

  #bucketFlag() {
    return this.flag(
      '--s3-virtual-hosts',
      'put the name of the bucket into the host name, even if AWS_ENDPOINT_URL is set',
    ).hook('preAction', (_, command) => {
      // Like all other S3 settings, this one is read from the environment: by storage/bucket/ and
      // by every process that the command starts.
      if (command.getOptionValue('s3VirtualHosts') === true) process.env['PLAYBILL_S3_VIRTUAL_HOSTS'] = 'yes';
    });
  }

  /** A flag whose default comes from an environment variable, unless that is unset or empty. */
  #environmentFlag<const Term extends string>(
    term: Term,
    text: string,
    variable: string,
    preset: string,
    shownText: (value: string) => string,
  ) {
    const given = this.#context.environment(variable) ?? '';
    const value = given === '' ? preset : given;
    // --help prints the default before anything has validated it: it may contain a password.
    const shown = shownText(value) === value ? undefined : shownText(value);
    return this.presetFlag(term, `${text}; ${variable} names another`, value, undefined, shown);
  }

  jsonFlag(text = 'print the result as JSON') {
    return this.flag('--json', text);
  }

  portFlag(preset: number) {
    return this.presetFlag('--port <number>', 'the port; 0 for any free one', preset, portArgument);
  }

  /**
   * Guards to override. As commands with `--front` build these fronts alone, it then applies to
   * these alone.
   */
  allowFlag() {
    return this.flag(
      '--allow <code...>',
      'override these guards; keys-vanished lets keys go that the catalogue no longer has',
      [...ALLOWABLE_GUARDS],
    );
  }

  onPublishFlags() {
    return this.#hookFlags(
      '--on-publish',
      'send what was published, as JSON, to this command (on stdin) or URL (by POST)',
    );
  }

  onChangeFlags() {
    return this.#hookFlags(
      '--on-change',
      'if the key ring of the tree changed, notify this command (on stdin) or URL (by POST), as JSON',
    );
  }

  #hookFlags<const Flag extends string>(flag: Flag, text: string) {
    const withHook = this.flag(`${flag} <command|url>`, text, publishHookArgument);
    return withHook.durationFlag(`${flag}-timeout`, 'how long the notification may take', 60);
  }

  instantFlag<const Flag extends string>(flag: Flag, text: string) {
    return this.flag(`${flag} <instant>`, text, instantArgument);
  }

  durationFlag<const Flag extends string>(flag: Flag, text: string, presetSeconds: number) {
    return this.presetFlag(`${flag} <duration>`, text, presetSeconds, durationArgument, durationText(presetSeconds));
  }

  /**
   * The text that --help prints below the options. Prose is wrapped. An explanation that follows an
   * example after two blanks moves to the next line if both do not fit on one.
   */
  helpBelow(text: string): this {
    this.textBelow = text;
    return this.addHelpText('after', () => {
      const prose = text.replaceAll(/^(?![A-Z][a-z ]*:\n)(\S.*)\n(?=\S)/gm, '$1 ');
      const lines = prose
        .split('\n')
        .map((line) => (line.length <= helpColumns() ? line : line.replace(/(\S) {2,}(?=\S)/, '$1\n      ')));
      return this.createHelp().boxWrap(lines.join('\n'), helpColumns());
    });
  }

  /** Declares that the command writes more than its output. */
  writes(): this {
    return this.hook('preAction', () => void (this.#context.isWriting = true));
  }

  /** Sets the command's action. `run` returns the exit code, or nothing for 0. */
  runs(run: (...args: [...Operands, Flags, CommandContext]) => Promise<number | void>): void {
    this.option('--quiet', 'print no progress and no notes on stderr, only errors and warnings');
    this.action(async (...args: unknown[]) => {
      if (this.getOptionValue('quiet') === true) this.#context.terminal = quiet(this.#context.terminal);
      // The parser passes the command itself as the last argument.
      const given = args.slice(0, -1) as unknown as [...Operands, Flags];
      this.#context.exitCode = (await run(...given, this.#context)) ?? EXIT.done;
    });
  }
}

/** The width of help in columns. */
export const helpColumns = (): number => Math.min(COLUMNS, process.stdout.columns || COLUMNS);

function optionOf<Value>(term: string, text: string, rule?: Rule<Value>): Option {
  const option = new Option(term, text);
  if (rule === undefined) return option;
  if (typeof rule !== 'function') return option.choices(rule.map(String));
  return option.argParser((given: string) => rule(given, option.long ?? ''));
}
