// Renders a front's main page as HTML: a tab for all products and for each day, in the operator's
// groups. Needs no script.

import { readFileSync } from 'node:fs';
import type { Answer, Category, ProductCard, ProductsDocument } from 'playbill-client';
import { type CardOptions, cardMarkup, dateText, startOf, type When } from './card.ts';
import { html, Markup } from './markup.ts';

const STYLE = new Markup(readFileSync(new URL('page.css', import.meta.url), 'utf8'));
const TABS: Readonly<Record<When, string>> = {
  all: 'All',
  today: 'Today',
  tomorrow: 'Tomorrow',
  weekend: 'Weekend',
};

export interface PageOptions extends Pick<CardOptions, 'currency' | 'language'> {
  /** The tab named in the address; any other text means all. */
  readonly tab: string | null;
}

/** `isOld`: the answer is a kept one, because the edge does not answer now. */
export function mainPage({ document, asOf, isStale }: Answer<ProductsDocument>, isOld: boolean, options: PageOptions) {
  const { currency, language } = options;
  const isTimely = !isStale && !isOld;
  // An old answer does not know what "today" is: show only one tab.
  const tabs = (Object.keys(TABS) as When[]).filter((when) => isTimely || when === 'all');
  const when = tabs.find((tab) => tab === options.tab) ?? 'all';
  const badges = new Map(document.badges.map((badge) => [badge.slug, badge]));
  const year = asOf?.slice(0, 4) ?? 'unknown';
  const cardOptions: CardOptions = { when, isTimely, badges, currency, language, year };
  const sections = sectionsOf(document, when).filter(({ cards }) => cards.length > 0);
  const asOfText = asOf === null ? 'earlier' : `${dateText(asOf, language, year)} UTC`;
  return pageOf(
    language,
    html`${isTimely ? null : html`<p role="status">As of ${asOfText}: this may have changed.</p>`}
    ${tabsMarkup(document.productCards, tabs, when)} ${sections.map((section) => sectionMarkup(section, cardOptions))}
    ${sections.length > 0 ? null : html`<p>Nothing is on sale ${when === 'all' ? 'at the moment' : 'then'}.</p>`}
    ${categoriesMarkup(document.categories)}`,
  );
}

/** The page if there is nothing to show. It does not say why: the log does. */
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
        <meta name="color-scheme" content="light dark" />
        <title>Programme</title>
        <style>
          ${STYLE}
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

interface Section {
  readonly title: string;
  readonly isWide: boolean;
  readonly cards: readonly ProductCard[];
}

/**
 * A day is sorted by instant, as venues may be in several zones. The whole programme has the operator's order: banners, groups by weight,
 * then cards without a group.
 */
function sectionsOf({ productCards, groups }: ProductsDocument, when: When): Section[] {
  if (when !== 'all') {
    const startMs = (card: ProductCard) => Date.parse(startOf(card, when) ?? '');
    const cards = productCards
      .filter((card) => startOf(card, when) !== null)
      .toSorted((a, b) => startMs(a) - startMs(b));
    return [{ title: TABS[when], isWide: false, cards }];
  }
  const grouped = groups.map(({ slug, name, cardType }): Section => {
    const weightOf = (card: ProductCard) => card.groups.find((group) => group.slug === slug)?.sortWeight ?? null;
    const cards = productCards.filter((card) => weightOf(card) !== null);
    const sorted = cards.toSorted((a, b) => (weightOf(a) ?? 0) - (weightOf(b) ?? 0));
    return { title: name, isWide: cardType !== 1, cards: sorted };
  });
  return [
    { title: 'Highlights', isWide: true, cards: productCards.filter(({ banner }) => banner) },
    ...grouped,
    {
      title: groups.length === 0 ? TABS.all : 'More',
      isWide: false,
      cards: productCards.filter((card) => !card.banner && card.groups.length === 0),
    },
  ];
}

function sectionMarkup({ title, isWide, cards }: Section, options: CardOptions): Markup {
  return html`<h2><bdi>${title}</bdi></h2>
    <ul class="cards ${isWide ? 'wide' : ''}">
      ${cards.map((card) => cardMarkup(card, options))}
    </ul>`;
}

/** Tabs are links, so that they can be shared and the back button works. */
function tabsMarkup(cards: readonly ProductCard[], tabs: readonly When[], current: When): Markup | null {
  if (cards.length === 0 || tabs.length === 1) return null;
  const items = tabs.map((when) => {
    const count = cards.filter((card) => startOf(card, when) !== null).length;
    const state = when === current ? html`aria-current="page"` : null;
    return html`<a href="/?when=${when}" ${state}>${TABS[when]} <small>${count}</small></a> `;
  });
  return html`<nav aria-label="When">${items}</nav>`;
}

function categoriesMarkup(categories: readonly Category[]): Markup | null {
  if (categories.length === 0) return null;
  const items = categories.map(({ slug, namePlural }) => html`<a href="/${slug}/"><bdi>${namePlural}</bdi></a> `);
  return html`<h2>Categories</h2>
    <nav aria-label="Categories">${items}</nav>`;
}
