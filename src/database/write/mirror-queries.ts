// The SQL of a mirror: the input is staged in temporary tables, and compared with the catalogue's. A staged table has the name of the
// catalogue's, and hides it from queries that name no schema: a check for dangling ids then judges the input. Runs nothing.

import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely';
import { anyTable } from '../schema/query-builders.ts';
import { TABLE_RULES, TABLES, type TableName } from '../schema/tables.ts';

const STAGED = 'temp';
const CATALOGUE = 'main';

/** The column of a staged table that says where a row was read. */
const PLACE = 'import_place';

const BATCH_ROWS = 1000;

/** All columns, those of the key last: in that order an insert and an update take the same values. */
const columnsOf = (table: TableName): readonly string[] => [...othersOf(table), ...TABLE_RULES[table].key];
const othersOf = (table: TableName): readonly string[] =>
  Object.keys(TABLES[table]).filter((column) => !TABLE_RULES[table].key.includes(column));
const staged = (table: TableName) => sql.id(STAGED, table);
const kept = (table: TableName) => sql.id(CATALOGUE, table);
const and = (conditions: readonly Expression<SqlBool>[]) => sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
const or = (conditions: readonly Expression<SqlBool>[]) => sql<SqlBool>`${sql.join(conditions, sql` or `)}`;
const textOf = (query: RawBuilder<unknown>): string => query.compile(anyTable).sql;

/** Whether `s` and `k` are the same row. Staged columns come first: where two collations differ, SQLite takes that of the first. */
const isSameKey = (table: TableName) =>
  and(TABLE_RULES[table].key.map((column) => sql<SqlBool>`${sql.ref(`s.${column}`)} = ${sql.ref(`k.${column}`)}`));

/** Rows `k` of the catalogue that the input does not have. */
const isNotStaged = (table: TableName) =>
  sql<SqlBool>`not exists (select 1 from ${staged(table)} as s where ${isSameKey(table)})`;

/** Makes the table that the input's rows are staged in. Only what concerns several rows of the input is checked there. */
export function createStagedSql(table: TableName): string {
  const { key, unique } = TABLE_RULES[table];
  const columns = Object.entries(TABLES[table]).map(
    ([column, { declared, defaultSql }]) =>
      sql`${sql.id(column)} ${sql.raw(declared)} default ${sql.raw(defaultSql ?? 'null')}`,
  );
  const constraints = [
    sql`primary key (${sql.join(key.map((column) => sql.id(column)))})`,
    ...unique.map((column) => sql`unique (${sql.id(column)})`),
  ];
  return textOf(
    sql`create table ${staged(table)} (${sql.join([...columns, sql`${sql.id(PLACE)} text`, ...constraints])})`,
  );
}

export function dropStagedSql(table: TableName): string {
  return textOf(sql`drop table ${staged(table)}`);
}

/** A row of the input as a row to stage. */
export function stagedRow<Row extends { readonly columns: readonly string[]; readonly values: readonly unknown[] }>(
  row: Row,
  place: string,
): Row {
  return { ...row, columns: [...row.columns, PLACE], values: [...row.values, place] };
}

/** One row: how many rows the input has, how many the catalogue, and how many of these the input does not. */
export function countsQuery(table: TableName): RawBuilder<unknown> {
  return sql`select (select count(*) from ${staged(table)}), (select count(*) from ${kept(table)}),
    (select count(*) from ${kept(table)} as k where ${isNotStaged(table)})`;
}

export function keptTotalQuery(table: TableName): RawBuilder<unknown> {
  return sql`select count(*) from ${kept(table)}`;
}

/**
 * Rows of the input that the catalogue lacks or has otherwise, by key, from behind the key `after`: the values of the columns, the
 * place, and whether the catalogue lacks the row. At most BATCH_ROWS.
 */
