// Law 7 on random catalogues with errors planted in every table: what is left out is what the table
// of containment.md says, and every other card is that of the catalogue without those rows.

import * as fc from 'fast-check';
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatInstant, instantOf } from '../../src/catalogue/instant.ts';
import type { Column } from '../../src/database/contract/columns.ts';
import { mayIdBeText, TABLE_NAMES, TABLE_RULES, TABLES, type TableName } from '../../src/database/contract/tables.ts';
import type { CatalogueRow } from '../support/catalogue.ts';
import { insertRows } from '../support/catalogue.ts';
import { BAD_VALUES, isBadToRead } from '../support/database-rows.ts';
import { contained, type FaultyRows } from '../support/reference/plain-containment.ts';
import { renderPlain } from '../support/reference/plain-documents.ts';
import { plainKysely } from '../support/reference/plain-tables.ts';
import { catalogueArbitrary } from '../support/reference/random-catalogue.ts';
import { buildTree, documentAt, filesOf, instant, pointerOf, temporaryFolder } from '../support/trees.ts';
import { IS_THOROUGH, longRuns, SEED } from '../speeds.ts';

const RUNS = longRuns(45, 300);

const HORIZON_SECONDS = 30 * 3600;
const GUARDS = { maxShrink: 1, maxBad: 1, allow: [], force: false };

/** An error in some row of a table; the numbers choose among what there is. */
interface FaultDraft {
  readonly table: TableName;
  readonly row: number;
  readonly kind: 'value' | 'dangling' | 'other type' | 'repeated' | 'slug' | 'another product';
  readonly column: number;
  readonly value: number;
}

const TABLES_PLANTED = TABLE_NAMES.filter((table) => table !== 'front_keys');

const faultArbitrary: fc.Arbitrary<FaultDraft> = fc.record({
  table: fc.constantFrom(...TABLES_PLANTED),
  row: fc.nat(),
  kind: fc.constantFrom('value', 'value', 'value', 'dangling', 'other type', 'repeated', 'slug', 'another product'),
  column: fc.nat(),
  value: fc.nat(),
});

/** A database of views over tables without constraints, of which nothing guards the references. */
function uncheckedCatalogueAt(path: string, rows: readonly CatalogueRow[]): string {
  const database = new Database(path);
  for (const [table, columns] of Object.entries(TABLES)) {
    // A type would make 7 of '7'.
    const declared = Object.entries<Column<unknown>>(columns).map(
      ([name, column]) => `${name} ${column.mayBeText === true ? '' : column.declared}`,
    );
    database.exec(
      `CREATE TABLE own_${table} (${declared.join(', ')}); CREATE VIEW ${table} AS SELECT * FROM own_${table}`,
    );
  }
  insertRows(
    database,
    rows.map(({ table, row }) => ({ table: `own_${table}`, row })),
  );
  database.close();
  return path;
}

/** All columns of a row, those that the catalogue leaves to their defaults too. */
function whole({ table, row }: CatalogueRow): CatalogueRow {
  const columns = Object.entries(TABLES[table as TableName]).map(([name, { defaultSql }]) => {
    const preset: unknown = JSON.parse((defaultSql ?? 'null').replaceAll("'", '"').replace('NULL', 'null'));
    return [name, row[name] === undefined ? preset : row[name]];
  });
  return { table, row: Object.fromEntries(columns) };
}

/** The rows with the errors that there is a place for. */
function planted(valid: readonly CatalogueRow[], drafts: readonly FaultDraft[]): FaultyRows {
  const rows = valid.map(whole);
  const bad = new Map<CatalogueRow, Set<string>>();
  const mark = (row: CatalogueRow, column: string): void => {
    bad.set(row, (bad.get(row) ?? new Set()).add(column));
  };
  for (const draft of drafts) {
    const candidates = rows.filter(({ table }) => table === draft.table);
    const row = candidates[draft.row % candidates.length];
    if (row === undefined || bad.has(row)) continue;
    const cells = row.row as Record<string, string | number | null>;
    const references = Object.keys(TABLE_RULES[draft.table].references);
    if (draft.kind === 'value') {
      const columns = Object.entries(BAD_VALUES[draft.table]).filter(
        ([name]) => draft.table !== 'fronts' || !/^(id|code|status)$/.test(name),
      );
      const [column, values] = columns[draft.column % columns.length] ?? ['', []];
      const bad = values.filter((one) => isBadToRead(draft.table, column, one));
      if (bad.length === 0) continue;
      const value = bad[draft.value % bad.length] as string;
      // GLOB, by which a query for sessions tells that, takes a NUL for the end of the text.
      if (draft.table === 'sessions' && typeof value === 'string' && value.endsWith('Z\0')) continue;
      cells[column] = value;
      mark(row, column);
    } else if (draft.kind === 'dangling') {
      const column = references[draft.column % references.length];
      if (column !== undefined && cells[column] !== null) cells[column] = 999_999;
    } else if (draft.kind === 'other type') {
      const column = references.filter((name) => mayIdBeText(draft.table, name))[draft.column % 2];
      const id = column === undefined ? null : cells[column];
      if (column === undefined) continue;
      if (typeof id === 'number') cells[column] = String(id);
      else if (/^\d+$/.test(id ?? '')) cells[column] = Number(id);
    } else if (draft.kind === 'repeated') {
      if (draft.table === 'fronts' || draft.table === 'front_session_exclusions') continue;
      const copy = { table: draft.table, row: { ...cells } };
      rows.push(copy);
      // Two tiers without ids may say the same.
      if (cells['id'] === null) continue;
      mark(row, '*');
      mark(copy, '*');
    } else if (draft.kind === 'slug') {
      // The reference finds by itself that two rows have it.
      const table = 'slug' in cells ? draft.table : 'products';
      const all = rows.filter((one) => one.table === table);
      const [one, other] = [draft.row, draft.value].map((choice) => all[choice % all.length]);
      if (one === undefined || other === undefined || bad.has(one) || bad.get(other)?.has('slug') === true) continue;
      (one.row as Record<string, unknown>)['slug'] = other.row['slug'] ?? String(other.row['id']);
    } else {
      const tiers = rows.filter(({ table }) => table === 'price_tiers');
      const sessions = rows.filter(({ table }) => table === 'sessions');
      const tier = tiers[draft.row % tiers.length];
      const session = sessions[draft.value % sessions.length];
      if (tier === undefined || session === undefined || bad.has(tier) || bad.has(session)) continue;
      (tier.row as Record<string, unknown>)['session_id'] = session.row['id'];
    }
  }
  return { rows, bad };
}

