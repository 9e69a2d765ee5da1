// Finds dangling ids with SQL, over whole tables, for check-db and for an import: foreign keys rule
// them out in data/schema.sql, but not in views. The load finds those in the rows that it reads by
// itself.

import type { Finding } from '../../findings.ts';
import type { CatalogueRows } from '../reader.ts';
import { dangling, findingOf } from './row-checker.ts';
import { TABLE_RULES, type TableName } from './tables.ts';
import { anyTable, LOCATED_TIER, wholeTable } from './query-builders.ts';

type RowSource = Pick<CatalogueRows, 'batches' | 'isWhole'>;

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
    // A value that is not an integer is a finding already.
    const isId = reader.isWhole(column);
    const unknown = anyTable.selectFrom(table).select(column).where(isId).except(ids);
    for await (const batch of reader.batches(query.where(isId).where(column, 'in', unknown))) {
      for (const row of batch) yield dangling(checker.locationOf(row), column, parent, row[columns.indexOf(column)]);
    }
  }
  if (table === 'price_tiers' && readable.has('sessions')) yield* tiersOfOtherProducts(reader);
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
