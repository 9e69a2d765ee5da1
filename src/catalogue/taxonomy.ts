// Categories, groups, tags and badges: what cards refer to. Each list is sorted as documents print it where no front's own
// weight decides, and is addressed by position.

export interface Category {
  readonly id: number;
  readonly slug: string;
  readonly nameSingular: string;
  readonly namePlural: string;
}

export interface Group {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly cardType: number;
}

export interface Tag {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
}

export interface Badge {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
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
