// An arena of UTF-8: short texts encoded once into large blocks, handed out as views. Nothing is ever freed one by one.

const BLOCK_BYTES = 1 << 20;

export class Arena {
  readonly #encoder = new TextEncoder();
  #block = new Uint8Array(BLOCK_BYTES);
  #used = 0;

  /** The UTF-8 bytes of a text, as a view that stays as it is for the arena's whole life. */
  add(text: string): Uint8Array {
    // Three bytes are the most that one UTF-16 unit can take.
    this.#makeRoom(text.length * 3);
    const { written } = this.#encoder.encodeInto(text, this.#block.subarray(this.#used));
    return this.#take(written);
  }

  /** The concatenation of byte runs, as one view. */
  join(parts: readonly Uint8Array[]): Uint8Array {
    const bytesTotal = parts.reduce((sum, part) => sum + part.length, 0);
    this.#makeRoom(bytesTotal);
    let at = this.#used;
    for (const part of parts) {
      this.#block.set(part, at);
      at += part.length;
    }
    return this.#take(bytesTotal);
  }

  #makeRoom(bytes: number): void {
    if (this.#used + bytes <= this.#block.length) return;
    this.#block = new Uint8Array(Math.max(BLOCK_BYTES, bytes));
    this.#used = 0;
  }

  #take(bytes: number): Uint8Array {
    const view = this.#block.subarray(this.#used, this.#used + bytes);
    this.#used += bytes;
    return view;
  }
}

/** Whether two byte runs are the same bytes. */
export function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** How many bytes a text takes in UTF-8; a lone surrogate counts as the replacement character that encoding puts for it. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) bytes += unit < 0x800 ? 1 : 2;
    // A pair takes four bytes: three were counted for its first unit.
    const isPair = unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
    if (isPair) i += 1;
  }
  return bytes;
}
