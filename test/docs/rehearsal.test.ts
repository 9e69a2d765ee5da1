// The guide on going back, typed by an operator who knows nothing else: its commands, one after the
// other, on a real tree, and what visitors see after each.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { productsDocumentSchema } from '../../src/contract/documents.ts';
import { withRealOutput } from '../support/docs/console-blocks.ts';
import { documentAt, filesOf, pointerOf } from '../support/trees.ts';

const guide = readFileSync(fileURLToPath(new URL('../../data/troubleshooting.md', import.meta.url)), 'utf8');
const [start, end] = ['## Going back', '## When something is lost'].map((heading) => guide.indexOf(`\n${heading}\n`));
const commandsIn = (text: string): number => text.match(/^\$ /gm)?.length ?? 0;

interface Step {
  readonly command: string;
  readonly output: string;
  /** Of the front whose prices go wrong. */
  readonly prices: readonly (number | null)[];
  readonly pointer: string;
  /** Of a front that nobody touches. */
  readonly other: string;
}

/** Runs the page down to the end of the section, whose tree is made above it. */
function stepsOfSection(): readonly Step[] {
  const steps: Step[] = [];
  let above = commandsIn(guide.slice(0, start));
  withRealOutput(guide.slice(0, end), (command, output, folder) => {
    above -= 1;
    if (above >= 0) return;
    const files = filesOf(join(folder, 'may'));
    const document = documentAt(files, 'kuwait', 'products', '2026-05-01T10:15:00Z');
    const { productCards } = productsDocumentSchema.parse(JSON.parse(document));
    const [pointer, other] = ['kuwait', 'berlin'].map((front) => JSON.stringify(pointerOf(files, front)));
    const prices = productCards.map(({ priceFrom }) => priceFrom);
    steps.push({ command, output, prices, pointer: pointer ?? '', other: other ?? '' });
  });
  return steps;
}

test('finds the release of a mistake by its prices, puts one front back, corrects, resumes, publishes', () => {
  const steps = stepsOfSection();
  expect(steps).toHaveLength(commandsIn(guide.slice(start, end)));
  const rows = steps.filter(({ command }) => command.startsWith('sqlite3 '));
  const builds = steps.filter(({ command }) => command.startsWith('playbill build '));
  const lists = steps.filter(({ command }) => command.startsWith('playbill releases --changes'));
  const rollbacks = steps.filter(({ command }) => command.startsWith('playbill rollback '));
  expect([rows, builds, lists, rollbacks].map(({ length }) => length)).toEqual([2, 3, 2, 2]);
  const [wrong, held, corrected] = builds;
  const [back, resumed] = rollbacks;
  const good = rows[0]?.prices;

  expect(wrong?.prices).toEqual(good?.map((price) => price && price / 2));
  // What an operator reads off the list is what the guide types next.
  const [, release] = /since ([0-9a-f]{16}):\n +kuwait: \d+ prices \(/.exec(lists[0]?.output ?? '') ?? [];
  expect(back?.command).toContain(`playbill rollback ${release} --front kuwait `);
  expect(back?.prices).toEqual(good);
  expect(held?.pointer).toBe(back?.pointer);
  expect(held?.output).toContain('kuwait: held back: a rollback holds it');
  expect(resumed?.pointer).toBe(back?.pointer);
  expect(corrected?.output).toContain('Published 1 of 13 fronts');
  const tenthOff = good?.map((price) => price && Math.round(price * 900) / 1000);
  expect(corrected?.prices).toEqual(tenthOff);
  expect(lists[1]?.output.match(/kuwait: \d+ prices \(/g)).toHaveLength(2);
  // Nobody has touched the other front.
  expect(new Set(steps.map(({ other }) => other)).size).toBe(1);
}, 300_000);
