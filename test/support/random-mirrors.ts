// Random catalogues, random inputs, and what `import --mirror` has to make of the two. Ids, slugs
// and codes are few, so that rows swap them, move between parents, come and go.

import * as fc from 'fast-check';
import { TEXT_FIELDS, type TextKind } from '../../src/catalogue/texts.ts';
import { expect } from 'vitest';
import { exportRows } from '../../src/database/write/export-rows.ts';
import type { ImportSource } from '../../src/database/write/input-rows.ts';
import { mirrorRows, type MirrorResult } from '../../src/database/write/mirror-rows.ts';
import { openCatalogue } from '../../src/database/open.ts';
import type { Column } from '../../src/database/contract/columns.ts';
import { TABLE_NAMES, TABLE_RULES, TABLES, type TableName } from '../../src/database/contract/tables.ts';
import { AppError } from '../../src/errors.ts';
import type { CatalogueRow } from './catalogue.ts';
import { GOOD_ROWS } from './database-rows.ts';

type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;
/** Whole rows by table and key. */
export type State = ReadonlyMap<TableName, ReadonlyMap<string, Row>>;

const keyOf = (table: TableName, row: Row): string => TABLE_RULES[table].key.map((column) => row[column]).join();
const rowsOf = (state: State, table: TableName): readonly Row[] => [...(state.get(table)?.values() ?? [])];

/** What a column may hold, of these. */
const SOME_VALUES: readonly Value[] = [
  null,
  0,
  1,
  7,
  'Other',
  'other',
  'Ünï\u2028 \u0000',
  '#000000',
  'EUR',
  '12',
  'https://other.example/',
  '2026-06-01T00:00:00Z',
  '2026-06-01T02:00:00',
  ...Object.values(TABLES).flatMap((table) =>
    Object.values<Column<unknown>>(table).flatMap(({ words }) => words ?? []),
  ),
];

function valuesOf(table: TableName, column: string, rule: Column<unknown>): readonly Value[] {
  const good = GOOD_ROWS[table][column] ?? null;
  const values = SOME_VALUES.filter((value) => value !== good && rule.accepts(value));
  if (typeof good === 'object' && good !== null) throw new Error(`${table}.${column} holds bytes`);
  return [good, ...values];
}

/** A row as it is drawn: numbers that choose among whatever there is. */
interface Draft {
  readonly slot: number;
  readonly choices: readonly number[];
}

const SLOTS = 4;
const SLUGS = ['a', 'b', 'c', 'd'];
const draft: fc.Arbitrary<Draft> = fc.record({
  slot: fc.nat(SLOTS - 1),
  // Mostly the first value, so that many rows stay as they are.
  choices: fc.array(fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, fc.nat(30)), { minLength: 20, maxLength: 20 }),
});

const stateArbitrary: fc.Arbitrary<State> = fc
  .record({
    tables: fc.tuple(...TABLE_NAMES.map(() => fc.array(draft, { maxLength: 6 }))),
    slugs: fc.oneof({ weight: 2, arbitrary: fc.constant(SLUGS) }, fc.shuffledSubarray(SLUGS, { minLength: SLOTS })),
    hasKeys: fc.boolean(),
  })
  .map(({ tables, slugs, hasKeys }) => {
    const state = new Map<TableName, Map<string, Row>>();
    for (const [t, table] of TABLE_NAMES.entries()) {
      const rows = new Map<string, Row>();
      for (const one of table === 'front_keys' && !hasKeys ? [] : (tables[t] ?? [])) {
        const row = rowOf(table, one, state, slugs);
        if (row !== null) rows.set(keyOf(table, row), row);
      }
      state.set(table, rows);
    }
    return state;
  });

/** A row that data/schema.sql accepts; null where the row that it would refer to is not there. */
function rowOf(table: TableName, { slot, choices }: Draft, state: State, slugs: readonly string[]): Row | null {
  const { references, unique } = TABLE_RULES[table];
  const row: Record<string, Value> = {};
  for (const [i, [column, rule]] of Object.entries<Column<unknown>>(TABLES[table]).entries()) {
    const choice = choices[i] ?? 0;
    const parent = references[column];
    if (parent !== undefined) {
      const ids = rowsOf(state, parent).map((one) => one['id'] ?? null);
      // Neighbours in the list of parents, so that two states agree where they have the same.
      const id = ids[(slot + choice) % (ids.length + (rule.isNullable ? 1 : 0))];
      if (id === undefined && !rule.isNullable) return null;
      row[column] = id ?? null;
    } else if (column === 'id') row[column] = table === 'texts' ? String(slot + 1) : slot + 1;
    else if (column === 'keyid') row[column] = `key-${slot}`;
    else if (unique.includes(column)) row[column] = slugs[slot] ?? '';
    else {
      const values = valuesOf(table, column, rule);
      row[column] = values[choice % values.length] ?? null;
    }
  }
  // What the CHECKs say of several columns.
  if (table === 'products' && row['paused_until'] !== null) row['paused'] = 1;
  if (table === 'sessions' && row['starts_local'] === null) row['starts_at'] = '2026-06-01T00:00:00Z';
  if (table === 'sessions' && row['ends_local'] === null && row['ends_at'] === null) row['daily'] = 0;
  if (table === 'badges' && row['rule_below'] === null) row['rule'] = null;
  if (table === 'texts') row['field'] = TEXT_FIELDS[row['kind'] as TextKind][0];
  const session = table === 'price_tiers' ? state.get('sessions')?.get(String(row['session_id'])) : undefined;
  if (session !== undefined) row['product_id'] = session['product_id'] ?? null;
  return row;
}

