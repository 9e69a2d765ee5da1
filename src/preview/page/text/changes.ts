// Describes the differences between two documents as a visitor would notice them:
// `Nearest session 10:00 → 10:30`. The comparison itself is done by release/diff/document-diff.ts.

import type { Zone } from '../../../catalogue/calendar.ts';
import type { DocumentChange } from '../../../contract/results/diff.ts';
import type { ProductCard, ProductsDocument } from '../../../contract/documents.ts';
import { DOCUMENT_LISTS, diffDocuments, fieldText } from '../../../release/diff/document-diff.ts';
import { countText } from '../../../count-text.ts';
import { sessionText, type Money } from './descriptions.ts';
import { nameOf } from './safe-text.ts';

export interface DescribedChange {
  readonly change: DocumentChange;
  /**
   * The product whose card has changed; null if the card is gone or the change is not about a card.
   */
  readonly productId: number | null;
  /** `Badge`, `Group`; '' for a card. */
  readonly kind: string;
  readonly texts: readonly string[];
}

export interface Changes {
  readonly list: readonly DescribedChange[];
  /** `2 cards changed, 1 new`; '' if nothing differs. */
  readonly summary: string;
  /** What has changed of each product's card, a sentence each. */
  readonly textsOf: ReadonlyMap<number, readonly string[]>;
  /** The same as one text. */
  readonly byProduct: ReadonlyMap<number, string>;
}

/** How a front writes times and prices. */
export interface FrontUnits {
  readonly zone: Zone;
  readonly today: string;
  readonly money: Money;
}

const KINDS = { productCards: '', categories: 'Category', groups: 'Group', tags: 'Tag', badges: 'Badge' };

export function changesOf(earlier: ProductsDocument, later: ProductsDocument, units: FrontUnits): Changes {
  const [before, after] = [earlier, later].map(
    ({ productCards }) => new Map(productCards.map((card) => [card.productId, card])),
  );
  const list = diffDocuments(earlier, later).map((change): DescribedChange => {
    const isCard = change.list === 'productCards';
    const [old, card] = isCard ? [before?.get(change.id), after?.get(change.id)] : [];
    const texts =
      change.change === 'changed' && old && card ? describeCard(old, card, later, units) : describeElement(change);
    return { change, productId: card === undefined ? null : change.id, kind: KINDS[change.list], texts };
  });
  const textsOf = new Map<number, readonly string[]>();
  for (const { change, texts } of list) {
    if (change.list === 'productCards') textsOf.set(change.id, [...(textsOf.get(change.id) ?? []), ...texts]);
  }
  const byProduct = new Map([...textsOf].map(([id, texts]) => [id, texts.join(' · ')]));
  return { list, summary: summaryOf(list), textsOf, byProduct };
}

function describeElement(change: DocumentChange): string[] {
  switch (change.change) {
    case 'added':
      return ['New'];
    case 'gone':
      return ['Gone'];
    case 'moved':
      return [`Moved from place ${change.placeBefore} to ${change.placeAfter}`];
    case 'changed':
      return change.fields.map(fieldText);
  }
}

/** First what a visitor notices first, then every other field. */
function describeCard(old: ProductCard, card: ProductCard, { badges, groups }: ProductsDocument, units: FrontUnits) {
  const texts = [...describeFlags(old, card), ...describeSessions(old, card, units)];
  if (old.priceFrom !== card.priceFrom) {
    const [was, is] = [old, card].map(({ priceFrom }) => (priceFrom === null ? 'none' : units.money(priceFrom)));
    texts.push(`Price ${was} → ${is}`);
  }
  texts.push(
    ...describeMembership('Badge', old.badges, card.badges, badges),
    ...describeMembership('Group', slugsOf(old), slugsOf(card), groups),
  );
  for (const [field, name] of Object.entries(FIELD_NAMES)) {
    const [was, is] = [old, card].map((one) => one[field as keyof typeof FIELD_NAMES]);
    if (was !== is) texts.push(`${name} ${was ?? 'none'} → ${is ?? 'none'}`);
  }
  return texts.length > 0 ? texts : ['Its place in a group'];
}

const FIELD_NAMES = {
  name: 'Name',
  slug: 'Slug',
  inventoryItemName: 'Venue',
  ageRating: 'Age rating',
  saleSchema: 'Way of sale',
  imageUrl: 'Picture',
  altText: 'Text of the picture',
  copyright: 'Credit',
  copyrightUrl: 'Link of the credit',
} as const;

