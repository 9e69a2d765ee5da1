// Which rows of each table a front needs: those its documents are made of, and the rows they refer
// to, so that foreign keys hold; nothing of other fronts. These are conditions in SQL, so that an
// export can stream.

import { sql, type RawBuilder } from 'kysely';
import { unknownFront } from '../load/unknown-front.ts';
import type { CatalogueReader } from '../reader.ts';
import { checkedRows } from '../contract/query-builders.ts';
import { TABLE_OF_KIND, type TableName } from '../contract/tables.ts';

type Condition = RawBuilder<boolean>;

/**
 * Conditions for the rows of these fronts, disabled ones included. What a product links to comes
 * along where the front does not attach it: `explain` says so of it.
 * @throws AppError front-unknown, database-…
 */
export async function frontConditions(
  reader: Pick<CatalogueReader, 'rows' | 'idAsText'>,
  codes: readonly string[],
): Promise<Readonly<Record<TableName, Condition>>> {
  const rows = await reader.rows(checkedRows({ table: 'fronts', columns: ['code'] }, ['code']));
  const known = rows.map(([code]) => String(code));
  for (const code of codes) if (!known.includes(code)) throw unknownFront(code, known);

  const codeIn = sql<boolean>`code in (${sql.join(codes)})`;
  const ofFront = sql<boolean>`front_id in (select id from fronts where ${codeIn})`;
  const products = sql`(select product_id from front_products where ${ofFront})`;
  const ofProduct = sql<boolean>`product_id in ${products}`;
  const referredFrom = (column: string, table: TableName, which: Condition) =>
    sql<boolean>`id in (select ${sql.ref(column)} from ${sql.table(table)} where ${which})`;
  const isProduct = sql<boolean>`id in ${products}`;
  const attached = (column: string, ofFronts: TableName, ofProducts: TableName) =>
    sql<boolean>`(${referredFrom(column, ofFronts, ofFront)} or ${referredFrom(column, ofProducts, ofProduct)})`;
  const conditions = {
    fronts: codeIn,
    front_keys: ofFront,
    venues: referredFrom('venue_id', 'sessions', ofProduct),
    images: referredFrom('image_id', 'products', isProduct),
    products: isProduct,
    front_products: ofFront,
    sessions: ofProduct,
    front_session_exclusions: sql<boolean>`${ofFront} and session_id in (select id from sessions where ${ofProduct})`,
    front_allocations: sql<boolean>`${ofFront} and session_id in (select id from sessions where ${ofProduct})`,
    price_tiers: ofProduct,
    categories: attached('category_id', 'front_categories', 'product_categories'),
    front_categories: ofFront,
    product_categories: ofProduct,
    groups: attached('group_id', 'front_groups', 'product_groups'),
    front_groups: ofFront,
    product_groups: ofProduct,
    tags: referredFrom('tag_id', 'product_tags', ofProduct),
    product_tags: ofProduct,
    badges: referredFrom('badge_id', 'product_badges', ofProduct),
    product_badges: ofProduct,
  };
  const texts = Object.entries(TABLE_OF_KIND).map(
    ([kind, table]) =>
      sql`kind = ${kind} and cast(id as text) in (select ${reader.idAsText(table)} from ${sql.table(table)} where ${conditions[table]})`,
  );
  return { ...conditions, texts: sql<boolean>`(${sql.join(texts, sql` or `)})` };
}
