// All that a build knows before it renders fronts: shared by all of them.

import type { Instant } from '../catalogue/instant.ts';
import type { ShelfProducts } from '../catalogue/front-products.ts';
import type { PressedTaxonomy } from './facets.ts';
import { ClassStarts } from './initial-states.ts';
import type { PressedProducts } from './rendered-products.ts';

/** All that a build knows before it renders fronts: shared by all of them. */
export interface PressedCatalogue {
  readonly taxonomy: PressedTaxonomy;
  readonly products: PressedProducts;
  /** A product's number in `products`, by its id. */
  readonly productOf: ReadonlyMap<number, number>;
  readonly starts: ClassStarts;
  /** Buffers of documents that are written, for the next ones. */
  readonly spares: Uint8Array[];
}

export function pressedCatalogue(
  taxonomy: PressedTaxonomy,
  products: PressedProducts,
  shelfProducts: ShelfProducts,
  now: Instant,
): PressedCatalogue {
  const productOf = new Map(Array.from(products.ids, (id, product) => [id, product]));
  return {
    taxonomy,
    products,
    productOf,
    starts: new ClassStarts(products, productOf, shelfProducts, now),
    spares: [],
  };
}
