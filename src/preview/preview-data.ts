// The tree as the page shows it: releases, the pointers in force, editions. Reads through a TreeReader, afresh for every request, and
// checks everything, so that the page need not.

import { formatInstant, type Instant } from '../catalogue/instant.ts';
import { productsDocumentSchema } from '../contract/documents.ts';
import type { Manifest, ManifestFront } from '../contract/manifest.ts';
import type { Pointer } from '../contract/pointer.ts';
import { AppError } from '../errors.ts';
import { parseCurrent, parseManifest, parsePointer, pointerText, type Parsed } from '../release/tree/codec.ts';
import { sha256Of } from '../release/tree/digest.ts';
import type { TreeReader } from '../release/tree/reader.ts';
import { digestOf, FRONTS_FOLDER, isFrontCode, pathOf, RELEASES_FOLDER, treeFileOf } from '../render/paths.ts';
import { IN_FORCE, type Overview, type PreviewFront, type PreviewRelease, type ReleaseSummary } from './messages.ts';

export class PreviewData {
  readonly #reader: TreeReader;
  /** Of manifests that could be read. They never change: their names are their digests. */
  readonly #summaries = new Map<string, ReleaseSummary>();

  constructor(reader: TreeReader) {
    this.#reader = reader;
  }

  /** Kept releases and the current one, with the server's clock. @throws AppError tree-newer-schema */
  async overview(now: Instant): Promise<Overview> {
    const releases: ReleaseSummary[] = [];
    for (const id of await this.#releaseIds()) releases.push(await this.#summaryOf(id));
    releases.sort((a, b) => compareText(b.now ?? '', a.now ?? '') || compareText(a.id, b.id));
    return { root: this.#reader.place, now: formatInstant(now), current: await this.#currentId(), releases };
  }

  /** A kept release by its id, or what is in force. @throws AppError nothing-published, tree-unreadable, tree-newer-schema */
  async release(id: string): Promise<PreviewRelease> {
    if (id === IN_FORCE) return { id, fronts: await this.#frontsInForce() };
    if (!(await this.#releaseIds()).includes(id)) {
      const message = `expected the id of a kept release, found ${JSON.stringify(id)}`;
      throw new AppError('nothing-published', message, `kept are those in ${this.#reader.place}/${RELEASES_FOLDER}`);
    }
    const { value, problem } = await this.#manifest(id);
    if (problem !== null) throw damaged(pathOf({ kind: 'manifest', id }), problem);
    return { id, fronts: value.fronts.map((record) => frontWith(record.pointer, record)) };
  }

  /**
   * An edition as published, as text; `path` as in the tree, below its fronts.
   * @throws AppError nothing-published, tree-unreadable
   */
  async edition(path: string): Promise<string> {
    const wholePath = `${FRONTS_FOLDER}/${path}`;
    const file = treeFileOf(wholePath);
    if (file?.kind !== 'edition' || file.encoding !== 'identity') {
      const message = `expected the path of an edition, found ${JSON.stringify(path)}`;
      throw new AppError('nothing-published', message, SEE_VERIFY);
    }
    const { bytes, problem } = await this.#reader.read(wholePath);
    if (problem !== null) throw damaged(wholePath, problem);
    if (digestOf(sha256Of(bytes)) !== file.digest) {
      throw damaged(wholePath, 'content does not match the digest in the file name');
    }
    const text = new TextDecoder().decode(bytes);
    if (file.endpoint === 'products' && !isProductsDocument(text)) {
      throw damaged(wholePath, 'expected a document of the contract, found something else');
    }
    return text;
  }

  async #frontsInForce(): Promise<readonly PreviewFront[]> {
    const current = await this.#currentId();
    const manifest = current === null ? null : (await this.#manifest(current)).value;
    const records = new Map(manifest?.fronts.map((record) => [record.front, record]));
    const { entries } = await this.#reader.entries(FRONTS_FOLDER);
    const folders = entries.filter(({ kind }) => kind === 'folder');
    const codes = folders.map(({ path }) => path.slice(FRONTS_FOLDER.length + 1)).filter(isFrontCode);
    const fronts: PreviewFront[] = [];
    for (const front of [...new Set([...codes, ...records.keys()])].sort(compareText)) {
      const record = records.get(front);
      const pointer = await this.#pointer(front);
      // A front that was withdrawn leaves its editions for a while, and no pointer.
      if (pointer === null && record === undefined) continue;
      const path = pathOf({ kind: 'pointer', front });
      const { value, problem } = pointer ?? MISSING_POINTER;
      if (value === null) fronts.push({ front, pointer: null, problem: `${path}: ${problem}`, record: null });
      else fronts.push(frontWith(value, record));
    }
    return fronts;
  }

  /** null where there is none. */
  async #pointer(front: string): Promise<Parsed<Pointer> | null> {
    const path = pathOf({ kind: 'pointer', front });
    const { entries } = await this.#reader.entries(`${FRONTS_FOLDER}/${front}`);
    if (!entries.some((entry) => entry.path === path)) return null;
    const { bytes, problem } = await this.#reader.read(path);
    return bytes === null ? { value: null, problem } : parsePointer(bytes, path);
  }

  async #releaseIds(): Promise<string[]> {
    const { entries } = await this.#reader.entries(RELEASES_FOLDER);
    return entries.flatMap(({ path }) => {
      const file = treeFileOf(path);
      return file?.kind === 'manifest' ? [file.id] : [];
    });
  }

  async #currentId(): Promise<string | null> {
    const { bytes } = await this.#reader.read(pathOf({ kind: 'current' }));
    return bytes === null ? null : parseCurrent(bytes).value;
  }

  async #summaryOf(id: string): Promise<ReleaseSummary> {
    const known = this.#summaries.get(id);
    if (known !== undefined) return known;
    const { value } = await this.#manifest(id);
    const summary = { id, now: value?.now ?? null };
    if (value !== null) this.#summaries.set(id, summary);
    return summary;
  }

  async #manifest(id: string): Promise<Parsed<Manifest>> {
    const path = pathOf({ kind: 'manifest', id });
    const { bytes, problem } = await this.#reader.read(path);
    return bytes === null ? { value: null, problem } : parseManifest(bytes, path);
  }
}

const MISSING_POINTER = {
  value: null,
  problem: 'missing, although the current release has this front; publish again with: playbill build',
} as const;

const SEE_VERIFY = 'for everything that is damaged: playbill verify';

function damaged(path: string, problem: string): AppError {
  return new AppError('tree-unreadable', `${path}: ${problem}`, SEE_VERIFY);
}

/** `record`: the manifest's, which counts only where it is about this pointer. */
function frontWith(pointer: Pointer, record: ManifestFront | undefined): PreviewFront {
  const { front } = pointer;
  if (record === undefined || (record.pointer !== pointer && pointerText(record.pointer) !== pointerText(pointer)))
    return { front, pointer, problem: null, record: null };
  const { held, cards, dropped, currency } = record;
  return { front, pointer, problem: null, record: { held, cards, dropped, currency } };
}

function isProductsDocument(text: string): boolean {
  try {
    return productsDocumentSchema.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
