// The quick way of `playbill build`: asks what the last run has left (last-run.ts), before the argument parser and everything behind
// it is loaded. And leaves the same for the next run.

import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { formatInstant, type Instant } from '../catalogue/instant.ts';
import { recall, remember, type PrintForm, type RunMark, type RunRequest } from '../last-run.ts';
import { CacheFolder } from '../storage/cache-folder.ts';
import { readBuildWords, type BuildWords } from './build-words.ts';
import type { Session } from './session.ts';

/** What `playbill build` prints, where there is nothing to do; null where the build must see. */
export function recallBuild(session: Session): string | null {
  try {
    const words = readBuildWords(session.words);
    if (words === null) return null;
    const run = runOf(words, session.now(), session);
    return run === null ? null : recall(run.cache, run.request, words.isJson ? 'json' : 'text');
  } catch {
    // No tree, no catalogue, a record of a strange form: the build says what is wrong.
    return null;
  }
}

/** Keeps what the same build would print now that it is done. */
export function rememberBuild(
  mark: RunMark,
  printed: Readonly<Record<PrintForm, string>>,
  session: Session,
  now: Instant,
): void {
  const words = readBuildWords(session.words);
  if (words === null) return;
  try {
    const run = runOf(words, now, session);
    if (run !== null) remember(run.cache, run.request, mark, printed);
  } catch {
    // The tree or the catalogue is gone again: nothing to remember.
  }
}

/** Null where there is no cache. */
function runOf(
  words: BuildWords,
  now: Instant,
  session: Session,
): { readonly cache: CacheFolder; readonly request: RunRequest } | null {
  const outPath = realpathSync(words.out);
  const path = cachePathOf(words.cache, outPath, session);
  if (path === null) return null;
  const databasePath = realpathSync(words.db);
  const { toolVersion, tzdata, nodeVersion } = session;
  const at = words.hasNow ? null : formatInstant(now);
  const key = JSON.stringify([words.key, at, toolVersion, nodeVersion, tzdata, databasePath, outPath]);
  return { cache: new CacheFolder(path, session.userId), request: { key, databasePath, outPath } };
}

/** Where a build keeps what makes the next one quick; null where it is to keep nothing. */
export function cacheOfBuild(wanted: string | false | undefined, out: string, session: Session): CacheFolder | null {
  const path = cachePathOf(wanted, realPathOf(out), session);
  return path === null ? null : new CacheFolder(path, session.userId);
}

/** The real path of a folder; of one that is not there yet, the path that it will have. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** The folder of a tree's cache; null where there is to be none, or the environment names no place for it. */
export function cachePathOf(
  wanted: string | false | undefined,
  outPath: string,
  { environment }: Pick<Session, 'environment'>,
): string | null {
  if (wanted !== undefined) return wanted === false ? null : wanted;
  const home = environment('HOME') ?? '';
  const shared = environment('XDG_CACHE_HOME') ?? '';
  // The XDG base directory specification: a relative path is to be ignored.
  const base = isAbsolute(shared) ? shared : isAbsolute(home) ? join(home, '.cache') : null;
  if (base === null) return null;
  return join(base, 'playbill', createHash('sha256').update(outPath).digest('hex').slice(0, 16));
}
