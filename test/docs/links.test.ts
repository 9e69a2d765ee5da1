// Every link from one document to another leads somewhere, and every document is two links from the
// README at most; the reference, which has every command, option and code, is one.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { documentPaths } from '../support/docs/documents.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('links between documents lead somewhere', () => {
  const links = documentPaths().flatMap((path) =>
    linksOf(path).map((target) => ({ path, target, isThere: isThere(path, target) })),
  );
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter((link) => !link.isThere)).toEqual([]);
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
  return linksOf(path)
    .map((target) => join(dirname(path), target.replace(/#.*$/, '')).replace(/\/$/, ''))
    .map((target) => (existsSync(join(root, target, 'README.md')) ? join(target, 'README.md') : target));
}

/** The targets of a document's links, but those to other places. */
function linksOf(path: string): string[] {
  const targets = [...proseOf(path).matchAll(/\]\(([^)\s]+)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** A document without its code blocks, where brackets are no links. */
function proseOf(path: string): string {
  return readFileSync(root + path, 'utf8').replaceAll(/^```[^]*?^```$/gm, '');
}

/** Whether the file of a link exists, and its heading where the link names one. */
function isThere(from: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? join(root, from) : join(root, dirname(from), file);
  if (!existsSync(path) || anchor === undefined) return existsSync(path);
  const headings = [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return headings.some((heading) => anchorOf(heading) === anchor);
}

/** A heading's anchor, as hosts make it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
