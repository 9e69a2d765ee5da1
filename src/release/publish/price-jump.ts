// The guard on prices (containment.md, "Guards"): a new edition is compared with the published one
// in force at the same instant, so that the clock alone never trips it, and tomorrow's mistake is
// seen today.

import type { PriceSummary } from '../../render/edition-prices.ts';

/** The prices of a front's published editions, each in force from its instant on. */
export interface PublishedPrices {
  /** Of the edition in force at an instant, `YYYY-MM-DDTHH:MM:SSZ`; null if it cannot be read. */
  readonly summaryAt: (at: string) => Promise<PriceSummary | null>;
  /** By product id, without cards that have no price. */
  readonly pricesAt: (at: string) => Promise<ReadonlyMap<number, number>>;
}

/** The prices of a new edition. */
export interface NewPrices {
  readonly summary: PriceSummary;
  readonly prices: () => ReadonlyMap<number, number> | Promise<ReadonlyMap<number, number>>;
}

/** A price that became so many times as large or as small has moved. */
const FACTOR = 4;

/** So many products may move whatever their share. */
const FEW = 3;

/** The share of the products that must move. */
const SHARE = 0.25;

/** What is wrong with the prices of an edition from an instant on; null if nothing. */
export async function priceJump(published: PublishedPrices, edition: NewPrices, from: string): Promise<string | null> {
  const before = await published.summaryAt(from);
  // Quartiles only raise the suspicion: a season that ends moves them, too.
  if (before === null || !isAnyQuartileMoved(before, edition.summary)) return null;
  const pricesBefore = await published.pricesAt(from);
  const prices = await edition.prices();
  const both = [...prices].flatMap(([id, price]) => {
    const was = pricesBefore.get(id) ?? 0;
    return was > 0 && price > 0 ? [{ was, price }] : [];
  });
  const fallen = both.filter(({ was, price }) => hasMoved(price, was)).length;
  const risen = both.filter(({ was, price }) => hasMoved(was, price)).length;
  const most = Math.max(fallen, risen);
  if (most <= FEW || most < both.length * SHARE) return null;
  const verdict = fallen >= risen ? `a quarter or less` : `four times or more`;
  const medians = `median ${before.prices[2] ?? 'none'}, then ${edition.summary.prices[2] ?? 'none'}`;
  return `from ${from} on, ${most} of ${both.length} prices would be ${verdict} of what is published (${medians})`;
}

function isAnyQuartileMoved(before: PriceSummary, after: PriceSummary): boolean {
  return [1, 2, 3].some((quartile) => {
    const [was, is] = [before.prices[quartile], after.prices[quartile]];
    return was !== undefined && is !== undefined && was !== is && (hasMoved(was, is) || hasMoved(is, was));
  });
}

/** Whether the greater is at least so many times the less. */
function hasMoved(less: number, greater: number): boolean {
  return greater >= less * FACTOR;
}
