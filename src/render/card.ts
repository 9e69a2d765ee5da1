// One card as text, in the order of the spec's table 2.2 (fields.md, Form), with the comma that follows it. A card is two runs of bytes,
// each with a part that a front may replace; as they stand they suit a front that changes nothing:
//
//   head   {"productId": … "saleSchema":1, ⟨flags⟩ ,"soldOut": … "priceFrom":
//   tail   10.00,"badges":[…],"groups": ⟨groups⟩ ,"todaySlot": … :null},
//
// ⟨flags⟩ are featured, banner, pushka and paused; ⟨groups⟩ are all groups of the product, of which a front shows those it attaches.

import { FLAG } from '../catalogue/front-products.ts';
import { hasSeveralVenues, type Pool, type Slot, type Slots } from '../catalogue/offer.ts';
import type { Product, Session } from '../catalogue/product.ts';

/** Everything before the flags: never changes with time or front. */
export function headText(product: Product): string {
  return (
    `{"productId":${product.id},"slug":${JSON.stringify(product.slug)},"name":${JSON.stringify(product.name)},` +
    `"ageRating":${product.ageRating},"saleSchema":${product.saleSchema},`
  );
}

/** The flags, from their bits of FLAG. */
export function flagsText(bits: number): string {
  const has = (flag: number): boolean => (bits & flag) !== 0;
  return `"featured":${has(FLAG.featured)},"banner":${has(FLAG.banner)},"pushka":${has(FLAG.pushka)},"paused":${has(FLAG.paused)}`;
}

/** From `soldOut` up to the price. */
export function poolText(product: Product, pool: Pool, first: Session): string {
  const image = product.image;
  return (
    `,"soldOut":${pool.isSoldOut},"nextScheduleSlot":${sessionTimeText(first)},"multiScheduleSlots":${pool.sessions.length > 1},` +
    `"imageUrl":${nullableText(image?.url)},"altText":${nullableText(image?.altText)},` +
    `"copyright":${nullableText(image?.copyright)},"copyrightUrl":${nullableText(image?.copyrightUrl)},` +
    `"inventoryItemName":${JSON.stringify(first.venue.name)},"multiInventoryItems":${hasSeveralVenues(pool)},"priceFrom":`
  );
}

/** From behind the price up to the groups. */
export function badgesText(badgeSlugs: readonly string[]): string {
  return `,"badges":${JSON.stringify(badgeSlugs)},"groups":`;
}

/** One element of a card's `groups`. */
export function groupText(slug: string, sortWeight: number): string {
  return `{"slug":${JSON.stringify(slug)},"sortWeight":${sortWeight}}`;
}

/** From behind the groups to the comma that follows the card: today, tomorrow, weekend. */
export function slotsText(slots: Slots): string {
  return `,${slotText('today', slots.today)},${slotText('tomorrow', slots.tomorrow)},${slotText('weekend', slots.weekend)}},`;
}

function slotText(name: 'today' | 'tomorrow' | 'weekend', slot: Slot | null): string {
  if (slot === null) return `"${name}Slot":null,"${name}MultiScheduleSlots":null`;
  return `"${name}Slot":${sessionTimeText(slot.session)},"${name}MultiScheduleSlots":${slot.isMulti}`;
}

function sessionTimeText(session: Session): string {
  return `"${session.venue.zone.format(session.startsAt)}"`;
}

function nullableText(text: string | null | undefined): string {
  return text === null || text === undefined ? 'null' : JSON.stringify(text);
}
