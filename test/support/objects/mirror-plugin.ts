// A plugin of vitest under which trees in folders are in a bucket: puts the mirrors in the places
// of the modules that open folders.

import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

const SOURCE = path('../../../src/');
const HERE = path('./');

/** By the module that is asked for; `who` asks. The mirrors themselves get what they ask for. */
const MIRRORS = [
  { module: path('../../../src/storage/open-tree.ts'), who: SOURCE, mirror: path('mirror-open-tree.ts') },
  {
    module: path('../../../src/storage/folder/reader.ts'),
    who: path('../../'),
    mirror: path('mirror-directory.ts'),
  },
];

export function treesInBucket() {
  return {
    name: 'trees-in-bucket',
    enforce: 'pre' as const,
    resolveId(source: string, importer: string | undefined): string | null {
      if (!source.startsWith('.') || importer === undefined || importer.startsWith(HERE)) return null;
      const module = resolve(dirname(importer), source);
      return MIRRORS.find((one) => one.module === module && importer.startsWith(one.who))?.mirror ?? null;
    },
  };
}
