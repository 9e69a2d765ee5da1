// What a horizon, an interval and the history cost, in the guide for operators, is what the script
// measures. A day of builds takes minutes: that is for `npm run soak`.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { measuredCosts, measuredHistory } from '../../scripts/build-costs.ts';
import { IS_SOAK } from '../speeds.ts';

const guide = readFileSync(new URL('../../data/operating.md', import.meta.url), 'utf8');

test('the guide shows what builds cost, as the script prints it', async () => {
  expect(guide).toContain(await measuredCosts());
});

test.runIf(IS_SOAK)('and what history costs', async () => {
  expect(guide).toContain(await measuredHistory());
});
