// Finds dangling ids with SQL, over whole tables, for check-db and for an import: foreign keys rule
// them out in data/schema.sql, but not in views. The load finds those in the rows that it reads by
// itself.

import { sql, type SqlBool } from 'kysely';
import { otherTypeOf } from '../../catalogue/row-id.ts';
import type { Finding } from '../../findings.ts';
import type { CatalogueRows } from '../reader.ts';
import { dangling, findingOf, RowChecker } from './row-checker.ts';
import { TABLE_RULES, type TableName } from './tables.ts';
import { anyTable, LOCATED_TIER, wholeTable } from './query-builders.ts';

/** Of an id: 200 characters. */
const ID_BYTES_MAX = 800;

type RowSource = Pick<CatalogueRows, 'kind' | 'rows' | 'batches'>;

/**
 * A finding for each reference of a table to a row that does not exist. Only references to tables
 * in `readable` are checked.
 */
export async function* danglingIds(
  reader: RowSource,
  table: TableName,
  readable: ReadonlySet<TableName>,
): AsyncGenerator<Finding> {
  const { columns, checker, query } = wholeTable(table);
  for (const [column, parent] of Object.entries(TABLE_RULES[table].references)) {
    if (!readable.has(parent)) continue;
    // EXCEPT, because for each row PostgreSQL would scan a long NOT IN, and SQLite a view in a
    // join.
    const ids = anyTable.selectFrom(parent).select(`id as ${column}`);
    // SQLite compares cells as they are, in memory; what is too long for an id is a finding already.
    const mayBeId =
      reader.kind === 'postgres'
        ? sql<SqlBool>`true`
        : sql<SqlBool>`octet_length(${sql.raw(`"${column}"`)}) <= ${sql.lit(ID_BYTES_MAX)}`;
    const unknown = anyTable.selectFrom(table).select(column).where(mayBeId).except(ids);
    const reference = new RowChecker(table, [column as never]);
    for await (const batch of reader.batches(query.where(mayBeId).where(column, 'in', unknown))) {
      const idOf = (row: readonly unknown[]): unknown => row[columns.indexOf(column)];
      // A value that is no id is a finding already.
      const rows = batch.filter((row) => reference.accepts([idOf(row)]));
      const meant = await idsMeant(reader, parent, rows.map(idOf));
      for (const row of rows) yield dangling(checker.locationOf(row), column, parent, idOf(row), meant);
    }
  }
  if (table === 'price_tiers' && readable.has('sessions')) yield* tiersOfOtherProducts(reader);
}

/** Of ids that no row of a table has, those that a row has in the other type. */
async function idsMeant(reader: RowSource, table: TableName, ids: readonly unknown[]): Promise<ReadonlySet<unknown>> {
  const others = new Set(ids.map(otherTypeOf).filter((id) => id !== null));
  // In PostgreSQL they have one type.
  if (others.size === 0 || reader.kind === 'postgres') return new Set();
  const query = anyTable
    .selectFrom(table)
    .select('id')
    .distinct()
    .where('id', 'in', [...others]);
  return new Set((await reader.rows(query)).map(([id]) => id));
}

/** Tiers whose session is another product's: the reference is to both columns. */
async function* tiersOfOtherProducts(reader: RowSource): AsyncGenerator<Finding> {
  const query = anyTable
    .selectFrom('price_tiers as t')
    .innerJoin('sessions as s', 's.id', 't.session_id')
    .select(LOCATED_TIER.columns.map((name) => `t.${name}` as const))
    .select('s.product_id as session_product_id')
    .whereRef('s.product_id', 'is distinct from', 't.product_id')
    .$call((query) => LOCATED_TIER.columns.reduce((ordered, name) => ordered.orderBy(`t.${name}`), query));
  for await (const batch of reader.batches(query)) {
    for (const row of batch) {
      const [, productId, sessionId, , , sessionProductId] = row;
      // A value that is not an id is a finding already.
      if (!Number.isSafeInteger(productId) || !Number.isSafeInteger(sessionProductId)) continue;
      const message = `session_id: expected a session of product ${String(productId)}, found session ${String(sessionId)} of product ${String(sessionProductId)}`;
      yield findingOf('error', 'dangling-id', LOCATED_TIER.locationOf(row), message, 'session_id');
    }
  }
}
