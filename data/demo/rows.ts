// Turns the tables of this folder into the rows of a catalogue, with sessions spread around `now`.
// Uses no clock and no randomness: the same `now` gives the same rows. Does not validate rows; the
// database does.

import { DateTime } from 'luxon';
import {
  add,
  addNamed,
  addNumbered,
  idOf,
  idsOf,
  newBook,
  rowsOf,
  words,
  type Book,
  type Row,
  type Table,
} from './book.ts';
import { fronts } from './fronts.ts';
import { instant, instantOf } from './moment.ts';
import { hash, startsOf } from './schedule.ts';
import { schedules } from './schedules.ts';
import type { Currency, PriceList, Product, Season, Section, Shared, TextKind } from './season.ts';
import { seasons } from './seasons.ts';

const TEXT_TABLES = [
  ['product', 'products'],
  ['venue', 'venues'],
  ['image', 'images'],
  ['category', 'categories'],
  ['group', 'groups'],
  ['tag', 'tags'],
  ['badge', 'badges'],
] as const satisfies readonly (readonly [TextKind, Table])[];

/** A product of data/demo with the defaults of its section and season. */
interface Entry extends Omit<Section, 'products'>, Omit<Product, keyof Shared> {
  readonly season: Season;
  readonly timezone: string;
  readonly currency: Currency;
  readonly weekendDays: string;
}

/**
 * Yields the rows of the demo catalogue as of `now` (`YYYY-MM-DDTHH:MM:SSZ`), parents before
 * children. Columns with their default value are left out.
 * @throws Error if data/demo refers to a name that does not exist
 */
export function* demoRows(now: string): Iterable<{ table: string; row: Row }> {
  const millis = Date.parse(now);
  if (Number.isNaN(millis) || instant(millis) !== now) {
    throw new Error(`now: expected YYYY-MM-DDTHH:MM:SSZ, found "${now}"`);
  }
  const book = newBook(millis);
  addFronts(book);
  for (const season of seasons) addTaxonomy(book, season);
  for (const season of seasons) addSeason(book, season);
  for (const [table, rows] of book.rows) for (const row of rows) yield { table, row };
}

/** The demo catalogue as of `now` as NDJSON for `playbill import`. Throws like demoRows. */
export function demoText(now: string): string {
  return Array.from(demoRows(now), (line) => `${JSON.stringify(line)}\n`).join('');
}

function addFronts(book: Book): void {
  for (const front of fronts) {
    const { code, name, timezone, locale, channel, dayStart, currency, exponent, weekend, minCards } = front;
    const id = addNamed(book, 'fronts', code, {
      code,
      name,
      timezone,
      locale,
      channel,
      day_starts_at: dayStart,
      currency,
      currency_exponent: exponent,
      weekend_days: weekend,
      status: front.disabled ? 'disabled' : undefined,
      min_cards: minCards,
    });
    for (const { keyid, alg, publicKey, secretRef, from, until, revoked } of front.keys ?? []) {
      add(book, 'front_keys', {
        keyid,
        front_id: id,
        alg,
        public_key: publicKey,
        secret_ref: secretRef,
        not_before: instantOf(from, timezone, book.now),
        not_after: instantOf(until, timezone, book.now),
        revoked_at: instantOf(revoked, timezone, book.now),
      });
    }
  }
}

/** Weights follow the order in data/demo, in steps of ten. */
function addTaxonomy(book: Book, season: Season): void {
  for (const [index, { slug, name, plural, fronts: codes }] of season.categories.entries()) {
    const category_id = addNamed(book, 'categories', slug, { slug, name_singular: name, name_plural: plural });
    for (const front_id of idsOf(book, 'fronts', codes ?? season.fronts)) {
      add(book, 'front_categories', { front_id, category_id, sort_weight: index * 10 || undefined });
    }
  }
  for (const [index, { slug, name, cardType, fronts: codes }] of season.groups.entries()) {
    const group_id = addNamed(book, 'groups', slug, { slug, name, card_type: cardType === 1 ? undefined : cardType });
    for (const front_id of idsOf(book, 'fronts', codes ?? season.fronts)) {
      add(book, 'front_groups', { front_id, group_id, sort_weight: index * 10 || undefined });
    }
  }
  for (const [index, { slug, name }] of season.tags.entries()) {
    addNamed(book, 'tags', slug, { slug, name, sort_weight: index * 10 || undefined });
  }
  for (const [index, { slug, name, color, rule, below }] of season.badges.entries()) {
    const sort_weight = index * 10 || undefined;
    addNamed(book, 'badges', slug, { slug, name, color, sort_weight, rule, rule_below: below });
  }
}

