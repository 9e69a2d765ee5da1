// Renders a catalogue: takes its products in batches, which are not kept, and gives what the
// editions of every front are assembled from.

import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Front } from '../catalogue/front.ts';
import type { Instant } from '../catalogue/instant.ts';
import type { Product } from '../catalogue/product.ts';
import type { RowId } from '../catalogue/row-id.ts';
import type { Names } from '../catalogue/texts.ts';
import { encodeTaxonomy, type EncodedTaxonomy } from './facets.ts';
import type { RenderedCatalogue } from './front-cards.ts';
import { groupByProfile, ListingProfiles } from './front-profiles.ts';
import { InitialStates } from './initial-states.ts';
import { ProductRenderer, type FrontWithTerms } from './product-renderer.ts';
import { RenderedProductsBuilder, type Sha256 } from './rendered-products.ts';

export class CatalogueRenderer {
  readonly #catalogue: Catalogue;
  readonly #until: Instant;
  readonly #now: Instant;
  readonly #profileIndexOf: (front: Front) => number;
  readonly #listingProfiles: ListingProfiles;
  readonly #frontNumbers: ReadonlyMap<RowId, number>;
  readonly #builder: RenderedProductsBuilder;
  readonly #products: ProductRenderer;
  readonly #badSessions = new Map<number, Product>();

  /** `until`: the end of the horizon. */
  constructor(catalogue: Catalogue, sha256: Sha256, until: Instant, now: Instant) {
    const { fronts, taxonomy, texts, productNumbers } = catalogue;
    const { profiles, profileIndexOf } = groupByProfile(fronts);
    this.#catalogue = catalogue;
    this.#until = until;
    this.#now = now;
    this.#profileIndexOf = profileIndexOf;
    this.#listingProfiles = new ListingProfiles(fronts, profileIndexOf, productNumbers);
    this.#frontNumbers = new Map(fronts.map(({ id }, number) => [id, number]));
    this.#builder = new RenderedProductsBuilder(sha256, profiles.length);
    this.#products = new ProductRenderer(profiles, { taxonomy, texts }, this.#builder, until, now);
  }

  /** Renders the products among these that the catalogue's fronts list. */
  add(products: readonly Product[]): void {
    for (const product of products) {
      const hasBadTerms = [...product.terms.values()].some(({ bad }) => bad.size > 0);
      if (product.badSessions.length > 0 || hasBadTerms) this.#badSessions.set(product.id, product);
      const profileIndexes = this.#listingProfiles.of(product.id);
      if (profileIndexes.length > 0) this.#products.render(product, profileIndexes, this.#frontsWithTerms(product));
    }
  }

  /**
   * All that has been rendered. `badProducts` are left out, those among them that have been rendered
   * too: the code of a finding of each, by id.
   */
  rendered(badProducts: ReadonlyMap<number, string>): RenderedCatalogue {
    for (const id of badProducts.keys()) this.#products.leaveOut(id, this.#listingProfiles.of(id));
    const products = this.#builder.products();
    const { taxonomy, texts } = this.#catalogue;
    const encodedIn = new Map<Names, EncodedTaxonomy>();
    return {
      taxonomy,
      taxonomyOf: ({ locale }) => {
        const names = texts.in(locale);
        const encoded = encodedIn.get(names) ?? encodeTaxonomy(taxonomy, names);
        encodedIn.set(names, encoded);
        return encoded;
      },
      products,
      bad: { products: badProducts, sessions: this.#badSessions },
      initialStates: new InitialStates(products, this.#catalogue.productNumbers, this.#now),
      profileIndexOf: this.#profileIndexOf,
      frontNumberOf: ({ id }) => this.#frontNumbers.get(id) ?? -1,
      until: this.#until,
      freeBuffers: [],
    };
  }

  /** The fronts that have terms of their own for a product. */
  #frontsWithTerms({ terms }: Product): readonly FrontWithTerms[] {
    const fronts: FrontWithTerms[] = [];
    for (const [id, own] of terms) {
      const number = this.#frontNumbers.get(id);
      const front = number === undefined ? undefined : this.#catalogue.fronts[number];
      if (number !== undefined && front !== undefined)
        fronts.push({ number, profileIndex: this.#profileIndexOf(front), terms: own });
    }
    return fronts;
  }
}
