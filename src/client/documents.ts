// The two documents of the API as a client sees them (specification, section 2). Every key is always there; an optional field without a
// value is null.

/** One category; both documents hold the same list. */
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
  /** `#RRGGBB` */
  readonly color: string;
}

export interface GroupMembership {
  readonly slug: string;
  readonly sortWeight: number;
}

/** One card. Timestamps are ISO 8601 with a numeric offset: the wall time printed on the ticket. */
export interface ProductCard {
  readonly productId: number;
  readonly slug: string;
  readonly name: string;
  readonly ageRating: number;
  readonly saleSchema: number;
  readonly featured: boolean;
  readonly banner: boolean;
  readonly pushka: boolean;
  readonly paused: boolean;
  readonly soldOut: boolean;
  readonly nextScheduleSlot: string;
  readonly multiScheduleSlots: boolean;
  readonly imageUrl: string | null;
  readonly altText: string | null;
  readonly copyright: string | null;
  readonly copyrightUrl: string | null;
  readonly inventoryItemName: string;
  readonly multiInventoryItems: boolean;
  readonly priceFrom: number | null;
  readonly badges: readonly string[];
  readonly groups: readonly GroupMembership[];
  readonly todaySlot: string | null;
  readonly todayMultiScheduleSlots: boolean | null;
  readonly tomorrowSlot: string | null;
  readonly tomorrowMultiScheduleSlots: boolean | null;
  readonly weekendSlot: string | null;
  readonly weekendMultiScheduleSlots: boolean | null;
}

/** Answer of `GET /products/`. */
export interface ProductsDocument {
  readonly productCards: readonly ProductCard[];
  readonly categories: readonly Category[];
  readonly groups: readonly Group[];
  readonly tags: readonly Tag[];
  readonly badges: readonly Badge[];
}

/** Answer of `GET /fronts/categories/`. */
export type CategoriesDocument = readonly Category[];
