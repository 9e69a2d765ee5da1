// Makes a catalogue hold exactly the rows of the input, in one transaction: rows that differ are written, rows that the input does not
// have are deleted, all others are left untouched. Refuses an input that lacks so many rows that it is likely to be broken off.

import { setImmediate } from 'node:timers/promises';
import type { RowChanges } from '../../contract/results.ts';
import { AppError, messageOf, shellWord, systemCodeOf } from '../../errors.ts';
import { writing, type WritableCatalogue } from '../create.ts';
import { TABLE_NAMES, type TableName } from '../schema/tables.ts';
import { danglingError, insertAll, writingRows, type InputOptions } from './import-rows.ts';
import { forEachRow, Refusals, type ImportSource } from './input-rows.ts';
import { rowInserter, rowWriter, VIEWS_HINT } from './insert-rows.ts';
import {
  changedRows,
  countsQuery,
  createStagedSql,
  deleteRemovedSql,
  dropStagedSql,
  freeUniqueSql,
  insertKeptSql,
  keptTotalQuery,
  revivedKeysQuery,
  stagedRow,
  updateKeptSql,
} from './mirror-queries.ts';

export interface MirrorOptions extends InputOptions {
  /** 0 to 1: how much of its rows each table may lose. */
  readonly maxShrink: number;
  /** Overrides that. */
  readonly allowShrink: boolean;
}

export type MirrorResult = Awaited<ReturnType<typeof mirrorRows>>;

/**
 * A table that others than the feed write: `keys issue` and `keys revoke`. A feed without a row of it does not know of keys, and losing
 * them would lock storefronts out.
 */
const LEFT_ALONE_WITHOUT_ROWS: TableName = 'front_keys';

interface Counts {
  readonly staged: number;
  readonly kept: number;
  /** Of these, rows that the input does not have. */
  readonly removed: number;
}

/**
 * Makes the catalogue hold exactly the rows of all sources, or changes nothing.
 * @returns what became of the rows, for tables that have or had any, in the order of TABLE_NAMES; how many keys of fronts were left
 * alone because the input has none; whether this made the database
 * @throws AppError import-…, database-…, contract-…
 */
export async function mirrorRows(sources: readonly ImportSource[], options: MirrorOptions) {
  return writingRows(options, async (catalogue) => {
    const { changes, keysLeftAlone } = catalogue.isNew
      ? await fill(sources, catalogue, options)
      : await mirror(sources, catalogue, options);
    return { tables: Object.fromEntries(changes), keysLeftAlone, isNew: catalogue.isNew };
  });
}

interface Mirrored {
  readonly changes: ReadonlyMap<TableName, RowChanges>;
  readonly keysLeftAlone: number;
}

/** A new catalogue has nothing to compare with. */
async function fill(
  sources: readonly ImportSource[],
  catalogue: WritableCatalogue,
  { onRow }: MirrorOptions,
): Promise<Mirrored> {
  const counts = await insertAll(sources, catalogue, 'on-earlier-line', onRow);
  const changes = TABLE_NAMES.flatMap((table) => {
    const inserted = counts.get(table);
    return inserted === undefined ? [] : [[table, { inserted, updated: 0, deleted: 0, unchanged: 0 }] as const];
  });
  return { changes: new Map(changes), keysLeftAlone: 0 };
}

async function mirror(
  sources: readonly ImportSource[],
  catalogue: WritableCatalogue,
  options: MirrorOptions,
): Promise<Mirrored> {
  for (const table of TABLE_NAMES) run(catalogue, createStagedSql(table));
  const stage = rowInserter(catalogue, 'on-earlier-line');
  await forEachRow(sources, catalogue, (row, place) => {
    stage(stagedRow(row, place), place);
    options.onRow?.();
  });

  const all = new Map<TableName, Counts>();
  for (const table of TABLE_NAMES) all.set(table, await countsOf(catalogue, table));
  const left = all.get(LEFT_ALONE_WITHOUT_ROWS);
  const isLeftAlone = left?.staged === 0;
  if (isLeftAlone) {
    all.delete(LEFT_ALONE_WITHOUT_ROWS);
    run(catalogue, dropStagedSql(LEFT_ALONE_WITHOUT_ROWS));
  }
  refuseShrinking(all, options);
  if (!isLeftAlone) await refuseReviving(catalogue);
  await refuseDangling(catalogue, isLeftAlone);

  const changes = await writeAll(catalogue, all);
  for (const table of all.keys()) run(catalogue, dropStagedSql(table));
  return { changes, keysLeftAlone: isLeftAlone ? left.kept : 0 };
}

async function countsOf(catalogue: WritableCatalogue, table: TableName): Promise<Counts> {
  const [[staged, kept, removed] = []] = await catalogue.rows(countsQuery(table));
  return { staged: Number(staged), kept: Number(kept), removed: Number(removed) };
}