/** As export prints it: by key, without what is NULL. */
function textOf(state: State): string {
  const lines = TABLE_NAMES.flatMap((table) => {
    const { key } = TABLE_RULES[table];
    const byKey = (a: Row, b: Row): number => {
      const column = key.find((one) => a[one] !== b[one]) ?? '';
      return (a[column] ?? '') < (b[column] ?? '') ? -1 : 1;
    };
    return rowsOf(state, table)
      .toSorted(byKey)
      .map((row) => {
        const given = Object.entries(row).filter(([, value]) => value !== null);
        return `${JSON.stringify({ table, row: Object.fromEntries(given) })}\n`;
      });
  });
  return lines.join('');
}

export const inputOf = (text: string): readonly ImportSource[] => [
  {
    name: 'feed',
    open: async function* () {
      yield Buffer.from(text);
    },
  },
];

/** All rows, as export prints them. */
export async function exported(path: string): Promise<string> {
  await using reader = await openCatalogue(path);
  let text = '';
  for await (const piece of exportRows(reader, TABLE_NAMES, () => undefined)) text += piece;
  return text;
}

/** A write that a trigger has noted: the table, insert, update or delete, and the key. */
export interface Written {
  readonly name: string;
  readonly kind: string;
  readonly id: string;
}

interface Expected {
  /** The code of the error, and the tables that it names; null where the mirror succeeds. */
  readonly refusal: { readonly code: string; readonly tables: readonly TableName[] } | null;
  readonly state: State;
}

/** What ought to come of it. */
function expectedOf(before: State, input: State, guard: { maxShrink: number; allowShrink: boolean }): Expected {
  const keys = rowsOf(input, 'front_keys').length > 0 ? input : before;
  const state: State = new Map([...input, ['front_keys', keys.get('front_keys') ?? new Map()]]);
  const shrinking = TABLE_NAMES.filter((table) => {
    const rows = [...(before.get(table)?.keys() ?? [])];
    const stay = rows.filter((key) => state.get(table)?.has(key) === true).length;
    // There are never twenty rows here: a table of these may be emptied.
    const mayGo = /image|categor|group|tag|badge|text/.test(table);
    return rows.length - stay > rows.length * guard.maxShrink && !mayGo;
  });
  if (shrinking.length > 0 && !guard.allowShrink)
    return { refusal: { code: 'import-shrinks', tables: shrinking }, state: before };
  const isRevived = [...(before.get('front_keys') ?? [])].some(([key, { revoked_at: revoked }]) => {
    const now = state.get('front_keys')?.get(key);
    return now !== undefined && typeof revoked === 'string' && String(now['revoked_at'] ?? 'never') > revoked;
  });
  if (isRevived) return { refusal: { code: 'import-row-refused', tables: ['front_keys'] }, state: before };
  const fronts = state.get('fronts');
  const isLost = rowsOf(state, 'front_keys').some((key) => fronts?.has(String(key['front_id'])) !== true);
  if (isLost) return { refusal: { code: 'import-row-refused', tables: ['front_keys'] }, state: before };
  return { refusal: null, state };
}

/** Which rows differ, by table; keys alone are neither here nor there where the input has none. */
function changesOf(before: State, input: State) {
  const isAlone = rowsOf(input, 'front_keys').length === 0;
  const tables = TABLE_NAMES.filter((table) => table !== 'front_keys' || !isAlone).map((table) => {
    const old = before.get(table) ?? new Map<string, Row>();
    const now = input.get(table) ?? new Map<string, Row>();
    const common = [...now.keys()].filter((key) => old.has(key));
    const isSame = (key: string): boolean => JSON.stringify(old.get(key)) === JSON.stringify(now.get(key));
    return {
      table,
      inserted: [...now.keys()].filter((key) => !old.has(key)),
      updated: common.filter((key) => !isSame(key)),
      deleted: [...old.keys()].filter((key) => !now.has(key)),
      unchanged: common.filter(isSame),
    };
  });
  return tables.filter(
    ({ inserted, updated, deleted, unchanged }) =>
      inserted.length + updated.length + deleted.length + unchanged.length > 0,
  );
}

