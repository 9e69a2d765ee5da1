// All rules that neither a column's rule nor a key can hold, in the order in which check-db reports
// what they find. Those on single rows are the load's own (contract/row-rules.ts), applied to every
// row instead of only those that a build reads.

import { knownTables } from '../contract/query-builders.ts';
import { names, RowChecker } from '../contract/row-checker.ts';
import { noPublicTier, noStart, pauseFinding, startOf } from '../contract/row-rules.ts';
import { unknownZone } from '../contract/zones.ts';
import { KEY, keyFinding } from '../load/load-keys.ts';
import { zoneRulesFindings } from '../load/server-zone-rules.ts';
import { EMPTY_FRONTS } from './empty-fronts.ts';
import { ruleOnRows, type Rule } from './rule.ts';
import { WHOLE_UNIT_PRICES } from './whole-unit-prices.ts';

const ZONES = (['fronts', 'venues'] as const).map((table) => {
  const checker = new RowChecker(table, ['id', 'timezone']);
  return ruleOnRows(checker, (row, { zones }) =>
    zones.get(row[1]) === null ? unknownZone(checker.locationOf(row), row[1]) : null,
  );
});

const PAUSE = new RowChecker('products', ['id', 'paused', 'paused_until', 'status']);
const PAUSES = ruleOnRows(PAUSE, (row) => pauseFinding(() => PAUSE.locationOf(row), row[1], row[2]));

const ZONE_RULES: Rule = {
  needs: ['sessions', 'venues'],
  unspoiled: [],
  findings: async function* ({ reader, zoneOf, tzdata, now }) {
    yield* await zoneRulesFindings(reader, zoneOf, tzdata, now);
  },
};

const START = new RowChecker('sessions', names('id venue_id starts_at starts_local product_id sales_end_at status'));
const STARTS = ruleOnRows(
  START,
  (row, { zoneOf, tzdata }) => {
    const [, venueId, startsAt, startsLocal] = row;
    if (startsAt === null && startsLocal === null) return noStart(START.locationOf(row));
    // Without a zone there is a finding already: a dangling id, or an unknown zone.
    const zone = zoneOf.get(venueId) ?? null;
    return zone === null ? null : startOf(() => START.locationOf(row), startsAt, startsLocal, zone, tzdata).finding;
  },
  { needs: ['venues'] },
);

const SESSION = new RowChecker('sessions', ['id']);
const PRIVATE_SESSIONS = ruleOnRows(SESSION, (row) => noPublicTier(SESSION.locationOf(row)), {
  needs: ['price_tiers'],
  // Ids of sessions that have ticket tiers of their own, none of them public.
  query: knownTables
    .selectFrom('price_tiers')
    .select('session_id')
    .where('kind', '=', 'ticket')
    .where('session_id', 'is not', null)
    .groupBy('session_id')
    .having((eb) => eb.fn.max('is_public'), '=', 0)
    .orderBy('session_id'),
});

export const RULES: readonly Rule[] = [
  ...ZONES,
  ruleOnRows(KEY, keyFinding),
  PAUSES,
  ZONE_RULES,
  STARTS,
  PRIVATE_SESSIONS,
  WHOLE_UNIT_PRICES,
  EMPTY_FRONTS,
];