function addSeason(book: Book, season: Season): void {
  const home = fronts.find(({ code }) => code === words(season.fronts)[0]);
  if (!home) throw new Error(`unknown front in "${season.fronts}"`);
  const { timezone, currency, weekend: weekendDays = '67' } = home;
  for (const [key, venue] of Object.entries(season.venues)) {
    addNamed(book, 'venues', key, {
      name: venue.name,
      timezone: venue.timezone === undefined ? timezone : venue.timezone,
      city: venue.city,
    });
  }
  for (const { products, ...shared } of season.sections) {
    for (const product of products) {
      const entry = { fronts: season.fronts, ...shared, ...product, season, timezone, currency, weekendDays };
      addProduct(book, entry);
      attachToFronts(book, entry);
      attachTerms(book, entry);
      addTiers(book, entry, entry.prices);
      addSessions(book, entry);
    }
  }
  addTexts(book, season);
}

function addTexts(book: Book, { texts = {} }: Season): void {
  for (const [locale, kinds] of Object.entries(texts)) {
    for (const [kind, table] of TEXT_TABLES) {
      for (const [name, fields] of Object.entries(kinds[kind] ?? {})) {
        const id = String(idOf(book, table, name));
        for (const [field, text] of Object.entries(fields)) add(book, 'texts', { kind, id, locale, field, text });
      }
    }
  }
}

function addProduct(book: Book, entry: Entry): void {
  const { slug, name, image, alt, paused, season } = entry;
  if (image === undefined) {
    // One picture in eight has no credit.
    const [copyright, copyright_url] =
      hash(slug) % 8 === 0 ? [] : (season.credits[hash(slug) % season.credits.length] ?? []);
    addNamed(book, 'images', slug, {
      url: `https://images.example/${words(season.fronts)[0]}/${slug}.jpg`,
      alt_text: alt?.replace('{}', name),
      copyright,
      copyright_url,
    });
  }
  addNamed(book, 'products', slug, {
    slug,
    name,
    age_rating: entry.age || undefined,
    sale_schema: entry.sale === 2 ? undefined : entry.sale,
    pushka: entry.pushka,
    paused: paused !== undefined,
    paused_until: instantOf(paused === true ? undefined : paused, entry.timezone, book.now),
    image_id: image === null ? undefined : idOf(book, 'images', image?.of ?? slug),
    status: entry.status,
  });
}

function attachToFronts(book: Book, { slug, fronts: sellers, featured, banner, on = {}, timezone }: Entry): void {
  const unknown = words([featured, banner, ...Object.keys(on)].join(' ')).filter(
    (code) => !words(sellers).includes(code),
  );
  if (unknown.length > 0) throw new Error(`${slug} is not sold on ${unknown.join(', ')}`);
  for (const code of words(sellers)) {
    const { paused, weight, from, until } = on[code] ?? {};
    add(book, 'front_products', {
      front_id: idOf(book, 'fronts', code),
      product_id: idOf(book, 'products', slug),
      featured: words(featured).includes(code),
      banner: words(banner).includes(code),
      paused,
      sort_weight: weight,
      visible_from: instantOf(from, timezone, book.now),
      visible_until: instantOf(until, timezone, book.now),
    });
  }
}

