// Names in the languages of fronts: which text of `texts` stands in place of a row's own
// (fields.md, `name`).

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

/** The texts that a front shows. */
export class Names {
  /** The texts of its tag, then those of each shortened tag. */
  readonly #byTag: readonly ReadonlyMap<string, string>[];

  constructor(byTag: readonly ReadonlyMap<string, string>[]) {
    this.#byTag = byTag;
  }

  /** A field of a row in the front's language, else the row's own text. */
  of<T extends string | null>(kind: TextKind, field: TextField, id: number, own: T): T | string {
    for (const texts of this.#byTag) {
      const text = texts.get(textKey(kind, field, String(id)));
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
  /** By lower-case tag; then by textKey. */
  readonly #byTag: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly #namesOf = new Map<string, Names>();

  constructor(byTag: ReadonlyMap<string, ReadonlyMap<string, string>>) {
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
    const names =
      key === ''
        ? OWN_NAMES
        : (this.#namesOf.get(key) ?? new Names(tags.map((tag) => this.#byTag.get(tag) ?? new Map())));
    this.#namesOf.set(key, names);
    return names;
  }
}

/** The place of a text among those of its language; ids are compared as text. */
export function textKey(kind: TextKind, field: TextField, id: string): string {
  return `${kind} ${field} ${id}`;
}

/** A tag and its shortenings from the end, in lower case: de-at, de. */
export function tagsOf(locale: string | null): readonly string[] {
  const parts = locale?.toLowerCase().split('-') ?? [];
  return parts.map((_, i) => parts.slice(0, parts.length - i).join('-'));
}
