// Renders one product on one front as a build does, for `explain`: its card now, and each later
// card that time brings.

import { FLAG, FrontProducts, ProductNumbers, type FrontProduct } from '../catalogue/front-products.ts';
import type { Front } from '../catalogue/front.ts';
import type { Instant } from '../catalogue/instant.ts';
import { DROP_REASONS, type DropReason } from '../catalogue/offer.ts';
import type { Product } from '../catalogue/product.ts';
import type { Taxonomy } from '../catalogue/taxonomy.ts';
import type { Texts } from '../catalogue/texts.ts';
import { productsDocumentSchema, type ProductCard } from '../contract/documents.ts';
import { CatalogueRenderer } from './catalogue-renderer.ts';
import { FrontEditions } from './editions.ts';
import { FrontCards, type RenderedCatalogue } from './front-cards.ts';
import { InitialStates } from './initial-states.ts';
import type { Sha256 } from './rendered-products.ts';

/** A product and its entry on a front. */
export interface PlacedProduct {
  readonly front: Front;
  readonly entry: FrontProduct;
  readonly product: Product;
  readonly taxonomy: Taxonomy;
  readonly texts: Texts;
}

export interface ProductState {
  readonly from: Instant;
  readonly card: ProductCard | null;
  /** Why there is no card; null if there is one. */
  readonly reason: DropReason | null;
}

/**
 * The state at `now`, then each state up to `until` that differs from the one before; rendered on
 * demand.
 */
export function* productStates(
  placed: PlacedProduct,
  sha256: Sha256,
  until: Instant,
  now: Instant,
): Generator<ProductState> {
  const { product, taxonomy, texts } = placed;
  const productNumbers = new ProductNumbers();
  const front = { ...placed.front, products: productsOf(placed.entry, productNumbers) };
  const renderer = new CatalogueRenderer({ taxonomy, texts, fronts: [front], productNumbers }, sha256, until, now);
  renderer.add([product]);
  const rendered = renderer.rendered(new Map());
  const renderedAt = (at: Instant): RenderedCatalogue => ({
    ...rendered,
    initialStates: new InitialStates(rendered.products, productNumbers, at),
    until: at,
  });

  let last = '';
  const changes = new FrontCards(front, rendered, now).changesIn(now, until);
  for (const from of [now, ...changes.map(({ at }) => at)]) {
    const editions = new FrontEditions(front, renderedAt(from), from);
    const [edition] = editions.render();
    const reason = DROP_REASONS.find((one) => editions.dropped[one] !== undefined) ?? null;
    const text = new TextDecoder().decode(edition?.assemble());
    if (text + reason === last) continue;
    last = text + reason;
    const { productCards } = productsDocumentSchema.parse(JSON.parse(text));
    yield { from, card: productCards[0] ?? null, reason };
  }
}

/** A front's products, reduced to a single one. */
function productsOf(
  { productId, isFeatured, isBanner, isPaused, visible }: FrontProduct,
  numbers: ProductNumbers,
): FrontProducts {
  numbers.add(productId);
  const flags = (isFeatured ? FLAG.featured : 0) | (isBanner ? FLAG.banner : 0) | (isPaused ? FLAG.paused : 0);
  return new FrontProducts(numbers, {
    numbers: Int32Array.of(0),
    flags: Uint8Array.of(flags),
    periods: new Map([[0, visible]]),
    bad: new Map(),
  });
}
