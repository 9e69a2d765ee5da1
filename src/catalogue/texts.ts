// Names in the languages of fronts: which text of `texts` stands in place of a row's own
// (fields.md, `name`).

import { Column } from './column.ts';
import type { RowId } from './row-id.ts';

/** What has texts, each with its fields. */
export const TEXT_FIELDS = {
  product: ['name'],
  venue: ['name'],
  image: ['alt_text', 'copyright'],
  category: ['name_singular', 'name_plural'],
  group: ['name'],
  tag: ['name'],
  badge: ['name'],
} as const;

export type TextKind = keyof typeof TEXT_FIELDS;

export type TextField = (typeof TEXT_FIELDS)[TextKind][number];

/**
 * The texts of one language. There may be many, and a build reads most of them once: as UTF-8, out of
 * the garbage collector's way.
 */
export class LanguageTexts {
  /** By kind and field, then id: the number of the text. */
  readonly #numbers = new Map<string, Map<string | number, number>>();
  readonly #bytes = new Column<Uint8Array>(Uint8Array);
  /** By number, plus an end. */
  readonly #starts = new Column(Float64Array);

  constructor() {
    this.#starts.push(0);
  }

  set(kind: TextKind, field: TextField, id: string, text: string): void {
    const key = `${kind} ${field}`;
    const numbers = this.#numbers.get(key) ?? new Map<string | number, number>();
    this.#numbers.set(key, numbers.set(idKey(id), this.#starts.length - 1));
    this.#bytes.append(ENCODER.encode(text));
    this.#starts.push(this.#bytes.length);
  }

  get(kind: TextKind, field: TextField, id: string): string | undefined {
    const number = this.#numbers.get(`${kind} ${field}`)?.get(idKey(id));
    if (number === undefined) return undefined;
    const { values: starts } = this.#starts;
    return DECODER.decode(this.#bytes.values.subarray(starts[number], starts[number + 1]));
  }

  has(kind: TextKind, field: TextField, id: string): boolean {
    return this.#numbers.get(`${kind} ${field}`)?.has(idKey(id)) === true;
  }

  delete(kind: TextKind, field: TextField, id: string): void {
    this.#numbers.get(`${kind} ${field}`)?.delete(idKey(id));
  }
}

const ENCODER = new TextEncoder();
/** It would take a mark at the beginning for one of the encoding. */
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

/** Ids are compared as text; numbers take less memory. */
function idKey(id: string): string | number {
  const number = Number(id);
  return String(number) === id ? number : id;
}

/** The texts that a front shows. */
export class Names {
  /** The texts of its tag, then those of each shortened tag. */
  readonly #byTag: readonly LanguageTexts[];

  constructor(byTag: readonly LanguageTexts[]) {
    this.#byTag = byTag;
  }

  /** A field of a row in the front's language, else the row's own text. */
  of<T extends string | null>(kind: TextKind, field: TextField, id: RowId, own: T): T | string {
    for (const texts of this.#byTag) {
      const text = texts.get(kind, field, String(id));
      if (text !== undefined) return text;
    }
    return own;
  }

  /** Both names of a category; a plural that the catalogue lacks is the singular. */
  ofCategory(
    id: number,
    nameSingular: string,
    namePlural: string | null,
  ): { nameSingular: string; namePlural: string } {
    const singular = this.of('category', 'name_singular', id, nameSingular);
    return { nameSingular: singular, namePlural: this.of('category', 'name_plural', id, namePlural ?? singular) };
  }
}

/** Of a front without a language, or whose language has no texts. */
const OWN_NAMES = new Names([]);

/** The texts of a catalogue. */
export class Texts {
  /** By lower-case tag. */
  readonly #byTag: ReadonlyMap<string, LanguageTexts>;
  readonly #namesOf = new Map<string, Names>();

  constructor(byTag: ReadonlyMap<string, LanguageTexts>) {
    this.#byTag = byTag;
  }

  /** Whether no front's language has a text. */
  get isEmpty(): boolean {
    return this.#byTag.size === 0;
  }

  /** The same object for locales that lead to the same texts. */
  in(locale: string | null): Names {
    const tags = tagsOf(locale).filter((tag) => this.#byTag.has(tag));
    const key = tags.join(' ');
    const known = key === '' ? OWN_NAMES : this.#namesOf.get(key);
    const names = known ?? new Names(tags.flatMap((tag) => this.#byTag.get(tag) ?? []));
    this.#namesOf.set(key, names);
    return names;
  }
}

/** A tag and its shortenings from the end, in lower case: de-at, de. */
export function tagsOf(locale: string | null): readonly string[] {
  const parts = locale?.toLowerCase().split('-') ?? [];
  return parts.map((_, i) => parts.slice(0, parts.length - i).join('-'));
}
