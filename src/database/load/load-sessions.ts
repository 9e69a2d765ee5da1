// One product's sessions and price tiers, from their rows: what is sold, and for how much. An error
// in a row takes out its session; in a default tier, the product (containment.md). A row that no
// document can come to show takes out nothing: its session is over, or is not read at all.

import { instantOfText, SECONDS_PER_DAY, type Instant } from '../../catalogue/instant.ts';
import { tierRefusal } from '../../catalogue/offer.ts';
import type { BadSession, PriceTier, Session, Venue } from '../../catalogue/product.ts';
import type { Finding } from '../../findings.ts';
import { SESSION, TIER } from './product-queries.ts';
import { dangling, repeated, type FindingLog } from '../contract/row-checker.ts';
import { endOfSession, noPublicTier, startOf } from '../contract/row-rules.ts';
import { periodOf } from '../contract/values.ts';

/** What sessions refer to. */
export interface SessionContext {
  /** By id; a finding where the row is bad. */
  readonly venues: ReadonlyMap<number, Venue | Finding>;
  /** Sessions that a row of another table spoils: that row's finding, by id. */
  readonly spoiledSessions: ReadonlyMap<number, Finding>;
  /** Version of the time-zone rules, for the drift warning. */
  readonly tzdata: string;
  readonly now: Instant;
}

export interface ProductSessions {
  /** By (startsAt, id), with their tiers. */
  readonly sessions: readonly Session[];
  readonly badSessions: readonly BadSession[];
}

/** Sessions of one product while its rows are read. */
class SessionRows {
  readonly sessions: Session[] = [];
  readonly badSessions: BadSession[] = [];
  readonly #productId: number;
  readonly #now: Instant;
  readonly #log: FindingLog;

  constructor(productId: number, now: Instant, log: FindingLog) {
    this.#productId = productId;
    this.#now = now;
    this.#log = log;
  }

