// What an edition is made of, for its recipe: equal ingredients give equal bytes, so an edition whose recipe is published already need be
// neither assembled nor hashed nor written (code.md, "No cache"). Different ingredients may give equal bytes.

import type { Front } from '../catalogue/front.ts';
import { INGREDIENT_BYTES, type FrontCards } from './front-cards.ts';

/** To be raised when other bytes are made of the same ingredients: by the document's buffer, or by the flags and groups of a front. */
const ASSEMBLY = 1;

/** The ingredients of a front's products documents, one after the other. Like a document, each is its predecessor with a few cards changed. */
export class Ingredients {
  readonly #cards: FrontCards;
  /** What makes documents, which front it is, then INGREDIENT_BYTES for each position, then the tail. */
  #bytes: Uint8Array;
  readonly #cardsFrom: number;
  readonly #cardsUntil: number;

  constructor({ code }: Front, cards: FrontCards) {
    // Which groups of its product a card shows, and in which order, is in the tail: it lists those of all cards.
    const frontBytes = new TextEncoder().encode(`${ASSEMBLY} ${code} ${cards.length}\n`);
    this.#cards = cards;
    this.#cardsFrom = frontBytes.length;
    this.#cardsUntil = frontBytes.length + cards.length * INGREDIENT_BYTES;
    this.#bytes = new Uint8Array(this.#cardsUntil);
    this.#bytes.set(frontBytes);
  }

  /** Those of the next document, whose cards at the given positions have changed. A view that is valid until the next call. */
  update(positions: readonly number[], tail: Uint8Array): Uint8Array {
    const until = this.#cardsUntil + tail.length;
    if (this.#bytes.length < until) {
      const larger = new Uint8Array(until * 2);
      larger.set(this.#bytes.subarray(0, this.#cardsUntil));
      this.#bytes = larger;
    }
    for (const position of positions)
      this.#cards.writeIngredient(position, this.#bytes, this.#cardsFrom + position * INGREDIENT_BYTES);
    this.#bytes.set(tail, this.#cardsUntil);
    return this.#bytes.subarray(0, until);
  }
}
