// Small, nasty catalogues for properties: valid for the contract, but with instants crowded around
// `now`, mean zones, ties, awkward ids and awkward text. It judges nothing: what a document should
// say is not known here.

import type * as fc from 'fast-check';
import { DateTime } from 'luxon';
import { absence, rowsWithout, type Absence } from '../absences.ts';
import type { CatalogueRow } from '../catalogue.ts';
import { canLack, LACKED_TOGETHER } from './random-absences.ts';
import {
  catalogueDraft,
  PLACES,
  SESSIONS,
  TIERS,
  type CatalogueDraft,
  type FrontDraft,
  type ProductDraft,
  type SessionDraft,
  type TierDraft,
} from './random-drafts.ts';
import { resolveInstant, resolveNow, type InstantDraft } from './random-instants.ts';

/**
 * Rows in an order that foreign keys accept, and the instant around which their own instants lie.
 */
export interface RandomCatalogue {
  readonly rows: readonly CatalogueRow[];
  readonly now: string;
  /** Tables and columns that say nothing in these rows, so that a database may lack them. */
  readonly lacked: Absence;
}

/**
 * Which forms rows may have: those that the tables of data/schema.sql take; or such, or ids that are
 * all text; or any.
 */
export type RowForms = 'ours' | 'ours-or-text' | 'any';

/** What turns the descriptions of one draft into values: ids, instants and time zones. */
interface Resolver {
  /** Of what is published. */
  readonly id: (index: number) => number;
  /** Of fronts, venues, images and sessions. */
  readonly rowId: (index: number) => string | number;
  /** Null where it is left out. */
  readonly slug: (index: number) => string | null;
  readonly tierId: (index: number) => number | null;
  readonly at: (draft: InstantDraft | null) => string | null;
  readonly startsAt: (draft: InstantDraft) => string;
  readonly zone: (zone: string | null | undefined) => string;
  readonly hasSkipped: boolean;
}

/**
 * Catalogues of 1 to 4 fronts, 1 to 8 products and 0 to 12 sessions each. The fronts have the codes
 * `front-0`, `front-1`, …; the first is always active. With `hasSkipped` some sessions have only a
 * wall time that clocks skip, which is an error in their rows.
 */
export function catalogueArbitrary({
  hasSkipped = false,
  forms = 'any',
}: { readonly hasSkipped?: boolean; readonly forms?: RowForms } = {}): fc.Arbitrary<RandomCatalogue> {
  return catalogueDraft.map((draft) => {
    const now = resolveNow(draft.now);
    const rows = [...catalogueRows(inForms(draft, forms), now, hasSkipped)];
    const groups = draft.lacked.map((place) => LACKED_TOGETHER[place] ?? []);
    const lacked = absence([...new Set(groups.filter((names) => canLack(names, rows)).flat())]);
    return { rows: rowsWithout(lacked, 'default', rows), now, lacked };
  });
}

function inForms(draft: CatalogueDraft, forms: RowForms): CatalogueDraft {
  if (forms === 'any') return draft;
  if (forms === 'ours-or-text' && draft.ids !== 'integers') return { ...draft, ids: 'text' };
  return { ...draft, ids: 'integers', slugs: 'all', tierIds: 'all' };
}

/** Ids as text: like numbers, of pairs, with every kind of character; no two are equal. */
const ID_TEXTS: readonly ((number: number) => string)[] = [
  (number) => String(number),
  (number) => `A-${number}`,
  (number) => `${number}-${number % 7}`,
  (number) => `a-${number}`,
  (number) => `${number}'s "hall", \\ $HOME`,
  // The one comes first by code unit, the other by code point.
  (number) => `\u{1f3ad}${number}`,
  (number) => `\uffee${number}`,
  (number) => `Größe ${'x'.repeat(150)} ${number}`,
];

