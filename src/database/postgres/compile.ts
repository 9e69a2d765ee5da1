// Compiles queries for PostgreSQL so that they mean the same as in SQLite: NULL sorts first, integers have any size, and each table of the
// contract is read through a SELECT that converts its columns to the contract's values (native-types.ts).

import { createQueryId, PostgresQueryCompiler, type OrderByItemNode } from 'kysely';
import type { Query } from '../reader.ts';
import { TABLE_NAMES, type TableName } from '../contract/tables.ts';
import { canonicalSelect, type PostgresTable } from './native-types.ts';

class ContractQueryCompiler extends PostgresQueryCompiler {
  protected override visitOrderByItem(node: OrderByItemNode): void {
    super.visitOrderByItem(node);
    if (node.nulls === undefined) this.append(' nulls first');
  }

  /** As bigint: the server would otherwise assume the column's type, which may be too narrow for the number. */
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
export function compiledOn(tables: ReadonlyMap<TableName, PostgresTable>, query: Query): CompiledSql {
  const { text, values } = compiled(query);
  // A name that only occurs elsewhere in the text costs nothing: the server does not plan what is not read.
  const read = TABLE_NAMES.filter((table) => tables.has(table) && new RegExp(`\\b${table}\\b`).test(text));
  const canonical = read.flatMap((table) => {
    const description = tables.get(table);
    return description === undefined ? [] : [`"${table}" as not materialized (${canonicalSelect(table, description)})`];
  });
  return { text: canonical.length === 0 ? text : `with ${canonical.join(', ')} ${text}`, values, tables: read };
}
