// A product card to HTML: picture, badges, when, where, for how much. Text is text, never markup; a null is spelled out or left out.

import type { Badge, ProductCard } from 'playbill/client';
import { html, type Markup, webUrl } from './markup.ts';

/** The part of a programme that a visitor looks at. */
export type When = 'all' | 'today' | 'tomorrow' | 'weekend';

export interface CardOptions {
  readonly when: When;
  /** The year that dates leave out. */
  readonly year: string;
  /** Whether "today" may be said: not of an answer that is old. */
  readonly isTimely: boolean;
  readonly badges: ReadonlyMap<string, Badge>;
  /** ISO 4217, for prices: the API has none, since a front has one. null: prices as plain numbers. */
  readonly currency: string | null;
  /** Language of the page, for prices and dates. */
  readonly language: string;
}

/** When a card's session begins, as the ticket says; null where it has none then. */
export function startOf(card: ProductCard, when: When): string | null {
  return when === 'all' ? card.nextScheduleSlot : card[`${when}Slot`];
}

export function cardMarkup(card: ProductCard, options: CardOptions): Markup {
  const { name, slug, ageRating, inventoryItemName, multiInventoryItems, soldOut, paused } = card;
  const badges = card.badges.map((badge) => badgeMarkup(options.badges.get(badge)));
  return html`<li data-product="${card.productId}" class="${soldOut || paused ? 'closed' : 'open'}">
    ${pictureMarkup(card)}
    <h3>
      <a href="/product/${slug}/"><bdi>${name}</bdi></a
      >&nbsp;<small>${ageRating}+</small>
    </h3>
    ${badges.length === 0 ? null : html`<p class="badges">${badges}</p>`}
    <p>
      ${whenMarkup(card, options)}<br /><bdi>${inventoryItemName}</bdi>${multiInventoryItems ? ' and elsewhere' : ''}
    </p>
    <p><strong>${saleText(card, options)}</strong></p>
  </li>`;
}

/** Without a picture, and until it is there, the style draws a curtain, in a colour of the product's own. */
function pictureMarkup({ productId, imageUrl, altText, copyright, copyrightUrl }: ProductCard): Markup {
  const [source, link] = [webUrl(imageUrl), webUrl(copyrightUrl)];
  const credit = link === null ? html`${copyright}` : html`<a href="${link}">${copyright}</a>`;
  return html`<figure style="--hue: ${(productId * 137) % 360}">
    ${source === null ? null : html`<img src="${source}" alt="${altText ?? ''}" loading="lazy" />`}
    ${source === null || copyright === null ? null : html`<figcaption>${credit}</figcaption>`}
  </figure>`;
}

/** A badge's colour goes into a style, where escaping protects nothing: only #RRGGBB passes. */
function badgeMarkup(badge: Badge | undefined): Markup {
  if (badge === undefined) return html``;
  const colour = /^#[0-9A-Fa-f]{6}$/.test(badge.color) ? badge.color : '#777777';
  return html`<span style="background: ${colour}; color: ${readableOn(colour)}"><bdi>${badge.name}</bdi></span> `;
}

/** Black or white, whichever can be read on `#RRGGBB`: they are equal at a relative luminance of 0.179 (WCAG 2.2). */
function readableOn(colour: string): '#000' | '#fff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff';
}

/** Today or tomorrow in words, else the date, and whether there are more. */
function whenMarkup(card: ProductCard, { when, isTimely, language, year }: CardOptions): Markup {
  const start = startOf(card, when) ?? card.nextScheduleSlot;
  const days = { [card.tomorrowSlot ?? '']: 'tomorrow', [card.todaySlot ?? '']: 'today' };
  const day = isTimely && when !== 'weekend' ? days[start] : undefined;
  const text = day === undefined ? dateText(start, language, year) : `${day} ${start.slice(11, 16)}`;
  const hasMore = when === 'all' ? card.multiScheduleSlots : card[`${when}MultiScheduleSlots`];
  return html`<time datetime="${start}">${text}</time>${hasMore === true ? ' and other times' : ''}`;
}

/** `Fri 1 May, 19:00`: the wall time that is written there, read and shown as UTC so that nothing converts it. */
export function dateText(time: string, language: string, year: string): string {
  return new Intl.DateTimeFormat(language, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(time.startsWith(year) ? {} : { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
  }).format(new Date(`${time.slice(0, 19)}Z`));
}

/** Sold out, paused, free, from a price, or no price yet: 0 is free, null is no price. */
function saleText({ soldOut, paused, priceFrom }: ProductCard, { currency, language }: CardOptions): string {
  if (soldOut) return 'Sold out';
  if (paused) return 'Sales are paused';
  if (priceFrom === null) return 'Not on sale yet';
  if (priceFrom === 0) return 'Free';
  const style = currency === null ? {} : ({ style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const);
  const format = new Intl.NumberFormat(language, { ...style, trailingZeroDisplay: 'stripIfInteger' });
  return `from ${format.format(priceFrom)}`;
}