function rowIdOf({ ids, salt }: CatalogueDraft, number: number): string | number {
  const text = ID_TEXTS[(number + salt) % ID_TEXTS.length]?.(number) ?? '';
  return ids === 'integers' || (ids === 'mixed' && number % 2 === 0) ? number : text;
}

function* catalogueRows(draft: CatalogueDraft, now: string, hasSkipped: boolean): Generator<CatalogueRow> {
  const { moment } = draft.now;
  const startsAt = (instant: InstantDraft) => resolveInstant(instant, now, moment);
  // Scrambled, so that the order of ids is neither that of insertion nor that of their text; 37
  // and 997 are coprime.
  const id = (index: number): number => ((index * 37 + draft.salt) % 997) + 1;
  const isThere = (which: 'all' | 'none' | 'some', index: number): boolean =>
    which === 'all' || (which === 'some' && index % 2 === 0);
  const resolver: Resolver = {
    id,
    rowId: (index) => rowIdOf(draft, id(index)),
    slug: (index) => (isThere(draft.slugs, index) ? `product-${index}` : null),
    tierId: (index) => (isThere(draft.tierIds, index) ? id(index) : null),
    at: (instant) => (instant === null ? null : startsAt(instant)),
    startsAt,
    zone: (zone) => zone ?? moment.zone,
    hasSkipped,
  };
  for (const [f, front] of draft.fronts.entries()) yield frontRow(resolver, front, f);
  yield* placeRows(resolver, draft);
  for (const [f, front] of draft.fronts.entries()) yield* frontPlaceRows(resolver, front, f);
  for (const [p, product] of draft.products.entries()) yield* productRows(resolver, draft, product, p);
  yield* textRows(resolver, draft);
}

function frontRow({ rowId, zone }: Resolver, front: FrontDraft, f: number): CatalogueRow {
  return {
    table: 'fronts',
    row: {
      id: rowId(f),
      code: `front-${f}`,
      name: `Front ${f}`,
      timezone: zone(front.zone),
      locale: front.locale,
      channel: front.channel,
      day_starts_at: front.dayStartsAt,
      currency: front.currency,
      currency_exponent: front.exponent,
      weekend_days: front.weekendDays,
      status: front.disabled === 1 && f > 0 ? 'disabled' : 'active',
    },
  };
}

function* placeRows({ id, rowId, zone }: Resolver, draft: CatalogueDraft): Generator<CatalogueRow> {
  for (const k of PLACES) {
    const venue = draft.venues[k];
    const name = draft.names[k] ?? '';
    const sort_weight = draft.weights[k] ?? 0;
    const own = { id: id(k) };
    const named = { name: venue?.name ?? '', timezone: zone(venue?.zone), city: null };
    yield { table: 'venues', row: { id: rowId(k), ...named } };
    const credit = {
      alt_text: k === 0 ? null : name,
      copyright: name,
      copyright_url: k === 2 ? 'https://r.test/' : null,
    };
    yield { table: 'images', row: { id: rowId(k), url: `https://images.test/${k}.jpg?"${name}"`, ...credit } };
    yield {
      table: 'categories',
      row: {
        ...own,
        slug: `category-${k}`,
        name_singular: name,
        name_plural: draft.isSingular === 1 ? null : `${name}s`,
      },
    };
    yield { table: 'groups', row: { ...own, slug: `group-${k}`, name, card_type: k } };
    yield { table: 'tags', row: { ...own, slug: `tag-${k}`, name, sort_weight } };
    yield {
      table: 'badges',
      row: {
        ...own,
        slug: `badge-${k}`,
        name,
        color: `#a${k}B0c${k}`,
        sort_weight: -sort_weight,
        ...ruleOf(draft.rules[k] ?? null),
      },
    };
  }
}

function ruleOf(rule: number | string | null): { rule: string | null; rule_below: number | null } {
  return typeof rule === 'number' ? { rule: 'few-left', rule_below: rule } : { rule, rule_below: null };
}

