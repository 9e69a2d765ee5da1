// The document that a request at an instant gets, straight from the files of a tree: what the edge would serve, without the
// signature. Renders nothing and asks no database.

import { formatInstant, type Instant } from '../../catalogue/instant.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { AppError } from '../../errors.ts';
import { editionIndexAt } from '../../render/edition-choice.ts';
import {
  digestOf,
  editionPath,
  folderOf,
  FRONTS_FOLDER,
  isFrontCode,
  pathOf,
  type Endpoint,
} from '../../render/paths.ts';
import { sha256Of } from '../tree/digest.ts';
import { entryOf } from '../tree/published.ts';
import type { TreeReader } from '../tree/reader.ts';
import { parsePointer } from '../tree/codec.ts';

/** How many fronts a hint names. */
const FRONTS_NAMED = 20;

export interface Shown {
  /** The document as published, with its final newline. */
  readonly text: string;
  readonly pointer: Pointer;
  /** Where the instant lies: outside [now, validUntil) the nearest edition is served, though it is not known to be right. */
  readonly timeliness: 'early' | 'right' | 'stale';
}

/**
 * Reads the edition of a front in force at an instant.
 * @throws AppError nothing-published, tree-unreadable (a damaged pointer or edition), tree-newer-schema
 */
export async function showDocument(front: string, endpoint: Endpoint, reader: TreeReader, at: Instant): Promise<Shown> {
  const pointer = await pointerOf(front, reader);
  const instant = formatInstant(at);
  const entries = pointer[endpoint];
  const { digest } = entryOf(entries[editionIndexAt(entries, instant)] ?? '');
  const path = editionPath(front, endpoint, digest);
  const bytes = await bytesOf(path, reader);
  if (digestOf(sha256Of(bytes)) !== digest)
    throw damaged(path, 'expected the bytes that its name promises, found others');
  const timeliness = instant < pointer.now ? 'early' : instant < pointer.validUntil ? 'right' : 'stale';
  return { text: textOf(bytes, path), pointer, timeliness };
}

async function pointerOf(front: string, reader: TreeReader): Promise<Pointer> {
  const path = pathOf({ kind: 'pointer', front });
  // A code is checked before it becomes part of a path.
  if (!isFrontCode(front) || !(await hasPointer(front, reader))) {
    const codes = await publishedFronts(reader);
    const more = codes.length > FRONTS_NAMED ? ` and ${codes.length - FRONTS_NAMED} more` : '';
    throw new AppError(
      'nothing-published',
      `nothing is published for front ${JSON.stringify(front)} in ${reader.place}`,
      codes.length === 0
        ? 'publish with: playbill build'
        : `published are: ${codes.slice(0, FRONTS_NAMED).join(', ')}${more}`,
    );
  }
  const { value, problem } = parsePointer(await bytesOf(path, reader), path);
  if (problem !== null) throw damaged(path, problem);
  if (value.front !== front)
    throw damaged(path, `expected the front of its folder, found the pointer of ${value.front}`);
  return value;
}

async function hasPointer(front: string, reader: TreeReader): Promise<boolean> {
  const { entries } = await reader.entries(folderOf(front));
  return entries.some(({ path }) => path === pathOf({ kind: 'pointer', front }));
}

/** Codes of the fronts that have a pointer, sorted; whether it can be read is another question. */
export async function publishedFronts(reader: TreeReader): Promise<string[]> {
  const { entries } = await reader.entries(FRONTS_FOLDER);
  const codes: string[] = [];
  for (const { path, kind } of entries) {
    const code = path.slice(FRONTS_FOLDER.length + 1);
    if (kind === 'folder' && isFrontCode(code) && (await hasPointer(code, reader))) codes.push(code);
  }
  return codes;
}

async function bytesOf(path: string, reader: TreeReader): Promise<Uint8Array> {
  const { bytes, problem } = await reader.read(path);
  if (problem !== null) throw damaged(path, problem);
  return bytes;
}

/** The text of a document that is one: UTF-8 and ended by a newline, so that printing it gives the same bytes. */
function textOf(bytes: Uint8Array, path: string): string {
  let text = '';
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Told below, like a text that was cut short before it got its name.
  }
  if (!text.endsWith('\n')) throw damaged(path, 'expected a line of text in UTF-8, found something else');
  return text;
}

function damaged(path: string, problem: string): AppError {
  const hint = 'see everything that is damaged: playbill verify; remove it, then run: playbill build';
  return new AppError('tree-unreadable', `${path}: ${problem}`, hint);
}
