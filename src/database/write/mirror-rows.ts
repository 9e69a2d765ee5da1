// Makes a catalogue hold exactly the rows of the input, in one transaction: writes rows that
// differ, deletes rows that the input does not have, and leaves all others untouched. Refuses an
// input that lacks so many rows that it has probably been cut short.

import { setImmediate } from 'node:timers/promises';
import type { RowChanges } from '../../contract/results/import.ts';
import { AppError, shellWord } from '../../errors.ts';
import type { Guard } from '../../contract/results/parts.ts';
import { isMoreThanShare, percentText } from '../../release/publish/guards.ts';
import type { Query } from '../reader.ts';
import { TABLE_NAMES, type TableName } from '../contract/tables.ts';
import { SCHEMA_FILES } from '../schema-file.ts';
import { RefusedChange, type CatalogueWriter } from '../writer.ts';
import { danglingError, writingRows, type InputOptions } from './import-rows.ts';
import { forEachBatch, RefusedRows, type ImportSource } from './input-rows.ts';
import {
  changedRows,
  countsQuery,
  deleteRemovedQuery,
  freeUniqueQueries,
  keptTotalQuery,
  revivedKeysQuery,
  stagedRow,
} from './mirror-queries.ts';
import { refusedError, VIEWS_HINT } from './refused-row.ts';

export interface MirrorOptions extends InputOptions {
  /** 0 to 1: how much of its rows each table may lose. */
  readonly maxShrink: number;
  /** Overrides that: `--allow max-shrink`. */
  readonly allowShrink: boolean;
}

export type MirrorResult = Awaited<ReturnType<typeof mirrorRows>>;

/**
 * `keys issue` and `keys revoke` write this table, too. A feed without a row of it does not know
 * about keys, and deleting them would lock storefronts out.
 */
const LEFT_ALONE_WITHOUT_ROWS: TableName = 'front_keys';

/**
 * Tables of which an honest feed may lose most rows, as there may be few: without them a card lacks
 * a tag, a picture or a heading.
 */
const DECORATIONS: ReadonlySet<TableName> = new Set([
  'images',
  'categories',
  'front_categories',
  'product_categories',
  'groups',
  'front_groups',
  'product_groups',
  'tags',
  'product_tags',
  'badges',
  'product_badges',
  'texts',
]);

/** So many rows may go from one of them, whatever their share. */
const DECORATIONS_MAY_GO = 20;

interface Counts {
  readonly staged: number;
  readonly kept: number;
  /** How many of the kept rows the input does not have. */
  readonly removed: number;
}

/**
 * Makes the catalogue hold exactly the rows of all sources, or changes nothing.
 * @returns what became of the rows, for tables that have or had any, in the order of TABLE_NAMES;
 * how many keys of fronts were left alone because the input has none; the guards that were
 * overridden; whether this made the database; a folder that it could not remove, or null
 * @throws AppError import-…, database-…, contract-…
 */
export async function mirrorRows(sources: readonly ImportSource[], options: MirrorOptions) {
  return writingRows(options, async (catalogue) => {
    const { changes, ...rest } = await mirror(sources, catalogue, options);
    return { tables: Object.fromEntries(changes), ...rest, isNew: catalogue.isNew };
  });
}

async function mirror(sources: readonly ImportSource[], catalogue: CatalogueWriter, options: MirrorOptions) {
  await catalogue.stage(TABLE_NAMES);
  const stagedTables = await stageAll(sources, catalogue, options);
  const isLeftAlone = !stagedTables.has(LEFT_ALONE_WITHOUT_ROWS);
  const tables = TABLE_NAMES.filter((table) => table !== LEFT_ALONE_WITHOUT_ROWS || !isLeftAlone);
  // From here on nobody else can change what is compared, or issue a key for a front that is to be
  // deleted.
  await catalogue.lock(TABLE_NAMES);
  const keysLeftAlone = isLeftAlone ? (await countsOf(catalogue, LEFT_ALONE_WITHOUT_ROWS)).kept : 0;
  if (isLeftAlone) await catalogue.unstage([LEFT_ALONE_WITHOUT_ROWS]);
  const all = new Map<TableName, Counts>();
  for (const table of tables) all.set(table, await countsOf(catalogue, table));
  const guards = guardsOnShrinking(all, options);
  if (!options.allowShrink) refuseAny(guards, catalogue.path);
  if (!isLeftAlone) await refuseReviving(catalogue);
  await refuseDangling(catalogue, isLeftAlone);

  await catalogue.uncoverKept();
  const changes = await writeAll(catalogue, all);
  await catalogue.unstage(tables);
  return { changes, keysLeftAlone, guards };
}

