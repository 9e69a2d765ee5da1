// The files of settings in the documents and recipes are ones that Playbill takes.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { valuesInFile } from '../../src/cli/settings/values-in-file.ts';
import { documentPaths } from '../support/docs/documents.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** JSON blocks with a key of the file. */
const files = documentPaths().flatMap((path) =>
  [...readFileSync(root + path, 'utf8').matchAll(/^```json\n([^]*?)^```$/gm)]
    .map(([, block = '']) => [path, block] as const)
    .filter(([, block]) => /^ {2}"(db|out|horizon|edge|guards)":/m.test(block)),
);

test('the guide for operators has one', () => {
  expect(files.map(([path]) => path)).toContain('data/operating.md');
});

test.each(files)('%s', async (path, block) => {
  const values = await valuesInFile(path, block, '0.1.0');
  expect(values.size).toBeGreaterThan(2);
});
