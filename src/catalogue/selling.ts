// What one front sells of a product: the price tiers of its channel, its own contingent of seats,
// and not what it excludes (fields.md, `tiers`, `seats(s)`). The rules of offer.ts then apply to
// every front alike.

import type { BadSession, ChannelTier, ChannelTiers, FrontTerms, Product, Session } from './product.ts';

/**
 * A product as a front sells it; the same object where the front has no say in that. A session
 * that an error in the front's terms concerns is among the bad ones.
 */
export function productOn(product: Product, channel: string | null, terms: FrontTerms | undefined): Product {
  const { channelTiers } = product;
  const hasTerms = terms !== undefined && (terms.allocations.size > 0 || terms.bad.size > 0);
  if (channelTiers === null && !hasTerms) return product;
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
    sessions.push({
      ...session,
      ...(channelTiers === null ? {} : tiersOn(channelTiers, session.id, channel)),
      ...seats,
    });
  }
  const isElsewhere = (id: number): boolean => channelTiers !== null && !tiersOn(channelTiers, id, channel).isOnChannel;
  return {
    ...product,
    sessions,
    badSessions: badSessions.filter(({ id, isOnEveryChannel }) => id === null || isOnEveryChannel || !isElsewhere(id)),
    elsewhereIds: product.scheduledIds.filter(isElsewhere),
  };
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

/**
 * The public tiers of a session: its own on the channel, public or not, replace the defaults there;
 * those of other channels replace nothing.
 */
function tiersOn(
  { defaults, bySession }: ChannelTiers,
  sessionId: number,
  channel: string | null,
): Pick<Session, 'tiers' | 'isOnChannel'> {
  const isSold = ({ channels }: ChannelTier): boolean =>
    channels === null || (channel !== null && channels.includes(channel));
  const own = bySession.get(sessionId) ?? [];
  const ownHere = own.filter(isSold);
  const here = ownHere.length > 0 ? ownHere : defaults.filter(isSold);
  return {
    tiers: here.filter(({ isPublic }) => isPublic).map(({ price }) => price),
    isOnChannel: here.length > 0 || own.length + defaults.length === 0,
  };
}
