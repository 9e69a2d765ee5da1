// What a build leaves to the next one, so that it presses and renders only what has changed: the pressed products with the revision
// of each, and which release was rendered from them. Kept outside the tree; nothing is used that is not known to be made from what the
// database still holds (revisions.ts), and all of it can be thrown away at any time.

import { Zone } from '../catalogue/calendar.ts';
import { instantOf, type Instant } from '../catalogue/instant.ts';
import type { Revisions } from '../database/revisions.ts';
import { sha256Of } from '../release/digest.ts';
import { bytesOf, lengthsOf, pressedFrom, type PressedLengths, type PressedProducts } from '../snapshot/pressed.ts';
import type { CacheFolder } from '../storage/cache-folder.ts';

const PRESSED_FILE = 'pressed.bin';
const RENDERED_FILE = 'rendered.json';
const LINE_END = 0x0a;
/** To be counted up with every change of what the files hold (pressed.ts, card.ts): the tool's version may stay. */
const LAYOUT = 1;

/** Beyond this share of changed products, or of such as are there no more, a cache saves little: then everything is pressed anew. */
const MOST_CHANGED = 0.2;
/** So few are pressed one by one whatever their share. */
const ALWAYS_FEW = 20;
/** Below this share the file is not written again: the next build presses these few once more. */
const FEW_CHANGED = 0.02;

/** The head of the file of pressed products: one line, before their bytes. */
interface PressedHead {
  /** What all of them were made from besides their own rows: versions, schema, shared tables. */
  readonly basis: string;
  readonly classes: string;
  /** Names of the zones of fronts. */
  readonly zones: readonly string[];
  /** Timelines hold from one to the other. */
  readonly now: number;
  readonly until: number;
  /** Products there were, with their revisions. */
  readonly tokens: readonly (readonly [id: number, token: number])[];
  readonly lengths: PressedLengths;
}

/** Which release was rendered from which pressed products. */
interface Rendered {
  /** The digest of that file's head. */
  readonly pressId: string;
  readonly releaseId: string;
  readonly fronts: readonly (readonly [id: number, token: number])[];
  /** Products that were pressed anew for the release and are not in the file. */
  readonly changed: readonly (readonly [id: number, token: number])[];
}

/** What an earlier build left, as far as it still holds. */
export interface KeptPress {
  readonly classes: string;
  /** The instant it was pressed for; its timelines hold from then on. */
  readonly now: Instant;
  readonly products: PressedProducts;
  readonly pressId: string;
  /** Products whose rows are others than those pressed, or new. */
  readonly isChanged: (productId: number) => boolean;
  /** Ids of all those, shown or not, and of such as are there no more. */
  readonly changedIds: readonly number[];
  /** The release that was rendered last; null where that is not known. */
  readonly releaseId: string | null;
  /** Whether a product's rows are other ones than that release was rendered from. */
  readonly isChangedSince: (productId: number) => boolean;
  /** The same of a front's own rows. */
  readonly isFrontChangedSince: (frontId: number) => boolean;
}

/** What is to be kept of a build that has ended. */
export interface PressToKeep {
  readonly classes: string;
  readonly zones: readonly string[];
  readonly products: PressedProducts;
  readonly kept: KeptPress | null;
  /** Ids of the products that were pressed in this build; null where all were. */
  readonly pressedIds: readonly number[] | null;
  readonly releaseId: string;
}

export class PressCache {
  readonly #folder: CacheFolder;
  readonly #revisions: Revisions;
  readonly #basis: string;
  readonly #now: Instant;
  readonly #until: Instant;

  /** `versions` are those of everything that bytes depend on besides rows. */
  constructor(folder: CacheFolder, revisions: Revisions, versions: readonly string[], until: Instant, now: Instant) {
    this.#folder = folder;
    this.#revisions = revisions;
    this.#basis = JSON.stringify([LAYOUT, ...versions, revisions.schema, revisions.shared]);
    this.#now = now;
    this.#until = until;
  }

