// `build --dry-run` as a person reads it: a line for every file that would change, and a count of
// those that would not. `--json` has all of them.

import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildResultSchema } from '../../src/contract/results/build.ts';
import { outputOf } from '../support/cli/run.ts';
import { changeDatabase } from '../support/fault/build-with.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { catalogueAt, temporaryFolderOfFile } from '../support/trees.ts';

const root = temporaryFolderOfFile();
const db = join(root, 'c.sqlite');
const out = join(root, 'out');
const dryRun = (...words: readonly string[]) =>
  outputOf(['build', '--dry-run', '--db', db, '--out', out, '--now', NOW, ...words]);

/** What is said of files. */
const filesIn = (printed: string): string[] => printed.split('\n').filter((line) => /^(put|keep|remove) /.test(line));

beforeAll(async () => {
  const small = { fronts: ['alpha', 'bravo'], productsPerFront: 3, sessionsPerProduct: 3, edition: 'one' };
  catalogueAt(db, smallCatalogue(small));
  expect(await outputOf(['build', '--db', db, '--out', out, '--now', NOW])).toMatchObject({ code: 0 });
});

test('what would stay is counted, by reason', async () => {
  const { code, printed } = await dryRun();
  expect(code).toBe(0);
  const { plan = [] } = buildResultSchema.parse(JSON.parse((await dryRun('--json')).printed));
  const kept = plan.filter(({ action }) => action === 'keep');
  expect(kept.length).toBeGreaterThan(20);
  expect(kept).toHaveLength(plan.length);
  const lines = filesIn(printed);
  expect(lines).toHaveLength(1);
  const [, files, reasons = ''] = /^keep (\d+) files \([\d.]+ k?B\): (.*)$/.exec(lines[0] ?? '') ?? [];
  expect(Number(files)).toBe(kept.length);
  const counts = reasons.split(', ').map((part) => /^(\d+) ([a-z-]+)$/.exec(part)?.slice(1) ?? []);
  for (const [count, reason] of counts)
    expect(Number(count)).toBe(kept.filter((entry) => entry.reason === reason).length);
  expect(counts.reduce((sum, [count]) => sum + Number(count), 0)).toBe(kept.length);
});

test('what would change is named, file by file', async () => {
  changeDatabase(db, "UPDATE products SET name = 'Other' WHERE slug = 'show-1001'");
  const { printed } = await dryRun();
  const { plan = [] } = buildResultSchema.parse(JSON.parse((await dryRun('--json')).printed));
  const changed = plan.filter(({ action }) => action !== 'keep').map(({ action, path }) => `${action} ${path}`);
  expect(changed.length).toBeGreaterThan(3);
  const lines = filesIn(printed);
  expect(lines.slice(0, -1).map((line) => line.replace(/ \(.*/, ''))).toEqual(changed);
  expect(lines.at(-1)).toMatch(/^keep \d+ files? /);
});