function expectWrites(written: readonly Written[], changes: ReturnType<typeof changesOf>): void {
  for (const { table, inserted, updated, deleted } of changes) {
    const kindsOf = (key: string): string =>
      written
        .filter(({ name, id }) => name === table && id === key)
        .map(({ kind }) => kind)
        .join(' ');
    // A slug or code that another row is to have is given up first, by a write of its own.
    const once = TABLE_RULES[table].unique.length > 0 ? '(update )?' : '';
    for (const key of inserted) expect(kindsOf(key), `${table} ${key}`).toBe('insert');
    for (const key of updated) expect(kindsOf(key), `${table} ${key}`).toMatch(new RegExp(`^${once}update$`));
    for (const key of deleted) expect(kindsOf(key), `${table} ${key}`).toMatch(new RegExp(`^${once}delete$`));
    const ofTable = new Set(written.flatMap(({ name, id }) => (name === table ? [id] : [])));
    expect(ofTable, table).toEqual(new Set([...inserted, ...updated, ...deleted]));
  }
  const names = new Set(changes.map(({ table }): string => table));
  expect(written.filter(({ name }) => !names.has(name))).toEqual([]);
}

const NOTHING_SEEN = { done: 0, 'import-shrinks': 0, 'import-row-refused': 0, unchanged: 0, swapped: 0 };

/** How many mirrors were of each kind. */
type Seen = Readonly<typeof NOTHING_SEEN>;

/** A database that notes what is written to it. */
export interface WatchedDatabase {
  /** For `--db`. */
  readonly path: string;
  /** Replaces all rows by others, and forgets what was written before. */
  fill(rows: readonly CatalogueRow[]): Promise<void>;
  written(): Promise<readonly Written[]>;
}

/**
 * Mirrors inputs into catalogues, all of them drawn at random; `mended` replaces a value that the
 * database cannot hold.
 */
export async function expectRandomMirrors(
  database: WatchedDatabase,
  numRuns: number,
  mended: (state: State) => State = (state) => state,
): Promise<Seen> {
  const { path } = database;
  const seen = { ...NOTHING_SEEN };
  const guards = fc.record({
    maxShrink: fc.constantFrom(0, 0.25, 0.5, 0.75, 1),
    allowShrink: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
  });
  const states = stateArbitrary.map(mended);
  const order = fc.constantFrom('as exported', 'reversed');
  await fc.assert(
    fc.asyncProperty(states, states, guards, order, async (before, input, guard, inputOrder) => {
      await database.fill(
        [...before].flatMap(([table, byKey]) => [...byKey.values()].map((row): CatalogueRow => ({ table, row }))),
      );
      const lines = textOf(input).split(/(?<=\n)/);
      const text = (inputOrder === 'reversed' ? lines.toReversed() : lines).join('');
      const mirror = (): Promise<MirrorResult | AppError> =>
        mirrorRows(inputOf(text), { databasePath: path, ...guard }).catch((error: unknown) => {
          if (error instanceof AppError) return error;
          throw error;
        });
      const result = await mirror();
      const expected = expectedOf(before, input, guard);
      expect(await exported(path)).toBe(textOf(expected.state));
      if (expected.refusal !== null || result instanceof AppError) {
        const messages = result instanceof AppError ? [result.message, ...result.details] : [];
        const tables = new Set(messages.flatMap((message) => /^(\w+)[: ]/.exec(message)?.[1] ?? []));
        expect({ code: result instanceof AppError ? result.code : 'none', tables: [...tables] }).toEqual(
          expected.refusal,
        );
        expect(await database.written()).toEqual([]);
        seen[expected.refusal?.code === 'import-shrinks' ? 'import-shrinks' : 'import-row-refused'] += 1;
        return;
      }

      const changes = changesOf(before, input);
      const counts = changes.map(({ table, inserted, updated, deleted, unchanged }) => {
        const [i, u, d, n] = [inserted, updated, deleted, unchanged].map(({ length }) => length);
        return [table, { inserted: i, updated: u, deleted: d, unchanged: n }];
      });
      expect(result.tables).toEqual(Object.fromEntries(counts));
      const written = await database.written();
      expectWrites(written, changes);
      seen.done += 1;
      seen.unchanged += changes.filter(({ unchanged }) => unchanged.length > 0).length;
      seen.swapped += written.length > new Set(written.map((one) => `${one.name} ${one.id}`)).size ? 1 : 0;

      // Again: nothing is left to do.
      expect(await mirror()).not.toBeInstanceOf(AppError);
      expect(await database.written()).toEqual(written);
    }),
    { numRuns },
  );
  return seen;
}

/** Checks that runs were of every kind, where they were so many that they should be. */
export function expectEveryKind(all: readonly Seen[], runsTotal: number): void {
  if (runsTotal < 1500) return;
  for (const what of Object.keys(NOTHING_SEEN) as readonly (keyof Seen)[]) {
    const times = all.reduce((sum, seen) => sum + seen[what], 0);
    expect(times, what).toBeGreaterThan(runsTotal / 100);
  }
}
