// One card as text, with keys in the order of the spec's table 2.2 (fields.md, Form) and a trailing
// comma. A card consists of two runs, each with a part that a front may replace: the flags
// (featured, banner, pushka, paused) and the groups (those the front attaches).
//
//   head   {"productId": … "saleSchema":1, ⟨flags⟩ ,"soldOut": … "priceFrom":
//   tail   10.00,"badges":[…],"groups": ⟨groups⟩ ,"todaySlot": … :null},

import { FLAG } from '../catalogue/front-products.ts';
import { hasSeveralVenues, type Pool, type Slot, type Slots } from '../catalogue/offer.ts';
import type { Product, Session } from '../catalogue/product.ts';
import type { Names } from '../catalogue/texts.ts';

/** Everything before the flags. It does not depend on time. */
export function headText(product: Product, names: Names): string {
  return (
    `{"productId":${product.id},"slug":${JSON.stringify(product.slug)},"name":${JSON.stringify(names.of('product', 'name', product.id, product.name))},` +
    `"ageRating":${product.ageRating},"saleSchema":${product.saleSchema},`
  );
}

/** The flags, from their FLAG bits. */
export function flagsText(bits: number): string {
  const has = (flag: number): boolean => (bits & flag) !== 0;
  return `"featured":${has(FLAG.featured)},"banner":${has(FLAG.banner)},"pushka":${has(FLAG.pushka)},"paused":${has(FLAG.paused)}`;
}

/** From `soldOut` up to the value of `priceFrom`. */
export function poolText(product: Product, pool: Pool, first: Session, names: Names): string {
  const { image } = product;
  const imageText = (field: 'alt_text' | 'copyright', own: string | null): string =>
    nullableText(image === null ? null : names.of('image', field, image.id, own));
  const { venue } = first;
  return (
    `,"soldOut":${pool.isSoldOut},"nextScheduleSlot":${sessionTimeText(first)},"multiScheduleSlots":${pool.sessions.length > 1},` +
    `"imageUrl":${nullableText(image?.url)},"altText":${imageText('alt_text', image?.altText ?? null)},` +
    `"copyright":${imageText('copyright', image?.copyright ?? null)},"copyrightUrl":${nullableText(image?.copyrightUrl)},` +
    `"inventoryItemName":${JSON.stringify(names.of('venue', 'name', venue.id, venue.name))},"multiInventoryItems":${hasSeveralVenues(pool)},"priceFrom":`
  );
}

/** From the end of the price up to the value of `groups`. */
export function badgesText(badgeSlugs: readonly string[]): string {
  return `,"badges":${JSON.stringify(badgeSlugs)},"groups":`;
}

/** One element of a card's `groups`. */
export function groupText(slug: string, sortWeight: number): string {
  return `{"slug":${JSON.stringify(slug)},"sortWeight":${sortWeight}}`;
}

/** From the end of the groups to the comma after the card. */
export function slotsText(slots: Slots): string {
  return `,${slotText('today', slots.today)},${slotText('tomorrow', slots.tomorrow)},${slotText('weekend', slots.weekend)}},`;
}

function slotText(name: 'today' | 'tomorrow' | 'weekend', slot: Slot | null): string {
  if (slot === null) return `"${name}Slot":null,"${name}MultiScheduleSlots":null`;
  return `"${name}Slot":${sessionTimeText(slot.session)},"${name}MultiScheduleSlots":${slot.isMulti}`;
}

function sessionTimeText(session: Session): string {
  return `"${session.zone.format(session.startsAt)}"`;
}

function nullableText(text: string | null | undefined): string {
  return text === null || text === undefined ? 'null' : JSON.stringify(text);
}
