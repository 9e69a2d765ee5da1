// The pointers that an edge keeps for some seconds. It keeps only what the rule can read: an answer
// of the origin that is torn, or something else, fails the request that got it and none after that.
//
// A worker's pointer is kept for up to 10 s. The clock still selects the edition in it, so
// boundaries are exact to the second.

import { instantText } from '../rule/instant.ts';
import { findEdition } from '../rule/pointer.ts';
import { pointerPath } from '../rule/tree.ts';
import { keptFor } from './kept.ts';
import type { LoadText } from './load.ts';

/** A front's pointer as it was read last; `text` is null if nothing was published for the front. */
export interface KeptPointer {
  readonly text: string | null;
  /** Seconds since 1970. */
  readonly readAt: number;
}

export class KeptPointers {
  /** A front's code may be `constructor`, which every object inherits. */
  readonly #kept = new Map<string, KeptPointer>();

  /**
   * The front's pointer, as it was read within `keptSeconds`, or read now; `now`: seconds since
   * 1970. Rejects if it cannot be read, and for a text by which the rule could serve nothing. What
   * was kept before stays then, no longer than it would have.
   */
  async read(front: string, keptSeconds: number, now: number, load: LoadText): Promise<KeptPointer> {
    const kept = this.#kept.get(front);
    if (kept && keptFor(kept.readAt, now) < keptSeconds) return kept;
    // 403 is all that some stores say of a missing object, so the first one means that nothing is
    // published. But where this edge has read the pointer, a 403 says that it lost its permission,
    // and no storefront must take that for a front that was withdrawn.
    const file = await load(pointerPath(front), typeof kept?.text === 'string');
    const read = { text: file && (await file.text()), readAt: now };
    if (read.text !== null) checkReadable(read.text, front, now);
    this.#kept.set(front, read);
    return read;
  }
}

const checkReadable = (text: string, front: string, now: number): void => {
  try {
    for (const endpoint of ['products', 'categories'] as const) findEdition(text, front, endpoint, instantText(now));
  } catch {
    throw new Error('expected a whole pointer of this front and of schema 1');
  }
};
