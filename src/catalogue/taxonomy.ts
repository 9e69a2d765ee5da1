// Categories, groups, tags and badges: what cards refer to. Each list is sorted as documents print it where no front's own
// weight decides, and is addressed by position.

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
  /** Likewise; `color` is `#RRGGBB`. */
  readonly badges: readonly (Named & { readonly color: string })[];
}