const FIELDS = [
  ['product', 'name'],
  ['venue', 'name'],
  ['image', 'alt_text'],
  ['image', 'copyright'],
  ['category', 'name_singular'],
  ['category', 'name_plural'],
  ['group', 'name'],
  ['tag', 'name'],
  ['badge', 'name'],
] as const;

/** Texts of some things in some languages; each says what it is. */
function* textRows({ id, rowId }: Resolver, draft: CatalogueDraft): Generator<CatalogueRow> {
  const locales = ['de', 'DE-at', 'fr', 'fr-ca'];
  for (const [l, locale] of locales.entries()) {
    for (const k of PLACES) {
      const bits = draft.texts[l * PLACES.length + k] ?? 0;
      for (const [f, [kind, field]] of FIELDS.entries()) {
        if ((bits & (1 << (f % 8))) === 0) continue;
        const of = kind === 'venue' || kind === 'image' ? rowId(k) : id(k);
        yield { table: 'texts', row: { kind, id: String(of), locale, field, text: `${kind} ${k} "${locale}"` } };
      }
    }
  }
}

function* frontPlaceRows({ id, rowId }: Resolver, front: FrontDraft, f: number): Generator<CatalogueRow> {
  for (const k of PLACES) {
    const category = front.categories[k];
    const group = front.groups[k];
    const own = { front_id: rowId(f) };
    if (category !== null) {
      yield { table: 'front_categories', row: { ...own, category_id: id(k), sort_weight: category } };
    }
    if (group !== null) yield { table: 'front_groups', row: { ...own, group_id: id(k), sort_weight: group } };
  }
}

function* productRows(
  resolver: Resolver,
  draft: CatalogueDraft,
  product: ProductDraft,
  p: number,
): Generator<CatalogueRow> {
  const { id, rowId, at } = resolver;
  const product_id = id(p);
  yield {
    table: 'products',
    row: {
      id: product_id,
      slug: resolver.slug(p),
      name: product.name,
      age_rating: product.ageRating,
      sale_schema: product.saleSchema,
      pushka: product.pushka,
      paused: product.paused,
      paused_until: product.paused === 1 ? at(product.pausedUntil) : null,
      image_id: product.image === null ? null : rowId(product.image),
      status: product.status,
    },
  };
  for (const [f, attachment] of product.attachments.slice(0, draft.fronts.length).entries()) {
    if (attachment === null) continue;
    const { featured, banner, paused, weight: sort_weight, from, until } = attachment;
    const window = { visible_from: at(from), visible_until: at(until) };
    yield {
      table: 'front_products',
      row: { front_id: rowId(f), product_id, featured, banner, paused, sort_weight, ...window },
    };
  }
  for (const k of product.categories) yield { table: 'product_categories', row: { product_id, category_id: id(k) } };
  for (const k of product.tags) yield { table: 'product_tags', row: { product_id, tag_id: id(k) } };
  for (const k of PLACES) {
    const sort_weight = product.groups[k];
    if (sort_weight !== null) yield { table: 'product_groups', row: { product_id, group_id: id(k), sort_weight } };
  }
  for (const [k, { from, until }] of product.badges.entries()) {
    const window = { valid_from: at(from), valid_until: at(until) };
    yield { table: 'product_badges', row: { product_id, badge_id: id(k), ...window } };
  }
  const firstTier = p * (SESSIONS + 1) * TIERS;
  yield* tierRows(resolver, product_id, null, product.tiers, firstTier);
  for (const [s, session] of product.sessions.entries()) {
    const session_id = rowId(p * SESSIONS + s);
    yield sessionRow(resolver, draft, session, { id: session_id, product_id });
    yield* tierRows(resolver, product_id, session_id, session.tiers, firstTier + (s + 1) * TIERS);
    for (const f of session.excludedBy) {
      if (f < draft.fronts.length) yield { table: 'front_session_exclusions', row: { front_id: rowId(f), session_id } };
    }
    for (const [f, available] of session.allocated.entries()) {
      if (f < draft.fronts.length && available !== null)
        yield { table: 'front_allocations', row: { front_id: rowId(f), session_id, available } };
    }
  }
}

