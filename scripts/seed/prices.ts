// Writes price tiers: defaults of each product in most currencies, and separate tiers of some
// sessions. Every session with separate tickets has a public one, so that a generated catalogue has
// no findings.

import { DAY, instantText } from './calendar.ts';
import { channelPrices, type ChannelPrices } from './differences.ts';
import type { ProductPlan } from './plan.ts';
import type { Random } from './random.ts';
import { CURRENCIES, type Currency } from './regions.ts';
import { flag, midnight, type Seeding, soon } from './seeding.ts';
import type { Session } from './sessions.ts';

interface Tier {
  readonly name: string;
  readonly amount: number;
  readonly currency: Currency;
  readonly channel?: string | null;
  readonly kind?: 'ticket' | 'addon';
  readonly isPublic?: 0 | 1;
  readonly inPriceFrom?: 0 | 1;
  readonly available?: number | null;
  readonly from?: number | null;
  readonly until?: number | null;
}

/** Writes the tiers of a product and of its sessions. */
export function writePrices(seeding: Seeding, plan: ProductPlan, sessions: readonly Session[]): void {
  const { random } = seeding;
  if (plan.story === 'registration') return;
  const level = plan.story === 'free' ? 0 : 2 + random.below(80);
  const currencies = currenciesOf(plan, random);
  const channels = channelPrices(seeding);
  for (const currency of currencies) writeDefaults(seeding, plan, currency, level, channels);
  writeExtras(seeding, plan, level, channels);
  if (isClosed(plan)) return;
  const ownRate = plan.story === 'own-prices' ? 1 : random.chance(0.05) ? 0.5 : 0.01;
  for (const session of sessions) {
    if (random.chance(ownRate)) writeOwn(seeding, plan, session, currencies, level, channels);
  }
}

/** Whether the story is that no ticket is available: another tier would contradict it. */
function isClosed({ story }: ProductPlan): boolean {
  return story === 'prices-expired' || story === 'sold-out-by-tier';
}

/** The currency of the product's region first. One product in seven is sold in no other. */
function currenciesOf({ region, story }: ProductPlan, random: Random): readonly Currency[] {
  if (story === 'one-currency' || (story === 'ordinary' && random.chance(0.14))) return [region.currency];
  return [region.currency, ...CURRENCIES.filter((currency) => currency !== region.currency)];
}

/** Writes the tickets in one currency. `level` is the price in steps of about 50 roubles. */
function writeDefaults(
  seeding: Seeding,
  plan: ProductPlan,
  currency: Currency,
  level: number,
  channels: ChannelPrices,
): void {
  const { random, now } = seeding;
  const { region, story } = plan;
  const { vocabulary } = region;
  const amount = amountOf(currency, level);
  const adult = { name: vocabulary.ticket, currency, amount };
  if (story === 'prices-expired') {
    writeTickets(seeding, plan.id, null, { ...adult, until: midnight(seeding, region.timezone, -2) }, channels);
    return;
  }
  if (story === 'price-step' || (story === 'ordinary' && random.chance(0.02))) {
    // A price rise: one tier ends at the instant at which the other begins.
    const at = story === 'price-step' ? soon(seeding) : midnight(seeding, region.timezone, random.below(40));
    writeTickets(seeding, plan.id, null, { ...adult, until: at }, channels);
    writeTickets(seeding, plan.id, null, { ...adult, amount: amountOf(currency, level + 4), from: at }, channels);
    return;
  }
  const available = story === 'sold-out-by-tier' ? 0 : random.chance(0.1) ? 50 + random.below(100) : null;
  writeTickets(seeding, plan.id, null, { ...adult, available }, channels);
  if (story === 'early-bird-over' || (story === 'ordinary' && random.chance(0.12))) {
    const until = story === 'early-bird-over' ? now - DAY : midnight(seeding, region.timezone, random.below(75) - 30);
    const name = vocabulary.earlyBird;
    writeTickets(seeding, plan.id, null, { name, currency, amount: amountOf(currency, level * 0.7), until }, channels);
  }
}