/** @throws AppError import-shrinks, with every table that would lose too much */
function refuseShrinking(all: ReadonlyMap<TableName, Counts>, options: MirrorOptions): void {
  if (options.allowShrink) return;
  const percent = Math.round(options.maxShrink * 1e4) / 100;
  const messages = [...all].flatMap(([table, { kept, removed }]) => {
    // Compared in millionths: 1 - 0.7 is not 0.3 in binary fractions.
    if (removed * 1e6 <= kept * Math.round(options.maxShrink * 1e6)) return [];
    return [
      `${table}: expected at most ${percent}% of the rows to go, found ${removed} of ${kept} that are not in the input`,
    ];
  });
  const [message, ...details] = messages;
  if (message === undefined) return;
  const path = shellWord(options.databasePath);
  const hint = `check that the input is complete; if these rows are to go: playbill import --mirror --allow-shrink --db ${path} FILE.ndjson`;
  throw new AppError('import-shrinks', message, hint, undefined, details);
}

/** Refuses an input that is older than a revocation: that has come from `keys revoke`, and would end without anybody's having meant it. */
async function refuseReviving(catalogue: WritableCatalogue): Promise<void> {
  const [message, ...details] = (await catalogue.rows(revivedKeysQuery())).map(
    ([keyid, revokedAt]) =>
      `front_keys ${String(keyid)}: expected revoked_at to be ${String(revokedAt)} or earlier, as in the catalogue, found none or a later one`,
  );
  if (message === undefined) return;
  const hint = `give the key with its revoked_at, or leave all rows of front_keys out; see: playbill keys list --db ${shellWord(catalogue.path)}`;
  throw new AppError('import-row-refused', message, hint, undefined, details);
}

/**
 * Refuses an input that lacks rows which others refer to: deleting those would silently take the others along. Reads the staged rows,
 * which hide the catalogue's.
 */
async function refuseDangling(catalogue: WritableCatalogue, areKeysLeftAlone: boolean): Promise<void> {
  const error = await danglingError(catalogue);
  if (error === null) return;
  if (!areKeysLeftAlone || !error.message.startsWith(`${LEFT_ALONE_WITHOUT_ROWS} `)) throw error;
  const hint =
    'a front with keys is not deleted by an input without keys: give the row of the front, with status disabled, ' +
    `or delete its keys first: sqlite3 ${shellWord(catalogue.path)} "DELETE FROM front_keys WHERE front_id = ID"`;
  throw new AppError(error.code, error.message, hint, undefined, error.details);
}

/** Brings every table to the staged rows. @throws AppError import-row-refused, database-… */
async function writeAll(
  catalogue: WritableCatalogue,
  all: ReadonlyMap<TableName, Counts>,
): Promise<ReadonlyMap<TableName, RowChanges>> {
  const changes = new Map<TableName, RowChanges>();
  const refusals = new Refusals(catalogue, 'the rest was not compared');
  const insert = rowWriter(catalogue, ({ table }) => insertKeptSql(table));
  const update = rowWriter(catalogue, ({ table }) => updateKeptSql(table));
  for (const [table, { staged, kept, removed }] of all) {
    if (staged + kept === 0) continue;
    for (const sql of freeUniqueSql(table)) runOn(table, catalogue, sql);
    let inserted = 0;
    let updated = 0;
    for await (const batch of changedRows(catalogue, table)) {
      for (const { row, place, isNew } of batch) {
        refusals.during(() => (isNew ? insert : update)(row, place));
        if (isNew) inserted += 1;
        else updated += 1;
      }
      // Lets the process handle signals between two batches.
      await setImmediate();
    }
    changes.set(table, { inserted, updated, deleted: removed, unchanged: staged - inserted - updated });
  }
  refusals.throwAny();
  // Children first, when no row that stays refers to one that goes: no foreign key then deletes or refuses anything.
  for (const [table, { removed }] of [...all].toReversed())
    if (removed > 0) runOn(table, catalogue, deleteRemovedSql(table));
  for (const [table, { staged }] of all) await expectTotal(catalogue, table, staged);
  return changes;
}

/** A trigger of the operator's can undo what was written; a table without a primary key can hold a row twice. */
async function expectTotal(catalogue: WritableCatalogue, table: TableName, expected: number): Promise<void> {
  const [[found] = []] = await catalogue.rows(keptTotalQuery(table));
  if (found === expected) return;
  const message = `${table}: expected the ${expected} rows of the input, found ${String(found)} when all was written`;
  const hint = `compare "${table}" with data/schema.sql: it has triggers of your own, or rows with the same key`;
  throw new AppError('import-row-refused', message, hint);
}

function run(catalogue: WritableCatalogue, sql: string): void {
  writing(catalogue.path, () => catalogue.handle.exec(sql));
}

/** Changes rows of a table together. @throws AppError import-row-refused, database-… */
function runOn(table: TableName, catalogue: WritableCatalogue, sql: string): void {
  try {
    run(catalogue, sql);
  } catch (error) {
    const cause = error instanceof AppError ? error.cause : error;
    const isView = systemCodeOf(cause) === 'SQLITE_ERROR';
    if (!isView && !systemCodeOf(cause).startsWith('SQLITE_CONSTRAINT')) throw error;
    const message = `${table}: expected a table whose rows can be changed and deleted, found: ${messageOf(cause)}`;
    const hint = isView ? VIEWS_HINT : `see the triggers of your own on "${table}"`;
    throw new AppError('import-row-refused', message, hint, error);
  }
}
