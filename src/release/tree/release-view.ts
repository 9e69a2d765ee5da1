// A release as comparisons read it: its manifest, and the documents that its pointers name. Caches
// a few documents, since releases share most of theirs.

import type { ProductsDocument } from '../../contract/documents.ts';
import type { Manifest } from '../../contract/manifest.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { editionIndexAt } from '../../render/edition-choice.ts';
import { entryOf } from '../../contract/pointer-entry.ts';
import type { TreeFiles } from './files.ts';
import { orThrow, type Found } from './found.ts';
import { readManifest } from './manifest.ts';
import { readProducts } from './read.ts';
import { resolveRelease } from './releases.ts';

/** Enough for two snapshots before and after an instant. */
const DOCUMENTS_CACHED = 4;

export interface ReleaseView {
  readonly id: string;
  readonly manifest: Manifest;
  readonly documents: DocumentReader;
}

/** Reads products documents by front and digest. */
export class DocumentReader {
  readonly #read: (front: string, digest: string) => Promise<Found<ProductsDocument>>;
  readonly #root: string | null;
  readonly #cache = new Map<string, ProductsDocument>();

  /** `root` is the tree's, for messages. */
  constructor(read: (front: string, digest: string) => Promise<Found<ProductsDocument>>, root: string | null = null) {
    this.#read = read;
    this.#root = root;
  }

  /** @throws AppError tree-unreadable: the file is missing or damaged */
  async products(front: string, digest: string): Promise<ProductsDocument> {
    const key = `${front} ${digest}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const document = orThrow(await this.#read(front, digest), 'tree-unreadable', this.#root);
    const [oldest] = this.#cache.keys();
    if (this.#cache.size >= DOCUMENTS_CACHED && oldest !== undefined) this.#cache.delete(oldest);
    this.#cache.set(key, document);
    return document;
  }
}

/**
 * Opens the release that a word stands for (`resolveRelease`).
 * @throws AppError nothing-published, release-unknown, release-older, tree-unreadable,
 * tree-newer-schema
 */
export async function openRelease(word: string, files: TreeFiles): Promise<ReleaseView> {
  const release = await resolveRelease(word, files);
  const manifest = orThrow(await readManifest(release, files), 'tree-unreadable', files.root);
  const documents = new DocumentReader((front, digest) => readProducts(front, digest, files), files.root);
  return { id: release.id, manifest, documents };
}

/** The digest of a pointer's products edition in force at an instant (`YYYY-MM-DDTHH:MM:SSZ`). */
export function productsDigestAt(pointer: Pointer, at: string): string {
  return entryOf(pointer.products[editionIndexAt(pointer.products, at)] ?? '').digest;
}
