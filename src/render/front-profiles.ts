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

const EMPTY_SET = 0;

/**
 * By product: the profiles of the fronts that list it. Equal sets are stored once, since there are
 * few sets and many products.
 */
export class ListingProfiles {
  readonly #productNumbers: ProductNumbers;
  /** Ascending profile indexes; the first set is empty. */
  readonly #sets: (readonly number[])[] = [[]];
  /** By product number: its set. */
  readonly #setOf: Int32Array;

  constructor(fronts: readonly Front[], profileIndexOf: (front: Front) => number, productNumbers: ProductNumbers) {
    this.#productNumbers = productNumbers;
    this.#setOf = new Int32Array(productNumbers.ids.length).fill(EMPTY_SET);
    const setOfProfiles = new Map<string, number>();
    for (const front of fronts) {
      const profileIndex = profileIndexOf(front);
      /** By set: the set that also contains this front's profile. */
      const next: number[] = [];
      for (const number of front.products.numbers) {
        const set = this.#setOf[number] ?? EMPTY_SET;
        this.#setOf[number] = next[set] ??= this.#with(set, profileIndex, setOfProfiles);
      }
    }
  }

  /** Indexes of profiles, ascending; empty if no front lists the product. */
  of(productId: number): readonly number[] {
    const number = this.#productNumbers.numberOf(productId);
    return this.#sets[number === undefined ? EMPTY_SET : (this.#setOf[number] ?? EMPTY_SET)] ?? [];
  }

  /** The set that also contains a profile. */
  #with(set: number, profileIndex: number, setOfProfiles: Map<string, number>): number {
    const profiles = [...new Set([...(this.#sets[set] ?? []), profileIndex])].sort((a, b) => a - b);
    const after = setOfProfiles.get(profiles.join()) ?? this.#sets.push(profiles) - 1;
    setOfProfiles.set(profiles.join(), after);
    return after;
  }
}
