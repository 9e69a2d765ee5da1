// Makes the package playbill from the compiled command: beside it lie man pages and the documents of
// those who use it. What only a checkout has is named there, not linked.

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';
import { copyDocuments } from './carried-documents.ts';
import { manPages } from './man-pages.ts';
import { writeThirdParty } from './third-party.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Files of the checkout, and where they lie in the package. */
const FILES: Readonly<Record<string, string>> = {
  LICENSE: 'LICENSE',
  'README.md': 'README.md',
  '.github/CHANGELOG.md': 'CHANGELOG.md',
  '.github/SECURITY.md': 'SECURITY.md',
  'data/demo/README.md': 'data/demo/README.md',
  'src/cli/README.md': 'data/reference.md',
  'src/client/README.md': 'data/client.md',
  'src/edge/README.md': 'data/edge-rule.md',
  'src/release/README.md': 'data/tree.md',
  'src/storage/README.md': 'data/storage.md',
  'test/README.md': 'data/testing.md',
};

/** Folders of the checkout, and which of their files lie at the same place in the package. */
const FOLDERS: readonly (readonly [folder: string, names: RegExp])[] = [
  ['data', /\.(md|sql)$/],
  ['scripts/pictures', /\.webp$/],
  ['scripts/recipes', /./],
  ['scripts/storefront', /./],
];

/**
 * Writes the package of the `compiled` folder into `folder`, which it replaces; the metafiles are
 * those of its bundles.
 */
export function writePackage(compiled: string, folder: string, metafiles: readonly Metafile[]): void {
  rmSync(folder, { recursive: true, force: true });
  cpSync(compiled, join(folder, 'dist'), { recursive: true });
  copyDocuments(placesOfFiles(), folder);
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const manuals = manPages(own.version);
  mkdirSync(join(folder, 'man'));
  for (const [name, text] of manuals) writeFileSync(join(folder, 'man', name), text);
  const manifest = { ...manifestOf(own), man: [...manuals.keys()].map((name) => `man/${name}`) };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeThirdParty(metafiles, Object.keys(own.dependencies), folder);
}

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

/** Keys of a manifest that mean something only in a checkout. */
const OF_CHECKOUT = ['scripts', 'devDependencies', 'overrides', 'allowScripts', 'knip', 'playbill-source'];

/** The manifest of the checkout without what only a checkout has. */
function manifestOf(own: Manifest): Manifest {
  const json = JSON.stringify(own, (key, value: unknown) => (OF_CHECKOUT.includes(key) ? undefined : value));
  return JSON.parse(json) as Manifest;
}

/** Every file that is carried, with its place. Throws Error where two would have the same. */
function placesOfFiles(): ReadonlyMap<string, string> {
  const inFolders = FOLDERS.flatMap(([folder, names]) =>
    readdirSync(join(root, folder))
      .filter((name) => names.test(name))
      .map((name) => [join(folder, name), join(folder, name)] as const),
  );
  const places = new Map([...Object.entries(FILES), ...inFolders]);
  if (new Set(places.values()).size < places.size) throw new Error('two files have the same place in the package');
  return places;
}
