// Law 1 for builds in shards: whatever their number, the same bytes, the same release, the same
// held fronts and findings as a build of its own, into an empty tree and over a published one.

import * as fc from 'fast-check';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { instantOf, type Instant } from '../../src/catalogue/instant.ts';
import type { ShardOptions } from '../../src/operations/shards/build-shard.ts';
import type { BuildResult } from '../../src/operations/publish-release.ts';
import { IS_THOROUGH, longRuns } from '../speeds.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { withoutNul } from '../support/postgres/copy.ts';
import { catalogueArbitrary } from '../support/reference/random-catalogue.ts';
import { buildInShards, releasedFilesOf } from '../support/shards.ts';
import { buildTree, catalogueAt, instant, temporaryFolder } from '../support/trees.ts';

/** Each of these is built dozens of times, and each time made durable. */
const CATALOGUES = longRuns(3, 20);
const SHARDS = IS_THOROUGH ? [1, 2, 3, 4, 8] : [3];

/**
 * What a build says of its release, as far as its own run does not matter: shards come one after the
 * other, and so do the findings in their rows.
 */
function factsOf({ releaseId, hold, outcomes, isEveryFrontKnown, findings, findingsTotal }: BuildResult) {
  const fronts = outcomes.map(({ code, held, guards, listing }) => ({ code, held, guards, listing }));
  const found = findings.map((finding) => JSON.stringify(finding)).sort();
  return { releaseId, hold, fronts, isEveryFrontKnown, findings: found, findingsTotal };
}

type Moment = readonly [database: string, now: Instant];

/**
 * Builds at some moments, one after the other, into one tree at once and into others in shards, and
 * compares after each.
 */
async function expectSame(
  root: string,
  moments: readonly Moment[],
  shards: readonly number[],
  options: Partial<ShardOptions> = {},
): Promise<BuildResult[]> {
  const built: BuildResult[] = [];
  for (const [step, [database, now]] of moments.entries()) {
    const single = await buildTree(database, join(root, 'single'), now, options);
    const files = releasedFilesOf(join(root, 'single'));
    for (const total of shards) {
      const outPath = join(root, `of-${total}`);
      const run = { databasePath: database, outPath, run: `step-${step}`, total };
      const what = `${total} shards, step ${step}`;
      expect(factsOf(await buildInShards(run, now, options)), what).toEqual(factsOf(single));
      const found = releasedFilesOf(outPath);
      expect([...found.keys()], what).toEqual([...files.keys()]);
      for (const [path, text] of files) expect(found.get(path) === text, `${what}: ${path}`).toBe(true);
    }
    built.push(single);
  }
  return built;
}

test('random catalogues, good and bad, and what becomes of their trees when time passes and rows change', async () => {
  const root = temporaryFolder();
  const seen = { held: 0, fronts: 0, findings: 0 };
  const seed = Number(process.env['PLAYBILL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  const other = catalogueArbitrary({ hasSkipped: true });
  const cases = fc.record({
    one: catalogueArbitrary({ hasSkipped: true }),
    other,
    minutes: fc.integer({ min: 1, max: 200 }),
  });
  let serial = 0;
  await fc.assert(
    fc.asyncProperty(cases, async ({ one, other: another, minutes }) => {
      const folder = join(root, String((serial += 1)));
      const [first, second] = [one, another].map(({ rows }, i) =>
        // One with a NUL would be read from SQLite where this runs on PostgreSQL.
        catalogueAt(join(root, `${serial}-${i}.sqlite`), withoutNul(rows)),
      );
      const now = instant(one.now);
      const moments: Moment[] = [
        [first ?? '', now],
        [first ?? '', instantOf(now + 60 * minutes)],
        [second ?? '', instantOf(now + 120 * minutes)],
      ];
      for (const { outcomes, findingsTotal } of await expectSame(folder, moments, SHARDS)) {
        seen.fronts += outcomes.length;
        seen.held += outcomes.filter(({ held }) => held !== null).length;
        seen.findings += findingsTotal;
      }
    }),
    { numRuns: CATALOGUES, seed },
  );
  const shards = `${SHARDS.join(', ')} shards`;
  console.info(`${serial} catalogues in ${shards}: ${JSON.stringify(seen)}, different: 0 (PLAYBILL_SEED=${seed})`);
  expect(seen.fronts).toBeGreaterThan(CATALOGUES);
  // Of few catalogues chance may take what is bad.
  const bad = CATALOGUES < 50 ? -1 : 0;
  expect(seen.held).toBeGreaterThan(bad);
  expect(seen.findings).toBeGreaterThan(bad);
});

test('the demo, with compressed siblings', async () => {
  const root = temporaryFolder();
  const now = instant('2026-05-01T09:00:00Z');
  const database = demoCatalogueAt(join(root, 'demo.sqlite'), '2026-05-01T09:00:00Z');
  const moments: Moment[] = [
    [database, now],
    [database, instantOf(now + 300)],
    [database, instantOf(now + 7200)],
  ];
  const precompress = IS_THOROUGH ? (['gzip', 'br'] as const) : [];
  const some = IS_THOROUGH ? moments : moments.slice(0, 2);
  const [built] = await expectSame(join(root, 'trees'), some, SHARDS, { precompress });
  expect(built?.outcomes.length).toBeGreaterThan(5);
});
