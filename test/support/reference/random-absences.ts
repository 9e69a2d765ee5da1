// What a random catalogue lacks of the tables and columns: names that may be absent together without
// an error in the rows that are left.

import type { CatalogueRow } from '../catalogue.ts';

/** Each is absent as a whole: what refers to a table goes with it, and what needs a column. */
export const LACKED_TOGETHER: readonly (readonly string[])[] = [
  ...['locale', 'channel', 'day_starts_at', 'currency_exponent', 'weekend_days', 'status'].map((name) => [
    `fronts.${name}`,
  ]),
  ...['alt_text', 'copyright', 'copyright_url'].map((name) => [`images.${name}`]),
  ...['age_rating', 'sale_schema', 'pushka', 'paused_until', 'image_id'].map((name) => [`products.${name}`]),
  ...['featured', 'banner', 'paused', 'sort_weight', 'visible_from', 'visible_until'].map((name) => [
    `front_products.${name}`,
  ]),
  ...['sales_start_at', 'sales_start_local', 'sales_end_at', 'sales_end_local', 'previous_starts_at'].map((name) => [
    `sessions.${name}`,
  ]),
  ...['visible_from', 'visible_from_local', 'paused', 'timezone', 'starts_local'].map((name) => [`sessions.${name}`]),
  ...['session_id', 'channels', 'in_price_from', 'available', 'valid_from', 'valid_until'].map((name) => [
    `price_tiers.${name}`,
  ]),
  ['categories.name_plural'],
  ['groups.card_type'],
  ['tags.sort_weight'],
  ['badges.sort_weight'],
  ['badges.rule', 'badges.rule_below'],
  ['product_badges.valid_from'],
  ['product_badges.valid_until'],
  ['products.paused', 'products.paused_until'],
  ['sessions.daily', 'sessions.ends_at', 'sessions.ends_local'],
  ['images', 'products.image_id'],
  ['categories', 'front_categories', 'product_categories'],
  ['groups', 'front_groups', 'product_groups'],
  ['tags', 'product_tags'],
  ['badges', 'product_badges'],
  ...['product_badges', 'price_tiers', 'texts', 'front_allocations', 'front_session_exclusions', 'front_keys'].map(
    (name) => [name],
  ),
];

/** Whether rows can do without: without a zone of its own, a session's wall times would be other instants. */
export function canLack(names: readonly string[], rows: readonly CatalogueRow[]): boolean {
  const sessions = rows.filter(({ table }) => table === 'sessions').map(({ row }) => row);
  if (names.includes('sessions.starts_local')) return sessions.every(({ starts_at }) => starts_at !== null);
  if (!names.includes('sessions.timezone')) return true;
  const locals = ['sales_start_local', 'sales_end_local', 'visible_from_local', 'ends_local'];
  return sessions.every(
    (row) =>
      row['timezone'] === null ||
      (row['starts_at'] !== null && row['daily'] === 0 && locals.every((name) => row[name] === null)),
  );
}
