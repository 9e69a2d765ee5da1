// The prices of a front's cards from edition to edition, as five numbers: enough to see a mistake
// in a list of releases, and to suspect one before it is published (containment.md, "Guards").

/** The prices of one edition in units of `priceFrom`; free cards count, those without a price do not. */
export interface PriceSummary {
  readonly count: number;
  /** Least, lower quartile, median, upper quartile, greatest, by nearest rank; empty if there are none. */
  readonly prices: readonly number[];
}

const QUANTILES = [0, 0.25, 0.5, 0.75, 1] as const;

/** `sorted` ascends. */
export function priceSummaryOf(sorted: ArrayLike<number>, count = sorted.length): PriceSummary {
  if (count === 0) return { count, prices: [] };
  return { count, prices: QUANTILES.map((share) => sorted[Math.max(1, Math.ceil(share * count)) - 1] ?? 0) };
}

/** Beyond so many changes, sorting all prices is cheaper. */
const CHANGES_INSERTED = 64;

/** The prices that positions show, kept in order while cards change. */
export class EditionPrices {
  /** By position; NaN without a price. */
  readonly #priceAt: Float64Array;
  readonly #sorted: Float64Array;
  #count = 0;
  #summary: PriceSummary = { count: 0, prices: [] };

  constructor(positions: number) {
    this.#priceAt = new Float64Array(positions).fill(Number.NaN);
    this.#sorted = new Float64Array(positions);
  }

  /** Takes the prices of positions that have changed. `priceOf` gives NaN where there is none. */
  update(changed: readonly number[], priceOf: (position: number) => number): void {
    const moved = changed.filter((position) => !Object.is(this.#priceAt[position], priceOf(position)));
    if (moved.length === 0) return;
    for (const position of moved) {
      if (moved.length <= CHANGES_INSERTED) this.#move(this.#priceAt[position] ?? Number.NaN, priceOf(position));
      this.#priceAt[position] = priceOf(position);
    }
    if (moved.length > CHANGES_INSERTED) this.#sortAll();
    this.#summary = priceSummaryOf(this.#sorted, this.#count);
  }

  get summary(): PriceSummary {
    return this.#summary;
  }

  #sortAll(): void {
    this.#count = 0;
    for (const price of this.#priceAt) if (!Number.isNaN(price)) this.#sorted[this.#count++] = price;
    this.#sorted.subarray(0, this.#count).sort();
  }

  #move(before: number, after: number): void {
    if (!Number.isNaN(before)) {
      const at = this.#rankOf(before);
      this.#sorted.copyWithin(at, at + 1, this.#count);
      this.#count -= 1;
    }
    if (Number.isNaN(after)) return;
    const at = this.#rankOf(after);
    this.#sorted.copyWithin(at + 1, at, this.#count);
    this.#sorted[at] = after;
    this.#count += 1;
  }

  /** How many prices are less. */
  #rankOf(price: number): number {
    let [from, until] = [0, this.#count];
    while (from < until) {
      const middle = (from + until) >> 1;
      if ((this.#sorted[middle] ?? 0) < price) from = middle + 1;
      else until = middle;
    }
    return from;
  }
}
