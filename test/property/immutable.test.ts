// Law 5 under everything that changes a tree: builds, going back, holding, pruning, in any order.
// Of every kept release all files are there, none has changed, readers find what pointers name; and
// nothing is left that nobody names.

import { longRuns, SEED } from '../speeds.ts';
import Database from 'better-sqlite3';
import * as fc from 'fast-check';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatInstant, instantOf } from '../../src/catalogue/instant.ts';
import { pruneTree, releasesOfTree, resumeTree, rollBackTree } from '../../src/operations/history.ts';
import { checkAsReader, stateOf } from '../support/fault/readers-check.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { changedEditions, stampsOf } from '../support/fault/tree-copy.ts';
import { buildTree, catalogueAt, instant, temporaryFolder } from '../support/trees.ts';
import { findingsOf } from '../support/verify-tree.ts';
import { DEFAULT_KEEP, type Keep } from '../../src/release/history/retention.ts';

type Deed =
  | { readonly kind: 'build'; readonly seconds: number; readonly front: number; readonly isActive: boolean }
  | { readonly kind: 'rollback'; readonly place: number }
  | { readonly kind: 'resume' }
  | { readonly kind: 'prune'; readonly keep: Keep };

const build = fc.record({
  kind: fc.constant('build' as const),
  // Minutes apart as by cron, or hours and days.
  seconds: fc.oneof(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 3600, max: 40 * 3600 })),
  front: fc.integer({ min: 2, max: 3 }),
  isActive: fc.boolean(),
});
const littleKept = fc.record({
  last: fc.integer({ min: 1, max: 4 }),
  hourly: fc.nat({ max: 3 }),
  daily: fc.nat({ max: 2 }),
  graceSeconds: fc.constantFrom(0, 600, 86_400),
});
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 12, arbitrary: build },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rollback' as const), place: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('resume' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('prune' as const),
      keep: fc.oneof(fc.constant(DEFAULT_KEEP), littleKept),
    }),
  },
);

test('whatever is done to a tree, in any order', async () => {
  let prunedTotal = 0;
  let heldTotal = 0;
  const property = fc.asyncProperty(fc.array(deed, { minLength: 25, maxLength: 25 }), async (deeds) => {
    const folder = temporaryFolder();
    const root = join(folder, 'out');
    const fronts = ['alpha', 'bravo', 'charlie'];
    const catalogue = smallCatalogue({ fronts, productsPerFront: 1, sessionsPerProduct: 1, edition: 'any' });
    const database = catalogueAt(join(folder, 'catalogue.sqlite'), catalogue);
    let now: number = instant(NOW);
    const publish = async () => {
      const guards = { maxShrink: 1, maxBad: 0.05, allow: ['max-shrink', 'min-cards'] as const, force: false };
      return buildTree(database, root, instantOf(now), { horizonSeconds: 3600, guards });
    };
    await publish();
    for (const one of deeds) {
      const before = stampsOf(root);
      const ids = (await releasesOfTree(root)).releases.map(({ id }) => id);
      if (one.kind === 'build') {
        now += one.seconds;
        const handle = new Database(database);
        handle.exec(
          `UPDATE fronts SET status = '${one.isActive ? 'active' : 'disabled'}' WHERE id = ${one.front};
           UPDATE price_tiers SET amount_minor = amount_minor + 100 WHERE id % 3 = ${one.seconds % 3};
           UPDATE sessions SET starts_at = '${formatInstant(instantOf(now + 5 * 86_400))}' WHERE id % 2 = 0`,
        );
        handle.close();
        const { hold, release } = await publish();
        if (hold !== null) heldTotal += 1;
        expect(stateOf(root).current).toBe(`${release?.name}\n`);
      } else if (one.kind === 'rollback') await rollBackTree(root, ids[one.place % ids.length] ?? '');
      else if (one.kind === 'resume') await resumeTree(root);
      else await pruneTree(root, one.keep, false);

      const after = stampsOf(root);
      expect(changedEditions(before, after)).toEqual([]);
      checkAsReader(root, stateOf(root), stateOf(root));
      // No stranger either: what no kept release names is gone with the release that named it.
      expect(await findingsOf(root)).toEqual([]);
      const kept = new Set((await releasesOfTree(root)).releases.map(({ id }) => id));
      prunedTotal += ids.filter((id) => !kept.has(id)).length;
    }
    rmSync(folder, { recursive: true });
  });
  await fc.assert(property, { numRuns: longRuns(4, 4), seed: SEED ?? 20260501, endOnFailure: true });
  // Otherwise nothing was tried. Of another seed less may come.
  const [pruned, held] = process.env['PLAYBILL_TEST_STORE'] === undefined ? [5, 3] : [0, 0];
  expect(prunedTotal).toBeGreaterThan(SEED === null ? pruned : -1);
  expect(heldTotal).toBeGreaterThan(SEED === null ? held : -1);
});
