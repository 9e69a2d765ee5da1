// The shares of wrong answers that a plain cron gives: computed as the script does, checked by
// hand, and quoted in the operators' guide and in the README.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { measured, sharesOf, wrongShare } from '../../scripts/wrong-shares.ts';

const textOf = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const HOUR = 3600;
const start = (second: number, digest: string) => ({ second, digest });

test.each([
  ['nothing changes', [start(0, 'a')], 300, 0, 0],
  ['a change on the run is seen at once', [start(0, 'a'), start(HOUR, 'b')], HOUR, 0, 0],
  ['a change a minute later is wrong until the next run', [start(0, 'a'), start(HOUR + 60, 'b')], HOUR, 0, HOUR - 60],
  ['a run at another minute', [start(0, 'a'), start(HOUR, 'b')], HOUR, 600, 600],
  ['before the first run there is the build of the start', [start(0, 'a'), start(60, 'b')], HOUR, 600, 540],
  ['what is true again is not wrong', [start(0, 'a'), start(60, 'b'), start(120, 'a')], HOUR, 0, 60],
  ['the day ends', [start(0, 'a'), start(24 * HOUR - 10, 'b')], HOUR, 0, 10],
])('%s', (_, starts, interval, phase, seconds) => {
  expect(wrongShare(starts, interval, phase) * 86_400).toBeCloseTo(seconds, 6);
});

test('shares are means over fronts, and the worst front is named', () => {
  const quiet = [start(0, 'a')];
  const restless = Array.from({ length: 288 }, (_, i) => start(i * 300, String(i)));
  const [five, , sixty] = sharesOf([quiet, restless]);
  expect(five?.aligned).toBe(0);
  expect(five?.anyPhase).toBeGreaterThan(0);
  expect(five?.worst).toBeCloseTo((five?.anyPhase ?? 0) * 2, 9);
  // One run an hour is right in the five minutes behind it.
  expect(sixty?.aligned).toBeCloseTo((55 / 60) * 0.5, 9);
});

test('the guide shows what the script prints, and the README its share at 15 minutes', async () => {
  const table = await measured(null, '2026-05-01T09:00:00Z');
  expect(table).toMatch(/Playbill's editions \| 0 of \d\d/);
  expect(textOf('data/upkeep.md')).toContain(table);
  const [, atAnyMinute = ''] = /\| every 15 minutes \| [\d.]+ % \| ([\d.]+) % \|/.exec(table) ?? [];
  expect(textOf('README.md').replaceAll(/\s+/g, ' ')).toContain(
    `rebuilt every 15 minutes is **wrong ${Math.round(Number(atAnyMinute))} % of the time**`,
  );
});
