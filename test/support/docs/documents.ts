// The documents of the project: README.md and every .md file below the folders.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Every document, by its path from the root. */
export function documentPaths(): string[] {
  const below = ['.github', 'src', 'data', 'scripts', 'test'].flatMap((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .map((path) => join(folder, path)),
  );
  return ['README.md', ...below.toSorted()];
}

/** The documents that have a console block. */
export function documentsWithSessions(): string[] {
  return documentPaths().filter((path) => /^```console$/m.test(readFileSync(root + path, 'utf8')));
}
