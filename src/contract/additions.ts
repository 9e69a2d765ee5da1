// What of the catalogue came later than the first contract. A release says what of it was used, so
// that losing it is noticed (catalogue.md, "What may be absent").

/**
 * What came after the first contract: most catalogues lack it, or have nothing in it. Losing it
 * matters where it was used.
 */
const ADDITIONS: ReadonlySet<string> = new Set([
  'fronts.locale',
  'fronts.channel',
  'fronts.day_starts_at',
  'sessions.ends_local',
  'sessions.daily',
  'sessions.sales_start_local',
  'sessions.sales_end_local',
  'sessions.timezone',
  'sessions.visible_from',
  'sessions.visible_from_local',
  'front_allocations',
  'price_tiers.channels',
  'badges.rule',
  'badges.rule_below',
  'texts',
]);

/** Whether a table or column, `texts` or `fronts.channel`, came after the first contract. */
export function isAddition(name: string): boolean {
  return ADDITIONS.has(name);
}
