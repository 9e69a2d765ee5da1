// The document that an edge would serve at an instant, read from the files of a tree. Renders
// nothing and uses no database.

import { formatInstant, type Instant } from '../../catalogue/instant.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { isFrontCode } from '../../contract/front-code.ts';
import { editionIndexAt } from '../../render/edition-choice.ts';
import { editionPath, pathOf, type Endpoint } from '../../render/paths.ts';
import { entryOf } from '../../contract/pointer-entry.ts';
import type { TreeFolders } from '../tree/files.ts';
import { damaged, missing, nothingPublished, orThrow } from '../tree/found.ts';
import { listedFronts, readEdition, readPointer } from '../tree/read.ts';

export interface Shown {
  /** The document as published, with its final newline. */
  readonly text: string;
  readonly pointer: Pointer;
  /**
   * Outside [now, validUntil) the nearest edition is served, although it is not known to be right.
   */
  readonly timeliness: 'early' | 'right' | 'stale';
}

/**
 * Reads a front's edition in force at an instant.
 * @throws AppError nothing-published, tree-unreadable (a damaged pointer or edition),
 * tree-newer-schema
 */
export async function showDocument(front: string, endpoint: Endpoint, files: TreeFolders, at: Instant): Promise<Shown> {
  // The code must be checked before it becomes part of a path.
  const read = isFrontCode(front) ? await readPointer(front, files) : missing(pathOf({ kind: 'pointer', front: '' }));
  if (!read.ok && read.why === 'missing') {
    throw nothingPublished(`front ${JSON.stringify(front)}`, files.root, await listedFronts(files));
  }
  const { pointer } = orThrow(read, 'tree-unreadable', files.root);
  const instant = formatInstant(at);
  const entries = pointer[endpoint];
  const { digest } = entryOf(entries[editionIndexAt(entries, instant)] ?? '');
  const path = editionPath(front, endpoint, digest);
  const text = textOf(orThrow(await readEdition(path, digest, files), 'tree-unreadable', files.root), path, files.root);
  const timeliness = instant < pointer.now ? 'early' : instant < pointer.validUntil ? 'right' : 'stale';
  return { text, pointer, timeliness };
}

/**
 * The text of a document, which must be UTF-8 and end with a newline, so that printing it gives the
 * same bytes.
 */
function textOf(bytes: Uint8Array, path: string, root: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (text.endsWith('\n')) return text;
  } catch {
    // Reported below, like a truncated document.
  }
  return orThrow(damaged(path, 'expected a line of UTF-8 text, found something else'), 'tree-unreadable', root);
}