function sessionRow(
  { rowId, at, startsAt, zone, hasSkipped }: Resolver,
  draft: CatalogueDraft,
  session: SessionDraft,
  own: { readonly id: string | number; readonly product_id: number },
): CatalogueRow {
  const { local } = session;
  const isSkipped = local === 'drifted' && hasSkipped;
  const start = startsAt(isSkipped ? { base: 'clock-change', seconds: -1 } : session.startsAt);
  const zoneName = session.zone ?? zone(draft.venues[session.venue]?.zone);
  const wallTimeOf = (instant: string): DateTime =>
    DateTime.fromISO(instant, { zone: zoneName }).setZone('utc', { keepLocalTime: true });
  const wall = wallTimeOf(start);
  // A wall time that has drifted from the zone's rules is only a warning and must change nothing.
  // Without an instant, and beside a change of the clocks, it is one that they skip, if they are
  // put forward.
  const starts_local = local === 'drifted' ? wall.plus({ hours: 1 }) : wall;
  const timeOf = (instant: string | null): [instant: string | null, local: string | null] =>
    instant === null || session.isLocal === 0 ? [instant, null] : [null, textOf(wallTimeOf(instant))];
  const [sales_start_at, sales_start_local] = timeOf(at(session.salesStart));
  const [sales_end_at, sales_end_local] = timeOf(at(session.salesEnd));
  const [visible_from, visible_from_local] = timeOf(at(session.announced));
  const closes = session.daily === null || isSkipped ? null : closingTime(wall, session.daily, zoneName);
  const [ends_at, ends_local] = timeOf(closes ?? at(session.endsAt));
  return {
    table: 'sessions',
    row: {
      ...own,
      venue_id: rowId(session.venue),
      starts_at: local === 'alone' || isSkipped ? null : start,
      starts_local: local === 'none' ? null : textOf(starts_local),
      ends_at,
      ends_local,
      daily: closes === null ? 0 : 1,
      sales_start_at,
      sales_start_local,
      sales_end_at,
      sales_end_local,
      timezone: session.zone,
      status: session.status,
      previous_starts_at: at(session.previous),
      visible_from,
      visible_from_local,
      paused: session.paused,
      available: session.seats,
    },
  };
}

/** The end of the last date, if the day is long enough. */
function closingTime(
  wall: DateTime,
  { days, minutes }: NonNullable<SessionDraft['daily']>,
  zone: string,
): string | null {
  const closes = wall.plus({ minutes });
  if (closes.day !== wall.day) return null;
  const last = closes.plus({ days }).setZone(zone, { keepLocalTime: true });
  // Clocks may skip it.
  return last.hour * 60 + last.minute > wall.hour * 60 + wall.minute
    ? last.toUTC().toISO({ suppressMilliseconds: true })
    : null;
}

function textOf(wallTime: DateTime): string | null {
  return wallTime.toISO({ includeOffset: false, suppressMilliseconds: true });
}

function* tierRows(
  { tierId, at }: Resolver,
  product_id: number,
  session_id: string | number | null,
  tiers: readonly TierDraft[],
  firstIndex: number,
): Generator<CatalogueRow> {
  for (const [t, tier] of tiers.entries()) {
    yield {
      table: 'price_tiers',
      row: {
        id: tierId(firstIndex + t),
        product_id,
        session_id,
        name: '',
        channels: tier.channels,
        kind: tier.kind,
        is_public: tier.isPublic,
        in_price_from: tier.inPriceFrom,
        amount_minor: tier.amount,
        currency: tier.currency,
        available: tier.seats,
        valid_from: at(tier.from),
        valid_until: at(tier.until),
      },
    };
  }
}
