// Ids that refer to nothing, found by SQL: what foreign keys guarantee in our own schema and nothing does in views. Looks at whole
// tables; the load sees dangling ids in the rows that it reads.

import type { Finding } from '../../findings.ts';
import type { CatalogueRows } from '../reader.ts';
import { dangling, findingOf, RowChecker } from '../schema/row-checker.ts';
import { TABLE_RULES, type TableName } from '../schema/tables.ts';
import { anyTable, wholeTable } from '../schema/query-builders.ts';

type RowSource = Pick<CatalogueRows, 'batches' | 'isWhole'>;

/** A finding for each id in a table that no row has. Only references to tables in `sound` are checked. */
export async function* danglingIds(
  reader: RowSource,
  table: TableName,
  sound: ReadonlySet<TableName>,
): AsyncGenerator<Finding> {
  const { columns, checker, query } = wholeTable(table);
  for (const [column, parent] of Object.entries(TABLE_RULES[table].references)) {
    if (!sound.has(parent)) continue;
    // A difference of sets: PostgreSQL goes through a longer NOT IN once for every row, and SQLite through a view that is joined.
    const ids = anyTable.selectFrom(parent).select(`id as ${column}`);
    const unknown = anyTable.selectFrom(table).select(column).except(ids);
    // A value that is not an integer is a finding already.
    const isId = reader.isWhole(column);
    for await (const batch of reader.batches(query.where(isId).where(column, 'in', unknown))) {
      for (const row of batch) yield dangling(checker.placeOf(row), column, parent, row[columns.indexOf(column)]);
    }
  }
  if (table === 'price_tiers' && sound.has('sessions')) yield* tiersOfOtherProducts(reader);
}

const TIER = new RowChecker('price_tiers', ['id']);

/** Tiers whose session is another product's: the reference is to both columns. */
async function* tiersOfOtherProducts(reader: RowSource): AsyncGenerator<Finding> {
  const query = anyTable
    .selectFrom('price_tiers as t')
    .innerJoin('sessions as s', 's.id', 't.session_id')
    .select(['t.id', 't.session_id', 't.product_id', 's.product_id as session_product_id'])
    .whereRef('s.product_id', 'is distinct from', 't.product_id')
    .orderBy('t.id');
  for await (const batch of reader.batches(query)) {
    for (const row of batch) {
      const [, sessionId, productId, sessionProductId] = row;
      // A value that is not an id is a finding already.
      if (!Number.isSafeInteger(productId) || !Number.isSafeInteger(sessionProductId)) continue;
      const message = `session_id: expected a session of product ${String(productId)}, found session ${String(sessionId)} of product ${String(sessionProductId)}`;
      yield findingOf('error', 'dangling-id', TIER.placeOf(row), message, 'session_id');
    }
  }
}
