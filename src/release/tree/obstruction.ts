// What stands in a file's place and is none: a folder, a link, a pipe. Publishing goes on around it (law 7): the front that needs
// the place is held back, the others do not notice. Wherever else it is met it is an error as any other.

import type { Finding } from '../../findings.ts';
import { AppError } from '../../errors.ts';

/** Something that is no file in a file's place, or that is no folder in the place of a front's folder. */
export class Obstruction extends AppError {
  /** From the tree's root. */
  readonly path: string;
  /** What was expected and found, without the place. */
  readonly problem: string;
  /** Whether a rename takes its place; a folder does not give way, and what a folder holds is not ours to remove. */
  readonly isReplaceable: boolean;

  /** `place` is the path as the operator knows it, `found` completes "found …". */
  constructor(path: string, place: string, expected: 'a file' | 'a folder', found: string, isReplaceable: boolean) {
    const problem = `expected ${expected}, found ${found}`;
    super('tree-unreadable', `${place}: ${problem}`, 'move it away, then run the same command again');
    this.path = path;
    this.problem = problem;
    this.isReplaceable = isReplaceable;
  }
}

/** What a store says of a path, or what stands there instead of a file. @throws AppError tree-unreadable */
export async function orObstruction<T>(asked: Promise<T>): Promise<T | Obstruction> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Obstruction) return error;
    throw error;
  }
}

/** The finding of a front that is held back by what stands in its way. */
export function obstructionFinding({ path, problem, isReplaceable }: Obstruction): Finding {
  const remedy = isReplaceable ? 'build --force puts the file in its place' : 'move it away and run build again';
  return { severity: 'error', code: 'file-kind-wrong', place: path, message: `${problem}; ${remedy}` };
}
