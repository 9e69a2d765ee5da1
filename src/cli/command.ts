// A command of the argument parser, with the options that several commands have and what all of them do alike.

import { Command, Option } from 'commander';
import type { Instant } from '../catalogue/instant.ts';
import { durationArgument, durationText, instantArgument, portArgument } from './arguments.ts';
import type { CommandContext } from './context.ts';

/** The values of the shared options. */
export interface SharedFlags {
  readonly db: string;
  readonly out: string;
  readonly at?: Instant;
  readonly json?: true;
}

export class PlaybillCommand extends Command {
  readonly #context: CommandContext;

  constructor(name: string | undefined, context: CommandContext) {
    super(name);
    this.#context = context;
  }

  override createCommand(name?: string): PlaybillCommand {
    return new PlaybillCommand(name, this.#context);
  }

  dbOption(text = 'the catalogue database, opened read-only'): this {
    return this.option('--db <file>', text, 'data/catalogue.sqlite');
  }

  outOption(text: string): this {
    return this.option('--out <folder>', text, 'out');
  }

  jsonOption(text = 'print the result as JSON'): this {
    return this.option('--json', text);
  }

  portOption(preset: number): this {
    return this.option('--port <number>', 'the port; 0 for any that is free', portArgument('--port'), preset);
  }

  instantOption(flag: string, text: string): this {
    return this.option(`${flag} <instant>`, text, instantArgument(flag));
  }

  durationOption(flag: string, text: string, presetSeconds?: number): this {
    const option = new Option(`${flag} <duration>`, text).argParser(durationArgument(flag));
    if (presetSeconds !== undefined) option.default(presetSeconds, durationText(presetSeconds));
    return this.addOption(option);
  }

  /** What --help prints below the options. */
  helpBelow(text: string): this {
    return this.addHelpText('after', text);
  }

  /** What the command does with its arguments and flags; returns the exit code. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- holds every command to its last parameter
  runs<Args extends readonly unknown[]>(run: (...args: [...Args, CommandContext]) => Promise<number>): this {
    return this.action(async (...args: unknown[]) => {
      // The parser's last argument is the command itself. What the others are is known to the options, not to the compiler.
      this.#context.exitCode = await run(...(args.slice(0, -1) as unknown as Args), this.#context);
    });
  }
}