  /** What still holds; null where too little does, or nothing was kept. */
  read(): KeptPress | null {
    const bytes = this.#folder.read(PRESSED_FILE);
    const end = bytes?.indexOf(LINE_END) ?? -1;
    if (bytes === null || end < 0) return null;
    const headBytes = bytes.subarray(0, end);
    // The folder gives what was written or nothing.
    const head = JSON.parse(new TextDecoder().decode(headBytes)) as PressedHead;
    if (head.basis !== this.#basis || !this.#isInTime(head)) return null;
    const products = pressedFrom(bytes.subarray(end + 1), head.lengths);
    const pressed = new Map(head.tokens);
    const current = this.#revisions.tokens('product');
    const isChanged = isOther(current, pressed);
    const changedIds = [...current.keys()].filter(isChanged);
    const left = products.ids.length - current.size;
    if (changedIds.length + Math.max(0, left) > Math.max(ALWAYS_FEW, current.size * MOST_CHANGED)) return null;
    const pressId = sha256Of(headBytes);
    return {
      classes: head.classes,
      now: instantOf(head.now),
      products,
      pressId,
      isChanged,
      changedIds,
      ...this.#rendered(pressId, pressed, current),
    };
  }

  /** Leaves what a build has made to the next one. */
  write({ classes, zones, products, kept, pressedIds, releaseId }: PressToKeep): void {
    const current = this.#revisions.tokens('product');
    let pressId = kept?.pressId ?? '';
    let changed: (readonly [number, number])[] = [];
    if (kept !== null && pressedIds !== null && pressedIds.length <= current.size * FEW_CHANGED) {
      changed = pressedIds.map((id) => [id, current.get(id) ?? Number.NaN]);
    } else {
      const head: PressedHead = {
        basis: this.#basis,
        classes,
        zones,
        now: this.#now,
        until: this.#until,
        tokens: [...current],
        lengths: lengthsOf(products),
      };
      const headBytes = new TextEncoder().encode(JSON.stringify(head));
      if (!this.#folder.write(PRESSED_FILE, [headBytes, Uint8Array.of(LINE_END), ...bytesOf(products)])) return;
      pressId = sha256Of(headBytes);
    }
    const rendered: Rendered = { pressId, releaseId, fronts: [...this.#revisions.tokens('front')], changed };
    this.#folder.write(RENDERED_FILE, [new TextEncoder().encode(JSON.stringify(rendered))]);
  }

  /** Whether timelines pressed for then are right for now: time went forward, and no date changes in the part of the horizon that is new. */
  #isInTime({ now, until, zones }: PressedHead): boolean {
    if (now > this.#now || until > this.#until) return false;
    return zones.every((name) => new Zone(name).dateChanges(instantOf(until), this.#until).length === 0);
  }

  #rendered(
    pressId: string,
    pressed: ReadonlyMap<number, number>,
    current: ReadonlyMap<number, number>,
  ): Pick<KeptPress, 'releaseId' | 'isChangedSince' | 'isFrontChangedSince'> {
    const bytes = this.#folder.read(RENDERED_FILE);
    const rendered = bytes === null ? null : (JSON.parse(new TextDecoder().decode(bytes)) as Rendered);
    if (rendered === null || rendered.pressId !== pressId) {
      return { releaseId: null, isChangedSince: () => true, isFrontChangedSince: () => true };
    }
    return {
      releaseId: rendered.releaseId,
      isChangedSince: isOther(current, new Map([...pressed, ...rendered.changed])),
      isFrontChangedSince: isOther(this.#revisions.tokens('front'), new Map(rendered.fronts)),
    };
  }
}

/** Whether a row's token is another one than it was. One without a token is not known to be the same. */
function isOther(current: ReadonlyMap<number, number>, before: ReadonlyMap<number, number>): (id: number) => boolean {
  return (id) => {
    const token = current.get(id);
    return token === undefined || token !== before.get(id);
  };
}
