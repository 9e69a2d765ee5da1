// All rules that neither a column's rule nor a key can hold, in the order in which check-db reports
// what they find. Errors in single rows are found as the load finds them (contract/row-rules.ts),
// but in every row instead of only those that a build reads. What follows from single values is in
// row-advice.ts.

import type { Finding } from '../../findings.ts';
import { knownTables } from '../contract/query-builders.ts';
import { RowChecker } from '../contract/row-checker.ts';
import { noPublicTier, noStart, pauseFinding, ruleFinding, textFieldFinding } from '../contract/row-rules.ts';
import { unknownZone } from '../contract/zones.ts';
import { KEY, keyFinding } from '../load/load-keys.ts';
import { TEXT } from '../load/load-texts.ts';
import { SESSION as TIMES } from '../load/product-queries.ts';
import { zoneRulesFindings } from '../load/server-zone-rules.ts';
import { timesOf } from '../load/session-times.ts';
import { CHANNELS } from './channels.ts';
import { CURRENCIES } from './currencies.ts';
import { doubtsOf, REPEATED_SESSIONS } from './doubtful-sessions.ts';
import { EMPTY_FRONTS } from './empty-fronts.ts';
import { ruleOnRows, type Rule } from './rule.ts';
import { UNTIERED_PRODUCTS } from './untiered-products.ts';
import { LOCALES, TEXTS_OF_NOTHING } from './unused-texts.ts';
import { WHOLE_UNIT_PRICES } from './whole-unit-prices.ts';

const listOf = (finding: Finding | null): readonly Finding[] => (finding === null ? [] : [finding]);

const ZONES = (['fronts', 'venues'] as const).map((table) => {
  const checker = new RowChecker(table, ['id', 'timezone']);
  return ruleOnRows(checker, (row, { zones }) =>
    row[1] !== null && zones.get(row[1]) === null ? [unknownZone(checker.locationOf(row), row[1])] : [],
  );
});

const PAUSE = new RowChecker('products', ['id', 'paused', 'paused_until', 'status']);
const PAUSES = ruleOnRows(PAUSE, (row) => listOf(pauseFinding(() => PAUSE.locationOf(row), row[1], row[2])));

const BADGE = new RowChecker('badges', ['id', 'rule', 'rule_below']);
const BADGE_RULES = ruleOnRows(BADGE, (row) => listOf(ruleFinding(() => BADGE.locationOf(row), row[1], row[2])));

const TEXT_FIELDS = ruleOnRows(TEXT, (row) => listOf(textFieldFinding(() => TEXT.locationOf(row), row[0], row[3])));

const ZONE_RULES: Rule = {
  needs: ['sessions', 'venues'],
  unspoiled: [],
  findings: async function* ({ reader, zoneOf, tzdata, now }) {
    yield* await zoneRulesFindings(reader, zoneOf, tzdata, now);
  },
};

const TIMED = new RowChecker('sessions', [...TIMES.columns, 'product_id']);
const SESSION_TIMES = ruleOnRows(
  TIMED,
  (row, { zoneOf, zones, tzdata }) => {
    const [, venueId, startsAt, startsLocal, , , , , , timezone] = row;
    if (startsAt === null && startsLocal === null) return [noStart(TIMED.locationOf(row))];
    const zone = timezone === null ? zoneOf.get(venueId) : zones.get(timezone);
    // There is a finding already: a dangling id, or a venue's unknown zone.
    if (zone === undefined) return [];
    const times = timesOf(row, zone, tzdata);
    return [...times.findings, ...doubtsOf(row, times, zone, tzdata)];
  },
  { needs: ['venues'] },
);

const SESSION = new RowChecker('sessions', ['id']);
const PRIVATE_SESSIONS = ruleOnRows(SESSION, (row) => [noPublicTier(SESSION.locationOf(row))], {
  needs: ['price_tiers'],
  // Ids of sessions that have ticket tiers of their own, none of them public.
  query: () =>
    knownTables
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
  ruleOnRows(KEY, (row) => listOf(keyFinding(row))),
  PAUSES,
  BADGE_RULES,
  TEXT_FIELDS,
  ZONE_RULES,
  SESSION_TIMES,
  PRIVATE_SESSIONS,
  REPEATED_SESSIONS,
  CURRENCIES,
  WHOLE_UNIT_PRICES,
  EMPTY_FRONTS,
  UNTIERED_PRODUCTS,
  CHANNELS,
  LOCALES,
  ...TEXTS_OF_NOTHING,
];
