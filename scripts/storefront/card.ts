// Renders a product card as HTML: picture, badges, session, venue, price. Text is escaped; nulls
// are left out or get a text.

import { html } from 'hono/html';
import type { Badge, ProductCard } from 'playbill-client';
import type { Language } from './words.ts';

/** HTML in which every value has been escaped. */
export type Html = ReturnType<typeof html>;

/** The part of the programme to show. */
export type When = 'all' | 'today' | 'tomorrow' | 'weekend';

export interface CardOptions {
  readonly when: When;
  /** Dates in this year are shown without it. */
  readonly year: string;
  /** Whether words such as "today" may be used: not if the answer is old. */
  readonly isTimely: boolean;
  readonly badges: ReadonlyMap<string, Badge>;
  /**
   * The front's currency, ISO 4217; documents do not contain it. null shows prices as plain
   * numbers.
   */
  readonly currency: string | null;
  readonly language: Language;
}

/**
 * The start of the card's session in this part of the programme, as printed on the ticket; null if
 * there is none.
 */
export function startOf(card: ProductCard, when: When): string | null {
  return when === 'all' ? card.nextScheduleSlot : card[`${when}Slot`];
}

/** A card in a list; its name leads to its own page. */
export function cardMarkup(card: ProductCard, options: CardOptions): Html {
  const { name, slug, ageRating, soldOut, paused } = card;
  return html`<li data-product="${card.productId}" class="${soldOut || paused ? 'closed' : 'open'}">
    ${pictureMarkup(card)}
    <h3>
      <a href="/product/${encodeURIComponent(slug)}/"><bdi>${name}</bdi></a
      >&nbsp;<small>${ageRating}+</small>
    </h3>
    ${badgesMarkup(card, options)} ${saleMarkup(card, [options.when], options)}
  </li>`;
}

/** A page about a product: all that the document says of it. */
export function productMarkup(card: ProductCard, options: CardOptions): Html {
  const days = (['today', 'tomorrow', 'weekend'] as const).filter((when) => options.isTimely && startOf(card, when));
  const { words } = options.language;
  return html`<article data-product="${card.productId}" class="wide ${card.soldOut || card.paused ? 'closed' : 'open'}">
    <h1><bdi>${card.name}</bdi>&nbsp;<small>${card.ageRating}+</small></h1>
    ${pictureMarkup(card)} ${badgesMarkup(card, options)} ${saleMarkup(card, ['all', ...days], options)}
    <p><a href="/">${words.back}</a></p>
  </article>`;
}

function badgesMarkup(card: ProductCard, { badges }: CardOptions): Html | null {
  const shown = card.badges.flatMap((badge) => badges.get(badge) ?? []);
  return shown.length === 0 ? null : html`<p class="badges">${shown.map((badge) => badgeMarkup(badge))}</p>`;
}

/** When, where and for how much. */
function saleMarkup(card: ProductCard, parts: readonly When[], options: CardOptions): Html {
  const { words } = options.language;
  return html`<p>
      ${parts.map((when) => html`${whenMarkup(card, { ...options, when })}<br />`)}<bdi>${card.inventoryItemName}</bdi>${card.multiInventoryItems ? words.elsewhere : ''}
    </p>
    <p><strong>${saleText(card, options)}</strong></p>`;
}

/**
 * Until the picture is loaded, or if there is none, the style draws a curtain in a colour that
 * depends on the product.
 */
function pictureMarkup({ productId, imageUrl, altText, copyright, copyrightUrl }: ProductCard): Html {
  const [source, link] = [webUrl(imageUrl), webUrl(copyrightUrl)];
  const credit = link === null ? html`${copyright}` : html`<a href="${link}">${copyright}</a>`;
  return html`<figure style="--hue: ${(productId * 137) % 360}">
    ${source === null ? null : html`<img src="${source}" alt="${altText ?? ''}" loading="lazy" />`}
    ${source === null || copyright === null ? null : html`<figcaption>${credit}</figcaption>`}
  </figure>`;
}

/** A URL that is safe in href or src: http or https, not `javascript:`. null for any other. */
export function webUrl(url: string | null): string | null {
  return url !== null && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? url : null;
}

/** The colour goes into a style, where escaping does not help: accept only #RRGGBB. */
function badgeMarkup(badge: Badge): Html {
  const colour = /^#[0-9A-Fa-f]{6}$/.test(badge.color) ? badge.color : '#777777';
  return html`<span style="background: ${colour}; color: ${readableOn(colour)}"><bdi>${badge.name}</bdi></span> `;
}

/**
 * Black or white, whichever is more readable on `#RRGGBB`: the limit is a relative luminance of
 * 0.179 (WCAG 2.2).
 */
function readableOn(colour: string): '#000' | '#fff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff';
}

/** "today" or "tomorrow" with the time, otherwise the date; and whether there are more sessions. */
function whenMarkup(card: ProductCard, { when, isTimely, language, year }: CardOptions): Html {
  const { words } = language;
  const start = startOf(card, when) ?? card.nextScheduleSlot;
  const days = { [card.tomorrowSlot ?? '']: words.tomorrow, [card.todaySlot ?? '']: words.today };
  const day = isTimely && when !== 'weekend' ? days[start] : undefined;
  const text = day === undefined ? dateText(start, language, year) : `${day} ${start.slice(11, 16)}`;
  const hasMore = when === 'all' ? card.multiScheduleSlots : card[`${when}MultiScheduleSlots`];
  return html`<time datetime="${start}">${text}</time>${hasMore === true ? words.otherTimes : ''}`;
}

/** `Fri 1 May, 19:00`. Parses and formats the wall time as UTC, so that it is not converted. */
export function dateText(time: string, { tag }: Language, year: string): string {
  return new Intl.DateTimeFormat(tag, {
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

/**
 * The state of sales or the price. 0 is free. null does not say why there is none: it may not be on
 * sale yet, or never have a price.
 */
function saleText({ soldOut, paused, priceFrom }: ProductCard, { currency, language }: CardOptions): string {
  const { tag, words } = language;
  if (soldOut) return words.soldOut;
  if (paused) return words.paused;
  if (priceFrom === null) return words.noPrice;
  if (priceFrom === 0) return words.free;
  const style = currency === null ? {} : ({ style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const);
  const format = new Intl.NumberFormat(tag, { ...style, trailingZeroDisplay: 'stripIfInteger' });
  return words.from(format.format(priceFrom));
}
