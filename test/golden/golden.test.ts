// Goldens: the demo at a few instants, whole trees, compared both ways. After a wanted change: npm
// run golden, and read the diff.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/trees.ts';
import { GOLDEN_INSTANTS, goldenName, goldenText } from '../support/golden-trees.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

test.each(GOLDEN_INSTANTS)('the demo as of %s is the golden', async (now) => {
  const golden = readFileSync(FOLDER + goldenName(now), 'utf8');
  expect(await goldenText(temporaryFolder(), now)).toBe(golden);
});

test('there is no golden that no instant makes', () => {
  const goldens = readdirSync(FOLDER).filter((name) => name.endsWith('.txt'));
  expect(goldens.toSorted()).toEqual(GOLDEN_INSTANTS.map(goldenName).toSorted());
});
