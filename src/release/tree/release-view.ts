// A release of a tree as comparisons read it: its manifest, and the documents that its pointers name. Reads files and nothing
// else, checks that each is what its name promises, and keeps the last few documents, since releases share most of theirs.

import type { Manifest } from '../../contract/manifest.ts';
import { productsDocumentSchema, type ProductsDocument } from '../../contract/documents.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { AppError } from '../../errors.ts';
import { editionIndexAt } from '../../render/edition-choice.ts';
import { digestOf, editionPath, pathOf, RELEASES_FOLDER, treeFileOf } from '../../render/paths.ts';
import { sha256Of } from './digest.ts';
import { entryOf } from './published.ts';
import type { TreeRead, TreeReader } from './reader.ts';
import { parseCurrent, parseManifest } from './codec.ts';

/** How many documents are kept: those of two snapshots before and after an instant. */
const DOCUMENTS_KEPT = 4;

/** How many releases a hint names. */
const RELEASES_NAMED = 10;

export interface ReleaseView {
  readonly id: string;
  readonly manifest: Manifest;
  readonly documents: DocumentReader;
}

/** Products documents by their names, from any place that keeps them. */
export class DocumentReader {
  readonly #read: (path: string) => Promise<TreeRead>;
  readonly #kept = new Map<string, ProductsDocument>();

  constructor(read: (path: string) => Promise<TreeRead>) {
    this.#read = read;
  }

  /** @throws AppError tree-unreadable: the file is gone or damaged */
  async products(front: string, digest: string): Promise<ProductsDocument> {
    const path = editionPath(front, 'products', digest);
    const kept = this.#kept.get(path);
    if (kept !== undefined) return kept;
    const { bytes, problem } = await this.#read(path);
    if (problem !== null) throw damaged(path, problem);
    if (digestOf(sha256Of(bytes)) !== digest) {
      throw damaged(path, 'expected the bytes that its name promises, found others');
    }
    const document = parseProductsDocument(bytes, path);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= DOCUMENTS_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(path, document);
    return document;
  }
}

/** @throws AppError tree-unreadable */
function parseProductsDocument(bytes: Uint8Array, path: string): ProductsDocument {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw damaged(path, `expected JSON in UTF-8, found ${bytes.length} bytes that are none`);
  }
  const parsed = productsDocumentSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw damaged(path, 'expected a products document, found JSON of another shape');
}

/**
 * Opens a release by its id, or the one in force where `id` is null.
 * @throws AppError nothing-published, release-unknown, tree-unreadable, tree-newer-schema
 */
export async function openRelease(id: string | null, reader: TreeReader): Promise<ReleaseView> {
  const chosen = id ?? (await currentId(reader));
  const path = pathOf({ kind: 'manifest', id: chosen });
  if (id !== null) await refuseUnknown(id, reader);
  const { value, problem } = parseManifest(await bytesOf(path, reader), path);
  if (problem !== null) throw damaged(path, problem);
  return { id: chosen, manifest: value, documents: new DocumentReader((file) => reader.read(file)) };
}

async function currentId(reader: TreeReader): Promise<string> {
  const path = pathOf({ kind: 'current' });
  const { entries } = await reader.entries(RELEASES_FOLDER);
  if (!entries.some((entry) => entry.path === path)) {
    const message = `expected a release in force in ${reader.place}, found none`;
    throw new AppError('nothing-published', message, `publish with: playbill build --out ${reader.place}`);
  }
  const { value, problem } = parseCurrent(await bytesOf(path, reader));
  if (problem !== null) throw damaged(path, problem);
  return value;
}

async function refuseUnknown(id: string, reader: TreeReader): Promise<void> {
  const { entries } = await reader.entries(RELEASES_FOLDER);
  const known = entries.flatMap(({ path }) => {
    const file = treeFileOf(path);
    return file?.kind === 'manifest' ? [file.id] : [];
  });
  if (known.includes(id)) return;
  const more = known.length > RELEASES_NAMED ? ` and ${known.length - RELEASES_NAMED} more` : '';
  throw new AppError(
    'release-unknown',
    `expected a release that ${reader.place} keeps, found ${JSON.stringify(id)}`,
    known.length === 0
      ? 'publish with: playbill build'
      : `kept are: ${known.slice(0, RELEASES_NAMED).join(', ')}${more}`,
  );
}

async function bytesOf(path: string, reader: TreeReader): Promise<Uint8Array> {
  const { bytes, problem } = await reader.read(path);
  if (problem !== null) throw damaged(path, problem);
  return bytes;
}

/** The digest of the products edition that a pointer has in force at an instant (`YYYY-MM-DDTHH:MM:SSZ`). */
export function productsDigestAt(pointer: Pointer, at: string): string {
  return entryOf(pointer.products[editionIndexAt(pointer.products, at)] ?? '').digest;
}

function damaged(path: string, problem: string): AppError {
  const hint = 'for everything that is damaged or missing: playbill verify';
  return new AppError('tree-unreadable', `${path}: ${problem}`, hint);
}
