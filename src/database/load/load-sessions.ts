// One product's sessions and price tiers, from their rows: what is sold, and for how much. An error
// in a row takes out its session; in a default tier, the product (containment.md). A row that no
// document can come to show takes out nothing: its session is over, or is not read at all.

import type { Zone, Zones } from '../../catalogue/calendar.ts';
import { instantOfText, type Instant } from '../../catalogue/instant.ts';
import { isScheduled, tierRefusal } from '../../catalogue/offer.ts';
import { usedName } from '../../contract/additions.ts';
import type { BadSession, ChannelTier, ChannelTiers, PriceTier, Session, Venue } from '../../catalogue/product.ts';
import { isIdBefore, type RowId } from '../../catalogue/row-id.ts';
import type { Finding } from '../../findings.ts';
import { SESSION, TIER } from './product-queries.ts';
import { dangling, locationOfKey, repeated, type FindingLog, type RowOf } from '../contract/row-checker.ts';
import { endOfSession, noPublicTier, type EndCells } from '../contract/row-rules.ts';
import { onDates, timesOf, type SessionDate } from './session-times.ts';
import { channelsOf, periodOf } from '../contract/values.ts';

/** The first of the columns of SESSION that most sessions leave empty. */
const FIRST_RARE = SESSION.columns.indexOf('timezone');

/** What sessions refer to. */
export interface SessionContext {
  /** By id; a finding where the row is bad. */
  readonly venues: ReadonlyMap<RowId, Venue | Finding>;
  readonly zones: Zones;
  /** Columns and tables in which a row says something; added to here. */
  readonly uses: Set<string>;
  /** Sessions that a row of another table spoils: that row's finding, by id. */
  readonly spoiledSessions: ReadonlyMap<RowId, Finding>;
  /** Version of the time-zone rules, for the drift warning. */
  readonly tzdata: string;
  readonly now: Instant;
}

export interface ProductSessions {
  /** By (startsAt, id), with their tiers. */
  readonly sessions: readonly Session[];
  readonly badSessions: readonly BadSession[];
  /** Null if all tiers are sold everywhere. */
  readonly channelTiers: ChannelTiers | null;
}

/** Sessions of one product while its rows are read. */
class SessionRows {
  readonly sessions: Session[] = [];
  readonly badSessions: BadSession[] = [];
  readonly #productId: number;
  readonly #now: Instant;
  readonly #log: FindingLog;
  readonly #hidesTiers: (id: RowId) => boolean;

  /** `hidesTiers`: whether an error hides what a session sells, and so on which channels. */
  constructor(productId: number, now: Instant, log: FindingLog, hidesTiers: (id: RowId) => boolean) {
    this.#productId = productId;
    this.#now = now;
    this.#log = log;
    this.#hidesTiers = hidesTiers;
  }

