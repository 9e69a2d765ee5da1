// A front's main page: a product document to HTML. Text of the catalogue is text, never markup; a null is spelled out or left out.

import type { Answer, Badge, Category, ProductCard, ProductsDocument } from 'playbill/client';
import { html, type Markup, webUrl } from './markup.ts';

export interface PageOptions {
  /** ISO 4217, for prices: the API has none, since a front has one. null: prices as plain numbers. */
  readonly currency: string | null;
  /** Language of the page, for prices. */
  readonly language: string;
}

/** The page of an answer. `isOld`: it was kept from before, because nobody answers just now. */
export function mainPage(answer: Answer<ProductsDocument>, isOld: boolean, options: PageOptions): Markup {
  const { productCards, categories, badges } = answer.document;
  const badgesBySlug = new Map(badges.map((badge) => [badge.slug, badge]));
  // Banners first; else the order of the document, which is the operator's.
  const cards = productCards.toSorted((a, b) => Number(b.banner) - Number(a.banner));
  const note =
    answer.isStale || isOld
      ? html`<p role="status">As of ${answer.asOf ?? 'earlier'}: this may have changed.</p>`
      : null;
  const isTimely = note === null;
  const list = cards.map((card) => cardMarkup(card, badgesBySlug, isTimely, options));
  return pageOf(
    options.language,
    html`${note}${navigation(categories)}
    ${
      list.length === 0
        ? html`<p>Nothing is on sale at the moment.</p>`
        : html`<ul class="cards">
            ${list}
          </ul>`
    }`,
  );
}

/** What a visitor sees when there is nothing to show. It does not say why: that is for the log. */
export function sorryPage(language: string): Markup {
  return pageOf(
    language,
    html`<p role="alert">The programme cannot be shown just now. Please try again in a minute.</p>`,
  );
}

function pageOf(language: string, body: Markup): Markup {
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Programme</title>
        <style>
          body {
            font:
              1rem/1.5 system-ui,
              sans-serif;
            margin: 1rem auto;
            max-width: 70rem;
            padding: 0 1rem;
          }
          .cards {
            display: grid;
            gap: 1rem;
            grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr));
            list-style: none;
            padding: 0;
          }
          .cards li {
            border: 1px solid #ccc;
            padding: 1rem;
          }
          .cards img {
            max-width: 100%;
          }
          nav ul {
            display: flex;
            flex-wrap: wrap;
            gap: 1rem;
            list-style: none;
            padding: 0;
          }
        </style>
      </head>
      <body>
        <main>
          <h1>Programme</h1>
          ${body}
        </main>
      </body>
    </html> `;
}

function navigation(categories: readonly Category[]): Markup | null {
  if (categories.length === 0) return null;
  const items = categories.map(({ slug, namePlural }) => html`<li><a href="/${slug}/">${namePlural}</a></li>`);
  return html`<nav aria-label="Categories">
    <ul>
      ${items}
    </ul>
  </nav>`;
}

function cardMarkup(
  card: ProductCard,
  badges: ReadonlyMap<string, Badge>,
  isTimely: boolean,
  options: PageOptions,
): Markup {
  const { name, slug, ageRating, inventoryItemName, multiInventoryItems } = card;
  const venue = multiInventoryItems ? `${inventoryItemName} and elsewhere` : inventoryItemName;
  return html`<li data-product="${card.productId}">
    ${imageMarkup(card)}
    <h2><a href="/product/${slug}/">${name}</a> <small>${ageRating}+</small></h2>
    <p>${card.badges.map((badge) => badgeMarkup(badges.get(badge)))}</p>
    <p>${isTimely ? whenText(card) : dateText(card)} · ${venue}</p>
    <p><strong>${saleText(card, options)}</strong></p>
  </li>`;
}

function imageMarkup({ imageUrl, altText, copyright, copyrightUrl }: ProductCard): Markup | null {
  const source = webUrl(imageUrl);
  if (source === null) return null;
  const link = webUrl(copyrightUrl);
  const credit =
    copyright === null ? null : link === null ? html`${copyright}` : html`<a href="${link}">${copyright}</a>`;
  return html`<figure>
    <img src="${source}" alt="${altText ?? ''}" loading="lazy" />
    ${credit === null ? null : html`<figcaption>${credit}</figcaption>`}
  </figure>`;
}

/** A badge's colour goes into a style, where escaping protects nothing: only #RRGGBB passes. */
function badgeMarkup(badge: Badge | undefined): Markup {
  if (badge === undefined) return html``;
  const colour = /^#[0-9A-Fa-f]{6}$/.test(badge.color) ? badge.color : '#777777';
  return html`<span style="border-bottom: 3px solid ${colour}">${badge.name}</span> `;
}

/** Today or tomorrow in words, else the date: with the wall time on the ticket, which needs no time zone to be shown. */
function whenText(card: ProductCard): string {
  const { todaySlot, todayMultiScheduleSlots, tomorrowSlot, tomorrowMultiScheduleSlots } = card;
  if (todaySlot !== null) return `today ${timeOf(todaySlot)}${todayMultiScheduleSlots === true ? ' and later' : ''}`;
  if (tomorrowSlot === null) return dateText(card);
  return `tomorrow ${timeOf(tomorrowSlot)}${tomorrowMultiScheduleSlots === true ? ' and later' : ''}`;
}

/** The nearest session by its date, which stays right when "today" has passed. */
function dateText({ nextScheduleSlot, multiScheduleSlots }: ProductCard): string {
  return `${nextScheduleSlot.slice(0, 10)} ${timeOf(nextScheduleSlot)}${multiScheduleSlots ? ' and other dates' : ''}`;
}

function timeOf(slot: string): string {
  return slot.slice(11, 16);
}

/** Sold out, paused, free, from a price, or no price yet: 0 is free, null is no price. */
function saleText({ soldOut, paused, priceFrom }: ProductCard, { currency, language }: PageOptions): string {
  if (soldOut) return 'Sold out';
  if (paused) return 'Sales are paused';
  if (priceFrom === null) return 'Not on sale yet';
  if (priceFrom === 0) return 'Free';
  const style = currency === null ? {} : ({ style: 'currency', currency } as const);
  return `from ${new Intl.NumberFormat(language, style).format(priceFrom)}`;
}
