// All that a build knows before it renders fronts: shared by all of them.

import type { Instant } from '../catalogue/instant.ts';
import type { ProductNumbers } from '../catalogue/front-products.ts';
import type { EncodedTaxonomy } from './facets.ts';
import { InitialStates } from './initial-states.ts';
import type { RenderedProducts } from './rendered-products.ts';

/** All that a build knows before it renders fronts: shared by all of them. */
export interface RenderedCatalogue {
  readonly taxonomy: EncodedTaxonomy;
  readonly products: RenderedProducts;
  /** A product's number in `products`, by its id. */
  readonly productOf: ReadonlyMap<number, number>;
  readonly starts: InitialStates;
  /** Buffers of documents that are written, for the next ones. */
  readonly spares: Uint8Array[];
}

export function renderedCatalogue(
  taxonomy: EncodedTaxonomy,
  products: RenderedProducts,
  productNumbers: ProductNumbers,
  now: Instant,
): RenderedCatalogue {
  const productOf = new Map(Array.from(products.ids, (id, product) => [id, product]));
  return {
    taxonomy,
    products,
    productOf,
    starts: new InitialStates(products, productOf, productNumbers, now),
    spares: [],
  };
}
