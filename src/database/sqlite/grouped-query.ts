// SQLite's SQL for rows in groups (read/groups.ts).

import { sql, type RawBuilder } from 'kysely';
import { isInRange, valuesIn, type Group, type Grouping, type IdRange } from '../load/groups.ts';
import type { Query } from '../reader.ts';
import { boundedCell, cellInJson, type TableBounds } from './cell-bounds.ts';

/** Group and rows, by group; rows of a group come in the order of the index, which is not guaranteed. */
export function groupedQuery(grouping: Grouping, range: IdRange | 'null', bounds: TableBounds | undefined): Query {
  const { whole, plain, alongside } = jsonOf(grouping, bounds);
  const rows =
    plain === null ? whole : sql`case when ${plain} then ${sql.ref(grouping.plain?.column ?? '')} else ${whole} end`;
  const arrays = [rows, ...(alongside === null ? [] : [alongside])].map((value) => sql`json_group_array(${value})`);
  const { group, from } = partsOf(grouping, range);
  return sql`select ${groupCell(grouping, bounds)}, ${sql.join(arrays)} ${from} group by ${group} order by ${group}`;
}

/**
 * The same where SQLite has to sort the rows: it sorts them as JSON. Otherwise it would sort the cells of the table, large ones included.
 */
export function sortedGroupsQuery(grouping: Grouping, range: IdRange | 'null', bounds: TableBounds): Query {
  const { whole, plain, alongside } = jsonOf(grouping, bounds);
  const quoted = (value: RawBuilder<unknown>) => sql`json_quote(${value})`;
  const row =
    plain === null
      ? whole
      : sql`case when ${plain} then ${quoted(sql.ref(grouping.plain?.column ?? ''))} else ${whole} end`;
  const texts = alongside === null ? [row] : [row, quoted(alongside)];
  const names = texts.map((_, i) => sql.id(`json_${i}`));
  const values = texts.map((text, i) => sql`${text} as ${names[i]}`);
  const arrays = names.map((name) => sql`'[' || group_concat(${name}) || ']'`);
  const { from } = partsOf(grouping, range);
  // Without the limit SQLite would make one query of both.
  return sql`select group_id, ${sql.join(arrays)} from (select ${groupCell(grouping, bounds)} as group_id, ${sql.join(values)} ${from} limit -1)
    group by group_id order by group_id`;
}

function partsOf({ table, by, where }: Grouping, range: IdRange | 'null') {
  const group = sql.ref(by);
  const conditions = [isInRange(group, range), ...(where === undefined ? [] : [where])];
  return { group, from: sql`from ${sql.table(table)} where ${sql.join(conditions, sql` and `)}` };
}

function groupCell({ by }: Grouping, bounds: TableBounds | undefined): RawBuilder<unknown> {
  return bounds?.large.has(by) === true ? boundedCell(by) : sql.ref(by);
}

/** A row as JSON; the condition under which its plain column will do, and what then comes alongside, or null. */
function jsonOf({ columns, plain }: Grouping, bounds: TableBounds | undefined) {
  const cell = (column: string) => (bounds === undefined ? sql.ref(column) : cellInJson(column, bounds));
  return {
    whole: sql`json_array(${sql.join(columns.map(cell))})`,
    plain: plain === undefined ? null : plainWhere(plain),
    alongside: plain === undefined ? null : cell(plain.alongside),
  };
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
