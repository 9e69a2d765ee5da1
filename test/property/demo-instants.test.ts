// Law 2 on the demo: at random instants of its horizon, the edition in force is what a build for
// that very instant renders.

import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatInstant, instantOf } from '../../src/catalogue/instant.ts';
import { runs } from '../speeds.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { buildTree, documentAt, filesOf, instant, temporaryFolder } from '../support/trees.ts';

const NOW = '2026-05-01T09:00:00Z';
const HORIZON_SECONDS = 6 * 3600;

test('for random instants the edition chosen is byte for byte the one of build --now t --horizon 0', async () => {
  const root = temporaryFolder();
  const database = demoCatalogueAt(join(root, 'demo.sqlite'), NOW);
  const out = join(root, 'out');
  const { outcomes } = await buildTree(database, out, instant(NOW), { horizonSeconds: HORIZON_SECONDS });
  const files = filesOf(out);
  const editions = outcomes.reduce((sum, { listing }) => sum + (listing?.editions.products ?? 0), 0);
  expect(editions).toBeGreaterThan(50);
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: HORIZON_SECONDS }), async (seconds) => {
      const at = instantOf(instant(NOW) + seconds);
      const single = join(root, `single-${at}`);
      await buildTree(database, single, at, { horizonSeconds: 0 });
      const singleFiles = filesOf(single);
      for (const { code } of outcomes) {
        for (const endpoint of ['products', 'categories'] as const) {
          const text = formatInstant(at);
          const document = documentAt(files, code, endpoint, text);
          expect(document.length).toBeGreaterThan(2);
          expect(document, `${code} ${endpoint} at ${text}`).toBe(documentAt(singleFiles, code, endpoint, text));
          compared += 1;
        }
      }
    }),
    { numRuns: runs(50) },
  );
  expect(compared).toBeGreaterThanOrEqual(runs(50) * 9 * 2);
});
