// The row of cards of one front's products document, as bytes: `{"productCards":[` card `,` card … and a tail. Keeps where
// each card lies, so that the next document is made by copying the runs that stay and writing only the cards that change.

const OPENING = new TextEncoder().encode('{"productCards":[');
const NO_GROUPS = new TextEncoder().encode('[]');
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

/** One card as its parts (card.ts). */
export interface CardParts {
  readonly lead: Uint8Array;
  /** Those of the product's groups that the front attaches, in the front's order. */
  readonly groups: readonly Uint8Array[];
  readonly slots: Uint8Array;
}

export class CardRow {
  #bytes: Uint8Array = new Uint8Array(0);
  #spare: Uint8Array = new Uint8Array(0);
  /** Where each card begins, its comma included; one more entry for the end of the last. */
  #starts: Uint32Array;
  #spareStarts: Uint32Array;

  constructor(places: number) {
    this.#starts = new Uint32Array(places + 1).fill(OPENING.length);
    this.#spareStarts = new Uint32Array(places + 1);
  }

  /**
   * Puts cards into their places, or null to leave a place empty; `changes` ascend by place. Returns the whole document with
   * `tail` behind the cards: a view that holds until the next call.
   */
  put(changes: readonly { readonly place: number; readonly card: CardParts | null }[], tail: Uint8Array): Uint8Array {
    // The tail stands where the last card's comma belongs, and the last card may be the last no longer.
    const endBefore = this.#starts[this.#starts.length - 1] ?? 0;
    if (endBefore > OPENING.length) this.#bytes[endBefore - 1] = COMMA;
    const starts = this.#moveStarts(changes);
    const end = starts[starts.length - 1] ?? 0;
    const bytes = grown(this.#spare, end + tail.length);
    bytes.set(OPENING, 0);
    let copiedUntil = 0;
    for (const { place, card } of changes) {
      this.#copyRun(bytes, starts, copiedUntil, place);
      if (card !== null) writeCard(bytes, starts[place] ?? 0, card);
      copiedUntil = place + 1;
    }
    this.#copyRun(bytes, starts, copiedUntil, starts.length - 1);
    this.#spare = this.#bytes;
    this.#bytes = bytes;
    this.#spareStarts = this.#starts;
    this.#starts = starts;
    // The last card's comma gives way to the tail, which begins with the closing bracket.
    const cardsEnd = end > OPENING.length ? end - 1 : end;
    bytes.set(tail, cardsEnd);
    return bytes.subarray(0, cardsEnd + tail.length);
  }

  /** Where every card begins once the changes are made. */
  #moveStarts(changes: readonly { readonly place: number; readonly card: CardParts | null }[]): Uint32Array {
    const before = this.#starts;
    const starts = this.#spareStarts;
    let change = 0;
    let at = OPENING.length;
    for (let place = 0; place < before.length - 1; place++) {
      starts[place] = at;
      const next = changes[change];
      if (next?.place === place) {
        at += next.card === null ? 0 : cardLength(next.card);
        change += 1;
      } else {
        at += (before[place + 1] ?? 0) - (before[place] ?? 0);
      }
    }
    starts[before.length - 1] = at;
    return starts;
  }

  /** Copies the cards of places [from, until) as they stand. */
  #copyRun(target: Uint8Array, starts: Uint32Array, from: number, until: number): void {
    const source = this.#bytes.subarray(this.#starts[from] ?? 0, this.#starts[until] ?? 0);
    if (source.length > 0) target.set(source, starts[from] ?? 0);
  }
}

/** The length of a card with its comma. */
function cardLength({ lead, groups, slots }: CardParts): number {
  let groupsLength = NO_GROUPS.length;
  if (groups.length > 0) {
    groupsLength = 1 + groups.length;
    for (const group of groups) groupsLength += group.length;
  }
  return lead.length + groupsLength + slots.length + 1;
}

function writeCard(target: Uint8Array, start: number, { lead, groups, slots }: CardParts): void {
  let at = start;
  target.set(lead, at);
  at += lead.length;
  if (groups.length === 0) {
    target.set(NO_GROUPS, at);
    at += NO_GROUPS.length;
  } else {
    target[at++] = OPENING_BRACKET;
    for (const group of groups) {
      target.set(group, at);
      at += group.length;
      target[at++] = COMMA;
    }
    target[at - 1] = CLOSING_BRACKET;
  }
  target.set(slots, at);
  target[at + slots.length] = COMMA;
}

/** The buffer, or a larger one where it is too small; a fifth more, so that growing editions do not allocate each time. */
function grown(buffer: Uint8Array, bytes: number): Uint8Array {
  return buffer.length >= bytes ? buffer : new Uint8Array(Math.ceil(bytes * 1.2));
}
