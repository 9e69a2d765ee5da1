// The tree as the page asks for it: releases, the pointers in force, editions. Reads through a TreeReader, anew for every question
// but for manifests, whose names are their digests. Everything is checked here, so that the page need not.

import { formatInstant, type Instant } from '../catalogue/instant.ts';
import { productsDocumentSchema } from '../contract/documents.ts';
import type { Manifest, ManifestFront } from '../contract/manifest.ts';
import type { Pointer } from '../contract/pointer.ts';
import { AppError } from '../errors.ts';
import { sha256Of } from '../release/tree/digest.ts';
import type { TreeReader } from '../release/tree/reader.ts';
import { parseCurrent, parseManifest, parsePointer, pointerText, type Parsed } from '../release/tree/codec.ts';
import { digestOf, FRONTS_FOLDER, isFrontCode, pathOf, RELEASES_FOLDER, treeFileOf } from '../render/paths.ts';
import { IN_FORCE, type FrontView, type Overview, type ReleaseSummary, type ReleaseView } from './messages.ts';

/** Whole manifests kept in memory: the two that are compared, and the one in force. */
const MANIFESTS_KEPT = 3;

export class Library {
  readonly #reader: TreeReader;
  readonly #manifests = new Map<string, Manifest>();
  readonly #summaries = new Map<string, ReleaseSummary>();

  constructor(reader: TreeReader) {
    this.#reader = reader;
  }

  /** Kept releases and the one in force, as of the server's clock. @throws AppError tree-newer-schema */
  async overview(now: Instant): Promise<Overview> {
    const releases: ReleaseSummary[] = [];
    for (const id of await this.#releaseIds()) releases.push(await this.#summaryOf(id));
    releases.sort((a, b) => compareText(b.now ?? '', a.now ?? '') || compareText(a.id, b.id));
    return { place: this.#reader.place, now: formatInstant(now), current: await this.#currentId(), releases };
  }

  /** A kept release by its id, or what is in force. @throws AppError nothing-published, tree-unreadable, tree-newer-schema */
  async release(id: string): Promise<ReleaseView> {
    if (id === IN_FORCE) return this.#inForce();
    if (!(await this.#releaseIds()).includes(id)) {
      const message = `expected the id of a kept release, found ${JSON.stringify(id)}`;
      throw new AppError('nothing-published', message, `kept are those in ${this.#reader.place}/${RELEASES_FOLDER}`);
    }
    const { value, problem } = await this.#manifestOf(id);
    if (problem !== null) throw damaged(pathOf({ kind: 'manifest', id }), problem);
    return { id, fronts: value.fronts.map((record) => viewOf(record.pointer, record)) };
  }

  /**
   * An edition as published, as text; `path` as in the tree, below its fronts.
   * @throws AppError nothing-published, tree-unreadable
   */
  async edition(path: string): Promise<string> {
    const wholePath = `${FRONTS_FOLDER}/${path}`;
    const file = treeFileOf(wholePath);
    if (file?.kind !== 'edition' || file.encoding !== 'identity') {
      throw new AppError(
        'nothing-published',
        `expected the path of an edition, found ${JSON.stringify(path)}`,
        SEE_VERIFY,
      );
    }
    const { bytes, problem } = await this.#reader.read(wholePath);
    if (problem !== null) throw damaged(wholePath, problem);
    if (digestOf(sha256Of(bytes)) !== file.digest) {
      throw damaged(wholePath, 'expected the bytes that its name promises, found others');
    }
    const text = new TextDecoder().decode(bytes);
    if (file.endpoint === 'products' && !productsDocumentSchema.safeParse(jsonOf(text)).success) {
      throw damaged(wholePath, 'expected a document of the contract, found something else');
    }
    return text;
  }

  async #inForce(): Promise<ReleaseView> {
    const current = await this.#currentId();
    const manifest = current === null ? null : (await this.#manifestOf(current)).value;
    const records = new Map(manifest?.fronts.map((record) => [record.front, record]));
    const fronts: FrontView[] = [];
    const { entries } = await this.#reader.entries(FRONTS_FOLDER);
    const folders = entries.flatMap(({ path, kind }) =>
      kind === 'folder' ? [path.slice(FRONTS_FOLDER.length + 1)] : [],
    );
    for (const front of [...new Set([...folders.filter(isFrontCode), ...records.keys()])].sort(compareText)) {
      const record = records.get(front);
      const pointerPath = pathOf({ kind: 'pointer', front });
      const hasPointer = await this.#hasPointer(front);
      // A front that was withdrawn leaves its editions for a while, and no pointer.
      if (!hasPointer && record === undefined) continue;
      const { value, problem } = hasPointer ? await this.#pointerAt(pointerPath) : MISSING_POINTER;
      if (value === null) fronts.push({ front, pointer: null, problem: `${pointerPath}: ${problem}`, record: null });
      else if (record === undefined || pointerText(record.pointer) !== pointerText(value)) {
        fronts.push({ front, pointer: value, problem: null, record: null });
      } else fronts.push(viewOf(value, record));
    }
    return { id: IN_FORCE, fronts };
  }

  async #pointerAt(path: string): Promise<Parsed<Pointer>> {
    const { bytes, problem } = await this.#reader.read(path);
    return bytes === null ? { value: null, problem } : parsePointer(bytes, path);
  }

  async #hasPointer(front: string): Promise<boolean> {
    const { entries } = await this.#reader.entries(`${FRONTS_FOLDER}/${front}`);
    return entries.some(({ path }) => path === pathOf({ kind: 'pointer', front }));
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
    const { value } = await this.#manifestOf(id);
    const summary = { id, now: value?.now ?? null };
    // One that cannot be read today may be mended tomorrow.
    if (value !== null) this.#summaries.set(id, summary);
    return summary;
  }

  async #manifestOf(id: string): Promise<Parsed<Manifest>> {
    const known = this.#manifests.get(id);
    if (known !== undefined) return { value: known, problem: null };
    const path = pathOf({ kind: 'manifest', id });
    const { bytes, problem } = await this.#reader.read(path);
    if (problem !== null) return { value: null, problem };
    const parsed = parseManifest(bytes, path);
    if (parsed.value !== null) {
      this.#manifests.set(id, parsed.value);
      const [oldest = ''] = this.#manifests.keys();
      if (this.#manifests.size > MANIFESTS_KEPT) this.#manifests.delete(oldest);
    }
    return parsed;
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

function viewOf(pointer: Pointer, { held, cards, dropped, currency }: ManifestFront): FrontView {
  return { front: pointer.front, pointer, problem: null, record: { held, cards, dropped, currency } };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
