// The documents of the API as types, for code that has no zod. Made from contract/documents.ts by:
// npm run docs

/** Everything needed to build a front's main page. */
export interface ProductsDocument {
  /** Cards relevant for the front's main page. */
  readonly productCards: readonly ProductCard[];
  /** The same as GET /fronts/categories/ returns. */
  readonly categories: readonly Category[];
  /** Exactly the groups that cards belong to. */
  readonly groups: readonly Group[];
  /** Exactly the tags of products with a card. */
  readonly tags: readonly Tag[];
  /** Exactly the badges that cards have. */
  readonly badges: readonly Badge[];
}

/** A product in short, as the main page shows it. */
export interface ProductCard {
  /** Unique product identifier. */
  readonly productId: number;
  /** Unique slug of the product. */
  readonly slug: string;
  /** Product name. Text, not markup: escape it. */
  readonly name: string;
  /** Age rating of the product, in years. */
  readonly ageRating: number;
  /** Sales scheme: 1 free, 2 sale, 3 registration, 4 external sale, 5 external registration, 6 on site; others may come. */
  readonly saleSchema: number;
  /** The product is among the featured ones. */
  readonly featured: boolean;
  /** The product is always shown in the highest-priority area of the main page. */
  readonly banner: boolean;
  /** The product is sold under a state cultural-card programme. */
  readonly pushka: boolean;
  /** Sales of the product are temporarily paused. */
  readonly paused: boolean;
  /** The product is completely sold out. */
  readonly soldOut: boolean;
  /** Nearest session: its venue's wall time with the offset in force there. */
  readonly nextScheduleSlot: string;
  /** The product has more than one session available. */
  readonly multiScheduleSlots: boolean;
  /** Link to the card image; null when there is none. */
  readonly imageUrl: string | null;
  /** Alternative text of the card image. */
  readonly altText: string | null;
  /** Copyright text for the card image. */
  readonly copyright: string | null;
  /** Copyright link for the card image. */
  readonly copyrightUrl: string | null;
  /** Name of the venue of the nearest session. */
  readonly inventoryItemName: string;
  /** The product has more than one venue across its sessions. */
  readonly multiInventoryItems: boolean;
  /** Minimum ticket price valid now, in units of the front's currency; 0 is free, null no price. */
  readonly priceFrom: number | null;
  /** Slugs of badges among the top-level badges. */
  readonly badges: readonly string[];
  /** Groups the product belongs to. */
  readonly groups: readonly GroupMembership[];
  /** First session of the product today; null when there is none. */
  readonly todaySlot: string | null;
  /** More than one session today; null when todaySlot is. */
  readonly todayMultiScheduleSlots: boolean | null;
  /** First session of the product tomorrow; null when there is none. */
  readonly tomorrowSlot: string | null;
  /** More than one session tomorrow; null when tomorrowSlot is. */
  readonly tomorrowMultiScheduleSlots: boolean | null;
  /** First session of the product on the nearest weekend; null when there is none. */
  readonly weekendSlot: string | null;
  /** More than one session on the nearest weekend; null when weekendSlot is. */
  readonly weekendMultiScheduleSlots: boolean | null;
}

/** A group that the product belongs to, and its place there. */
export interface GroupMembership {
  /** Slug of a group among the top-level groups. */
  readonly slug: string;
  /** Position of the product in the group, ascending. */
  readonly sortWeight: number;
}

/** A category that is relevant for the front and holds at least one card. */
export interface Category {
  /** Unique category identifier. */
  readonly id: number;
  /** Unique slug of the category. */
  readonly slug: string;
  /** Category name in the singular. */
  readonly nameSingular: string;
  /** Category name in the plural. */
  readonly namePlural: string;
}

/** A group that at least one card belongs to. */
export interface Group {
  /** Unique group identifier. */
  readonly id: number;
  /** Unique slug of the group. */
  readonly slug: string;
  /** Group name. */
  readonly name: string;
  /** Type of product cards used for the group: 1 regular, 2 main, 3 featured; others may come. */
  readonly cardType: number;
}

/** A tag of at least one product with a card. */
export interface Tag {
  /** Unique tag identifier. */
  readonly id: number;
  /** Unique slug of the tag. */
  readonly slug: string;
  /** Tag name. */
  readonly name: string;
}

/** A badge that at least one card has. */
export interface Badge {
  /** Unique badge identifier. */
  readonly id: number;
  /** Unique slug of the badge. */
  readonly slug: string;
  /** Badge name. */
  readonly name: string;
  /** Background colour of the badge, #RRGGBB. */
  readonly color: string;
}

/** The categories of a front, not sorted by id. */
export type CategoriesDocument = readonly Category[];
