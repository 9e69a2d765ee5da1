// Cells that are too large for any column, such as what a faulty join makes, are not read: SQL gives their size in their place. SQLite
// knows the size of a stored cell without reading it, and computes that of a view's expression anyway.

import type Database from 'better-sqlite3';
import {
  ReferenceNode,
  sql,
  SqliteQueryCompiler,
  type OperationNode,
  type OrderByItemNode,
  type RawBuilder,
  type SelectionNode,
} from 'kysely';
import { CELL_BYTES_MAX, TEXT_LENGTH_MAX, type Column } from '../contract/columns.ts';
import { LARGE_CELL } from '../contract/row-checker.ts';
import { schemaText } from '../schema-file.ts';
import { TABLE_NAMES, TABLES, type TableName } from '../contract/tables.ts';

/** Which cells of a table may be large. */
export interface TableBounds {
  /** Those of the contract that the table has. */
  readonly columns: readonly string[];
  /** The columns that may have large cells. */
  readonly large: ReadonlySet<string>;
  /** Those that a view computes. */
  readonly computed: ReadonlySet<string>;
  /** Set where a cell may have any type, a BLOB included: in a view, and in a table that is not STRICT. */
  readonly isAnyType: boolean;
  /** Set where a table is that of data/schema.sql, whose CHECKs limit what is sorted. */
  readonly isOwn: boolean;
}

/** A table of data/schema.sql as SQLite keeps its text. */
const OWN_TABLES: ReadonlySet<string> = new Set(
  [...schemaText('sqlite').matchAll(/^(CREATE TABLE [^]*?);$/gm)].map(([, text = '']) => text),
);

/** Which cells of a database's tables may be large, and what compiles queries accordingly. */
export interface TablesBounds {
  readonly tables: ReadonlyMap<TableName, TableBounds>;
  readonly compiler: SqliteQueryCompiler;
  /** The same for queries whose rows are sorted: no large cell is among what they are sorted by. Uses no index for their order. */
  readonly sortKeysCompiler: SqliteQueryCompiler;
}

/** Those of a database. @throws errors of the driver */
export function tablesBounds(handle: Database.Database): TablesBounds {
  const schema = handle.prepare<[], [name: string, text: string]>(
    // Temporary tables hide those of the file; their rows have been checked.
    `select name, sql from main.sqlite_schema where type in ('table', 'view') and name not in (select name from temp.sqlite_schema)`,
  );
  const strict = handle.prepare<[], string>(`select name from pragma_table_list where schema = 'main' and strict = 1`);
  const texts = new Map(schema.raw().all());
  const strictNames = new Set(strict.pluck().all());
  const tables = new Map<TableName, TableBounds>();
  for (const table of TABLE_NAMES) {
    const text = texts.get(table);
    if (text === undefined) continue;
    tables.set(table, boundsOf(table, text, strictNames.has(table), columnsOf(handle, table)));
  }
  const large = new Set([...tables.values()].flatMap((bounds) => [...bounds.large]));
  return { tables, compiler: new BoundingCompiler(large), sortKeysCompiler: new SortKeysCompiler(large) };
}

function columnsOf(handle: Database.Database, table: TableName): readonly Database.ColumnDefinition[] {
  try {
    const columns = handle.prepare(`select * from main."${table}"`).columns();
    return columns.filter(({ name }) => Object.hasOwn(TABLES[table], name));
  } catch {
    // A view that cannot be read is reported where it is described.
    return [];
  }
}

function boundsOf(
  table: TableName,
  text: string,
  isStrict: boolean,
  columns: readonly Database.ColumnDefinition[],
): TableBounds {
  const rules: Readonly<Record<string, Column<unknown>>> = TABLES[table];
  const isOwn = OWN_TABLES.has(text);
  const isAnyType = !isStrict || columns.some(({ type }) => type === 'ANY' || type === 'BLOB');
  const large = columns.filter(({ name, type }) =>
    isOwn ? rules[name]?.isFree === true : isAnyType || type === 'TEXT',
  );
  const namesOf = (some: readonly Database.ColumnDefinition[]): string[] => some.map(({ name }) => name);
  return {
    columns: namesOf(columns),
    large: new Set(namesOf(large)),
    computed: new Set(namesOf(columns.filter(({ column }) => column === null))),
    isAnyType,
    isOwn,
  };
}

/** The size of a cell, which JSON and rows hold in its place: `LARGE_CELL`, 1 for text, and the number of bytes. */
const sizeText = (cell: string): string =>
  `unhex(printf('${LARGE_CELL.toString('hex')}%02x%016x', typeof(${cell}) = 'text', octet_length(${cell})))`;

const isLargeText = (cell: string): string => `octet_length(${cell}) > ${CELL_BYTES_MAX}`;

/** A column's cell, or its size where it is large. */
export function boundedCell(column: string): RawBuilder<unknown> {
  return sql.raw(boundedText(`"${column}"`));
}

const boundedText = (cell: string): string => `case when ${isLargeText(cell)} then ${sizeText(cell)} else ${cell} end`;

/**
 * A cell as JSON can hold it. A BLOB becomes an object with its length, and so does large text, or it is cut off; no column accepts
 * these. SQLite prints a REAL with 15 digits, too few for an id that a view's expression has made a REAL, so whole numbers are cast to
 * integers.
 */
export function cellInJson(column: string, { large, computed, isAnyType }: TableBounds): RawBuilder<unknown> {
  if (!large.has(column)) return sql.ref(column);
  const cell = `"${column}"`;
  const size = `octet_length(${cell})`;
  // What a view computes is there anyway, and would be computed once more for its size.
  const text = computed.has(column)
    ? `substr(${cell}, 1, ${TEXT_LENGTH_MAX + 1})`
    : `iif(${isLargeText(cell)}, json_object('text', ${size}), ${cell})`;
  if (!isAnyType) return sql.raw(text);
  const whole = `cast(${cell} as integer)`;
  // Most cells are integers or NULL.
  return sql.raw(
    `case typeof(${cell}) when 'integer' then ${cell} when 'null' then null when 'text' then ${text} ` +
      `when 'blob' then json_object('blob', ${size}) else iif(${whole} = ${cell}, ${whole}, ${cell}) end`,
  );
}

/** Compiles queries so that no large cell is among the values of a row. */
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

class SortKeysCompiler extends BoundingCompiler {
  /** No query of ours sorts in another direction than the default. */
  protected override visitOrderByItem({ orderBy }: OrderByItemNode): void {
    this.visitBounded(orderBy);
  }
}

/**
 * A query on tables whose large cells are replaced before anything else is done with the rows, so that they are not sorted either; null
 * where it reads no table that may have some there. Uses no index: `limit -1` keeps SQLite from making one query of both.
 */
export function boundedFirst(text: string, bounds: ReadonlyMap<TableName, TableBounds>): string | null {
  const tables = [...bounds].flatMap(([table, { columns, large, isOwn }]) => {
    if (isOwn || large.size === 0 || !text.includes(`"${table}"`)) return [];
    const cells = columns.map((name) => (large.has(name) ? `${boundedText(`"${name}"`)} as "${name}"` : `"${name}"`));
    return [`"${table}" as (select ${cells.join(', ')} from main."${table}" limit -1)`];
  });
  return tables.length === 0 ? null : `with ${tables.join(', ')} ${text}`;
}
