// A typed layer over the argument parser: the declaration of a flag or operand gives it its type.
// Also holds the flags and the behaviour that commands share.

import { Argument, Command, Option } from 'commander';
import { ALLOWABLE_GUARDS } from '../contract/allowable-guards.ts';
import { PROFILE_NAMES, type ProfileName } from '../edge/rule/profile.ts';
import { AppError } from '../errors.ts';
import type { Instant } from '../catalogue/instant.ts';
import { durationArgument, portArgument, type Rule } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { groupOptions } from './help-groups.ts';
import { instantOfMoment, momentArgument, type FrontZone, type Moment } from './moment.ts';
import { COLUMNS } from './output/text.ts';
import { durationText, quiet, withJsonMessages } from './output/terminal.ts';
import { applySettings, refuseSettings, settingOptions } from './settings/apply-settings.ts';
import { SettingOption, settingOption, withPreset } from './settings/setting-option.ts';
import type { SettingsFile } from './settings/applied-settings.ts';
import { ALL_SETTINGS, SETTINGS, type Setting } from './settings/settings.ts';

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

/** The flags of the command that the function declares. */
export type FlagsOf<Declare extends (program: PlaybillCommand) => unknown> =
  ReturnType<Declare> extends PlaybillCommand<infer Flags, infer _Operands> ? Flags : never;

