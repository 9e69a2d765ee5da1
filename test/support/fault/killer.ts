// Kills runs of the command before each of the calls that change a tree, as step-signal.ts counts
// them.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { twoAtATime } from './build-with.ts';
import type { Command } from './command.ts';
import { copyTree } from './tree-copy.ts';

export class Killer {
  readonly #command: Command;
  readonly #folder: string;
  #serial = 0;

  /** `folder`: for copies of trees. */
  constructor(command: Command, folder: string) {
    this.#command = command;
    this.#folder = folder;
  }

  /**
   * Kills a run before each of its steps that is chosen, on a copy of a tree of its own, and has
   * each judged. An fsync is no step: nothing happens in it that a reader or the next run could see.
   * @returns how many steps an undisturbed run has
   */
  async everywhere(
    words: readonly string[],
    from: string,
    isStep: (index: number, total: number) => boolean,
    judge: (tree: string, step: string) => Promise<void>,
  ): Promise<number> {
    const steps = await this.#stepsOf(words, from);
    const visible = steps.flatMap((step, i) => (step.startsWith('fsync') ? [] : [i + 1]));
    const runs = visible
      .filter((_, i) => isStep(i, visible.length))
      .map((number) => async () => {
        const step = steps[number - 1] ?? '';
        const tree = copyTree(from, this.#fresh());
        const run = await this.#command.run([...words, '--out', tree], {
          steps: { tree, signal: `SIGKILL ${number}` },
        });
        expect(run, `${step}: ${run.stderr}`).toMatchObject({ signal: 'SIGKILL', stdout: '' });
        await judge(tree, step);
        rmSync(tree, { recursive: true });
      });
    await twoAtATime(runs);
    return visible.length;
  }

  /** Every call of an undisturbed run that changes the tree, in order. */
  async #stepsOf(words: readonly string[], from: string): Promise<string[]> {
    const tree = copyTree(from, this.#fresh());
    const trace = `${tree}-trace`;
    const run = await this.#command.run([...words, '--out', tree], { steps: { tree, trace } });
    expect(run, run.stderr).toMatchObject({ code: 0 });
    rmSync(tree, { recursive: true });
    return readFileSync(trace, 'utf8').trimEnd().split('\n');
  }

  #fresh(): string {
    this.#serial += 1;
    return join(this.#folder, `killed-${this.#serial}`);
  }
}
