// Laws 1 to 3 of product.md on random catalogues, against a second implementation that shares no
// line with the program.

import * as fc from 'fast-check';
import Database from 'better-sqlite3';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatInstant, instantOf, parseInstant, type Instant } from '../../src/catalogue/instant.ts';
import { TABLE_NAMES } from '../../src/database/contract/tables.ts';
import { plainKysely } from '../support/reference/plain-tables.ts';
import { renderPlain } from '../support/reference/plain-documents.ts';
import { lackingCatalogueAt } from '../support/absences.ts';
import type { CatalogueRow } from '../support/catalogue.ts';
import { withoutNul } from '../support/postgres/copy.ts';
import { catalogueArbitrary, type RandomCatalogue } from '../support/reference/random-catalogue.ts';
import { buildInShards, releasedFilesOf } from '../support/shards.ts';
import { buildTree, catalogueAt, documentAt, filesOf, instant, pointerOf, temporaryFolder } from '../support/trees.ts';
import { IS_ON_SERVER, IS_SOAK, IS_THOROUGH, longRuns, runs, SEED } from '../speeds.ts';

const HORIZON_SECONDS = 30 * 3600;

const caseArbitrary = fc.record({
  catalogue: catalogueArbitrary(),
  // With a short one, most of what changes lies behind it, where the last edition has to end.
  horizonSeconds: fc.constantFrom(HORIZON_SECONDS, HORIZON_SECONDS, 6 * 3600, 3600, 60, 0),
  // Where in [now, validUntil) to look, beside the edges of editions.
  shares: fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 3, maxLength: 3 }),
  seed: fc.integer(),
});

let serial = 0;

/**
 * The instants at which to compare: chosen ones, some that rows name, each edition's start, the
 * second before each of these, and the last one of all.
 */
function instantsOf(
  starts: readonly string[],
  validUntil: string,
  now: Instant,
  shares: readonly number[],
  named: readonly Instant[],
): Instant[] {
  const until = instant(validUntil);
  const ahead = named.filter((at) => at > now && at < until);
  const some = shares.flatMap((share) => ahead[Math.floor(share * ahead.length)] ?? []);
  const edges = [...starts.map(instant), ...some].flatMap((at) => [at, instantOf(at - 1)]);
  const chosen = shares.map((share) => instantOf(now + Math.floor(share * (until - now))));
  return [...new Set([now, ...edges, ...chosen, instantOf(until - 1)])].filter((at) => at >= now && at < until);
}

/** The instants that rows name, each once. */
function instantsIn(rows: readonly CatalogueRow[]): Instant[] {
  const texts = rows.flatMap(({ row }) => Object.values(row).filter((value) => typeof value === 'string'));
  return [...new Set(texts)].flatMap((text) => parseInstant(text) ?? []);
}

/** A database of a catalogue's rows, without what it lacks; and one that has everything, for the plain renderer. */
function databasesAt(path: string, { rows, lacked }: RandomCatalogue): { database: string; plain: Database.Database } {
  // One with a NUL would be read from SQLite where this runs on PostgreSQL.
  const held = IS_ON_SERVER ? withoutNul(rows) : rows;
  const whole = catalogueAt(`${path}.sqlite`, held);
  const database = lacked.names.length === 0 ? whole : lackingCatalogueAt(`${path}-lacking.sqlite`, held, lacked);
  return { database, plain: new Database(whole, { readonly: true }) };
}

describe('laws of editions', () => {
  test('law 2: at every instant up to validUntil the edition in force is what a plain renderer makes of that instant', async () => {
    const root = temporaryFolder();
    const numRuns = longRuns(38, 150);
    let editionsSeen = 0;
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async ({ catalogue, shares, horizonSeconds }) => {
        const { database, plain: handle } = databasesAt(join(root, String(++serial)), catalogue);
        const now = instant(catalogue.now);
        const out = join(root, `out-${serial}`);
        const { outcomes } = await buildTree(database, out, now, { horizonSeconds });
        const files = filesOf(out);
        if (IS_THOROUGH) {
          const outPath = join(root, `of-4-${serial}`);
          await buildInShards({ databasePath: database, outPath, run: 'r', total: 4 }, now, { horizonSeconds });
          expect(releasedFilesOf(outPath)).toEqual(files);
          rmSync(outPath, { recursive: true });
        }
        const named = instantsIn(catalogue.rows);
        const plain = plainKysely(handle);
        for (const { code, held, listing } of outcomes) {
          expect(held).toBeNull();
          const pointer = pointerOf(files, code);
          const starts = pointer.products.map((entry) => entry.slice(0, 20));
          editionsSeen += starts.length;
          for (const at of instantsOf(starts, pointer.validUntil, now, shares, named)) {
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
        rmSync(out, { recursive: true });
      }),
      { numRuns },
    );
    expect(editionsSeen).toBeGreaterThan(numRuns);
    if (IS_SOAK) console.info(`${serial} catalogues, ${editionsSeen} editions, different: 0 (PLAYBILL_SEED=${SEED})`);
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
