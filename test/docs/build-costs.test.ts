// What a horizon and an interval cost, in the guide for operators, is what the script measures.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { measuredCosts } from '../../scripts/build-costs.ts';

test('the guide shows what the script prints', async () => {
  expect(readFileSync(new URL('../../data/operating.md', import.meta.url), 'utf8')).toContain(await measuredCosts());
});
