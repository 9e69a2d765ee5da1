// What all fronts are rendered from.

import type { EncodedTaxonomy } from './facets.ts';
import type { InitialStates } from './initial-states.ts';
import type { RenderedProducts } from './rendered-products.ts';

export interface RenderedCatalogue {
  readonly taxonomy: EncodedTaxonomy;
  readonly products: RenderedProducts;
  readonly initialStates: InitialStates;
  /** Buffers of documents that are written, for reuse. */
  readonly spares: Uint8Array[];
}
