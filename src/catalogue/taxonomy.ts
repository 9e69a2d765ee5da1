// Categories, groups, tags and badges: what cards refer to. Each list is sorted as documents print it where no front's own
// weight decides, and is addressed by position.

interface Element {
  readonly id: number;
  readonly slug: string;
}

interface Category extends Element {
  readonly nameSingular: string;
  readonly namePlural: string;
}

interface Tag extends Element {
  readonly name: string;
}

interface Group extends Tag {
  readonly cardType: number;
}

interface Badge extends Tag {
  /** `#RRGGBB`. */
  readonly color: string;
}

export interface Taxonomy {
  /** By id; a front orders them itself. */
  readonly categories: readonly Category[];
  readonly groups: readonly Group[];
  /** By (sort weight, id). */
  readonly tags: readonly Tag[];
  readonly badges: readonly Badge[];
}