  /**
   * Leaves out a session because of findings, at least one, unless it is over. `isNoted`: they are
   * those of another row, which has been noted already.
   */
  leaveOut(id: number | null, endsAt: number, findings: readonly Finding[], isNoted = false): void {
    const [first] = findings;
    if (endsAt <= this.#now || first === undefined) return;
    const concerns = { sessionOf: this.#productId };
    if (isNoted) this.#log.takeOut(first, concerns);
    else this.#log.add(findings, concerns);
    this.badSessions.push({ id, endsAt, code: first.code });
  }

  /** Leaves out sessions that are good but for what is known only after all have been read. */
  leaveOutMore(findingsOf: (session: Session) => readonly Finding[], isNoted = false): void {
    const all = this.sessions.splice(0);
    for (const session of all) {
      const findings = findingsOf(session);
      if (findings.length === 0) this.sessions.push(session);
      else if (session.status === 'scheduled') this.leaveOut(session.id, session.offerEndsAt, findings, isNoted);
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
  { venues, spoiledSessions, tzdata, now }: SessionContext,
  log: FindingLog,
): ProductSessions {
  const tiers = tiersOf(tierRows, log);
  log.add(tiers.defaultFindings, { productId });
  const read = new SessionRows(productId, now, log);
  const ids = new Set<number>();
  const repeatedIds = new Set<number>();
  for (const row of rows) {
    if (!SESSION.accepts(row)) {
      const status = SESSION.valueOf(row, 'status');
      if (status !== undefined && status !== 'scheduled') continue;
      const venueId = SESSION.valueOf(row, 'venue_id');
      const venue = venueId === undefined ? undefined : venues.get(venueId);
      const endsAt = endOfBad(row, venue !== undefined && 'zone' in venue ? venue : null, tzdata);
      read.leaveOut(SESSION.valueOf(row, 'id') ?? null, endsAt, SESSION.findings(row, log.source));
      continue;
    }
    // By index, not destructured: there are millions.
    const id = row[0];
    const venueId = row[1];
    const salesStart = row[4];
    const salesEnd = row[5];
    if (ids.has(id)) repeatedIds.add(id);
    ids.add(id);
    const venue = venues.get(venueId);
    if (venue === undefined || 'severity' in venue) {
      const finding = venue ?? dangling(SESSION.locationOf(row), 'venue_id', 'venues', venueId);
      if (row[6] === 'scheduled') read.leaveOut(id, endOfBad(row, null, tzdata), [finding], venue !== undefined);
      continue;
    }
    const start = startOf(() => SESSION.locationOf(row), row[2], row[3], venue.zone, tzdata);
    const startsAt = start.startsAt;
    const found = start.finding === null ? [] : [start.finding];
    if (startsAt === null || start.finding?.severity === 'error') {
      if (row[6] === 'scheduled') read.leaveOut(id, endOfBad(row, venue, tzdata), found);
      continue;
    }
    log.add(found, {});
    const own = tiers.bySession.get(id);
    if (own?.length === 0) log.add([noPublicTier(SESSION.locationOf(row))], {});
    read.sessions.push({
      id,
      status: row[6],
      venue,
      startsAt,
      day: Math.floor(start.wallTime / SECONDS_PER_DAY),
      offerEndsAt: salesEnd === null ? startsAt : instantOfText(salesEnd),
      salesStartAt: salesStart === null ? Number.NEGATIVE_INFINITY : instantOfText(salesStart),
      isPaused: row[7] === 1,
      available: row[8],
      tiers: own ?? tiers.defaults,
    });
  }
  if (repeatedIds.size > 0) read.leaveOutMore(({ id }) => (repeatedIds.has(id) ? [repeated(`sessions ${id}`)] : []));
  const { findingsBySession } = tiers;
  if (findingsBySession.size > 0) read.leaveOutMore(({ id }) => findingsBySession.get(id) ?? []);
  if (spoiledSessions.size > 0) {
    read.leaveOutMore(({ id }) => [spoiledSessions.get(id) ?? []].flat(), true);
  }
  return { sessions: sorted(read.sessions), badSessions: read.badSessions };
}

/** When the offer of a session with an error ends: a build for a later instant leaves out the same. */
function endOfBad(row: readonly unknown[], venue: Venue | null, tzdata: string): number {
  const [, , startsAt, startsLocal, , salesEndAt] = row;
  const local = SESSION.valueOf(row, 'starts_local') ?? null;
  const start = venue === null || local === null ? null : startOf(() => '', null, local, venue.zone, tzdata).startsAt;
  return endOfSession(startsAt, startsLocal, salesEndAt, start);
}

/**
 * An index gives instants in order; a view may not, and wall times have no order before they are
 * resolved.
 */
function sorted(sessions: Session[]): readonly Session[] {
  const isBefore = (a: Session, b: Session): boolean =>
    a.startsAt < b.startsAt || (a.startsAt === b.startsAt && a.id < b.id);
  const isSorted = sessions.every((session, i) => i === 0 || isBefore(sessions[i - 1] ?? session, session));
  return isSorted ? sessions : sessions.sort((a, b) => (isBefore(a, b) ? -1 : 1));
}

interface ProductTiers {
  /** The product's public ticket tiers. */
  readonly defaults: readonly PriceTier[];
  /** Those of the sessions that have ticket tiers of their own. */
  readonly bySession: ReadonlyMap<number, readonly PriceTier[]>;
  /** Errors, by the session whose tier has them. */
  readonly findingsBySession: ReadonlyMap<number, readonly Finding[]>;
  /** Errors of default tiers, and of tiers of which it is not known whose they are. */
  readonly defaultFindings: readonly Finding[];
}

function tiersOf(rows: readonly unknown[][], log: FindingLog): ProductTiers {
  const defaults: PriceTier[] = [];
  const bySession = new Map<number, PriceTier[]>();
  const findingsBySession = new Map<number, Finding[]>();
  const defaultFindings: Finding[] = [];
  const note = (sessionId: number | null | undefined, findings: readonly Finding[]): void => {
    if (typeof sessionId !== 'number') defaultFindings.push(...findings);
    else findingsBySession.set(sessionId, [...(findingsBySession.get(sessionId) ?? []), ...findings]);
  };
  const sessionOfId = new Map<number, number | null>();
  for (const row of rows) {
    if (!TIER.accepts(row)) {
      if (TIER.valueOf(row, 'kind') !== 'addon') note(TIER.valueOf(row, 'session_id'), TIER.findings(row, log.source));
      continue;
    }
    const [id, sessionId, kind, isPublic, isInPriceFrom, amountMinor, currency, available, validFrom, validUntil] = row;
    const other = sessionOfId.get(id);
    if (other !== undefined) for (const one of new Set([other, sessionId])) note(one, [repeated(`price_tiers ${id}`)]);
    sessionOfId.set(id, sessionId);
    const refusal = tierRefusal(kind, isPublic === 1);
    if (refusal === 'addon') continue;
    let tiers = defaults;
    if (sessionId !== null) {
      tiers = bySession.get(sessionId) ?? [];
      // Private tiers replace the defaults too.
      bySession.set(sessionId, tiers);
    }
    if (refusal !== null) continue;
    const valid = periodOf(validFrom, validUntil);
    tiers.push({ id, isInPriceFrom: isInPriceFrom === 1, amountMinor, currency, available, valid });
  }
  return { defaults, bySession, findingsBySession, defaultFindings };
}
