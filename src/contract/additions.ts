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

const EITHER = { instant: 'sessions.visible_from', wallTime: 'sessions.visible_from_local' } as const;

/** The name of what a column says: an instant and its wall time say the same. */
export function usedName(name: string): string {
  return name === EITHER.wallTime ? EITHER.instant : name;
}

/** Of what was used, what a catalogue without these tables and columns can no longer say. */
export function lostUses(uses: readonly string[], absent: readonly string[]): readonly string[] {
  const isAbsent = (name: string): boolean => absent.includes(name) || absent.includes(name.replace(/\..*/, ''));
  return uses.filter((name) => isAbsent(name) && (name !== EITHER.instant || isAbsent(EITHER.wallTime)));
}
