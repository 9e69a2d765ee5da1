// What an edition is made of, for its recipe. Equal ingredients give equal bytes, so an edition
// whose recipe is already published need not be assembled, hashed or written (code.md, "No cache").
// Different ingredients may give equal bytes.

import type { Front } from '../catalogue/front.ts';
import { INGREDIENT_BYTES, type FrontCards } from './front-cards.ts';

/**
 * Raise this when a change to the code (DocumentBuffer, or a front's flags and groups) makes other
 * bytes from the same ingredients.
 */
const ASSEMBLY = 1;

/**
 * The ingredients of a front's products documents, one after the other. Each update changes only a
 * few cards.
 */
export class Ingredients {
  readonly #cards: FrontCards;
  /** ASSEMBLY and the front's code, then INGREDIENT_BYTES for each position, then the tail. */
  #bytes: Uint8Array;
  readonly #cardsFrom: number;
  readonly #cardsUntil: number;

  constructor({ code }: Front, cards: FrontCards) {
    // The tail lists the groups of all cards, which determines the groups that each card shows, and
    // their order.
    const frontBytes = new TextEncoder().encode(`${ASSEMBLY} ${code} ${cards.length}\n`);
    this.#cards = cards;
    this.#cardsFrom = frontBytes.length;
    this.#cardsUntil = frontBytes.length + cards.length * INGREDIENT_BYTES;
    this.#bytes = new Uint8Array(this.#cardsUntil);
    this.#bytes.set(frontBytes);
  }

  /**
   * The ingredients of the next document, whose cards at `positions` have changed. A view, valid
   * until the next call.
   */
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