function describeFlags(old: ProductCard, card: ProductCard): string[] {
  const flags = [
    ['soldOut', 'Sold out', 'Tickets again'],
    ['paused', 'Sales paused', 'Sales resumed'],
    ['featured', 'Featured', 'No longer featured'],
    ['banner', 'On the banner', 'Off the banner'],
    ['pushka', 'Pushkin card accepted', 'Pushkin card no longer accepted'],
    ['multiScheduleSlots', 'More dates', 'No more dates'],
    ['multiInventoryItems', 'More venues', 'One venue only'],
  ] as const;
  return flags.flatMap(([field, begins, ends]) => (old[field] === card[field] ? [] : [card[field] ? begins : ends]));
}

/**
 * Leaves out a day's session if it changed exactly like the nearest one: then it is the same
 * session.
 */
function describeSessions(old: ProductCard, card: ProductCard, units: FrontUnits): string[] {
  const days = [
    ['today', 'Today'],
    ['tomorrow', 'Tomorrow'],
    ['weekend', 'At the weekend'],
  ] as const;
  const nearest = sessionChange('Nearest session', old.nextScheduleSlot, card.nextScheduleSlot, units);
  const asNearest = nearest.length > 0 ? `${old.nextScheduleSlot} ${card.nextScheduleSlot}` : '';
  const ofDays = days.flatMap(([day, name]) => {
    const [was, is] = [old[`${day}Slot`], card[`${day}Slot`]];
    if (`${was} ${is}` === asNearest) return [];
    if (was !== is) return sessionChange(name, was, is, units);
    const [hadMore, hasMore] = [old[`${day}MultiScheduleSlots`], card[`${day}MultiScheduleSlots`]];
    return hadMore === hasMore ? [] : [`${name}: ${hasMore === true ? 'more times' : 'the last time'}`];
  });
  return [...nearest, ...ofDays];
}

/** `Today 19:00 → 20:00`; with dates if they differ. */
function sessionChange(name: string, was: string | null, is: string | null, { zone, today }: FrontUnits): string[] {
  if (was === is) return [];
  const isSameDay = was === null || is === null || was.slice(0, 10) === is.slice(0, 10);
  const [before, after] = [was, is].map((start) => {
    if (start === null) return 'none';
    const { date, time, offset } = sessionText(start, zone, today);
    return [isSameDay ? '' : `${date},`, time, offset ?? ''].filter(Boolean).join(' ');
  });
  return [`${name} ${before} → ${after}`];
}

type Named = readonly { readonly slug: string; readonly name: string }[];

function slugsOf({ groups }: ProductCard): string[] {
  return groups.map(({ slug }) => slug);
}

/**
 * `names` are those of the later document. A group or badge that it no longer has is shown by its
 * slug.
 */
function describeMembership(kind: string, was: readonly string[], is: readonly string[], names: Named): string[] {
  const titleOf = (slug: string): string => `“${nameOf(names.find((one) => one.slug === slug) ?? { name: '', slug })}”`;
  return [
    ...is.filter((slug) => !was.includes(slug)).map((slug) => `${kind} ${titleOf(slug)} added`),
    ...was.filter((slug) => !is.includes(slug)).map((slug) => `${kind} ${titleOf(slug)} removed`),
  ];
}

const NOUNS = { productCards: 'card', categories: 'category', groups: 'group', tags: 'tag', badges: 'badge' };

/** `2 cards changed, 1 new; 1 badge gone`. */
function summaryOf(list: readonly DescribedChange[]): string {
  const kinds = [
    ['changed', 'changed'],
    ['added', 'new'],
    ['gone', 'gone'],
    ['moved', 'moved'],
  ] as const;
  return DOCUMENT_LISTS.flatMap((name) => {
    const counts = kinds.flatMap(([kind, verb]) => {
      const count = list.filter(({ change }) => change.list === name && change.change === kind).length;
      return count === 0 ? [] : [[count, verb] as const];
    });
    const [first, ...others] = counts;
    if (first === undefined) return [];
    const noun = name === 'categories' && first[0] > 1 ? `${first[0]} categories` : countText(first[0], NOUNS[name]);
    return [[`${noun} ${first[1]}`, ...others.map(([count, verb]) => `${count} ${verb}`)].join(', ')];
  }).join('; ');
}
