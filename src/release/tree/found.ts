// The result of reading something from a tree: its value, or why it could not be read. Callers
// decide what a failure means: they throw it, report it as a finding, or treat it as absence.

import { AppError, shellWord } from '../../errors.ts';
import type { Finding } from '../../findings.ts';

export interface Failure {
  readonly ok: false;
  /**
   * `altered`: the bytes do not have the digest in the file's name. `damaged`: the content is
   * invalid. `older`: an earlier version wrote it, in a form that this one does not use.
   * `obstructed`: something else is at the path, or at one of its parents. `unreadable`: the system
   * or the store refuses.
   */
  readonly why: 'missing' | 'altered' | 'damaged' | 'older' | 'obstructed' | 'unreadable';
  /** A path relative to the tree's root. */
  readonly location: string;
  /** What was expected and found, without the location. */
  readonly message: string;
  /**
   * Whether writing a file there would succeed. Not if it is a folder, whose content Playbill must
   * not remove.
   */
  readonly isReplaceable: boolean;
  /** What to type if it is unreadable, if the reader knows. */
  readonly hint?: string;
}

export type Found<T> = { readonly ok: true; readonly value: T } | Failure;

export function found<T>(value: T): Found<T> {
  return { ok: true, value };
}

export function missing(location: string, expected = 'a file'): Failure {
  return { ok: false, why: 'missing', location, message: `expected ${expected}, found none`, isReplaceable: true };
}

/** The failure for a file with content that cannot be used. */
export function damaged(location: string, message: string, why: 'altered' | 'damaged' | 'older' = 'damaged'): Failure {
  return { ok: false, why, location, message, isReplaceable: true };
}

/**
 * The value. `root` is the tree's, for the message.
 * @throws AppError `code`; always tree-unreadable if the system refuses to read, and release-older
 * for the manifest of an earlier version
 */
export function orThrow<T>(
  result: Found<T>,
  code: 'tree-unreadable' | 'release-damaged' = 'tree-unreadable',
  root: string | null = null,
): T {
  if (result.ok) return result.value;
  const message = `${root === null ? '' : `${root}/`}${result.location}: ${result.message}`;
  // The file may be intact, so the hint must not suggest to remove it.
  if (result.why === 'unreadable')
    throw new AppError('tree-unreadable', message, result.hint ?? 'check its owner and permissions');
  const inTree = (command: string): string => (root === null ? command : `${command} --out ${shellWord(root)}`);
  const build = `run: ${inTree('playbill build')}`;
  if (result.why === 'older')
    throw new AppError('release-older', message, `choose a release from: ${inTree('playbill releases')}; or ${build}`);
  const remedies = {
    'release-damaged': 'remove a damaged manifest by hand',
    'tree-unreadable': `move it away, then ${build}`,
  };
  const remedy = result.why === 'missing' ? build : remedies[code];
  throw new AppError(code, message, `to see all damage: ${inTree('playbill verify')}; ${remedy}`);
}

/**
 * The value; null if it is missing, damaged, obstructed or of an earlier version.
 * @throws AppError tree-unreadable: the system refuses to read it
 */
export function orNull<T>(result: Found<T>): T | null {
  return result.ok || result.why === 'unreadable' ? orThrow(result) : null;
}

/**
 * The finding for a front that is held back because something else is at the path of one of its
 * files.
 */
export function obstructionFinding({ location, message, isReplaceable }: Failure): Finding {
  const remedy = isReplaceable ? 'build --force replaces it by the file' : 'move it away and run build again';
  return { severity: 'error', code: 'file-kind-wrong', place: location, message: `${message}; ${remedy}` };
}

/**
 * The error for a missing tree; `what` was found instead. `canBeMade`: whether a build could make a
 * tree there.
 */
export function treeMissing(root: string, what: string, canBeMade = true): AppError {
  const make = `create one with: playbill build --out ${shellWord(root)}; or name another with --out`;
  const hint = canBeMade ? make : 'name the folder of a tree with --out';
  return new AppError('tree-missing', `expected a tree at ${root}, found ${what}`, hint);
}

/** How many fronts a hint names. */
const FRONTS_NAMED = 20;

/**
 * The error for something that a tree does not have; `published` are the codes of the fronts that
 * it has.
 */
export function nothingPublished(expected: string, root: string, published: readonly string[] = []): AppError {
  const more = published.length > FRONTS_NAMED ? ` and ${published.length - FRONTS_NAMED} more` : '';
  const hint =
    published.length === 0
      ? `publish with: playbill build --out ${shellWord(root)}`
      : `published fronts: ${published.slice(0, FRONTS_NAMED).join(', ')}${more}`;
  return new AppError('nothing-published', `expected ${expected} in ${root}, found none`, hint);
}
