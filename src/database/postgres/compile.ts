// Compiles queries for PostgreSQL so that they mean what they mean in SQLite: NULL comes first, numbers are of any size, and each of the
// contract's tables is read through a SELECT that gives its columns as the contract has them (native-types.ts).

import { createQueryId, PostgresQueryCompiler, type OrderByItemNode } from 'kysely';
import type { Query } from '../reader.ts';
import { TABLE_NAMES, type TableName } from '../schema/tables.ts';
import { canonicalSelect, type PostgresTable } from './native-types.ts';

class ContractQueryCompiler extends PostgresQueryCompiler {
  protected override visitOrderByItem(node: OrderByItemNode): void {
    super.visitOrderByItem(node);
    if (node.nulls === undefined) this.append(' nulls first');
  }

  /** Of the type of the widest id: the server takes a number for one of the column's type, which may be too narrow for it. */
  protected override appendValue(value: unknown): void {
    super.appendValue(value);
    if (Number.isInteger(value)) this.append('::bigint');
  }
}

const compiler = new ContractQueryCompiler();

export interface CompiledSql {
  readonly text: string;
  readonly values: unknown[];
  /** Those of the contract that it reads, for the message of an error. */
  readonly tables: readonly TableName[];
}

export function compiled(query: Query): CompiledSql {
  const { sql, parameters } = compiler.compileQuery(query.toOperationNode(), createQueryId());
  return { text: sql, values: [...parameters], tables: [] };
}

/** The same of a query on tables of the contract. */
export function compiledOn(tables: ReadonlyMap<TableName, PostgresTable>, query: Query): CompiledSql {
  const { text, values } = compiled(query);
  // A name in another place costs nothing: what is not read is not planned.
  const read = TABLE_NAMES.filter((table) => tables.has(table) && new RegExp(`\\b${table}\\b`).test(text));
  const canonical = read.flatMap((table) => {
    const description = tables.get(table);
    return description === undefined ? [] : [`"${table}" as not materialized (${canonicalSelect(table, description)})`];
  });
  return { text: canonical.length === 0 ? text : `with ${canonical.join(', ')} ${text}`, values, tables: read };
}
