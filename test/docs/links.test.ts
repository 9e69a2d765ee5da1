// Every link from one document to another leads somewhere.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('links between documents lead somewhere', () => {
  const documents = ['src', 'data', 'scripts', 'test'].flatMap((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .map((path) => join(folder, path)),
  );
  const links = ['README.md', ...documents].flatMap((path) =>
    [...readFileSync(root + path, 'utf8').matchAll(/\]\(([^)#\s]+)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .map((target) => ({ path, target, isThere: existsSync(join(root, dirname(path), target)) })),
  );
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter(({ isThere }) => !isThere)).toEqual([]);
});
