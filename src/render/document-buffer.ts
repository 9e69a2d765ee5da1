// The row of cards of one front's products document, as bytes: `{"productCards":[` card `,` card … and a tail. Keeps where
// each card lies, so that the next document is made by copying the runs that stay and writing only the cards that change.

const OPENING = new TextEncoder().encode('{"productCards":[');
const COMMA = 0x2c;

/** The cards that stand in a row's places, each with the comma that follows it. */
export interface CardSource {
  /** How many bytes the card in a place takes; 0 where the place is empty. */
  lengthAt(place: number): number;
  /** Writes those bytes. */
  write(place: number, target: Uint8Array, at: number): void;
}

export class DocumentBuffer {
  readonly #cards: CardSource;
  /** Buffers of rows that are done, for the next ones. */
  readonly #spares: Uint8Array[];
  #bytes: Uint8Array;
  #spare: Uint8Array;
  /** Where each card begins; one more entry for the end of the last. Doubles: a document may pass 4 GiB. */
  #starts: Float64Array;
  #spareStarts: Float64Array;

  constructor(places: number, cards: CardSource, spares: Uint8Array[]) {
    this.#cards = cards;
    this.#spares = spares;
    this.#bytes = spares.pop() ?? new Uint8Array(0);
    this.#spare = spares.pop() ?? new Uint8Array(0);
    this.#starts = new Float64Array(places + 1).fill(OPENING.length);
    this.#spareStarts = new Float64Array(places + 1);
  }

  /**
   * Puts what stands in the places given, ascending, anew. Returns the whole document with `tail` behind the cards: a view that
   * holds until the next call.
   */
  put(places: readonly number[], tail: Uint8Array): Uint8Array {
    // The tail stands where the last card's comma belongs, and the last card may be the last no longer.
    const endBefore = this.#starts[this.#starts.length - 1] ?? 0;
    if (endBefore > OPENING.length) this.#bytes[endBefore - 1] = COMMA;
    const starts = this.#moveStarts(places);
    const end = starts[starts.length - 1] ?? 0;
    const bytes = grown(this.#spare, end + tail.length);
    bytes.set(OPENING, 0);
    let copiedUntil = 0;
    for (const place of places) {
      this.#copyRun(bytes, starts, copiedUntil, place);
      const start = starts[place] ?? 0;
      if (start < (starts[place + 1] ?? 0)) this.#cards.write(place, bytes, start);
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

  /** Gives the row's buffers to the next ones. The row is not used any more. */
  release(): void {
    this.#spares.push(this.#bytes, this.#spare);
  }

  /** Where every card begins once the places are put anew. */
  #moveStarts(places: readonly number[]): Float64Array {
    const before = this.#starts;
    const starts = this.#spareStarts;
    let next = 0;
    let at = OPENING.length;
    for (let place = 0; place < before.length - 1; place++) {
      starts[place] = at;
      if (places[next] === place) {
        at += this.#cards.lengthAt(place);
        next += 1;
      } else {
        at += (before[place + 1] ?? 0) - (before[place] ?? 0);
      }
    }
    starts[before.length - 1] = at;
    return starts;
  }

  /** Copies the cards of places [from, until) as they stand. */
  #copyRun(target: Uint8Array, starts: Float64Array, from: number, until: number): void {
    const sourceFrom = this.#starts[from] ?? 0;
    const sourceUntil = this.#starts[until] ?? 0;
    if (sourceFrom < sourceUntil) target.set(this.#bytes.subarray(sourceFrom, sourceUntil), starts[from] ?? 0);
  }
}

/** The buffer, or a larger one where it is too small; a fifth more, so that growing editions do not allocate each time. */
function grown(buffer: Uint8Array, bytes: number): Uint8Array {
  return buffer.length >= bytes ? buffer : new Uint8Array(Math.ceil(bytes * 1.2));
}