export class PlaybillCommand<Flags = unknown, Operands extends readonly unknown[] = []> extends Command {
  readonly #context: CommandContext;
  /** What `helpBelow` was given. */
  textBelow = '';
  readonly #required: Option[] = [];
  /** Those whose value is a Moment until the command is prepared. */
  readonly #moments: Option[] = [];
  /** Whether it does something, and is not only a group. */
  isRunnable = false;
  #readsFile = true;
  #usesSettings = true;

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
    return this.typedFlag<Present<Term, Value>>(this.#requires(optionOf(term, text, rule)));
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

  /** The flag of a setting. What it is in this command, if that is special, says `text`. */
  setting<Term extends string, Value, Preset extends string | undefined>(
    setting: Setting<Term, Value, Preset>,
    text = setting.text,
  ) {
    const option = settingOption(setting, text);
    return this.typedFlag<Preset extends string ? Present<Term, Value> : Optional<Term, Value>>(
      setting.preset === undefined ? option : withPreset(option, setting.preset),
    );
  }

  /** The same for a command that does without, so that the default does not count. */
  optionalSetting<Term extends string, Value>(setting: Setting<Term, Value>, text = setting.text) {
    return this.typedFlag<Optional<Term, Value>>(settingOption(setting, text));
  }

  /** The same for a command that needs it and for which there is no default. */
  requiredSetting<Term extends string, Value>(setting: Setting<Term, Value>) {
    return this.typedFlag<Present<Term, Value>>(this.#requires(settingOption(setting, setting.text)));
  }

  /** The flags of all settings. */
  allSettings(): this {
    for (const setting of ALL_SETTINGS) this.setting(setting);
    return this;
  }

  #requires(option: Option): Option {
    this.#required.push(option);
    option.description = `${option.description} (required)`;
    return option;
  }

  /** The address of the catalogue. */
  dbFlag(text = 'the catalogue, opened read-only') {
    return this.setting(SETTINGS.db, `${text}: an SQLite file or postgres://…; PLAYBILL_DB names another`);
  }

  /** The address of a catalogue to write: never that of the file. */
  writtenDbFlag(text: string) {
    const command = this.dbFlag(text);
    for (const option of settingOptions(this)) option.isInFile &&= option.setting !== SETTINGS.db;
    return command;
  }

  /** The address of the tree, with the option for buckets. */
  outFlag(text: string) {
    const out = `${text}: a folder or s3://bucket/prefix; PLAYBILL_OUT names another`;
    return this.setting(SETTINGS.out, out).setting(SETTINGS.s3VirtualHosts);
  }

  /** `--out` of a command that also works without a tree. */
  optionalOutFlag(text: string) {
    const out = `${text}: a folder or s3://bucket/prefix; PLAYBILL_OUT also names one`;
    return this.optionalSetting(SETTINGS.out, out).setting(SETTINGS.s3VirtualHosts);
  }

  /** A profile, where there can be only one: the first of those that the edge accepts. */
  profileFlag(text: string) {
    const option = new SettingOption(SETTINGS.profiles, text, '--profile <name>');
    option.take = (names) => (names as readonly ProfileName[])[0] ?? PROFILE_NAMES[0];
    return this.typedFlag<{ readonly profile: ProfileName }>(option.choices(PROFILE_NAMES).default(PROFILE_NAMES[0]));
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

  /** How much history the tree keeps. */
  keepFlags() {
    return this.setting(SETTINGS.keepLast)
      .setting(SETTINGS.keepHourly)
      .setting(SETTINGS.keepDaily)
      .setting(SETTINGS.keepGrace);
  }

  onPublishFlags() {
    return this.setting(SETTINGS.onPublish).setting(SETTINGS.onPublishTimeout).setting(SETTINGS.onPublishTokenEnv);
  }

  onFailureFlags() {
    return this.setting(SETTINGS.onFailure).setting(SETTINGS.onFailureTimeout).setting(SETTINGS.onFailureTokenEnv);
  }

  onChangeFlags() {
    return this.setting(SETTINGS.onChange).setting(SETTINGS.onChangeTimeout).setting(SETTINGS.onChangeTokenEnv);
  }

  /** Its value is a Moment until the command is prepared, and an Instant from then on. */
  instantFlag<const Flag extends string>(flag: Flag, text: string) {
    const option = optionOf(`${flag} <instant>`, text, momentArgument);
    this.#moments.push(option);
    return this.typedFlag<Optional<`${Flag} <instant>`, Instant>>(option);
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

  /** Declares that the command takes nothing from the file of settings. */
  withoutFile(): this {
    this.#readsFile = false;
    return this;
  }

  /** Declares that the command does nothing with the settings but list them. */
  listsSettings(): this {
    this.#usesSettings = false;
    return this;
  }

  /**
   * Before the action: gives the flags that were not typed their values from elsewhere, then looks
   * for what is missing.
   * @throws AppError settings-…, usage
   */
  async prepare(): Promise<void> {
    const file = this.#readsFile && this.#context.readsSettingsFile ? await this.#settingsFile() : null;
    const inForce = applySettings(this, file, this.#context.environment);
    this.#context.settings = { file, inForce };
    const { source, value } = inForce.get(SETTINGS.logFormat) ?? {};
    if (source?.kind === 'file' && value === 'json')
      this.#context.terminal = withJsonMessages(this.#context.terminal, this.#context.clock);
    // Last: it looks at the level of a message, which the form no longer has.
    if (this.getOptionValue('quiet') === true) this.#context.terminal = quiet(this.#context.terminal);
    if (this.#usesSettings) {
      refuseSettings(inForce, this.#context.environment);
      // Like all other S3 settings, this one is read from the environment: by storage/bucket/ and
      // by every process that the command starts.
      if (this.getOptionValue('s3VirtualHosts') === true) process.env['PLAYBILL_S3_VIRTUAL_HOSTS'] = 'yes';
    }
    const missing = this.#required.filter((option) => this.getOptionValue(option.attributeName()) === undefined);
    if (missing.length > 0) throw this.#missing(missing.map(({ flags }) => flags));
    await this.#settleMoments();
  }

  /** Makes instants of the times that were typed, and says which those are that were relative. */
  async #settleMoments(): Promise<void> {
    const { terminal, now } = this.#context;
    const at = now();
    const typed = this.#moments.flatMap((option) => {
      const moment = this.getOptionValue(option.attributeName()) as Moment | undefined;
      return moment === undefined ? [] : [{ option, moment }];
    });
    const zone = typed.some(({ moment }) => moment.kind === 'wall') ? await this.#namedZone(at) : null;
    for (const { option, moment } of typed) {
      if (moment.kind === 'from-now' && this.getOptionValue('shard') !== undefined) {
        const message = `${option.long}: expected one instant for all shards, found ${moment.text}, which each has another clock for`;
        throw new AppError('usage', message, `type it in full, or leave it out: shards then take that of the first`);
      }
      const { instant, note } = instantOfMoment(moment, option.long ?? '', zone, at);
      this.setOptionValueWithSource(option.attributeName(), instant, 'cli');
      if (note !== null) terminal.log({ level: 'note', message: note });
    }
  }

  /** The zone of the front that is named, if it is one. */
  async #namedZone(at: Instant): Promise<FrontZone | null> {
    const [front, ...others] = [this.getOptionValue('front') as string | readonly string[] | undefined].flat();
    if (front === undefined || others.length > 0) return null;
    const { frontZone } = await import('../operations/front-zone.ts');
    const valueOf = (name: string): string | null => (this.getOptionValue(name) as string | undefined) ?? null;
    const sources = { databasePath: valueOf('db'), outPath: valueOf('out'), tzdata: this.#context.tzdata };
    return { front, zone: await frontZone(front, sources, at) };
  }

  /** Loads what reads the file only when a command runs. */
  async #settingsFile(): Promise<SettingsFile | null> {
    const { settingsFile } = await import('./settings/settings-file.ts');
    return settingsFile(this.getOptionValue('config') as string | undefined, this.#context);
  }

  #missing(flags: readonly string[]): AppError {
    const found = flags.length === 1 ? 'none' : flags.length === 2 ? 'neither' : 'none of them';
    return new AppError('usage', `expected ${flags.join(' and ')}, found ${found}`, `see ${pathOf(this)} --help`);
  }

  /** Sets the command's action. `run` returns the exit code, or nothing for 0. */
  runs(run: (...args: [...Operands, Flags, CommandContext]) => Promise<number | void>): void {
    this.isRunnable = true;
    this.option('--quiet', 'print no progress and no notes on stderr, only errors and warnings');
    const isThere = settingOptions(this).some(({ setting }) => setting === SETTINGS.logFormat);
    if (!isThere) this.setting(SETTINGS.logFormat);
    if (this.#readsFile) this.addOption(configOption());
    groupOptions(this);
    this.action(async (...args: unknown[]) => {
      // The parser passes the command itself as the last argument.
      const given = args.slice(0, -1) as unknown as [...Operands, Flags];
      this.#context.exitCode = (await run(...given, this.#context)) ?? EXIT.done;
    });
  }
}

/** The first of two files would be ignored in silence. */
function configOption(): Option {
  return new Option('--config <file>', 'the file of settings; PLAYBILL_CONFIG names another').argParser(
    (file: string, before: string | undefined) => {
      if (before === undefined) return file;
      const hint = 'name one; a setting in another can be typed as a flag';
      throw new AppError('usage', `--config: expected one file, found two: ${before} and ${file}`, hint);
    },
  );
}

/** The full name of a command: `playbill keys issue`. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** The width of help in columns. */
export const helpColumns = (): number => Math.min(COLUMNS, process.stdout.columns || COLUMNS);

function optionOf<Value>(term: string, text: string, rule?: Rule<Value>): Option {
  const option = new Option(term, text);
  if (rule === undefined) return option;
  if (typeof rule !== 'function') return option.choices(rule.map(String));
  return option.argParser((given: string) => rule(given, option.long ?? ''));
}
