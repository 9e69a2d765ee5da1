// The list of planted faults fits the program: a fault that can no longer be planted proves
// nothing.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { PLANTED_FAULTS } from '../support/planted/faults.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test.each(PLANTED_FAULTS.map((fault) => [fault.what, fault] as const))('%s', (_, { file, is, becomes, tests }) => {
  const text = readFileSync(`${root}src/${file}`, 'utf8');
  expect(text.split(is).length - 1, `${file} has ${is}`).toBe(1);
  expect(becomes).not.toBe(is);
  for (const path of tests) expect(existsSync(`${root}test/${path}`), path).toBe(true);
});

test('there are some in every part of the program', () => {
  const parts = readdirSync(`${root}src`, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );
  const planted = new Set(PLANTED_FAULTS.map(({ file }) => file.split('/')[0]));
  expect(parts.filter((part) => !planted.has(part))).toEqual([]);
  expect(new Set(PLANTED_FAULTS.map(({ what }) => what)).size).toBe(PLANTED_FAULTS.length);
});
