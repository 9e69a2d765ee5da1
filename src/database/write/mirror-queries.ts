// The SQL of a mirror, which compares the input, staged in temporary tables, with the catalogue. A
// staged table has the name of the catalogue's table and hides it from queries without a schema, so
// the check for dangling ids sees the input. Runs nothing.

import { sql, type Expression, type SqlBool } from 'kysely';
import type { Query } from '../reader.ts';
import { TABLE_RULES, type TableName } from '../contract/tables.ts';
import { LOCATION, type CatalogueWriter, type InputRow } from '../writer.ts';
import { columnsOf, othersOf } from './row-statements.ts';

type Names = Pick<CatalogueWriter, 'nameOf' | 'rowsOf' | 'randomText'>;

const BATCH_ROWS = 1000;

const and = (conditions: readonly Expression<SqlBool>[]) => sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
const or = (conditions: readonly Expression<SqlBool>[]) => sql<SqlBool>`${sql.join(conditions, sql` or `)}`;

/**
 * Whether `s` and `k` are the same row. Staged columns come first: where two collations differ,
 * SQLite takes that of the first.
 */
const isSameKey = (table: TableName) =>
  and(TABLE_RULES[table].key.map((column) => sql<SqlBool>`${sql.ref(`s.${column}`)} = ${sql.ref(`k.${column}`)}`));

/** Rows `k` of the catalogue that the input does not have. */
const isNotStaged = (of: Names, table: TableName) =>
  sql<SqlBool>`not exists (select 1 from ${of.rowsOf('staged', table)} as s where ${isSameKey(table)})`;

/** A row of the input as a row to stage. */
export function stagedRow(row: InputRow): InputRow {
  return { ...row, columns: [...row.columns, LOCATION], values: [...row.values, row.location] };
}

/**
 * One row: how many rows the input has, how many the catalogue, and how many of these the input
 * does not.
 */
export function countsQuery(of: Names, table: TableName): Query {
  const kept = of.rowsOf('kept', table);
  return sql`select (select count(*) from ${of.rowsOf('staged', table)} as s), (select count(*) from ${kept} as k),
    (select count(*) from ${kept} as k where ${isNotStaged(of, table)})`;
}

export function keptTotalQuery(of: Names, table: TableName): Query {
  return sql`select count(*) from ${of.rowsOf('kept', table)} as k`;
}

/**
 * Rows of the input that are new or different, by key, after the key `after`: the values of the
 * columns, the location, and whether the row is new. At most BATCH_ROWS.
 */
function changedQuery(of: Names, table: TableName, after: readonly unknown[] | null): Query {
  const { key } = TABLE_RULES[table];
  const keyColumns = sql.join(key.map((column) => sql.ref(`s.${column}`)));
  const isNew = and(key.map((column) => sql`${sql.ref(`k.${column}`)} is null`));
  const isDifferent = othersOf(table).map(
    (column) => sql<SqlBool>`${sql.ref(`s.${column}`)} is distinct from ${sql.ref(`k.${column}`)}`,
  );
  const isBehind = after === null ? [] : [sql<SqlBool>`(${keyColumns}) > (${sql.join(after)})`];
  const columns = [...columnsOf(table), LOCATION].map((column) => sql.ref(`s.${column}`));
  return sql`select ${sql.join(columns)}, ${isNew}
    from ${of.rowsOf('staged', table)} as s left join ${of.rowsOf('kept', table)} as k on ${isSameKey(table)}
    where ${and([...isBehind, sql`(${or([isNew, ...isDifferent])})`])} order by ${keyColumns} limit ${sql.lit(BATCH_ROWS)}`;
}

/** Rows of one table, in the order of their keys. */
interface ChangedRows {
  /** New rows, and rows that differ; both with all columns. */
  readonly inserted: readonly InputRow[];
  readonly updated: readonly InputRow[];
}

/** The same in batches; each is found after the one before it was written. */
export async function* changedRows(catalogue: CatalogueWriter, table: TableName): AsyncGenerator<ChangedRows> {
  const columns = columnsOf(table);
  const keyIndexes = TABLE_RULES[table].key.map((column) => columns.indexOf(column));
  let after: readonly unknown[] | null = null;
  for (;;) {
    const batch: unknown[][] = await catalogue.rows(changedQuery(catalogue, table, after));
    const last = batch.at(-1);
    if (last === undefined) return;
    const inserted: InputRow[] = [];
    const updated: InputRow[] = [];
    for (const values of batch) {
      const [location, isNew] = values.slice(columns.length);
      const row = { table, columns, values: values.slice(0, columns.length), location: String(location) };
      (isNew === 1 ? inserted : updated).push(row);
    }
    yield { inserted, updated };
    if (batch.length < BATCH_ROWS) return;
    after = keyIndexes.map((index) => last[index]);
  }
}

/**
 * Gives a row a temporary slug or code where another row of the input will have its present one:
 * two rows may swap theirs. These rows are then updated or deleted.
 */
export function freeUniqueQueries(of: Names, table: TableName): readonly Query[] {
  return TABLE_RULES[table].unique.map((column) => {
    const isTaken = sql`${sql.ref(`s.${column}`)} = ${sql.ref(`k.${column}`)} and not (${isSameKey(table)})`;
    return sql`update ${of.nameOf('kept', table)} as k set ${sql.id(column)} = ${of.randomText}
      where exists (select 1 from ${of.nameOf('staged', table)} as s where ${isTaken})`;
  });
}

/** Keys that are revoked in the catalogue, but in the input not, or only later. */
export function revivedKeysQuery(of: Names): Query {
  return sql`select s.keyid, k.revoked_at from ${of.rowsOf('staged', 'front_keys')} as s
    join ${of.rowsOf('kept', 'front_keys')} as k on ${isSameKey('front_keys')}
    where k.revoked_at is not null and (s.revoked_at is null or k.revoked_at < s.revoked_at) order by s.keyid`;
}

/** Deletes the rows that the input does not have. */
export function deleteRemovedQuery(of: Names, table: TableName): Query {
  const isStaged = sql`exists (select 1 from ${of.nameOf('staged', table)} as s where ${isSameKey(table)})`;
  return sql`delete from ${of.nameOf('kept', table)} as k where not ${isStaged}`;
}
