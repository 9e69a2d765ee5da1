// Every link from one document to another leads somewhere.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { documentPaths } from '../support/docs/documents.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('links between documents lead somewhere', () => {
  const links = documentPaths().flatMap((path) =>
    [...proseOf(path).matchAll(/\]\(([^)\s]+)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .map((target) => ({ path, target, isThere: isThere(path, target) })),
  );
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter((link) => !link.isThere)).toEqual([]);
});

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
