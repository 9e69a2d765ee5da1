// What looking for something in a tree (read.ts) gives: its value, or why there is none. Reading decides nothing: what a failure means is for
// the caller, who throws it, reports it as a finding, or takes it for absence.

import { AppError, shellWord } from '../../errors.ts';
import type { Finding } from '../../findings.ts';

export interface Failure {
  readonly ok: false;
  /**
   * `altered`: the bytes do not have the digest in the file's name. `damaged`: the content is not what such a file holds. `obstructed`: not
   * a file, or not below a folder. `unreadable`: the system refuses.
   */
  readonly why: 'missing' | 'altered' | 'damaged' | 'obstructed' | 'unreadable';
  /** From the tree's root. */
  readonly location: string;
  /** What was expected and found, without the location. */
  readonly message: string;
  /** Whether a file that is written takes its place; a folder does not give way, and what a folder holds is not ours to remove. */
  readonly isReplaceable: boolean;
  /** What to type where it is unreadable, if that is known better than here. */
  readonly hint?: string;
}

export type Found<T> = { readonly ok: true; readonly value: T } | Failure;

export function found<T>(value: T): Found<T> {
  return { ok: true, value };
}

export function missing(location: string, expected = 'a file'): Failure {
  return { ok: false, why: 'missing', location, message: `expected ${expected}, found none`, isReplaceable: true };
}

/** A file that is there, and whose content is not what such a file holds. */
export function damaged(location: string, message: string, why: 'altered' | 'damaged' = 'damaged'): Failure {
  return { ok: false, why, location, message, isReplaceable: true };
}

/** The value. @throws AppError with `code` where there is none; tree-unreadable where the system refuses. `root`: which tree it is. */
export function orThrow<T>(
  result: Found<T>,
  code: 'tree-unreadable' | 'release-damaged' = 'tree-unreadable',
  root: string | null = null,
): T {
  if (result.ok) return result.value;
  const message = `${root === null ? '' : `${root}/`}${result.location}: ${result.message}`;
  // What cannot be read may be sound: it is never to be removed.
  if (result.why === 'unreadable')
    throw new AppError('tree-unreadable', message, result.hint ?? 'check its owner and permissions');
  const inTree = (command: string): string => (root === null ? command : `${command} --out ${shellWord(root)}`);
  const build = `run: ${inTree('playbill build')}`;
  const remedies = {
    'release-damaged': 'a damaged manifest is for you to remove',
    'tree-unreadable': `move it away, then ${build}`,
  };
  const remedy = result.why === 'missing' ? build : remedies[code];
  throw new AppError(code, message, `for everything that is damaged: ${inTree('playbill verify')}; ${remedy}`);
}

/** The value; null where there is none, whatever is in its place. @throws AppError tree-unreadable: the system refuses to read it */
export function orNull<T>(result: Found<T>): T | null {
  return result.ok || result.why === 'unreadable' ? orThrow(result) : null;
}

/** The finding of a front that is held back by what is in the place of one of its files. */
export function obstructionFinding({ location, message, isReplaceable }: Failure): Finding {
  const remedy = isReplaceable ? 'build --force puts the file in its place' : 'move it away and run build again';
  return { severity: 'error', code: 'file-kind-wrong', place: location, message: `${message}; ${remedy}` };
}

/** No tree where one was named; `what` was found instead, in whose place a build could make one or not. */
export function treeMissing(root: string, what: string, canBeMade = true): AppError {
  const make = `make one: playbill build --out ${shellWord(root)} (or name another with --out)`;
  const hint = canBeMade ? make : 'name the folder of a tree with --out';
  return new AppError('tree-missing', `expected a tree at ${root}, found ${what}`, hint);
}

/** How many fronts a hint names. */
const FRONTS_NAMED = 20;

/** A tree without what was asked for; `published` are the codes of the fronts that it has. */
export function nothingPublished(expected: string, root: string, published: readonly string[] = []): AppError {
  const more = published.length > FRONTS_NAMED ? ` and ${published.length - FRONTS_NAMED} more` : '';
  const hint =
    published.length === 0
      ? `publish with: playbill build --out ${shellWord(root)}`
      : `published are: ${published.slice(0, FRONTS_NAMED).join(', ')}${more}`;
  return new AppError('nothing-published', `expected ${expected} in ${root}, found none`, hint);
}
