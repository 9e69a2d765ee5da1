// Categories, groups, tags and badges, which cards refer to by position. Each list is in the order
// in which documents print it, unless a front's own weights decide.

interface Element {
  readonly id: number;
  readonly slug: string;
}

interface Named extends Element {
  readonly name: string;
}

export interface Taxonomy {
  /** By id; a front orders them itself. */
  readonly categories: readonly (Element & { readonly nameSingular: string; readonly namePlural: string })[];
  readonly groups: readonly (Named & { readonly cardType: number })[];
  /** By (sort weight, id). */
  readonly tags: readonly Named[];
  /** By (sort weight, id); `color` is `#RRGGBB`. */
  readonly badges: readonly (Named & { readonly color: string })[];
}
