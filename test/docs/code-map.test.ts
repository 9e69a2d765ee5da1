// The code map names files that exist.

import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const src = fileURLToPath(new URL('../../src/', import.meta.url));

test('"Which question, which file" names files that are there', () => {
  const [, table = ''] =
    /^## Which question, which file\n([^]*?)^## /m.exec(readFileSync(`${src}README.md`, 'utf8')) ?? [];
  const cells = [...table.matchAll(/^\| .* \| (.*) \|$/gm)].slice(2).map(([, cell = '']) => cell);
  expect(cells.length).toBeGreaterThan(1);
  for (const cell of cells) {
    const names = [...cell.matchAll(/`([a-zN-][\w/.-]*[/.][\w/.-]*)`/g)].map(([, name = '']) => name);
    expect(names.length, cell).toBeGreaterThan(0);
    // A name without a folder is beside the one before it, or in the folders that follow.
    const folders = ['', ...names.map((name) => (name.endsWith('/') ? name : `${dirname(name)}/`))];
    for (const name of names.map((each) => each.replace('NAME', 'nginx')))
      expect(
        folders.some((folder) => existsSync(`${src}${folder}${name}`)),
        `${cell}: ${name}`,
      ).toBe(true);
  }
});
