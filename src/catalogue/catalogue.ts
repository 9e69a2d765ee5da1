// A catalogue as documents are rendered from it. Products with their sessions are not part of it:
// there are too many to hold, and they are rendered range by range.

import type { Front } from './front.ts';
import type { ProductNumbers } from './front-products.ts';
import type { Taxonomy } from './taxonomy.ts';
import type { Texts } from './texts.ts';

export interface Catalogue {
  readonly taxonomy: Taxonomy;
  readonly texts: Texts;
  /**
   * The fronts to render, by code. Other `fronts` are another selection, or one shard of a build.
   */
  readonly fronts: readonly Front[];
  /** Numbers the products that these fronts list, and perhaps others. */
  readonly productNumbers: ProductNumbers;
}
