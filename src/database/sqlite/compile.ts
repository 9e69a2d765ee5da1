// Compiles queries to SQLite's SQL, so that no large cell is among the values of a row, nor among
// what is sorted for it (cell-bounds.ts); and makes the SQL for rows in groups (load/groups.ts).

import {
  createQueryId,
  ReferenceNode,
  sql,
  SqliteQueryCompiler,
  type CompiledQuery,
  type OperationNode,
  type OrderByItemNode,
  type RawBuilder,
  type SelectionNode,
} from 'kysely';
import { isInGroupRange, valuesIn, type Group, type Grouping, type GroupRange } from '../load/groups.ts';
import { columnsIn, markedTable, type MarkedRow } from '../load/failing-rows.ts';
import { TABLE_RULES, TABLES, type TableName } from '../contract/tables.ts';
import type { Query } from '../reader.ts';
import type { TableBounds, TablesBounds } from './cell-bounds.ts';
import { boundedCell, boundedText, cellInJson, markText } from './values.ts';

const unbounded = new SqliteQueryCompiler();

/** A query whose values are never large. */
export function compiled(query: Query): CompiledQuery {
  return compiledBy(unbounded, query);
}

function compiledBy(compiler: SqliteQueryCompiler, query: Query): CompiledQuery {
  return compiler.compileQuery(query.toOperationNode(), createQueryId());
}

/**
 * Compiles queries on tables that may have large cells. What SQLite has to sort for a query decides
 * between three ways.
 */
export class TablesCompiler {
  readonly tables: TablesBounds;
  /** Rows for which an expression throws. */
  readonly #marks: ReadonlyMap<TableName, readonly MarkedRow[]>;
  readonly #hasStandIns: boolean;
  readonly #direct: BoundingCompiler;
  readonly #sortKeys: SortKeysCompiler;

  constructor(tables: TablesBounds, marks: ReadonlyMap<TableName, readonly MarkedRow[]>) {
    this.tables = tables;
    this.#marks = marks;
    this.#hasStandIns = [...tables.values()].some(({ standIns }) => standIns.size > 0);
    const large = new Set([...tables.values()].flatMap((bounds) => [...bounds.large]));
    this.#direct = new BoundingCompiler(large);
    this.#sortKeys = new SortKeysCompiler(large);
  }

