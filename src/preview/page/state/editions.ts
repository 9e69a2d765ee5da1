// The page's LRU cache of parsed editions. Cards that are equal in two editions share one object,
// so that only changed cards are redrawn.

import type { ProductCard, ProductsDocument } from '../../../contract/documents.ts';
import { FRONTS_PATH } from '../../messages.ts';
import { fetchJson } from './fetch-json.ts';

/** How many documents are kept. One with 500 cards takes about a megabyte. */
const DOCUMENTS_KEPT = 64;

/** How many cards are remembered for sharing; beyond that, all are forgotten. */
const CARDS_KEPT = 5000;

/** Editions by their path in the tree's fronts folder. */
export class Editions {
  readonly #documents = new Map<string, ProductsDocument>();
  readonly #loading = new Map<string, Promise<ProductsDocument>>();
  /** Keyed by the card's JSON. */
  readonly #cards = new Map<string, ProductCard>();

  /** The document of an edition if it is loaded. */
  peek(path: string): ProductsDocument | undefined {
    const document = this.#documents.get(path);
    if (document !== undefined) {
      this.#documents.delete(path);
      this.#documents.set(path, document);
    }
    return document;
  }

  /** Rejects with a Problem. */
  async load(path: string): Promise<ProductsDocument> {
    const known = this.peek(path) ?? this.#loading.get(path);
    if (known !== undefined) return known;
    const loading = fetchJson<ProductsDocument>(FRONTS_PATH + path)
      .then((document) => this.#keep(path, document))
      .finally(() => this.#loading.delete(path));
    this.#loading.set(path, loading);
    return loading;
  }

  #keep(path: string, document: ProductsDocument): ProductsDocument {
    if (this.#cards.size > CARDS_KEPT) this.#cards.clear();
    const productCards = document.productCards.map((card) => {
      const text = JSON.stringify(card);
      const shared = this.#cards.get(text) ?? card;
      this.#cards.set(text, shared);
      return shared;
    });
    const kept = { ...document, productCards };
    this.#documents.set(path, kept);
    const [oldest = ''] = this.#documents.keys();
    if (this.#documents.size > DOCUMENTS_KEPT) this.#documents.delete(oldest);
    return kept;
  }
}