function changedQuery(table: TableName, after: readonly unknown[] | null): RawBuilder<unknown> {
  const { key } = TABLE_RULES[table];
  const keyColumns = sql.join(key.map((column) => sql.ref(`s.${column}`)));
  const isNew = and(key.map((column) => sql`${sql.ref(`k.${column}`)} is null`));
  const isDifferent = othersOf(table).map(
    (column) => sql<SqlBool>`${sql.ref(`s.${column}`)} is distinct from ${sql.ref(`k.${column}`)}`,
  );
  const isBehind = after === null ? [] : [sql<SqlBool>`(${keyColumns}) > (${sql.join(after)})`];
  const columns = [...columnsOf(table), PLACE].map((column) => sql.ref(`s.${column}`));
  return sql`select ${sql.join(columns)}, ${isNew} from ${staged(table)} as s left join ${kept(table)} as k on ${isSameKey(table)}
    where ${and([...isBehind, sql`(${or([isNew, ...isDifferent])})`])} order by ${keyColumns} limit ${sql.lit(BATCH_ROWS)}`;
}

/** A row of the input that the catalogue lacks or has otherwise. */
export interface ChangedRow {
  readonly row: { readonly table: TableName; readonly columns: readonly string[]; readonly values: readonly unknown[] };
  readonly place: string;
  readonly isNew: boolean;
}

/** The same in batches; each is found after the one before it was written. */
export async function* changedRows(
  catalogue: { rows(query: RawBuilder<unknown>): Promise<unknown[][]> },
  table: TableName,
): AsyncGenerator<readonly ChangedRow[]> {
  const columns = columnsOf(table);
  const keyIndexes = TABLE_RULES[table].key.map((column) => columns.indexOf(column));
  let after: readonly unknown[] | null = null;
  for (;;) {
    const batch: unknown[][] = await catalogue.rows(changedQuery(table, after));
    const last = batch.at(-1);
    if (last === undefined) return;
    yield batch.map((values) => {
      const [place, isNew] = values.slice(columns.length);
      return {
        row: { table, columns, values: values.slice(0, columns.length) },
        place: String(place),
        isNew: isNew === 1,
      };
    });
    if (batch.length < BATCH_ROWS) return;
    after = keyIndexes.map((index) => last[index]);
  }
}

/**
 * Gives rows another slug or code for the time being, where another row of the input is to have theirs: each of two rows may have
 * what the other had before. The rows are changed or deleted afterwards.
 */
export function freeUniqueSql(table: TableName): readonly string[] {
  return TABLE_RULES[table].unique.map((column) => {
    const isTaken = sql`${sql.ref(`s.${column}`)} = ${sql.ref(`k.${column}`)} and not (${isSameKey(table)})`;
    return textOf(sql`update ${kept(table)} as k set ${sql.id(column)} = lower(hex(randomblob(16)))
      where exists (select 1 from ${staged(table)} as s where ${isTaken})`);
  });
}

/** Inserts a changed row into the catalogue: takes its values. */
export function insertKeptSql(table: TableName): string {
  const columns = columnsOf(table);
  return textOf(sql`insert into ${kept(table)} (${sql.join(columns.map((column) => sql.id(column)))})
    values (${sql.join(columns.map(() => sql`?`))})`);
}

/** Updates the row with the key of a changed row: takes the same values. */
export function updateKeptSql(table: TableName): string {
  const toValue = (column: string) => sql<SqlBool>`${sql.id(column)} = ?`;
  const assignments = sql.join(othersOf(table).map(toValue));
  return textOf(sql`update ${kept(table)} set ${assignments} where ${and(TABLE_RULES[table].key.map(toValue))}`);
}

/** Keys that the catalogue has as revoked, and the input not, or from a later instant on. */
export function revivedKeysQuery(): RawBuilder<unknown> {
  return sql`select s.keyid, k.revoked_at from ${staged('front_keys')} as s join ${kept('front_keys')} as k on ${isSameKey('front_keys')}
    where k.revoked_at < coalesce(s.revoked_at, 'none') order by s.keyid`;
}

/** Deletes the rows that the input does not have. */
export function deleteRemovedSql(table: TableName): string {
  return textOf(sql`delete from ${kept(table)} as k where ${isNotStaged(table)}`);
}