/** Tiers sold only in the product's own region: reduced tickets, private staff tickets, add-ons. */
function writeExtras(seeding: Seeding, plan: ProductPlan, level: number, channels: ChannelPrices): void {
  const { random } = seeding;
  const { vocabulary, currency } = plan.region;
  if (!isClosed(plan) && random.chance(0.4)) {
    const reduced = {
      name: vocabulary.reduced,
      currency,
      amount: amountOf(currency, level * 0.5),
      inPriceFrom: flag(!random.chance(0.4)),
      available: random.chance(0.05) ? 0 : null,
    };
    writeTickets(seeding, plan.id, null, reduced, channels);
  }
  if (random.chance(0.08)) {
    const amount = amountOf(currency, 1);
    writeTier(seeding, plan.id, null, { name: vocabulary.staff, currency, amount, isPublic: 0 });
  }
  if (random.chance(0.15)) {
    writeTier(seeding, plan.id, null, {
      name: vocabulary.addOn,
      currency,
      amount: amountOf(currency, 3),
      kind: 'addon',
    });
  }
}

function writeOwn(
  seeding: Seeding,
  plan: ProductPlan,
  session: Session,
  currencies: readonly Currency[],
  level: number,
  channels: ChannelPrices,
): void {
  const { random } = seeding;
  const { vocabulary } = plan.region;
  if (random.chance(0.1)) {
    const [currency = plan.region.currency] = currencies;
    const amount = amountOf(currency, 4);
    writeTier(seeding, plan.id, session.id, { name: vocabulary.addOn, currency, amount, kind: 'addon' });
    return;
  }
  const ownLevel = level === 0 ? 0 : level + random.below(20) - 2;
  const hasEarlyBird = random.chance(0.25);
  const available = random.chance(0.1) ? random.below(3) : null;
  for (const currency of currencies) {
    const amount = amountOf(currency, ownLevel);
    writeTickets(seeding, plan.id, session.id, { name: vocabulary.ticket, currency, amount, available }, channels);
    if (hasEarlyBird) {
      const until = session.startsAt - 7 * DAY;
      const name = vocabulary.earlyBird;
      const early = { name, currency, amount: amountOf(currency, ownLevel * 0.6), until };
      writeTickets(seeding, plan.id, session.id, early, channels);
    }
  }
}

/** Minor units per price step, and odd kopecks or cents for some prices. Yen have no decimals. */
const STEPS: Readonly<Record<Currency, readonly [minor: number, odd: number]>> = {
  RUB: [5_000, 1_010],
  EUR: [55, 5],
  JPY: [90, 0],
};

function amountOf(currency: Currency, level: number): number {
  const [minor, odd] = STEPS[currency];
  return Math.round(level) * minor + (level % 13 === 3 ? odd : 0);
}

/** Writes a public ticket at the price of each channel. */
function writeTickets(
  seeding: Seeding,
  productId: number,
  sessionId: number | null,
  tier: Tier,
  channels: ChannelPrices,
): void {
  for (const [channel, share] of channels) {
    writeTier(seeding, productId, sessionId, { ...tier, channel, amount: Math.round(tier.amount * share) });
  }
}

function writeTier({ write }: Seeding, productId: number, sessionId: number | null, tier: Tier): void {
  write('price_tiers', {
    product_id: productId,
    session_id: sessionId,
    channels: tier.channel ?? null,
    name: tier.name,
    kind: tier.kind ?? 'ticket',
    is_public: tier.isPublic ?? 1,
    in_price_from: tier.inPriceFrom ?? 1,
    amount_minor: tier.amount,
    currency: tier.currency,
    available: tier.available ?? null,
    valid_from: tier.from === undefined || tier.from === null ? null : instantText(tier.from),
    valid_until: tier.until === undefined || tier.until === null ? null : instantText(tier.until),
  });
}
