// A view that gives a wall time AT TIME ZONE has it converted by the server's zone rules; a build
// prints it by the runtime's. Where one of the two is older, a show moves by an hour, perhaps to
// another date, and nothing in the rows tells.

import { sql } from 'kysely';
import type { Zone } from '../../catalogue/calendar.ts';
import { formatDateTime, formatInstant, instantOf, SECONDS_PER_DAY, type Instant } from '../../catalogue/instant.ts';
import { isIdBefore, type RowId } from '../../catalogue/row-id.ts';
import type { Finding } from '../../findings.ts';
import type { CatalogueReader } from '../reader.ts';
import { findingOf, locationOfKey } from '../contract/row-checker.ts';

/** How far ahead tickets are sold. */
const AHEAD_SECONDS = 731 * SECONDS_PER_DAY;
/** No rule holds for less. */
const STEP_SECONDS = 7 * SECONDS_PER_DAY;

const HINT =
  'give wall times as they are, in starts_local, with NULL in starts_at: then one set of rules decides; or update the older tzdata';

interface Sample {
  readonly zone: string;
  readonly at: number;
  readonly seconds: number;
}

/**
 * A warning for each zone that the database's server has other rules for, in the two years from
 * `now`. SQLite has none. `zoneOf`: the zones of venues by id; null where one is not known.
 */
export async function zoneRulesFindings(
  reader: CatalogueReader,
  zoneOf: ReadonlyMap<RowId, Zone | null>,
  tzdata: string,
  now: Instant,
): Promise<Finding[]> {
  if (reader.kind === 'sqlite') return [];
  const byName = new Map<string, { readonly id: RowId; readonly zone: Zone }>();
  for (const [id, zone] of zoneOf) {
    const first = zone === null ? undefined : byName.get(zone.name);
    if (zone !== null && (first === undefined || isIdBefore(id, first.id))) byName.set(zone.name, { id, zone });
  }
  const samples = [...byName.values()].flatMap(({ zone }) => samplesOf(zone, now));
  const differing = await reader.rows(differingSamples(samples));
  return differing.map(([name, at, theirs, ours]) => {
    const clock = (offset: unknown): string => formatDateTime(Number(at) + Number(offset));
    const message =
      `timezone: at ${formatInstant(instantOf(Number(at)))} clocks in ${String(name)} show ${clock(theirs)} by the rules of the server, ` +
      `and ${clock(ours)} by those of tzdata ${tzdata}`;
    const place = locationOfKey('venues', [byName.get(String(name))?.id]);
    return { ...findingOf('warning', 'zone-rules-differ', place, message, 'timezone'), hint: HINT };
  });
}

/** The offsets week by week, and on both sides of each change. */
function samplesOf(zone: Zone, now: Instant): Sample[] {
  const sampleAt = (at: number): Sample => ({ zone: zone.name, at, seconds: zone.offsetAt(instantOf(at)) });
  const samples = [sampleAt(now)];
  for (let from: number = now; from < now + AHEAD_SECONDS; from += STEP_SECONDS) {
    let before = sampleAt(from);
    const next = sampleAt(from + STEP_SECONDS);
    let after = next;
    while (before.seconds !== after.seconds && after.at - before.at > 1) {
      const middle = sampleAt(Math.floor((before.at + after.at) / 2));
      if (middle.seconds === before.seconds) before = middle;
      else after = middle;
    }
    samples.push(...(before.seconds === after.seconds ? [next] : [before, after, next]));
  }
  return samples;
}

/**
 * Of each zone the first sample that the server contradicts: zone, instant, its offset, ours. What
 * it does not know no view names.
 */
function differingSamples(samples: readonly Sample[]) {
  const zones = samples.map(({ zone }) => zone);
  const instants = samples.map(({ at }) => at);
  const offsets = samples.map(({ seconds }) => seconds);
  return sql`
    with names(name) as materialized (select lower(name) from pg_catalog.pg_timezone_names),
    known(zone, at, ours) as materialized (
      select * from unnest(${zones}::text[], ${instants}::bigint[], ${offsets}::bigint[]) as sample(zone, at, ours)
        where lower(zone) in (select name from names)
    ),
    compared(zone, at, theirs, ours) as (
      select zone, at, extract(epoch from (to_timestamp(at) at time zone zone) - (to_timestamp(at) at time zone 'UTC'))::bigint, ours
        from known
    )
    select distinct on (zone) zone, at, theirs, ours from compared where theirs <> ours order by zone, at`;
}
