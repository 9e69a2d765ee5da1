// One manifest against itself: its order, and that fronts and files tell the same story (snapshot.md, "Manifest"). Whether the
// files are there is for others to see.

import type { Manifest, ManifestFront } from '../../contract/manifest.ts';
import { treeFileOf } from '../../render/paths.ts';
import { editionPathsOf, entryOf } from '../tree/published.ts';
import { manifestText } from '../tree/codec.ts';
import { gathered } from './report.ts';

/** Everything that a manifest says against itself, one message a kind. */
export function manifestProblems(manifest: Manifest, bytes: Uint8Array): string[] {
  return [
    orderProblems(
      'fronts',
      manifest.fronts.map(({ front }) => front),
    ),
    orderProblems(
      'files',
      manifest.files.map(({ path }) => path),
    ),
    manifest.fronts.flatMap(frontProblems),
    fileProblems(manifest),
    isSameText(manifestText(manifest), bytes)
      ? []
      : ['expected the canonical form, found the same content written otherwise'],
  ].flatMap((messages) => (messages.length === 0 ? [] : [gathered(messages)]));
}

/** Whether bytes are exactly the UTF-8 of a text. */
export function isSameText(text: string, bytes: Uint8Array): boolean {
  return Buffer.compare(Buffer.from(text), bytes) === 0;
}

function orderProblems(what: string, keys: readonly string[]): string[] {
  return keys.flatMap((key, i) => {
    const before = keys[i - 1];
    return before === undefined || before < key
      ? []
      : [`${what}: ${JSON.stringify(key)} after ${JSON.stringify(before)}`];
  });
}

function frontProblems(listing: ManifestFront): string[] {
  const { front, pointer, editions, cards, cardsByEdition, nextChange } = listing;
  const says = (name: string, said: unknown, told: unknown): string[] =>
    said === told
      ? []
      : [`front ${front}: ${name} is ${JSON.stringify(said)}, its pointer tells ${JSON.stringify(told)}`];
  const second = pointer.products[1];
  return [
    ...says('front', front, pointer.front),
    ...says('editions.products', editions.products, pointer.products.length),
    ...says('editions.categories', editions.categories, pointer.categories.length),
    ...says('number of cardsByEdition', cardsByEdition.length, pointer.products.length),
    ...says('cards', cards, cardsByEdition[0]),
    ...says('nextChange', nextChange, second === undefined ? null : entryOf(second).from),
  ];
}

/** Every edition that a pointer names is listed, and nothing else is but precompressed siblings of those. */
function fileProblems({ fronts, files }: Manifest): string[] {
  const listed = new Set(files.map(({ path }) => path));
  const named = new Set(fronts.flatMap(({ pointer }) => editionPathsOf(pointer)));
  const unlisted = [...named].filter((path) => !listed.has(path)).map((path) => `files: ${path} is not listed`);
  const unnamed = [...listed].filter((path) => !named.has(path) && !named.has(identityPathOf(path)));
  return [...unlisted, ...unnamed.map((path) => `files: no pointer names ${JSON.stringify(path)}`)];
}

/** The edition that a precompressed sibling belongs to; the path itself where it is none. */
export function identityPathOf(path: string): string {
  const file = treeFileOf(path);
  if (file?.kind !== 'edition' || file.encoding === 'identity') return path;
  return path.slice(0, path.lastIndexOf('.'));
}
