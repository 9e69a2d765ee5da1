// Trees with one thing wrong in them, and everything else made right again: digests, names,
// pointer, manifest and `current` follow the forged content, so that only the check it is meant for
// can notice.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest, ManifestFront } from '../../src/contract/manifest.ts';
import type { Pointer } from '../../src/contract/pointer.ts';
import type { ProductCard, ProductsDocument } from '../../src/contract/documents.ts';
import { pointerText } from '../../src/release/tree/codec.ts';
import {
  currentManifestPath,
  manifestIn,
  nameIn,
  otherManifestPaths,
  removeManifest,
  writeManifest,
} from './manifests.ts';

export interface Forgery {
  readonly front: string;
  /** New text for the edition at a place of the pointer. */
  readonly products?: Readonly<Record<number, (text: string) => string>>;
  readonly categories?: Readonly<Record<number, (text: string) => string>>;
  readonly pointer?: (pointer: Pointer) => Pointer;
  readonly listing?: (listing: ManifestFront) => ManifestFront;
  readonly manifest?: (manifest: Manifest) => Manifest;
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export function pointerIn(root: string, front: string): Pointer {
  return JSON.parse(readFileSync(join(root, `public/fronts/${front}/pointer.json`), 'utf8')) as Pointer;
}

/** The path of an edition by its place in the pointer; negative places count from the end. */
export function editionIn(root: string, front: string, endpoint: 'products' | 'categories', index: number): string {
  const digest = pointerIn(root, front)[endpoint].at(index)?.slice(21);
  if (digest === undefined) throw new Error(`${front} has no ${endpoint} edition ${index}`);
  return `public/fronts/${front}/${endpoint}.${digest}.json`;
}

/** A products text with one card replaced: the first for which a change is offered. */
export function cardChange(change: (card: ProductCard) => Partial<ProductCard> | null): (text: string) => string {
  return (text) => {
    const document = JSON.parse(text) as ProductsDocument;
    for (const card of document.productCards) {
      const changed = change(card);
      if (changed === null) continue;
      Object.assign(card, changed);
      return `${JSON.stringify(document)}\n`;
    }
    throw new Error('no card is fit for this forgery');
  };
}

/** A products text with its top level changed. */
export function documentChange(
  change: (document: ProductsDocument) => Partial<ProductsDocument>,
): (text: string) => string {
  return (text) => {
    const document = JSON.parse(text) as ProductsDocument;
    return `${JSON.stringify({ ...document, ...change(document) })}\n`;
  };
}

/** Forges the release in force. Gives back the manifest's new path. */
export function forge(root: string, forgery: Forgery): string {
  const { front } = forgery;
  const oldManifestPath = currentManifestPath(root);
  const manifest = manifestIn(root);
  const texts = new Map<string, string>();
  let pointer = pointerIn(root, front);
  for (const endpoint of ['products', 'categories'] as const) {
    for (const [index, change] of Object.entries(forgery[endpoint] ?? {})) {
      const text = change(readFileSync(join(root, editionIn(root, front, endpoint, Number(index))), 'utf8'));
      const digest = sha256(text).slice(0, 16);
      texts.set(`public/fronts/${front}/${endpoint}.${digest}.json`, text);
      const entries = pointer[endpoint].map((entry, i) =>
        i === Number(index) ? `${entry.slice(0, 20)} ${digest}` : entry,
      );
      pointer = { ...pointer, [endpoint]: entries };
    }
  }
  for (const [path, text] of texts) writeFileSync(join(root, path), text);
  pointer = forgery.pointer?.(pointer) ?? pointer;
  writeFileSync(join(root, `public/fronts/${front}/pointer.json`), pointerText(pointer));

  const fronts = manifest.fronts.map((listing) =>
    listing.front === front ? (forgery.listing ?? same)(listingOf(root, { ...listing, pointer })) : listing,
  );
  const named = new Set(fronts.flatMap((listing) => pathsOf(listing.pointer)));
  const files = [...named].sort().map((path) => {
    const text = readIfThere(join(root, path));
    const known = manifest.files.find((file) => file.path === path);
    return known ?? { path, bytes: Buffer.byteLength(text), sha256: sha256(text) };
  });
  const forged = (forgery.manifest ?? same)({ ...manifest, fronts, files });
  removeManifest(root, oldManifestPath);
  const path = writeManifest(root, forged);
  writeFileSync(join(root, 'releases/current'), `${nameIn(path)}\n`);
  removeUnnamed(root, manifest, named, path);
  return path;
}

const same = <T>(value: T): T => value;

/** The listing with everything that follows from its pointer and the editions. */
function listingOf(root: string, listing: ManifestFront): ManifestFront {
  const { pointer } = listing;
  const cardsByEdition = pointer.products.map((entry, i) => {
    const text = readIfThere(join(root, `public/fronts/${listing.front}/products.${entry.slice(21)}.json`));
    try {
      return (JSON.parse(text) as ProductsDocument).productCards.length;
    } catch {
      return listing.cardsByEdition[i] ?? 0;
    }
  });
  return {
    ...listing,
    cards: cardsByEdition[0] ?? 0,
    cardsByEdition,
    prices: undefined,
    editions: { products: pointer.products.length, categories: pointer.categories.length },
    nextChange: pointer.products[1]?.slice(0, 20) ?? null,
  };
}

function pathsOf(pointer: Pointer): string[] {
  return (['products', 'categories'] as const).flatMap((endpoint) =>
    pointer[endpoint].map((entry) => `public/fronts/${pointer.front}/${endpoint}.${entry.slice(21)}.json`),
  );
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** Editions that only the manifest before the forgery named would be strangers now. */
function removeUnnamed(root: string, before: Manifest, named: ReadonlySet<string>, own: string): void {
  const others = otherManifestPaths(root)
    .filter((path) => path !== own)
    .flatMap((path) => manifestIn(root, path).files.map((file) => file.path));
  for (const { path } of before.files) {
    if (!named.has(path) && !others.includes(path)) rmSync(join(root, path), { force: true });
  }
}
