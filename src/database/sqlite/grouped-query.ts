// SQLite's SQL for rows in groups (read/groups.ts).

import { sql, type RawBuilder } from 'kysely';
import { isInRange, valuesIn, type Group, type Grouping, type IdRange } from '../read/groups.ts';
import type { CatalogueRows, Query } from '../reader.ts';

/** Tables that cannot hold a BLOB: STRICT ones, such as those of data/schema.sql, without an ANY or BLOB column. */
export async function strictTables(reader: Pick<CatalogueRows, 'rows'>): Promise<ReadonlySet<string>> {
  const list = sql<string>`select t.name from pragma_table_list as t where t.schema = 'main' and t.strict = 1
    and not exists (select 1 from pragma_table_xinfo(t.name) as c where c.type in ('ANY', 'BLOB'))`;
  return new Set((await reader.rows(list)).map(([name]) => String(name)));
}

/** Group and rows, by group; rows of a group come in the order of the index, which is not guaranteed. */
export function groupedQuery(
  { table, by, columns, where, plain }: Grouping,
  range: IdRange | 'null',
  isStrict: boolean,
): Query {
  const value = (name: string): RawBuilder<unknown> => jsonValue(name, isStrict);
  const group = sql.ref(by);
  const conditions = [isInRange(group, range), ...(where === undefined ? [] : [where])];
  const whole = sql`json_array(${sql.join(columns.map(value))})`;
  const rows =
    plain === undefined
      ? sql`json_group_array(${whole})`
      : sql`json_group_array(case when ${plainWhere(plain)} then ${sql.ref(plain.column)} else ${whole} end), json_group_array(${value(plain.alongside)})`;
  return sql`select ${group}, ${rows} from ${sql.table(table)} where ${sql.join(conditions, sql` and `)} group by ${group} order by ${group}`;
}

/**
 * A column as JSON can hold it. A BLOB becomes an object with its length, which no column accepts. SQLite prints a REAL with 15 digits,
 * too few for an id that a view's expression has made a REAL, so whole numbers are cast to integers.
 */
function jsonValue(name: string, isStrict: boolean): RawBuilder<unknown> {
  const column = sql.ref(name);
  if (isStrict) return sql`${column}`;
  return sql`case typeof(${column}) when 'blob' then json_object('blob', length(${column})) when 'real' then iif(cast(${column} as integer) = ${column}, cast(${column} as integer), ${column}) else ${column} end`;
}

function plainWhere({ whole, zero, empty }: NonNullable<Grouping['plain']>): RawBuilder<unknown> {
  return sql.join(
    [
      ...whole.map((column) => sql`typeof(${sql.ref(column)}) = 'integer'`),
      ...zero.map((column) => sql`${sql.ref(column)} = 0`),
      ...empty.map((column) => sql`${sql.ref(column)} is null`),
    ],
    sql` and `,
  );
}

/** A row of that query. */
export function groupOf([id, rows, alongside]: readonly unknown[]): Group {
  return { id, rows: () => valuesIn(rows), alongside: () => valuesIn(alongside) };
}