  /** Where nothing is sorted, or no large cell can be among it. */
  direct(query: Query): CompiledQuery {
    return this.completed(compiledBy(this.#direct, query));
  }

  /** Where rows are sorted for their order alone. Uses no index for that order. */
  bySortKeys(query: Query): CompiledQuery {
    return this.completed(compiledBy(this.#sortKeys, query));
  }

  /**
   * Where rows of tables are sorted: their large cells are replaced before anything else is done
   * with them. Null where the query reads no table that may have some there. Uses no index: `limit
   * -1` keeps SQLite from making one query of both.
   */
  boundedFirst(query: Query): CompiledQuery | null {
    const direct = compiledBy(this.#direct, query);
    const isLarge = (table: TableName): boolean => {
      const { hasOurChecks, large } = this.tables.get(table) ?? { hasOurChecks: true, large: new Set() };
      return !hasOurChecks && large.size > 0;
    };
    if (!tablesIn(direct, this.tables).some(isLarge)) return null;
    return this.#withTables(direct, (table, names, rows) => {
      const bounds = this.tables.get(table);
      if (!isLarge(table) || bounds === undefined) return rows;
      const cells = names.map((name) =>
        bounds.large.has(name) ? `${boundedText(`"${name}"`)} as "${name}"` : `"${name}"`,
      );
      return `(select ${cells.join(', ')} from ${rows ?? `main."${table}"`} limit -1)`;
    });
  }

  /**
   * A query that gets marks for what throws, and what stands for what is absent; needed only for
   * one that is not compiled here.
   */
  completed(query: CompiledQuery): CompiledQuery {
    if (this.#marks.size === 0 && !this.#hasStandIns) return query;
    return this.#withTables(query, (_table, _names, rows) => rows);
  }

  /**
   * A query on other SQL in place of tables. `sqlOf` gets the columns that the query names, since
   * SQLite would compute all others as well, and SQL for the rows where that is not the table.
   */
  #withTables(
    query: CompiledQuery,
    sqlOf: (table: TableName, names: readonly string[], rows: string | null) => string | null,
  ): CompiledQuery {
    const tables = tablesIn(query, this.tables).flatMap((table) => {
      const named = columnsIn(query.sql, Object.keys(TABLES[table]));
      // count(*) names none.
      const names = named.length === 0 ? TABLE_RULES[table].key : named;
      const text = sqlOf(table, names, this.#rowsOf(table, names));
      return text === null ? [] : [`"${table}" as not materialized ${text}`];
    });
    return tables.length === 0 ? query : { ...query, sql: `with ${tables.join(', ')} ${query.sql}` };
  }

  /** SQL for some columns of a table; null where the table itself will do. */
  #rowsOf(table: TableName, names: readonly string[]): string | null {
    const { columns = [], standIns = new Map() } = this.tables.get(table) ?? {};
    const marked = this.#marks.get(table);
    // What stands for a slug is made of the id.
    const present = columns.filter((name) => names.includes(name) || TABLE_RULES[table].key.includes(name));
    const cells = new Map(present.map((name) => [name, `"${name}"`]));
    const source =
      marked === undefined
        ? `main."${table}"`
        : `(${markedTable(table, marked, `main."${table}"`, cells, (_column, row) => markText(row))})`;
    if (!names.some((name) => standIns.has(name))) return marked === undefined ? null : source;
    const completed = names.map((name) => `${standIns.get(name) ?? `"${name}"`} as "${name}"`);
    return `(select ${completed.join(', ')} ${columns.length === 0 ? 'where false' : `from ${source}`})`;
  }
}

function tablesIn({ sql }: CompiledQuery, tables: TablesBounds): readonly TableName[] {
  return [...tables.keys()].filter((table) => sql.includes(`"${table}"`));
}

/** No large cell is among the values of a row. */
class BoundingCompiler extends SqliteQueryCompiler {
  readonly #large: ReadonlySet<string>;

  /** Takes the columns that may have large cells in some table. */
  constructor(large: ReadonlySet<string>) {
    super();
    this.#large = large;
  }

  protected override visitSelection(node: SelectionNode): void {
    // Those of a query within this one are not read.
    if (this.nodeStack.length > 2) super.visitSelection(node);
    else this.visitBounded(node.selection);
  }

  protected visitBounded(node: OperationNode): void {
    if (!ReferenceNode.is(node) || node.column.kind !== 'ColumnNode' || !this.#large.has(node.column.column.name)) {
      this.visitNode(node);
      return;
    }
    const table = node.table?.table.identifier.name;
    this.append(boundedText(`${table === undefined ? '' : `"${table}".`}"${node.column.column.name}"`));
  }
}

/** No large cell is among what rows are sorted by, either. */
class SortKeysCompiler extends BoundingCompiler {
  /** No query of ours sorts in another direction than the default. */
  protected override visitOrderByItem({ orderBy }: OrderByItemNode): void {
    this.visitBounded(orderBy);
  }
}

/**
 * Group and rows, by group; rows of a group come in the order of the index, which is not
 * guaranteed.
 */
export function groupedQuery(grouping: Grouping, range: GroupRange, bounds: TableBounds | undefined): Query {
  const { whole, plain, alongside } = jsonOf(grouping, bounds);
  const rows =
    plain === null ? whole : sql`case when ${plain} then ${sql.ref(grouping.plain?.column ?? '')} else ${whole} end`;
  const arrays = [rows, ...(alongside === null ? [] : [alongside])].map((value) => sql`json_group_array(${value})`);
  const { group, from } = partsOf(grouping, range);
  return sql`select ${groupCell(grouping, bounds)}, ${sql.join(arrays)} ${from} group by ${group} order by ${group}`;
}

/**
 * The same where SQLite has to sort the rows: it sorts them as JSON. Otherwise it would sort the
 * cells of the table, large ones included.
 */
export function sortedGroupsQuery(grouping: Grouping, range: GroupRange, bounds: TableBounds): Query {
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

function partsOf({ table, by, where }: Grouping, range: GroupRange) {
  const group = sql.ref(by);
  const isIn = isInGroupRange(
    group,
    range,
    (ids) => sql`${group} in (select value from json_each(${JSON.stringify(ids)}))`,
  );
  const conditions = [isIn, ...(where === undefined ? [] : [where])];
  return { group, from: sql`from ${sql.table(table)} where ${sql.join(conditions, sql` and `)}` };
}

function groupCell({ by }: Grouping, bounds: TableBounds | undefined): RawBuilder<unknown> {
  return bounds?.large.has(by) === true ? boundedCell(by) : sql.ref(by);
}

/**
 * A row as JSON; the condition under which its plain column will do, and what then comes alongside,
 * or null.
 */
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

/** The groups in a batch of one of these queries. */
export function groupsFrom(batch: readonly unknown[][]): Group[] {
  return batch.map(([id, rows, alongside]) => ({
    id,
    rows: () => valuesIn(rows),
    alongside: () => valuesIn(alongside),
  }));
}
