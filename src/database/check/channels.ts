// Finds channels of sale that only fronts have, or only ticket tiers: a name that is spelled in two
// ways closes a front's sales, or opens none. Only warnings: a channel may lie outside the fronts.

import type { Finding } from '../../findings.ts';
import { checkedRows, knownTables } from '../contract/query-builders.ts';
import { findingOf, RowChecker } from '../contract/row-checker.ts';
import { channelsOf } from '../contract/values.ts';
import { ruleOnTotals, type Rows } from './rule.ts';

const FRONT = new RowChecker('fronts', ['id', 'channel', 'status']);
const TIER = new RowChecker('price_tiers', ['channels']);

/** Each list of channels that ticket tiers have, NULL too, with the number of these. */
const LISTS = knownTables
  .selectFrom('price_tiers')
  .select(['channels', (eb) => eb.fn.countAll().as('tiers')])
  .where('kind', '=', 'ticket')
  .groupBy('channels')
  .orderBy('channels');

/** A warning for each active front, and each channel of tiers, that has no counterpart. */
export const CHANNELS = ruleOnTotals({
  needs: ['fronts', 'price_tiers'],
  unspoiled: ['fronts', 'price_tiers.channels'],
  queries: () => [checkedRows(FRONT), LISTS],
  findingsIn: (rows: Rows, lists: Rows) => {
    const fronts = rows.filter((row) => FRONT.accepts(row));
    const tiersOn = new Map<string, number>();
    for (const row of lists) {
      if (!TIER.accepts(row)) continue;
      for (const channel of channelsOf(row[0]) ?? [])
        tiersOn.set(channel, (tiersOn.get(channel) ?? 0) + Number(row[1]));
    }
    // Without a ticket there is nothing to sell anywhere.
    const untiered = (lists.length === 0 ? [] : fronts).flatMap((front): Finding[] => {
      const [, channel, status] = front;
      if (status !== 'active' || channel === null || tiersOn.has(channel)) return [];
      const message = `channel: expected a channel that ticket tiers name, found ${channel}: it sells only what is sold everywhere`;
      return [findingOf('warning', 'channel-untiered', FRONT.locationOf(front), message, 'channel')];
    });
    const unused = [...tiersOn].flatMap(([channel, tiers]): Finding[] => {
      if (fronts.some((front) => front[1] === channel)) return [];
      const message = `channels: expected the channel of a front, found ${channel}, in ${tiers} ticket tiers: no front sells there`;
      return [findingOf('warning', 'channel-unused', `price_tiers ${channel}`, message, 'channels')];
    });
    return [...untiered, ...unused];
  },
});
