// Fronts (storefronts): the categories and groups that each attaches, and the products it shows.

import type { Zone } from './calendar.ts';
import type { FrontProducts } from './front-products.ts';
import type { RowId } from './row-id.ts';

/** One storefront (catalogue.md, `fronts`). */
export interface Front extends FrontProfile {
  readonly id: RowId;
  /** The value of `X-Front`. */
  readonly code: string;
  readonly minCards: number;
  /** Positions in the taxonomy, in the order in which the front prints them: (front weight, id). */
  readonly categories: readonly number[];
  readonly groups: readonly number[];
  /** In the order of the cards: (front weight, product id). */
  readonly products: FrontProducts;
}

/**
 * What a card depends on besides its product: the front's calendar (zone, start of the day and
 * weekend), its currency, its channel and its language. A product is evaluated once for all fronts
 * that share these.
 */
export interface FrontProfile {
  readonly zone: Zone;
  /** When a day begins, in seconds after midnight. */
  readonly dayStartsAt: number;
  /** ISO weekday digits, ascending. */
  readonly weekendDays: string;
  readonly currency: string;
  readonly currencyExponent: number;
  /** The language of its names (BCP 47); null: the rows' own. */
  readonly locale: string | null;
  /** Where the front sells; null if it has no channel. */
  readonly channel: string | null;
}
