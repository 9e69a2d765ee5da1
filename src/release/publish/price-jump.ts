// The guard on prices (containment.md, "Guards"): a new edition is compared with the published one
// in force at the same instant, so that the clock alone never trips it, and tomorrow's mistake is
// seen today.

import type { ManifestFront } from '../../contract/manifest.ts';
import { entryOf } from '../../contract/pointer-entry.ts';
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

/** What is wrong with the prices of an edition. */
export interface PriceJump {
  /** When the edition begins. */
  readonly from: string;
  /**
   * How many prices are so many times as large or as small, of how many that both editions have.
   */
  readonly moved: number;
  readonly of: number;
  readonly verdict: 'a quarter or less' | 'four times or more';
  /** Of all cards with a price; null without any. */
  readonly medians: readonly [before: number | null, after: number | null];
}

/** What is wrong with the prices of an edition from an instant on; null if nothing. */
export async function priceJump(
  published: PublishedPrices,
  edition: NewPrices,
  from: string,
): Promise<PriceJump | null> {
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
  const verdict = fallen >= risen ? 'a quarter or less' : 'four times or more';
  const medians = [before.prices[2] ?? null, edition.summary.prices[2] ?? null] as const;
  return { from, moved: most, of: both.length, verdict, medians };
}

/**
 * The first edition of a snapshot whose prices are wrong; null if none is. `prices` has a summary
 * for each.
 */
export async function firstPriceJump(
  { pointer: { products }, prices = [] }: Pick<ManifestFront, 'pointer' | 'prices'>,
  published: PublishedPrices,
  pricesOf: (digest: string) => Promise<ReadonlyMap<number, number>>,
): Promise<PriceJump | null> {
  for (const [i, summary] of prices.entries()) {
    const { from, digest } = entryOf(products[i] ?? '');
    const jump = await priceJump(published, { summary, prices: () => pricesOf(digest) }, from);
    if (jump !== null) return jump;
  }
  return null;
}

/** What the guard on prices says of an edition that is not published. */
export function priceJumpText({ from, moved, of, verdict, medians: [before, after] }: PriceJump): string {
  const medians = `median ${before ?? 'none'}, then ${after ?? 'none'}`;
  return `from ${from} on, ${moved} of ${of} prices would be ${verdict} of what is published (${medians})`;
}

function isAnyQuartileMoved(before: PriceSummary, after: PriceSummary): boolean {
  return [1, 2, 3].some((quartile) => {
    const [was, is] = [before.prices[quartile], after.prices[quartile]];
    return was !== undefined && is !== undefined && was !== is && hasJumped(was, is);
  });
}

/** Whether one of two prices is at least four times the other. */
export function hasJumped(was: number, is: number): boolean {
  return hasMoved(was, is) || hasMoved(is, was);
}

/** Whether the greater is at least so many times the less. */
function hasMoved(less: number, greater: number): boolean {
  return greater >= less * FACTOR;
}
