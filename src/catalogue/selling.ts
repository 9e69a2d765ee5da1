// What one front sells of a product: the price tiers of its channel, its own contingent of seats,
// and not what it excludes (fields.md, `tiers`, `seats(s)`). The rules of offer.ts then apply to
// every front alike.

import type { Instant } from './instant.ts';
import { isAnyOffered, offerRefusalAt } from './offer.ts';
import type { BadSession, ChannelTier, ChannelTiers, FrontTerms, Product, Session } from './product.ts';
import type { RowId } from './row-id.ts';

/**
 * A product as a front sells it; the same object where the front has no say in that. A session
 * that an error in the front's terms concerns is among the bad ones.
 */
export function productOn(product: Product, channel: string | null, terms: FrontTerms | undefined): Product {
  const { channelTiers } = product;
  const hasTerms = terms !== undefined && (terms.allocations.size > 0 || terms.bad.size > 0);
  if (channelTiers === null && !hasTerms) return product;
  const tiersOf = channelTiers === null ? null : tiersOn(channelTiers, channel);
  const sessions: Session[] = [];
  const badSessions: BadSession[] = [...product.badSessions];
  for (const session of product.sessions) {
    const code = terms?.bad.get(session.id);
    if (code !== undefined) {
      badSessions.push({ id: session.id, endsAt: session.offerEndsAt, code, isOnEveryChannel: false });
      continue;
    }
    const allocated = terms?.allocations.get(session.id);
    const seats = allocated === undefined ? {} : { available: allocated, isAllocated: true };
    sessions.push({ ...session, ...tiersOf?.(session.id), ...seats });
  }
  const isElsewhere = (id: RowId): boolean => tiersOf?.(id).isOnChannel === false;
  return {
    ...product,
    sessions,
    badSessions: badSessions.filter(({ id, isOnEveryChannel }) => id === null || isOnEveryChannel || !isElsewhere(id)),
    elsewhereIds: product.scheduledIds.filter(isElsewhere),
  };
}

/** Whether any of a product's sessions is offered on a channel, on a front with these terms. */
export function isAnyOfferedOn(
  product: Product,
  channel: string | null,
  terms: FrontTerms | undefined,
  now: Instant,
): boolean {
  const { channelTiers, sessions } = product;
  if (channelTiers === null) return isAnyOffered(product, terms, now);
  const tiersOf = tiersOn(channelTiers, channel);
  return sessions.some((session) => offerRefusalAt({ ...session, ...tiersOf(session.id) }, terms, now) === null);
}

/**
 * The channel of a front as far as it matters to a product: one that none of its tiers names is like
 * none.
 */
export function channelNamed({ channelTiers }: Product, channel: string | null): string | null {
  if (channelTiers === null || channel === null) return null;
  const isNamed = ({ channels }: ChannelTier): boolean => channels?.includes(channel) === true;
  const { defaults, bySession } = channelTiers;
  return [defaults, ...bySession.values()].some((tiers) => tiers.some(isNamed)) ? channel : null;
}

/** The bad sessions that concern a front: not those that it excludes, or that are not on its channel. */
export function badSessionsOn(
  product: Product,
  channel: string | null,
  terms: FrontTerms | undefined,
): readonly BadSession[] {
  const { badSessions } = productOn(product, channel, terms);
  return badSessions.filter(({ id }) => id === null || terms?.excludedIds.has(id) !== true);
}

/** What a channel sells a session at. */
type TiersOf = (sessionId: RowId) => Pick<Session, 'tiers' | 'isOnChannel'>;

/**
 * The public tiers of sessions: a session's own on the channel, public or not, replace the defaults
 * there; those of other channels replace nothing.
 */
function tiersOn({ defaults, bySession }: ChannelTiers, channel: string | null): TiersOf {
  const isSold = ({ channels }: ChannelTier): boolean =>
    channels === null || (channel !== null && channels.includes(channel));
  const soldAt = (here: readonly ChannelTier[], isAnywhere: boolean) => ({
    tiers: here.filter(({ isPublic }) => isPublic).map(({ price }) => price),
    isOnChannel: here.length > 0 || !isAnywhere,
  });
  const defaultsHere = defaults.filter(isSold);
  const byDefault = soldAt(defaultsHere, defaults.length > 0);
  return (sessionId) => {
    const own = bySession.get(sessionId);
    if (own === undefined) return byDefault;
    const ownHere = own.filter(isSold);
    return soldAt(ownHere.length > 0 ? ownHere : defaultsHere, true);
  };
}
