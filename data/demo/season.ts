// The shapes of the demo tables: what one line of a season may say. Checks nothing at run time; the
// compiler checks the lines, rows.ts every name that one table uses of another.

import type { Moment } from './moment.ts';
import type { ScheduleName } from './schedules.ts';

export type Currency = 'RUB' | 'EUR' | 'SAR' | 'KWD' | 'JPY' | 'INR' | 'CAD';

/** Major units (`700`, `9.5`): in the currency of the season's first front, or by currency. */
type Amount = number | Readonly<Partial<Record<Currency, number>>>;

/**
 * A ticket with conditions; `hidden` = not public, `aside` = does not count for priceFrom, `left` =
 * tickets left, `channels` = sold there only.
 */
interface Offer {
  readonly amount: Amount;
  readonly from?: Moment;
  readonly until?: Moment;
  readonly left?: number;
  readonly channels?: string;
  readonly addon?: true;
  readonly hidden?: true;
  readonly aside?: true;
}

/** Tier name → price. */
export type PriceList = Readonly<Record<string, Amount | Offer>>;

/** What sets one session (or all) of a product apart from its schedule. */
interface SessionChange {
  readonly status?: 'draft' | 'rescheduled' | 'postponed' | 'cancelled';
  readonly paused?: true;
  readonly available?: number;
  /** What fronts (by code) have left of a contingent of their own. */
  readonly allotted?: Readonly<Record<string, number>>;
  /** Moved by this many days: it was to be on the date so many days before. */
  readonly movedBy?: number;
  readonly opens?: Moment;
  /** Nobody sees it before. */
  readonly announced?: Moment;
  /** Own tiers instead of the product's: a price list of the season by name, or one written out. */
  readonly prices?: string | PriceList;
  /** Fronts (codes, space-separated) that do not sell it. */
  readonly excluded?: string;
}

/** What one front does differently with a product. */
interface FrontChange {
  readonly paused?: true;
  readonly weight?: number;
  readonly from?: Moment;
  readonly until?: Moment;
}

/**
 * What a section says once for its products; a product may say otherwise. Lists are slugs separated
 * by a space.
 */
export interface Shared {
  /** Keys of venues; with several the product plays at each in turn. */
  readonly venue: string;
  readonly plays: ScheduleName;
  readonly prices: string | PriceList;
  readonly categories: string;
  readonly groups?: string;
  readonly tags?: string;
  readonly fronts?: string;
  /**
   * Sales scheme: 1 free, 2 sale (when not said), 3 registration, 4 external sale, 5 external
   * registration, 6 on site.
   */
  readonly sale?: 1 | 2 | 3 | 4 | 5 | 6;
  /**
   * Alternative text of the image, `{}` standing for the product's name; without it the image has
   * none.
   */
  readonly alt?: string;
}

export interface Product extends Partial<Shared> {
  readonly slug: string;
  readonly name: string;
  readonly age: number;
  /** The time zone of its sessions, in place of their venues'. */
  readonly zone?: string;
  /** A badge, or one with the window in which it is shown. */
  readonly badges?: readonly (string | readonly [badge: string, from: Moment | null, until: Moment | null])[];
  /** Own tiers of the sessions on weekend days. */
  readonly weekendPrices?: string;
  readonly pushka?: true;
  readonly status?: 'draft' | 'archived';
  /** Paused for good, or until then. */
  readonly paused?: true | Moment;
  readonly featured?: string;
  readonly banner?: string;
  readonly on?: Readonly<Record<string, FrontChange>>;
  /**
   * By position among the sessions still to start, 0 = the nearest; `all` = every session, past
   * ones too.
   */
  readonly sessions?: Readonly<Partial<Record<number | 'all', SessionChange>>>;
  /** No image, or that of another product of the season. */
  readonly image?: null | { readonly of: string };
}

export interface Section extends Shared {
  readonly products: readonly Product[];
}

/**
 * Taxonomy is attached to the season's fronts unless `fronts` says otherwise; weights follow the
 * order of the lines.
 */
interface Term {
  readonly slug: string;
  readonly name: string;
  readonly fronts?: string;
}

interface Badge extends Omit<Term, 'fronts'> {
  readonly color: string;
  /** Shown where the rule holds, on the products that name it; `below` = seats left at most. */
  readonly rule?: 'few-left' | 'moved';
  readonly below?: number;
}

/** What `texts` translates, as the table of that name calls it. */
export type TextKind = 'product' | 'venue' | 'image' | 'category' | 'group' | 'tag' | 'badge';

export interface Season {
  /** Codes; the first gives zone, weekend and currency to what does not name its own. */
  readonly fronts: string;
  readonly venues: Readonly<Record<string, { readonly name: string; readonly city: string | null; readonly timezone?: string | null }>>;
  /** Who took the pictures: text and link. Some pictures are credited to nobody. */
  readonly credits: readonly (readonly [text: string, url: string | null])[];
  readonly categories: readonly (Term & { readonly plural?: string })[];
  readonly groups: readonly (Term & { readonly cardType: 1 | 2 | 3 })[];
  readonly tags: readonly Omit<Term, 'fronts'>[];
  readonly badges: readonly Badge[];
  readonly prices: Readonly<Record<string, PriceList>>;
  readonly sections: readonly Section[];
  /** Names in other languages: locale → kind → slug or venue's key → column → text. */
  readonly texts?: Readonly<Record<string, Readonly<Partial<Record<TextKind, Readonly<Record<string, Readonly<Record<string, string>>>>>>>>>;
}
