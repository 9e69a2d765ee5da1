// Renders a front's pages as HTML: the main page, with a tab for all products and for each day, in
// the operator's groups; and a page for each product. They need no script.

import { readFileSync } from 'node:fs';
import { html, raw } from 'hono/html';
import type { Answer, Category, ProductCard, ProductsDocument } from 'playbill-client';
import { type CardOptions, cardMarkup, dateText, type Html, productMarkup, startOf, type When } from './card.ts';
import type { Language } from './words.ts';

const STYLE = raw(readFileSync(new URL('page.css', import.meta.url), 'utf8'));
const TABS: readonly When[] = ['all', 'today', 'tomorrow', 'weekend'];

export type PageOptions = Pick<CardOptions, 'currency' | 'language'>;

/** An answer, and whether it is a kept one, because the edge does not answer now. */
export interface Shown extends Answer<ProductsDocument> {
  readonly isOld: boolean;
}

/** `tab`: the tab named in the address; any other text means all. */
export function mainPage(shown: Shown, tab: string | undefined, options: PageOptions): Html {
  const { document } = shown;
  const { words } = options.language;
  const cardOptions = optionsOf(shown, options);
  // An old answer does not know what "today" is: show only one tab.
  const tabs = TABS.filter((when) => cardOptions.isTimely || when === 'all');
  const when = tabs.find((one) => one === tab) ?? 'all';
  const sections = sectionsOf(document, when, options.language).filter(({ cards }) => cards.length > 0);
  return pageOf(
    options.language,
    words.programme,
    html`<h1>${words.programme}</h1>
      ${oldNotice(shown, cardOptions)} ${tabsMarkup(document.productCards, tabs, when, options.language)}
      ${sections.map((section) => sectionMarkup(section, { ...cardOptions, when }))}
      ${sections.length > 0 ? null : html`<p>${when === 'all' ? words.nothingNow : words.nothingThen}</p>`}
      ${categoriesMarkup(document.categories, options.language)}`,
  );
}

/** The page of the product with a slug; null if the document has none. */
export function productPage(shown: Shown, slug: string, options: PageOptions): Html | null {
  const card = shown.document.productCards.find((one) => one.slug === slug);
  if (card === undefined) return null;
  const cardOptions = optionsOf(shown, options);
  return pageOf(
    options.language,
    card.name,
    html`${oldNotice(shown, cardOptions)} ${productMarkup(card, cardOptions)}`,
  );
}

/** The page for an address that leads nowhere. */
export function unknownPage(language: Language): Html {
  const { programme, unknown, back } = language.words;
  return pageOf(
    language,
    programme,
    html`<p role="alert">${unknown}</p>
      <p><a href="/">${back}</a></p>`,
  );
}

/** The page if there is nothing to show. It does not say why: the log does. */
export function sorryPage(language: Language): Html {
  const { programme, sorry } = language.words;
  return pageOf(
    language,
    programme,
    html`<h1>${programme}</h1>
      <p role="alert">${sorry}</p>`,
  );
}

function optionsOf({ document, asOf, isStale, isOld }: Shown, options: PageOptions): CardOptions {
  const badges = new Map(document.badges.map((badge) => [badge.slug, badge]));
  return { ...options, when: 'all', isTimely: !isStale && !isOld, badges, year: asOf?.slice(0, 4) ?? 'unknown' };
}

function oldNotice({ asOf }: Shown, { isTimely, language, year }: CardOptions): Html | null {
  if (isTimely) return null;
  return html`<p role="status">${language.words.asOf(asOf === null ? null : dateText(asOf, language, year))}</p>`;
}

function pageOf({ tag, direction }: Language, title: string, body: Html): Html {
  return html`<!doctype html>
    <html lang="${tag}" dir="${direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <main>${body}</main>
      </body>
    </html> `;
}

interface Section {
  readonly title: string;
  readonly isWide: boolean;
  readonly cards: readonly ProductCard[];
}

/**
 * A day is sorted by instant, as venues may be in several zones. The whole programme has the operator's order: banners, groups by weight,
 * then cards without a group.
 */
function sectionsOf({ productCards, groups }: ProductsDocument, when: When, { words }: Language): Section[] {
  if (when !== 'all') {
    const startMs = (card: ProductCard) => Date.parse(startOf(card, when) ?? '');
    const cards = productCards
      .filter((card) => startOf(card, when) !== null)
      .toSorted((a, b) => startMs(a) - startMs(b));
    return [{ title: words[when], isWide: false, cards }];
  }
  const grouped = groups.map(({ slug, name, cardType }): Section => {
    const weightOf = (card: ProductCard) => card.groups.find((group) => group.slug === slug)?.sortWeight ?? null;
    const cards = productCards.filter((card) => weightOf(card) !== null);
    const sorted = cards.toSorted((a, b) => (weightOf(a) ?? 0) - (weightOf(b) ?? 0));
    return { title: name, isWide: cardType !== 1, cards: sorted };
  });
  return [
    { title: words.highlights, isWide: true, cards: productCards.filter(({ banner }) => banner) },
    ...grouped,
    {
      title: groups.length === 0 ? words.all : words.more,
      isWide: false,
      cards: productCards.filter((card) => !card.banner && card.groups.length === 0),
    },
  ];
}

function sectionMarkup({ title, isWide, cards }: Section, options: CardOptions): Html {
  return html`<h2><bdi>${title}</bdi></h2>
    <ul class="cards ${isWide ? 'wide' : ''}">
      ${cards.map((card) => cardMarkup(card, options))}
    </ul>`;
}

/** Tabs are links, so that they can be shared and the back button works. */
function tabsMarkup(cards: readonly ProductCard[], tabs: readonly When[], current: When, { words }: Language) {
  if (cards.length === 0 || tabs.length === 1) return null;
  const items = tabs.map((when) => {
    const count = cards.filter((card) => startOf(card, when) !== null).length;
    const state = when === current ? raw('aria-current="page"') : null;
    return html`<a href="/?when=${when}" ${state}>${words[when]} <small>${count}</small></a> `;
  });
  return html`<nav class="tabs" aria-label="${words.when}">${items}</nav>`;
}

/** Not as links: a card does not say which categories it has. */
function categoriesMarkup(categories: readonly Category[], { words }: Language): Html | null {
  if (categories.length === 0) return null;
  const items = categories.map(({ namePlural }) => html`<li><bdi>${namePlural}</bdi></li> `);
  return html`<h2>${words.categories}</h2>
    <ul class="categories">
      ${items}
    </ul>`;
}
