// What the last run of a build leaves to the next: where the same is asked for, of the same rows, and the tree is as that run left it,
// there is nothing to do, and what a build would print is known. Any doubt means no: then the build runs. No lock is taken: a file
// that is as it was has been so all the while, so the catalogue's rows and the whole tree were together as they had been at the
// instant at which the catalogue was looked at, and the answer is that of a run at that instant.

import { readCatalogueMark } from './database/catalogue-mark.ts';
import type { CacheFolder } from './storage/cache-folder.ts';
import { isAsMarked, type TreeMark } from './storage/tree-mark.ts';

/** What a run is asked for. */
export interface RunRequest {
  /** Everything that the result depends on besides catalogue and tree: words, now, versions, places. */
  readonly key: string;
  /** Real paths. */
  readonly databasePath: string;
  readonly outPath: string;
}

/** Catalogue and tree at the end of a run. */
export interface RunMark {
  readonly catalogue: string;
  readonly tree: TreeMark;
}

/** The result as text for people and as JSON. */
export type PrintForm = 'text' | 'json';

const RECORD = 'last-run.json';

/** Keeps what a run that finds nothing to do would print in either form, for as long as the mark holds. */
export function remember(
  cache: CacheFolder,
  { key }: RunRequest,
  mark: RunMark,
  printed: Readonly<Record<PrintForm, string>>,
): void {
  const stamp = stampOf(key, mark);
  const encoder = new TextEncoder();
  for (const form of ['text', 'json'] as const) {
    if (!cache.write(fileOf(form), [encoder.encode(`${stamp}\n${printed[form]}`)])) return;
  }
  cache.write(RECORD, [encoder.encode(JSON.stringify([key, mark.catalogue, mark.tree.digest, mark.tree.paths]))]);
}

/** What a build would print, where there is nothing to do; null where there may be. */
export function recall(cache: CacheFolder, request: RunRequest, form: PrintForm): string | null {
  const bytes = cache.read(RECORD);
  if (bytes === null) return null;
  const record: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (!Array.isArray(record) || record[0] !== request.key) return null;
  const [key, catalogue, digest, paths] = record.map(String);
  if (key === undefined || catalogue === undefined || digest === undefined || paths === undefined) return null;
  const mark: RunMark = { catalogue, tree: { paths, digest } };
  // First the catalogue, then the tree: see above.
  if (readCatalogueMark(request.databasePath) !== catalogue) return null;
  if (!isAsMarked(request.outPath, mark.tree)) return null;
  const printed = cache.read(fileOf(form));
  if (printed === null) return null;
  const text = new TextDecoder().decode(printed);
  const stamp = `${stampOf(key, mark)}\n`;
  return text.startsWith(stamp) ? text.slice(stamp.length) : null;
}

/** What is printed belongs to one record: files of two runs may stand side by side. One line. */
function stampOf(key: string, { catalogue, tree }: RunMark): string {
  return JSON.stringify([key, catalogue, tree.digest]);
}

function fileOf(form: PrintForm): string {
  return `last-run.printed.${form}`;
}
