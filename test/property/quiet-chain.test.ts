// Promise 2 over a chain of builds, five minutes apart, of catalogues in which little or nothing
// changes: at every instant the tree serves what a build into an empty tree serves, although most
// pointers stay from build to build.

import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatInstant, instantOf, type Instant } from '../../src/catalogue/instant.ts';
import { readStatus } from '../../src/operations/status.ts';
import { absence } from '../support/absences.ts';
import { catalogueOf, evening, noon, session, tier } from '../support/reference/hand-case.ts';
import { catalogueArbitrary, type RandomCatalogue } from '../support/reference/random-catalogue.ts';
import { buildTree, catalogueAt, documentAt, filesOf, instant, pointerOf, temporaryFolder } from '../support/trees.ts';
import { findingsOf } from '../support/verify-tree.ts';
import { longRuns } from '../speeds.ts';

const CATALOGUES = longRuns(6, 24);
const INTERVAL_SECONDS = 300;
const ENDPOINTS = ['products', 'categories'] as const;

/**
 * What happens before each build: nothing, or news of one product now, or from an instant on that
 * is still to come.
 */
const newsArbitrary = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.record({ product: fc.nat(1000), inSeconds: fc.constantFrom(0, 4000, 15_000) }) },
  ),
  { minLength: 8, maxLength: 8 },
);

/** News for each build of a product that is shown, so that pointers move whatever the seed. */
const MOVING: [RandomCatalogue, ({ product: number; inSeconds: number } | null)[]] = [
  {
    rows: catalogueOf({ name: 'news', now: noon, rows: [session(1, evening), tier(1, 1000)] }),
    now: noon,
    lacked: absence([]),
  },
  [{ product: 0, inSeconds: 0 }, null, { product: 0, inSeconds: 0 }, { product: 0, inSeconds: 4000 }],
];

test('every instant is served as by a build into an empty tree, with news and without', async () => {
  const root = temporaryFolder();
  let serial = 0;
  const seen = { quiet: 0, moved: 0, compared: 0 };
  await fc.assert(
    fc.asyncProperty(catalogueArbitrary(), newsArbitrary, async (catalogue, newsOfSteps) => {
      const folder = join(root, String(++serial));
      const database = catalogueAt(`${folder}.sqlite`, catalogue.rows);
      const guards = { maxShrink: 1, maxBad: 0.05, allow: ['max-shrink', 'min-cards'] as const, force: false };
      let now = instant(catalogue.now);
      await buildTree(database, folder, now, { guards });
      for (const news of newsOfSteps) {
        now = instantOf(now + INTERVAL_SECONDS);
        if (news !== null) happen(database, news.product, instantOf(now + news.inSeconds), now);
        const before = stampsOf(folder);
        const { outcomes } = await buildTree(database, folder, now, { guards });
        await buildTree(database, `${folder}-fresh`, now, { guards });
        const [files, fresh] = [filesOf(folder), filesOf(`${folder}-fresh`)];
        for (const { code, held } of outcomes) {
          expect(held).toBeNull();
          const isQuiet = pointerOf(files, code).now < formatInstant(now);
          seen[isQuiet ? 'quiet' : 'moved'] += 1;
          if (isQuiet) expect(stampsOf(folder).get(code)).toBe(before.get(code));
          seen.compared += expectServedAlike(files, fresh, code, now);
        }
        const { fronts } = await readStatus(folder, 0, now);
        expect(fronts.map(({ stale }) => stale)).toEqual(fronts.map(() => null));
        expect(await findingsOf(folder)).toEqual([]);
        rmSync(`${folder}-fresh`, { recursive: true });
      }
      rmSync(folder, { recursive: true });
    }),
    { numRuns: CATALOGUES, examples: [MOVING] },
  );
  expect(seen.quiet).toBeGreaterThan(CATALOGUES);
  expect(seen.moved).toBeGreaterThan(2);
  expect(seen.compared).toBeGreaterThan(seen.quiet);
});

/**
 * Gives a product another name, or hides it on every front from an instant on that is still to
 * come.
 */
function happen(path: string, product: number, at: Instant, now: Instant): void {
  const handle = new Database(path);
  const ids = handle.prepare('SELECT id FROM products ORDER BY id').pluck().all();
  const id = ids[product % ids.length];
  if (at === now) handle.prepare("UPDATE products SET name = name || ' *' WHERE id = ?").run(id);
  else {
    const sql = 'UPDATE front_products SET visible_from = NULL, visible_until = ? WHERE product_id = ?';
    handle.prepare(sql).run(formatInstant(at), id);
  }
  handle.close();
}

/**
 * Compares all documents from `now` to the end of the fresh build, at the edges of both trees'
 * editions. Returns how many.
 */
function expectServedAlike(
  files: ReadonlyMap<string, string>,
  fresh: ReadonlyMap<string, string>,
  code: string,
  now: Instant,
): number {
  const [own, other] = [pointerOf(files, code), pointerOf(fresh, code)];
  expect(own.validUntil, code).toBe(other.validUntil);
  const starts = [own, other].flatMap((pointer) => ENDPOINTS.flatMap((endpoint) => pointer[endpoint]));
  const edges = starts.map((entry) => instant(entry.slice(0, 20))).flatMap((from) => [from - 1, from]);
  const until = instant(own.validUntil);
  const instants = [...new Set([now, ...edges, until - 1])].filter((at) => at >= now && at < until);
  for (const at of instants.map((one) => formatInstant(instantOf(one)))) {
    for (const endpoint of ENDPOINTS) {
      expect(documentAt(files, code, endpoint, at), `${code} ${endpoint} at ${at}`).toBe(
        documentAt(fresh, code, endpoint, at),
      );
    }
  }
  return instants.length;
}

/** When each front's pointer was written, and as which file. */
function stampsOf(root: string): Map<string, string> {
  const pointers = [...filesOf(root).keys()].flatMap(
    (path) => /^public\/fronts\/(.+)\/pointer\.json$/.exec(path)?.[1] ?? [],
  );
  return new Map(
    pointers.map((code) => {
      const { ino, mtimeNs } = statSync(join(root, `public/fronts/${code}/pointer.json`), { bigint: true });
      return [code, `${ino} ${mtimeNs}`];
    }),
  );
}
