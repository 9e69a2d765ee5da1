// Compiles queries to PostgreSQL's SQL so that they mean the same as in SQLite: NULL sorts first,
// integers have any size, and each table of the contract is read through a SELECT that converts its
// columns to the contract's values (values.ts); and makes the SQL for rows in groups
// (load/groups.ts). Measured: parsing JSON that the server makes takes a third of the time that the
// driver needs for the same rows one by one.

import { createQueryId, PostgresQueryCompiler, sql, type OrderByItemNode, type RawBuilder, type SqlBool } from 'kysely';
import { TABLE_NAMES, type TableName } from '../contract/tables.ts';
import type { MarkedRow } from '../load/failing-rows.ts';
import { isInGroupRange, valuesIn, type Group, type Grouping, type GroupRange } from '../load/groups.ts';
import type { Query } from '../reader.ts';
import type { PostgresTable, PostgresTables } from './describe.ts';
import { canonicalSelect, IN_JSON } from './values.ts';

class ContractQueryCompiler extends PostgresQueryCompiler {
  protected override visitOrderByItem(node: OrderByItemNode): void {
    super.visitOrderByItem(node);
    if (node.nulls === undefined) this.append(' nulls first');
  }

  /**
   * As bigint: the server would otherwise assume the column's type, which may be too narrow for the
   * number.
   */
  protected override appendValue(value: unknown): void {
    super.appendValue(value);
    if (Number.isInteger(value)) this.append('::bigint');
  }
}

const compiler = new ContractQueryCompiler();

export interface CompiledSql {
  readonly text: string;
  readonly values: unknown[];
  /** The contract's tables that it reads. */
  readonly tables: readonly TableName[];
}

export function compiled(query: Query): CompiledSql {
  const { sql, parameters } = compiler.compileQuery(query.toOperationNode(), createQueryId());
  return { text: sql, values: [...parameters], tables: [] };
}

/** The same for a query on the contract's tables. */
export function compiledOn(
  tables: PostgresTables,
  query: Query,
  marked: ReadonlyMap<TableName, readonly MarkedRow[]> = new Map(),
): CompiledSql {
  const { text, values } = compiled(query);
  // A name that only occurs elsewhere in the text costs nothing: the server does not plan what is
  // not read.
  const named = TABLE_NAMES.filter((table) => new RegExp(`\\b${table}\\b`).test(text));
  const canonical = named.map(
    (table) => `"${table}" as not materialized (${canonicalSelect(tables, table, marked.get(table))})`,
  );
  return {
    text: canonical.length === 0 ? text : `with ${canonical.join(', ')} ${text}`,
    values,
    tables: named.filter((table) => tables.has(table)),
  };
}

type Classes = PostgresTable['classes'];

/** Group and rows, by group. `classes` are those of the table's columns. */
export function groupedQuery(
  { table, by, columns, where, plain }: Grouping,
  range: GroupRange,
  classes: Classes,
): Query {
  const group = sql.ref(by);
  const isIn = isInGroupRange(group, range, (ids) => sql`${group} = any(${ids}::bigint[])`);
  const conditions = [isIn, ...(where === undefined ? [] : [where])];
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

/** SQL that is true of whole numbers. */
function isWhole(column: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} % 1 = 0`;
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
