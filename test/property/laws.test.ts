// Laws 1 to 3 of product.md on random catalogues, against a second implementation that shares no
// line with the program.

import * as fc from 'fast-check';
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatInstant, instantOf, type Instant } from '../../src/catalogue/instant.ts';
import { TABLE_NAMES } from '../../src/database/contract/tables.ts';
import { plainKysely } from '../support/reference/plain-tables.ts';
import { renderPlain } from '../support/reference/plain-documents.ts';
import { catalogueArbitrary } from '../support/reference/random-catalogue.ts';
import { buildTree, catalogueAt, documentAt, filesOf, instant, pointerOf, temporaryFolder } from '../support/trees.ts';
import { runs } from '../speeds.ts';

const HORIZON_SECONDS = 30 * 3600;

const caseArbitrary = fc.record({
  catalogue: catalogueArbitrary(),
  // Where in [now, validUntil) to look, beside the edges of editions.
  shares: fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 3, maxLength: 3 }),
  seed: fc.integer(),
});

let serial = 0;

/**
 * The instants at which to compare: chosen ones, each edition's start and the second before it, and
 * the last one of all.
 */
function instantsOf(starts: readonly string[], validUntil: string, now: Instant, shares: readonly number[]): Instant[] {
  const until = instant(validUntil);
  const edges = starts.flatMap((start) => [instant(start), instantOf(instant(start) - 1)]);
  const chosen = shares.map((share) => instantOf(now + Math.floor(share * (until - now))));
  return [...new Set([now, ...edges, ...chosen, instantOf(until - 1)])].filter((at) => at >= now && at < until);
}

describe('laws of editions', () => {
  test('law 2: at every instant up to validUntil the edition in force is what a plain renderer makes of that instant', async () => {
    const root = temporaryFolder();
    let editionsSeen = 0;
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async ({ catalogue, shares }) => {
        const database = catalogueAt(join(root, `${++serial}.sqlite`), catalogue.rows);
        const now = instant(catalogue.now);
        const out = join(root, `out-${serial}`);
        const { outcomes } = await buildTree(database, out, now, { horizonSeconds: HORIZON_SECONDS });
        const files = filesOf(out);
        const handle = new Database(database, { readonly: true });
        const plain = plainKysely(handle);
        for (const { code, held, listing } of outcomes) {
          expect(held).toBeNull();
          const pointer = pointerOf(files, code);
          const starts = pointer.products.map((entry) => entry.slice(0, 20));
          editionsSeen += starts.length;
          for (const at of instantsOf(starts, pointer.validUntil, now, shares)) {
            const text = formatInstant(at);
            const expected = await renderPlain(plain, code, text);
            expect(documentAt(files, code, 'products', text), `${code} products at ${text}`).toBe(expected.products);
            expect(documentAt(files, code, 'categories', text), `${code} categories at ${text}`).toBe(
              expected.categories,
            );
            if (at !== now) continue;
            const dropped = Object.entries(expected.dropped).filter(([, count]) => count > 0);
            expect(Object.entries(listing?.dropped ?? {}), `${code} dropped`).toEqual(dropped);
          }
        }
        handle.close();
      }),
      { numRuns: runs(150) },
    );
    expect(editionsSeen).toBeGreaterThan(runs(150));
  });

  test('law 2 again: the edition for t is byte for byte what a build with --now t and horizon 0 renders', async () => {
    const root = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async ({ catalogue, shares }) => {
        const database = catalogueAt(join(root, `again-${++serial}.sqlite`), catalogue.rows);
        const now = instant(catalogue.now);
        const out = join(root, `again-${serial}`);
        await buildTree(database, out, now, { horizonSeconds: HORIZON_SECONDS });
        const files = filesOf(out);
        for (const share of shares) {
          const at = instantOf(now + Math.floor(share * HORIZON_SECONDS));
          const single = join(root, `single-${serial}-${at}`);
          const { outcomes } = await buildTree(database, single, at, { horizonSeconds: 0 });
          const singleFiles = filesOf(single);
          for (const { code } of outcomes) {
            expect(pointerOf(singleFiles, code).products).toHaveLength(1);
            for (const endpoint of ['products', 'categories'] as const) {
              const text = formatInstant(at);
              expect(documentAt(files, code, endpoint, text)).toBe(documentAt(singleFiles, code, endpoint, text));
            }
          }
        }
      }),
      { numRuns: runs(40) },
    );
  });

  test('law 3: consecutive editions differ, and the document before an edition begins is really another one', async () => {
    const root = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async ({ catalogue }) => {
        const database = catalogueAt(join(root, `min-${++serial}.sqlite`), catalogue.rows);
        const out = join(root, `min-${serial}`);
        const { outcomes } = await buildTree(database, out, instant(catalogue.now), {
          horizonSeconds: HORIZON_SECONDS,
        });
        const files = filesOf(out);
        const handle = new Database(database, { readonly: true });
        const plain = plainKysely(handle);
        for (const { code } of outcomes) {
          const pointer = pointerOf(files, code);
          for (const endpoint of ['products', 'categories'] as const) {
            for (const [i, entry] of pointer[endpoint].entries()) {
              if (i === 0) continue;
              expect(entry.slice(21)).not.toBe(pointer[endpoint][i - 1]?.slice(21));
              const from = instant(entry.slice(0, 20));
              const before = await renderPlain(plain, code, formatInstant(instantOf(from - 1)));
              const after = await renderPlain(plain, code, formatInstant(from));
              expect(before[endpoint]).not.toBe(after[endpoint]);
            }
          }
        }
        handle.close();
      }),
      { numRuns: runs(60) },
    );
  });

  test('law 1: the order in which rows were written does not show in any file', async () => {
    const root = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async ({ catalogue, seed }) => {
        const now = instant(catalogue.now);
        const first = join(root, `order-${++serial}`);
        await buildTree(catalogueAt(`${first}.sqlite`, catalogue.rows), first, now);
        const second = join(root, `order-${++serial}`);
        await buildTree(catalogueAt(`${second}.sqlite`, shuffledWithinTables(catalogue.rows, seed)), second, now);
        expect(filesOf(second)).toEqual(filesOf(first));
      }),
      { numRuns: runs(40) },
    );
  });
});

/**
 * The rows with each table's own in another order; the tables stay in an order that foreign keys
 * accept.
 */
function shuffledWithinTables<R extends { readonly table: string }>(rows: readonly R[], seed: number): R[] {
  let state = seed | 1;
  const next = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
    return state >>> 8;
  };
  return TABLE_NAMES.flatMap((table) =>
    rows
      .filter((row) => row.table === table)
      .map((row) => ({ row, key: next() }))
      .sort((a, b) => a.key - b.key)
      .map(({ row }) => row),
  );
}