/** Products are ordered within a group as in data/demo. */
function attachTerms(book: Book, entry: Entry): void {
  const product_id = idOf(book, 'products', entry.slug);
  for (const category_id of idsOf(book, 'categories', entry.categories)) {
    add(book, 'product_categories', { product_id, category_id });
  }
  for (const group_id of idsOf(book, 'groups', entry.groups)) {
    const before = rowsOf(book, 'product_groups').filter((row) => row['group_id'] === group_id).length;
    add(book, 'product_groups', { product_id, group_id, sort_weight: before + 1 });
  }
  for (const tag_id of idsOf(book, 'tags', entry.tags)) add(book, 'product_tags', { product_id, tag_id });
  for (const badge of entry.badges ?? []) {
    const [slug, from, until] = typeof badge === 'string' ? [badge] : badge;
    add(book, 'product_badges', {
      product_id,
      badge_id: idOf(book, 'badges', slug),
      valid_from: instantOf(from, entry.timezone, book.now),
      valid_until: instantOf(until, entry.timezone, book.now),
    });
  }
}

/** Adds a price list as the product's default tiers, or as the tiers of one session. */
function addTiers(book: Book, entry: Entry, prices: string | PriceList, session_id?: number): void {
  const list = typeof prices === 'string' ? entry.season.prices[prices] : prices;
  if (!list) throw new Error(`${entry.slug}: no such price list: ${JSON.stringify(prices)}`);
  for (const [name, price] of Object.entries(list)) {
    const offer = typeof price === 'object' && 'amount' in price ? price : { amount: price };
    const amounts = typeof offer.amount === 'object' ? offer.amount : { [entry.currency]: offer.amount };
    for (const [currency, amount] of Object.entries(amounts)) {
      const exponent = fronts.find((front) => front.currency === currency)?.exponent ?? 2;
      addNumbered(book, 'price_tiers', {
        product_id: idOf(book, 'products', entry.slug),
        session_id,
        name,
        channels: offer.channels,
        kind: offer.addon ? 'addon' : undefined,
        is_public: offer.hidden ? 0 : undefined,
        in_price_from: offer.aside ? 0 : undefined,
        amount_minor: Math.round(amount * 10 ** exponent),
        currency,
        available: offer.left,
        valid_from: instantOf(offer.from, entry.timezone, book.now),
        valid_until: instantOf(offer.until, entry.timezone, book.now),
      });
    }
  }
}

function addSessions(book: Book, entry: Entry): void {
  const { slug, season, timezone, weekendDays } = entry;
  const places = words(entry.venue).map((venue) => ({
    venue,
    timezone: entry.zone ?? season.venues[venue]?.timezone ?? timezone,
  }));
  let upcoming = 0;
  for (const start of startsOf(schedules[entry.plays], { slug, places, weekendDays }, book.now)) {
    const own = start.millis > book.now ? entry.sessions?.[upcoming++] : undefined;
    const change = { ...entry.sessions?.all, ...own };
    const { status, paused, available, allotted, movedBy, opens, announced, prices, excluded } = change;
    const day = DateTime.fromMillis(start.millis, { zone: start.timezone });
    const session_id = addNumbered(book, 'sessions', {
      product_id: idOf(book, 'products', slug),
      venue_id: idOf(book, 'venues', start.venue),
      ...start.columns,
      timezone: entry.zone,
      sales_start_at: instantOf(opens, timezone, book.now) ?? start.columns['sales_start_at'],
      status,
      previous_starts_at: movedBy && instant(day.minus({ days: movedBy }).toMillis()),
      visible_from: instantOf(announced, timezone, book.now),
      paused,
      available: available ?? start.columns['available'],
    });
    for (const front_id of idsOf(book, 'fronts', excluded)) {
      add(book, 'front_session_exclusions', { front_id, session_id });
    }
    for (const [code, left] of Object.entries(allotted ?? {})) {
      add(book, 'front_allocations', { front_id: idOf(book, 'fronts', code), session_id, available: left });
    }
    const list = prices ?? (start.isWeekend ? entry.weekendPrices : undefined);
    if (list) addTiers(book, entry, list, session_id);
  }
}