  /**
   * Leaves out a session because of findings, at least one, unless it is over. `isNoted`: they are
   * those of another row, which has been noted already.
   */
  leaveOut(id: RowId | null, endsAt: number, findings: readonly Finding[], isNoted = false): void {
    const [first] = findings;
    if (endsAt <= this.#now || first === undefined) return;
    const concerns = { sessionOf: this.#productId };
    if (isNoted) this.#log.takeOut(first, concerns);
    else this.#log.add(findings, concerns);
    this.badSessions.push({ id, endsAt, code: first.code, isOnEveryChannel: id === null || this.#hidesTiers(id) });
  }

  /** Leaves out sessions that are good but for what is known only after all have been read. */
  leaveOutMore(findingsOf: (session: Session) => readonly Finding[], isNoted = false): void {
    const all = this.sessions.splice(0);
    for (const session of all) {
      const findings = findingsOf(session);
      if (findings.length === 0) this.sessions.push(session);
      else if (isScheduled(session.status)) this.leaveOut(session.id, session.offerEndsAt, findings, isNoted);
    }
  }
}

/**
 * One product's sessions. `rows` and `tierRows` have the columns of SESSION and TIER; an error in a
 * default tier takes out the product in the log.
 */
export function sessionsOf(
  productId: number,
  rows: readonly unknown[][],
  tierRows: readonly unknown[][],
  context: SessionContext,
  log: FindingLog,
): ProductSessions {
  const { venues, zones, uses, spoiledSessions, tzdata, now } = context;
  const tiers = tiersOf(productId, tierRows, log);
  if (tiers.channelTiers !== null) uses.add('price_tiers.channels');
  log.add(tiers.defaultFindings, { productId });
  const { findingsBySession } = tiers;
  const hidesTiers = (id: RowId): boolean => findingsBySession.has(id) || spoiledSessions.has(id);
  const read = new SessionRows(productId, now, log, hidesTiers);
  const ids = new Set<RowId>();
  const repeatedIds = new Set<RowId>();
  /** The dates of daily sessions, by id. */
  const dates = new Map<RowId, readonly SessionDate[]>();
  for (const row of rows) {
    if (!isSound(row)) {
      const status = SESSION.valueOf(row, 'status');
      if (status !== undefined && !isScheduled(status)) continue;
      const endsAt = endOfSession(endCells(row), zoneOfBad(row, context));
      read.leaveOut(SESSION.valueOf(row, 'id') ?? null, endsAt, SESSION.findings(row, log.source));
      continue;
    }
    // By index, not destructured: there are millions.
    const id = row[0];
    const venueId = row[1];
    const status = row[6];
    if (ids.has(id)) repeatedIds.add(id);
    ids.add(id);
    const venue = venues.get(venueId);
    if (venue === undefined || 'severity' in venue) {
      const finding = venue ?? dangling(SESSION.locationOf(row), 'venue_id', 'venues', venueId, venues);
      if (isScheduled(status))
        read.leaveOut(id, endOfSession(endCells(row), zoneOfBad(row, context)), [finding], venue !== undefined);
      continue;
    }
    const zone = row[9] === null ? venue.zone : zones.get(row[9]);
    const times = timesOf(row, zone, tzdata);
    if (zone === null || times.startsAt === null) {
      if (isScheduled(status)) read.leaveOut(id, endOfSession(endCells(row), zone), times.findings);
      continue;
    }
    log.add(times.findings, {});
    for (let i = FIRST_RARE; i < row.length; i++) {
      if (row[i] !== null && row[i] !== 0) uses.add(usedName(`sessions.${SESSION.columns[i] ?? ''}`));
    }
    const own = tiers.bySession.get(id);
    if (own?.length === 0) log.add([noPublicTier(SESSION.locationOf(row))], {});
    const { startsAt, offerEndsAt } = times;
    if (times.dates !== null) dates.set(id, times.dates);
    read.sessions.push({
      id,
      status,
      venue,
      zone,
      startsAt,
      day: zone.dayAt(startsAt),
      daily: times.daily,
      offerEndsAt,
      salesStartAt: times.salesStartAt,
      announcedAt: times.announcedAt,
      isPaused: row[7] === 1,
      isMoved: status === 'rescheduled' || (row[17] !== null && instantOfText(row[17]) !== startsAt),
      available: row[8],
      isAllocated: false,
      isOnChannel: true,
      tiers: tiers.channelTiers === null ? (own ?? tiers.defaults) : [...(own ?? []), ...tiers.defaults],
    });
  }
  if (repeatedIds.size > 0) {
    read.leaveOutMore(({ id }) => (repeatedIds.has(id) ? [repeated(locationOfKey('sessions', [id]))] : []));
  }
  if (findingsBySession.size > 0) read.leaveOutMore(({ id }) => findingsBySession.get(id) ?? []);
  if (spoiledSessions.size > 0) read.leaveOutMore(({ id }) => [spoiledSessions.get(id) ?? []].flat(), true);
  const sessions =
    dates.size === 0 ? read.sessions : read.sessions.flatMap((one) => onDates(one, dates.get(one.id), now));
  return { sessions: sorted(sessions), badSessions: read.badSessions, channelTiers: tiers.channelTiers };
}

/**
 * Whether a row is good but for what is shown without: the end of a session that is not daily, and
 * the start that it had, of which at most a badge tells.
 */
function isSound(row: unknown[]): row is unknown[] & RowOf<'sessions', typeof SESSION.columns> {
  if (SESSION.accepts(row)) return true;
  if (SESSION.valueOf(row, 'previous_starts_at') === undefined) row[17] = null;
  if (SESSION.valueOf(row, 'daily') === 0) {
    row[11] = null;
    row[12] = null;
  }
  return SESSION.accepts(row);
}

/** The cells of a row, good or bad, that say when its offer ends. */
function endCells(row: readonly unknown[]): EndCells {
  const [, , starts_at, starts_local, , sales_end_at, , , , , daily, ends_at, ends_local, , sales_end_local] = row;
  return { starts_at, starts_local, sales_end_at, daily, ends_at, ends_local, sales_end_local };
}

/** The zone of a session with an error, if it is known: a build for a later instant leaves out the same. */
function zoneOfBad(row: readonly unknown[], { venues, zones }: SessionContext): Zone | null {
  const timezone = SESSION.valueOf(row, 'timezone');
  if (typeof timezone === 'string') return zones.get(timezone);
  const venue = venues.get(SESSION.valueOf(row, 'venue_id') ?? Number.NaN);
  return venue !== undefined && 'zone' in venue ? venue.zone : null;
}

/**
 * An index gives instants in order; a view may not, and wall times have no order before they are
 * resolved.
 */
function sorted(sessions: Session[]): readonly Session[] {
  const isBefore = (a: Session, b: Session): boolean =>
    a.startsAt < b.startsAt || (a.startsAt === b.startsAt && isIdBefore(a.id, b.id));
  const isSorted = sessions.every((session, i) => i === 0 || isBefore(sessions[i - 1] ?? session, session));
  return isSorted ? sessions : sessions.sort((a, b) => (isBefore(a, b) ? -1 : 1));
}

interface ProductTiers {
  /** The product's public ticket tiers. */
  readonly defaults: readonly PriceTier[];
  /** Those of the sessions that have ticket tiers of their own. */
  readonly bySession: ReadonlyMap<RowId, readonly PriceTier[]>;
  readonly channelTiers: ChannelTiers | null;
  /** Errors, by the session whose tier has them. */
  readonly findingsBySession: ReadonlyMap<RowId, readonly Finding[]>;
  /** Errors of default tiers, and of tiers of which it is not known whose they are. */
  readonly defaultFindings: readonly Finding[];
}

interface OwnedTier extends ChannelTier {
  readonly sessionId: RowId | null;
}

function bySessionOf(tiers: readonly OwnedTier[]): ChannelTiers {
  const defaults = tiers.filter(({ sessionId }) => sessionId === null);
  const bySession = new Map<RowId, ChannelTier[]>();
  for (const tier of tiers) {
    if (tier.sessionId === null) continue;
    const own = bySession.get(tier.sessionId);
    if (own === undefined) bySession.set(tier.sessionId, [tier]);
    else own.push(tier);
  }
  return { defaults, bySession };
}

function tiersOf(productId: number, rows: readonly unknown[][], log: FindingLog): ProductTiers {
  const known = { product_id: productId };
  const defaults: PriceTier[] = [];
  const bySession = new Map<RowId, PriceTier[]>();
  const findingsBySession = new Map<RowId, Finding[]>();
  const defaultFindings: Finding[] = [];
  const note = (sessionId: RowId | null | undefined, findings: readonly Finding[]): void => {
    if (sessionId === null || sessionId === undefined) defaultFindings.push(...findings);
    else findingsBySession.set(sessionId, [...(findingsBySession.get(sessionId) ?? []), ...findings]);
  };
  const sessionOfId = new Map<number, RowId | null>();
  const all: OwnedTier[] = [];
  let isAnyOnChannel = false;
  for (const row of rows) {
    if (!TIER.accepts(row)) {
      if (TIER.valueOf(row, 'kind') !== 'addon')
        note(TIER.valueOf(row, 'session_id'), TIER.findings(row, log.source, known));
      continue;
    }
    const [
      id,
      sessionId,
      kind,
      isPublic,
      isInPriceFrom,
      amountMinor,
      currency,
      available,
      validFrom,
      validUntil,
      channels,
    ] = row;
    const refusal = tierRefusal(kind, isPublic === 1);
    if (refusal === 'addon') continue;
    const other = id === null ? undefined : sessionOfId.get(id);
    if (other !== undefined) for (const one of new Set([other, sessionId])) note(one, [repeated(`price_tiers ${id}`)]);
    if (id !== null) sessionOfId.set(id, sessionId);
    let tiers = defaults;
    if (sessionId !== null) {
      tiers = bySession.get(sessionId) ?? [];
      // Private tiers replace the defaults too.
      bySession.set(sessionId, tiers);
    }
    const valid = periodOf(validFrom, validUntil);
    const price = { id, isInPriceFrom: isInPriceFrom === 1, amountMinor, currency, available, valid };
    isAnyOnChannel ||= channels !== null;
    all.push({ sessionId, price, isPublic: refusal === null, channels: channelsOf(channels) });
    if (refusal === null) tiers.push(price);
  }
  const channelTiers = isAnyOnChannel ? bySessionOf(all) : null;
  return { defaults, bySession, channelTiers, findingsBySession, defaultFindings };
}
