// PostgreSQL's SQL for rows in groups (read/groups.ts). Measured: parsing JSON that the server makes takes a third of the time that the
// driver needs for the same rows one by one.

import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { isInRange, valuesIn, type Group, type Grouping, type IdRange } from '../load/groups.ts';
import type { Query } from '../reader.ts';
import type { PostgresTable, TypeClass } from './native-types.ts';
import { numeric, timeInJson } from './values.ts';

type Classes = PostgresTable['classes'];

/** Group and rows, by group. `classes` are those of the table's columns. */
export function groupedQuery(
  { table, by, columns, where, plain }: Grouping,
  range: IdRange | 'null',
  classes: Classes,
  isWhole: (column: string) => RawBuilder<SqlBool>,
): Query {
  const group = sql.ref(by);
  const conditions = [isInRange(group, range), ...(where === undefined ? [] : [where])];
  // JSON.parse would round the fraction of a numeric away.
  const valueOf = (column: string) =>
    classes.get(column) === 'numeric' ? sql`${sql.ref(column)}::text` : sql.ref(column);
  const whole = sql`json_build_array(${sql.join(columns.map(valueOf))})`;
  let rows = sql`json_agg(${whole})`;
  if (plain !== undefined) {
    const isPlain = [
      ...plain.whole.map(isWhole),
      ...plain.zero.map((column) => sql`${sql.ref(column)} = 0`),
      ...plain.empty.map((column) => sql`${sql.ref(column)} is null`),
    ];
    const value = sql`case when ${sql.join(isPlain, sql` and `)} then to_json(${sql.ref(plain.column)}) else ${whole} end`;
    rows = sql`json_agg(${value}), json_agg(${sql.ref(plain.alongside)})`;
  }
  return sql`select ${group}, ${rows} from ${sql.table(table)} where ${sql.join(conditions, sql` and `)} group by ${group} order by ${group}`;
}

/** The groups in a batch of that query. */
export function groupsFrom(batch: readonly unknown[][], columns: Grouping['columns'], classes: Classes): Group[] {
  const parsers = columns.flatMap((column, i) => {
    const parser = IN_JSON[classes.get(column) ?? 'other'];
    return parser === undefined ? [] : [[i, parser] as const];
  });
  return batch.map(([id, rows, alongside]) => ({
    id,
    rows: () => {
      const values = valuesIn(rows);
      if (parsers.length === 0) return values;
      for (const row of values) if (Array.isArray(row)) for (const [i, parse] of parsers) row[i] = parse(row[i]);
      return values;
    },
    alongside: () => valuesIn(alongside),
  }));
}

const ofText =
  (parse: (text: string) => unknown) =>
  (value: unknown): unknown =>
    typeof value === 'string' ? parse(value) : value;

/** Values that JSON has in a form of its own. */
const IN_JSON: Partial<Record<TypeClass, (value: unknown) => unknown>> = {
  timestamptz: ofText(timeInJson),
  timestamp: ofText(timeInJson),
  numeric: ofText(numeric),
};