const caseArbitrary = fc.record({
  catalogue: catalogueArbitrary({ hasSkipped: true }),
  faults: fc.array(faultArbitrary, { minLength: 1, maxLength: 4 }),
  shares: fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 2, maxLength: 2 }),
});

test('law 7: what errors take out is what the table says, at every instant of the editions', async () => {
  const root = temporaryFolder();
  const seen = { held: 0, products: 0, sessions: 0, whole: 0 };
  let serial = 0;
  await fc.assert(
    fc.asyncProperty(caseArbitrary, async ({ catalogue: { rows, now }, faults, shares }) => {
      const faulty = planted(rows, faults);
      const database = uncheckedCatalogueAt(join(root, `${++serial}.sqlite`), faulty.rows);
      const out = join(root, `out-${serial}`);
      const options = { horizonSeconds: HORIZON_SECONDS, guards: GUARDS };
      const { outcomes } = await buildTree(database, out, instant(now), options);
      const files = filesOf(out);
      for (const { code, held, listing } of outcomes) {
        const front = faulty.rows.find(({ table, row }) => table === 'fronts' && row['code'] === code);
        if (front === undefined) throw new Error(`no front ${code}`);
        expect(held, code).toBe(faulty.bad.has(front) ? 'findings' : null);
        if (held !== null) {
          seen.held += 1;
          continue;
        }
        const frontId = front.row['id'] ?? '';
        const { clean, products, sessions, namedBadges } = contained(faulty, frontId, now);
        const handle = new Database(uncheckedCatalogueAt(join(root, `clean-${serial}-${code}.sqlite`), clean), {
          readonly: true,
        });
        const plain = plainKysely(handle);
        const pointer = pointerOf(files, code);
        const until = instant(pointer.validUntil);
        const starts = pointer.products.map((entry) => instant(entry.slice(0, 20)));
        const chosen = shares.map((share) => instantOf(instant(now) + Math.floor(share * (until - instant(now)))));
        const instants = new Set([
          ...starts,
          ...starts.slice(1).map((at) => instantOf(at - 1)),
          ...chosen,
          instantOf(until - 1),
        ]);
        for (const at of instants) {
          const text = formatInstant(at);
          const expected = await renderPlain(plain, code, text, { sessions, namedBadges });
          expect(documentAt(files, code, 'products', text), `${code} products at ${text}`).toBe(expected.products);
          expect(documentAt(files, code, 'categories', text), `${code} categories at ${text}`).toBe(
            expected.categories,
          );
          if (text !== now) continue;
          const leftOut = new Set([...products, ...expected.leftOut]);
          const found = listing?.leftOut?.rows ?? [];
          expect(new Set(found.flatMap((row) => (row.session === undefined ? [row.product] : []))), code).toEqual(
            leftOut,
          );
          const own = faulty.rows.filter(({ table, row }) => table === 'front_products' && row['front_id'] === frontId);
          const lacking = sessions.filter(
            ({ product }) => !leftOut.has(product) && own.some(({ row }) => row['product_id'] === product),
          );
          const idsOf = (ids: readonly (string | number | null | undefined)[]): string[] =>
            ids.map((id) => JSON.stringify(id ?? null)).sort();
          expect(idsOf(found.flatMap(({ session }) => (session === undefined ? [] : [session]))), code).toEqual(
            idsOf(lacking.map(({ id }) => id)),
          );
          seen.products += leftOut.size;
          seen.sessions += found.filter((row) => row.session !== undefined).length;
          if (found.length === 0) seen.whole += 1;
        }
        handle.close();
      }
    }),
    { numRuns: RUNS, endOnFailure: true, ...(SEED === null ? {} : { seed: SEED }) },
  );
  // Of few catalogues chance may take what is rare: a held front is seen once in fifteen.
  const { held, ...often } = seen;
  expect(Math.min(...Object.values(often))).toBeGreaterThan(RUNS < 50 ? -1 : 0);
  if (IS_THOROUGH) expect(held).toBeGreaterThan(0);
});
