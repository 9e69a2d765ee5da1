// The tables of faults themselves: each has a section for each test file and no other, adds up, and
// a planted difference is seen.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { expectSection, matrixText, sectionText, totalText, type MatrixRow } from '../support/fault/matrix-text.ts';

/** The folder of each table, from here, and which of its test files have a section. */
const TABLES = [
  { folder: '.', isListed: (name: string) => name.endsWith('.test.ts') && name !== 'matrix.test.ts' },
  { folder: '../objects/', isListed: (name: string) => /^(fault|builders)-.*\.test\.ts$/.test(name) },
];

describe.each(TABLES)('$folder', ({ folder, isListed }) => {
  const table = readFileSync(new URL(`${folder}/matrix.txt`, import.meta.url), 'utf8');

  test('every file of fault tests has its section, and there is none besides', () => {
    const files = readdirSync(new URL(folder, import.meta.url)).filter(isListed);
    const sections = [...table.matchAll(/^## (.*)$/gm)].map(([, name]) => name);
    expect(files.length).toBeGreaterThan(1);
    expect(sections).toEqual(files.sort());
  });

  test('the total is the sum of the rows', () => {
    const counts = [...table.matchAll(/^\| [^|]+ \| (?:at least )?(\d+) \|/gm)].map(([, count]) => Number(count));
    const rows = counts.map((faults) => ({ ...ROW, faults }));
    expect(table.trimEnd().split('\n').at(-1)).toBe(totalText(rows));
  });
});

const ROW: MatrixRow = {
  situation: 'it rains',
  sees: 'the old release',
  heals: 'the next build',
  endings: [6, 'SIGKILL', 0],
  faults: 3,
};

test('a row that the table has not, has otherwise, or has too many of is seen; the count is not', () => {
  const text = `${sectionText('rain.test.ts', [ROW])}In all\n`;
  expect(text).toContain('| it rains | 3 | the old release | 0, 6, SIGKILL | the next build |');
  expect(() => expectSection('rain.test.ts', [{ ...ROW, faults: 4 }], text)).not.toThrow();
  for (const rows of [
    [],
    [ROW, { ...ROW, situation: 'it hails' }],
    [{ ...ROW, sees: 'the new release' as const }],
    [{ ...ROW, endings: [6] }],
  ])
    expect(() => expectSection('rain.test.ts', rows, text)).toThrow('npm run faults');
});

test('what is written has a section for each file, and the total', () => {
  const text = matrixText(new Map([['rain.test.ts', [ROW]]]));
  expect(text).toBe(`${sectionText('rain.test.ts', [ROW])}${totalText([ROW])}\n`);
});