/** Stages every row of all sources; returns the tables that have any. */
async function stageAll(
  sources: readonly ImportSource[],
  catalogue: CatalogueWriter,
  { onRow }: MirrorOptions,
): Promise<ReadonlySet<TableName>> {
  const tables = new Set<TableName>();
  const how = { into: 'staged', isReplacing: false } as const;
  await forEachBatch(
    sources,
    catalogue,
    async (rows, refusalsMax) => {
      for (const { table } of rows.slice(0, 1)) tables.add(table);
      const refused = await catalogue.insert(rows.map(stagedRow), how, refusalsMax);
      return refused.map((row) => refusedError(row, catalogue));
    },
    onRow,
  );
  return tables;
}

async function countsOf(catalogue: CatalogueWriter, table: TableName): Promise<Counts> {
  const [[staged, kept, removed] = []] = await catalogue.rows(countsQuery(catalogue, table));
  return { staged: Number(staged), kept: Number(kept), removed: Number(removed) };
}

/** Every table that would lose too much. */
function guardsOnShrinking(
  all: ReadonlyMap<TableName, Counts>,
  { maxShrink, allowShrink }: MirrorOptions,
): readonly Guard[] {
  return [...all].flatMap(([table, { kept, removed }]) => {
    if (!isMoreThanShare(removed, kept, maxShrink)) return [];
    if (DECORATIONS.has(table) && removed <= DECORATIONS_MAY_GO) return [];
    const message = `${table}: expected at most ${percentText(maxShrink)} of the rows to go, found ${removed} of ${kept} that are not in the input`;
    return [{ code: 'max-shrink', message, isOverridden: allowShrink }];
  });
}

/** @throws AppError import-shrinks */
function refuseAny([guard, ...others]: readonly Guard[], path: string): void {
  if (guard === undefined) return;
  const hint = `check that the input is complete; if these rows are to go: playbill import --mirror --allow max-shrink --db ${shellWord(path)} FILE.ndjson`;
  const details = others.map(({ message }) => message);
  throw new AppError('import-shrinks', guard.message, hint, undefined, details);
}

/**
 * Refuses an input that would undo a revocation by `keys revoke`: it is older than that, and nobody
 * meant it to.
 */
async function refuseReviving(catalogue: CatalogueWriter): Promise<void> {
  const [message, ...details] = (await catalogue.rows(revivedKeysQuery(catalogue))).map(
    ([keyid, revokedAt]) =>
      `front_keys ${String(keyid)}: expected revoked_at to be ${String(revokedAt)} or earlier, as in the catalogue, found none or a later one`,
  );
  if (message === undefined) return;
  const hint = `give the key with its revoked_at, or leave all rows of front_keys out; see: playbill keys list --db ${shellWord(catalogue.path)}`;
  throw new AppError('import-row-refused', message, hint, undefined, details);
}

/**
 * Refuses an input that lacks rows to which others refer: deleting them would silently delete the
 * others. Reads the staged rows, which hide the catalogue's.
 */
