// The products that each front shows, stored as columns: with millions of rows, one object per row
// would cost more than rendering.

import { ALWAYS, type Period } from './period.ts';

/** A card's flags as bits: those of the product and those that a front adds (fields.md). */
export const FLAG = { pushka: 1, paused: 2, featured: 4, banner: 8 } as const;

/** One product on one front (catalogue.md, `front_products`). */
export interface FrontProduct {
  readonly productId: number;
  readonly isFeatured: boolean;
  readonly isBanner: boolean;
  readonly isPaused: boolean;
  readonly visible: Period;
}

/**
 * Numbers the products that fronts list, in order of first appearance, so that columns can be
 * indexed by product.
 */
export class ProductNumbers {
  readonly ids: number[] = [];
  readonly #numberOf = new Map<number, number>();

  /** The number of a product; a new product gets the next one. */
  add(id: number): number {
    const known = this.#numberOf.get(id);
    if (known !== undefined) return known;
    this.#numberOf.set(id, this.ids.length);
    return this.ids.push(id) - 1;
  }

  /** The number of a product; undefined if no front lists it. */
  numberOf(id: number): number | undefined {
    return this.#numberOf.get(id);
  }
}

/** The rows of one front as columns, by position: the product's place among the front's cards. */
export interface FrontProductColumns {
  /** The product's number. */
  readonly numbers: Int32Array;
  /** The FLAG bits that the front adds. */
  readonly flags: Uint8Array;
  /** When the product is visible, unless it always is. */
  readonly periods: ReadonlyMap<number, Period>;
  /** The code of an error in the row, which leaves the product out on this front. */
  readonly bad: ReadonlyMap<number, string>;
}

/** One front's products, in the order of its cards. */
export class FrontProducts {
  readonly numbers: Int32Array;
  readonly flags: Uint8Array;
  readonly bad: ReadonlyMap<number, string>;
  readonly #productNumbers: ProductNumbers;
  readonly #periods: ReadonlyMap<number, Period>;

  constructor(productNumbers: ProductNumbers, { numbers, flags, periods, bad }: FrontProductColumns) {
    this.numbers = numbers;
    this.flags = flags;
    this.bad = bad;
    this.#productNumbers = productNumbers;
    this.#periods = periods;
  }

  get length(): number {
    return this.numbers.length;
  }

  get ids(): readonly number[] {
    return Array.from(this.numbers, (_, position) => this.idAt(position));
  }

  idAt(position: number): number {
    return this.#productNumbers.ids[this.numbers[position] ?? -1] ?? Number.NaN;
  }

  visibleAt(position: number): Period {
    return this.#periods.size === 0 ? ALWAYS : (this.#periods.get(position) ?? ALWAYS);
  }

  /** The code of an error in the row of a product; null if there is none. */
  badEntry(productId: number): string | null {
    return this.bad.get(this.#positionOf(productId)) ?? null;
  }

  /** How the front shows a product; undefined if it does not list it. */
  find(productId: number): FrontProduct | undefined {
    const position = this.#positionOf(productId);
    if (position < 0) return undefined;
    const flags = this.flags[position] ?? 0;
    return {
      productId,
      isFeatured: (flags & FLAG.featured) !== 0,
      isBanner: (flags & FLAG.banner) !== 0,
      isPaused: (flags & FLAG.paused) !== 0,
      visible: this.visibleAt(position),
    };
  }

  #positionOf(productId: number): number {
    return this.numbers.indexOf(this.#productNumbers.numberOf(productId) ?? -1);
  }
}

/** The products that some of several fronts list. */
export class ListedProducts {
  readonly #productNumbers: ProductNumbers;
  /** By product number: 1 if a front lists the product. */
  readonly #isListed: Uint8Array;

  constructor(fronts: readonly { readonly products: FrontProducts }[], productNumbers: ProductNumbers) {
    this.#productNumbers = productNumbers;
    this.#isListed = new Uint8Array(productNumbers.ids.length);
    for (const { products } of fronts) for (const number of products.numbers) this.#isListed[number] = 1;
  }

  has(id: number): boolean {
    return this.#isListed[this.#productNumbers.numberOf(id) ?? -1] === 1;
  }

  /** By number. */
  get ids(): readonly number[] {
    return this.#productNumbers.ids.filter((_, number) => this.#isListed[number] === 1);
  }
}
