// The page's cache of editions: fetched when first shown, parsed once, the least recently used dropped. Cards that are the same in two
// editions become one object, so that only changed ones are redrawn.

import type { ProductCard, ProductsDocument } from '../../contract/documents.ts';
import { FRONTS_PATH } from '../messages.ts';
import { fetchJson } from './fetch-json.ts';

/** Parsed documents kept. One of 500 cards takes about a megabyte. */
const DOCUMENTS_KEPT = 64;

/** Cards remembered for sharing between documents; beyond that, all are forgotten. */
const CARDS_KEPT = 5000;

export class Editions {
  readonly #documents = new Map<string, ProductsDocument>();
  readonly #loading = new Map<string, Promise<ProductsDocument>>();
  /** By front and product: the card last seen, with its text. */
  readonly #cards = new Map<string, { readonly text: string; readonly card: ProductCard }>();

  /** The document of an edition, if it has been loaded. */
  peek(front: string, digest: string): ProductsDocument | undefined {
    const path = pathBelowFronts(front, digest);
    const document = this.#documents.get(path);
    if (document !== undefined) {
      this.#documents.delete(path);
      this.#documents.set(path, document);
    }
    return document;
  }

  /** Rejects with an Error whose message the page shows. */
  load(front: string, digest: string): Promise<ProductsDocument> {
    const known = this.peek(front, digest);
    if (known !== undefined) return Promise.resolve(known);
    const path = pathBelowFronts(front, digest);
    const loading = this.#loading.get(path) ?? this.#fetch(front, path);
    this.#loading.set(path, loading);
    return loading;
  }

  async #fetch(front: string, path: string): Promise<ProductsDocument> {
    try {
      const document = this.#shared(front, await fetchJson<ProductsDocument>(FRONTS_PATH + path));
      this.#documents.set(path, document);
      const [oldest = ''] = this.#documents.keys();
      if (this.#documents.size > DOCUMENTS_KEPT) this.#documents.delete(oldest);
      return document;
    } finally {
      this.#loading.delete(path);
    }
  }

  #shared(front: string, document: ProductsDocument): ProductsDocument {
    if (this.#cards.size > CARDS_KEPT) this.#cards.clear();
    const productCards = document.productCards.map((card) => {
      const key = `${front} ${card.productId}`;
      const text = JSON.stringify(card);
      const known = this.#cards.get(key);
      if (known?.text === text) return known.card;
      this.#cards.set(key, { text, card });
      return card;
    });
    return { ...document, productCards };
  }
}

function pathBelowFronts(front: string, digest: string): string {
  return `${front}/products.${digest}.json`;
}