async function refuseDangling(catalogue: CatalogueWriter, areKeysLeftAlone: boolean): Promise<void> {
  const error = await danglingError(catalogue);
  if (error === null) return;
  if (!areKeysLeftAlone || !error.message.startsWith(`${LEFT_ALONE_WITHOUT_ROWS} `)) throw error;
  const hint =
    'a front with keys is not deleted by an input without keys: give the row of the front, with status disabled, ' +
    `or delete its keys first: ${catalogue.shellCommand} "DELETE FROM front_keys WHERE front_id = ID"`;
  throw new AppError(error.code, error.message, hint, undefined, error.details);
}

/** Brings every table to the staged rows. @throws AppError import-row-refused, database-… */
async function writeAll(
  catalogue: CatalogueWriter,
  all: ReadonlyMap<TableName, Counts>,
): Promise<ReadonlyMap<TableName, RowChanges>> {
  const changes = new Map<TableName, RowChanges>();
  const refusals = new RefusedRows(catalogue, 'the rest was not compared');
  const how = { into: 'kept', isReplacing: false } as const;
  for (const [table, { staged, kept, removed }] of all) {
    if (staged + kept === 0) continue;
    for (const query of freeUniqueQueries(catalogue, table)) await changeTable(catalogue, table, query);
    let inserted = 0;
    let updated = 0;
    for await (const batch of changedRows(catalogue, table)) {
      const notInserted = await catalogue.insert(batch.inserted, how, refusals.room);
      refusals.add(notInserted.map((row) => refusedError(row, catalogue)));
      const notUpdated = await catalogue.update(batch.updated, refusals.room);
      refusals.add(notUpdated.map((row) => refusedError(row, catalogue)));
      inserted += batch.inserted.length;
      updated += batch.updated.length;
      // Lets the process handle signals between two batches.
      await setImmediate();
    }
    changes.set(table, { inserted, updated, deleted: removed, unchanged: staged - inserted - updated });
  }
  refusals.throwAny();
  // Children first; by now no row that stays refers to one that goes, so no foreign key deletes or
  // refuses anything.
  for (const [table, { removed }] of [...all].toReversed())
    if (removed > 0) await changeTable(catalogue, table, deleteRemovedQuery(catalogue, table));
  for (const [table, { staged }] of all) await expectTotal(catalogue, table, staged);
  for (const [table, { inserted, updated }] of changes)
    if (inserted + updated > 0) await expectWritten(catalogue, table);
  return changes;
}

/** A trigger of the operator's, for example, can change a row after it was written. */
async function expectWritten(catalogue: CatalogueWriter, table: TableName): Promise<void> {
  for await (const { inserted, updated } of changedRows(catalogue, table)) {
    const locations = [...inserted, ...updated].map(({ location }) => location);
    const message = `${locations[0]}: expected a table "${table}" that keeps the row as it is, found it otherwise when all was written`;
    const hint = `see the triggers, the rules and the row security of your own on "${table}"`;
    throw new AppError('import-row-refused', message, hint);
  }
}

/**
 * A trigger of the operator's can undo what was written; a table without a primary key can hold a
 * row twice.
 */
async function expectTotal(catalogue: CatalogueWriter, table: TableName, expected: number): Promise<void> {
  const [[found] = []] = await catalogue.rows(keptTotalQuery(catalogue, table));
  if (found === expected) return;
  const message = `${table}: expected the ${expected} rows of the input, found ${String(found)} when all was written`;
  const hint = `compare "${table}" with ${SCHEMA_FILES[catalogue.kind]}: it has triggers of your own, or rows with the same key`;
  throw new AppError('import-row-refused', message, hint);
}

/** Changes rows of a table together. @throws AppError import-row-refused, database-… */
async function changeTable(catalogue: CatalogueWriter, table: TableName, query: Query): Promise<void> {
  try {
    await catalogue.change(table, query);
  } catch (error) {
    if (!(error instanceof RefusedChange)) throw error;
    const message = `${table}: expected a table whose rows can be changed and deleted, found: ${error.message}`;
    const hint = error.kind === 'no-rows' ? VIEWS_HINT : `see the triggers of your own on "${table}"`;
    throw new AppError('import-row-refused', message, hint, error);
  }
}
