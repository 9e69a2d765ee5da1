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
  /** By id; a front orders them itself. A plural that is null is the singular. */
  readonly categories: readonly (Element & { readonly nameSingular: string; readonly namePlural: string | null })[];
  readonly groups: readonly (Named & { readonly cardType: number })[];
  /** By (sort weight, id). */
  readonly tags: readonly Named[];
  /** By (sort weight, id); `color` is `#RRGGBB`. */
  readonly badges: readonly (Named & { readonly color: string; readonly rule: BadgeRule | null })[];
}

/** When a badge is shown by itself: a card has few seats left, fewer than or as many as `below`; or its first session has moved. */
export type BadgeRule = { readonly kind: 'few-left'; readonly below: number } | { readonly kind: 'moved' };
