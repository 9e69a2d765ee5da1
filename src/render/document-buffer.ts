// One front's products document as bytes: `{"productCards":[` card `,` card … and a tail. It
// records where each card begins, so that the next document can copy unchanged cards in runs and
// write only those that changed.

const OPENING = new TextEncoder().encode('{"productCards":[');
const COMMA = 0x2c;

/** The cards of a document by position, each with a trailing comma. */
export interface CardSource {
  /** The length of a position's card in bytes; 0 if it has none. */
  lengthAt(position: number): number;
  /** Writes those bytes. */
  write(position: number, target: Uint8Array, at: number): void;
}

export class DocumentBuffer {
  readonly #cards: CardSource;
  /** Buffers of finished documents, for reuse. */
  readonly #freeBuffers: Uint8Array[];
  #bytes: Uint8Array;
  #spare: Uint8Array;
  /**
   * Where each card begins, and where the last one ends. Doubles, because a document may exceed 4
   * GiB.
   */
  #starts: Float64Array;
  #spareStarts: Float64Array;

  constructor(positions: number, cards: CardSource, freeBuffers: Uint8Array[]) {
    this.#cards = cards;
    this.#freeBuffers = freeBuffers;
    this.#bytes = freeBuffers.pop() ?? new Uint8Array(0);
    this.#spare = freeBuffers.pop() ?? new Uint8Array(0);
    this.#starts = new Float64Array(positions + 1).fill(OPENING.length);
    this.#spareStarts = new Float64Array(positions + 1);
  }

  /**
   * Rewrites the cards at the given positions, which must ascend, and appends `tail`. Returns the
   * whole document: a view that is valid until the next call.
   */
  update(positions: readonly number[], tail: Uint8Array): Uint8Array {
    // The tail has overwritten the last card's comma, and that card may no longer be the last.
    const endBefore = this.#starts[this.#starts.length - 1] ?? 0;
    if (endBefore > OPENING.length) this.#bytes[endBefore - 1] = COMMA;
    const starts = this.#moveStarts(positions);
    const end = starts[starts.length - 1] ?? 0;
    const bytes = grown(this.#spare, end + tail.length);
    bytes.set(OPENING, 0);
    let copiedUntil = 0;
    for (const position of positions) {
      this.#copyRun(bytes, starts, copiedUntil, position);
      const start = starts[position] ?? 0;
      if (start < (starts[position + 1] ?? 0)) this.#cards.write(position, bytes, start);
      copiedUntil = position + 1;
    }
    this.#copyRun(bytes, starts, copiedUntil, starts.length - 1);
    this.#spare = this.#bytes;
    this.#bytes = bytes;
    this.#spareStarts = this.#starts;
    this.#starts = starts;
    // The tail begins with the closing bracket, which replaces the last card's comma.
    const cardsEnd = end > OPENING.length ? end - 1 : end;
    bytes.set(tail, cardsEnd);
    return bytes.subarray(0, cardsEnd + tail.length);
  }

  /** Gives the buffers to other documents. This one must not be used afterwards. */
  release(): void {
    this.#freeBuffers.push(this.#bytes, this.#spare);
  }

  /** Computes where every card begins once the cards at the given positions are rewritten. */
  #moveStarts(positions: readonly number[]): Float64Array {
    const before = this.#starts;
    const starts = this.#spareStarts;
    let next = 0;
    let at = OPENING.length;
    for (let position = 0; position < before.length - 1; position++) {
      starts[position] = at;
      if (positions[next] === position) {
        at += this.#cards.lengthAt(position);
        next += 1;
      } else {
        at += (before[position + 1] ?? 0) - (before[position] ?? 0);
      }
    }
    starts[before.length - 1] = at;
    return starts;
  }

  /** Copies the cards at positions [from, until) unchanged. */
  #copyRun(target: Uint8Array, starts: Float64Array, from: number, until: number): void {
    const sourceFrom = this.#starts[from] ?? 0;
    const sourceUntil = this.#starts[until] ?? 0;
    if (sourceFrom < sourceUntil) target.set(this.#bytes.subarray(sourceFrom, sourceUntil), starts[from] ?? 0);
  }
}

/**
 * The buffer if it is large enough, or else a new one with a fifth to spare, so that growing
 * editions do not allocate each time.
 */
function grown(buffer: Uint8Array, bytes: number): Uint8Array {
  return buffer.length >= bytes ? buffer : new Uint8Array(Math.ceil(bytes * 1.2));
}
