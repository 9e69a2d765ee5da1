// Every link from one document to another leads somewhere, and every document is two links from the
// README at most; the reference, which has every command, option and code, is one.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { documentPaths } from '../support/docs/documents.ts';
import { isDead, linksOf, pathOf } from '../support/docs/links.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('links between documents lead somewhere', () => {
  const links = documentPaths().flatMap((path) => linksOf(root, path));
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter((link) => isDead(root, link))).toEqual([]);
});

test('every document is found from README in two clicks, and the reference in one', () => {
  const next = (paths: ReadonlySet<string>): ReadonlySet<string> =>
    new Set([...paths, ...[...paths].filter((path) => path.endsWith('.md')).flatMap((path) => documentsFrom(path))]);
  const one = next(new Set(['README.md']));
  expect([...one]).toContain('src/cli/README.md');
  const two = next(one);
  // What edge build writes, and what npm run bench printed, are no documents of their own.
  const documents = documentPaths().filter((path) => !/\/templates\/|^test\/bench\//.test(path));
  expect(documents.filter((path) => !two.has(path))).toEqual([]);
});

/** The files that a document's links lead to; of a folder, its README. */
function documentsFrom(path: string): string[] {
  return linksOf(root, path)
    .map(pathOf)
    .map((target) => (existsSync(join(root, target, 'README.md')) ? join(target, 'README.md') : target));
}
