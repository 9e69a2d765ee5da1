// Shelves: what each front shows, as columns. There are millions of places, and an object for each would cost more than all that is
// done with it.

import { ALWAYS, type Period } from './period.ts';

/** The flags of a card as bits: a product's own, and those that a front adds (fields.md). */
export const FLAG = { pushka: 1, paused: 2, featured: 4, banner: 8 } as const;

/** One product on one front (catalogue.md, `front_products`). */
export interface FrontProduct {
  readonly productId: number;
  readonly isFeatured: boolean;
  readonly isBanner: boolean;
  readonly isPaused: boolean;
  readonly visible: Period;
}

/** The products that shelves name, numbered as they are met: what is known of one is then found by a number, not looked up. */
export class ProductNumbers {
  readonly ids: number[] = [];
  readonly #numberOf = new Map<number, number>();

  /** The number of a product, a new one where it has none yet. */
  add(id: number): number {
    const known = this.#numberOf.get(id);
    if (known !== undefined) return known;
    this.#numberOf.set(id, this.ids.length);
    return this.ids.push(id) - 1;
  }

  /** The number of a product; undefined where no shelf names it. */
  numberOf(id: number): number | undefined {
    return this.#numberOf.get(id);
  }
}

/** One front's shelf, in the order of its cards. */
export class FrontProducts {
  readonly products: ProductNumbers;
  /** By place: the product's number. */
  readonly numbers: Int32Array;
  /** By place: the bits of FLAG that the front adds. */
  readonly flags: Uint8Array;
  /** By place: when it is visible, where that is not always. */
  readonly #periods: ReadonlyMap<number, Period>;

  constructor(products: ProductNumbers, numbers: Int32Array, flags: Uint8Array, periods: ReadonlyMap<number, Period>) {
    this.products = products;
    this.numbers = numbers;
    this.flags = flags;
    this.#periods = periods;
  }

  get places(): number {
    return this.numbers.length;
  }

  get productIds(): readonly number[] {
    return Array.from(this.numbers, (number) => this.#idOf(number));
  }

  visibleAt(place: number): Period {
    if (this.#periods.size === 0) return ALWAYS;
    return this.#periods.get(place) ?? ALWAYS;
  }

  /** What the shelf says of a product; undefined where it does not show it. */
  entryOf(productId: number): FrontProduct | undefined {
    const place = this.numbers.indexOf(this.products.numberOf(productId) ?? -1);
    if (place < 0) return undefined;
    const flags = this.flags[place] ?? 0;
    return {
      productId,
      isFeatured: (flags & FLAG.featured) !== 0,
      isBanner: (flags & FLAG.banner) !== 0,
      isPaused: (flags & FLAG.paused) !== 0,
      visible: this.visibleAt(place),
    };
  }

  #idOf(number: number): number {
    const id = this.products.ids[number];
    if (id === undefined) throw new Error(`no shelf names product number ${number}`);
    return id;
  }
}
