// Groups fronts that share calendar and currency into profiles, so that a product is rendered
// once for all of them.

import type { Front, FrontProfile } from '../catalogue/front.ts';
import type { ProductNumbers } from '../catalogue/front-products.ts';

/** Groups fronts by what their cards depend on besides products. */
export function groupByProfile(fronts: readonly FrontProfile[]): {
  readonly profiles: readonly FrontProfile[];
  readonly profileIndexOf: (front: FrontProfile) => number;
} {
  const profiles: FrontProfile[] = [];
  const indexes = new Map<string, number>();
  const keyOf = ({
    zone,
    dayStartsAt,
    weekendDays,
    currency,
    currencyExponent,
    channel,
    locale,
  }: FrontProfile): string =>
    [zone.name, dayStartsAt, weekendDays, currency, currencyExponent, channel, locale].join(' ');
  for (const front of fronts) {
    if (indexes.has(keyOf(front))) continue;
    indexes.set(keyOf(front), profiles.length);
    profiles.push(front);
  }
  return { profiles, profileIndexOf: (front) => indexes.get(keyOf(front)) ?? -1 };
}

/** By product: the profiles of the fronts that list it. */
export class ListingProfiles {
  readonly #productNumbers: ProductNumbers;
  /** How many words of 32 profiles each product has in `#bits`. */
  readonly #wordCount: number;
  /** By product number, a bit for each profile. */
  readonly #bits: Int32Array;

  constructor(fronts: readonly Front[], profileIndexOf: (front: Front) => number, productNumbers: ProductNumbers) {
    this.#productNumbers = productNumbers;
    const profileIndexes = fronts.map(profileIndexOf);
    this.#wordCount = (profileIndexes.reduce((last, index) => Math.max(last, index), 0) >>> 5) + 1;
    this.#bits = new Int32Array(productNumbers.ids.length * this.#wordCount);
    for (const [i, { products }] of fronts.entries()) {
      const profileIndex = profileIndexes[i] ?? 0;
      for (const number of products.numbers) {
        const word = number * this.#wordCount + (profileIndex >>> 5);
        this.#bits[word] = (this.#bits[word] ?? 0) | (1 << (profileIndex & 31));
      }
    }
  }

  /** Indexes of profiles, ascending; empty if no front lists the product. */
  of(productId: number): readonly number[] {
    const number = this.#productNumbers.numberOf(productId);
    if (number === undefined) return [];
    const profileIndexes: number[] = [];
    for (let word = 0; word < this.#wordCount; word++) {
      const bits = this.#bits[number * this.#wordCount + word] ?? 0;
      for (let bit = 0; bit < 32; bit++) if ((bits & (1 << bit)) !== 0) profileIndexes.push(word * 32 + bit);
    }
    return profileIndexes;
  }
}
