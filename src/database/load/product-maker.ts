// Makes products of their rows and of the rows that refer to them. Bad rows become findings and
// mark their product bad.

import type { Exclusion, Image, Product, Venue } from '../../catalogue/product.ts';
import type { Taxonomy } from '../../catalogue/taxonomy.ts';
import { sessionsOf } from './load-sessions.ts';
import type { LoadedTaxonomy } from './load-taxonomy.ts';
import {
  BADGE_LINK,
  CATEGORY_LINK,
  EXCLUSION,
  GROUP_LINK,
  IMAGE,
  PRODUCT,
  TAG_LINK,
  type ChildTable,
  type RowsRead,
} from './product-queries.ts';
import { dangling, findingOf, parseId, repeated, type FindingLog } from '../contract/row-checker.ts';
import { pauseFinding } from '../contract/row-rules.ts';
import { periodOf } from '../contract/values.ts';

/** What a product's rows refer to, loaded before. */
export interface ProductContext {
  readonly positions: LoadedTaxonomy['positions'];
  readonly venues: ReadonlyMap<number, Venue | null>;
  /** Products that a front to be built shows; the others are skipped. */
  readonly wantedIds: { has(id: number): boolean };
  /** Version of the time-zone rules, for the drift warning. */
  readonly tzdata: string;
  /**
   * Tables without reliable foreign keys, such as views: the references of their sessions and price
   * tiers are checked here.
   */
  readonly withoutForeignKeys: ReadonlySet<string>;
  /** `all` also gives products that are not published their sessions. */
  readonly rowsRead: RowsRead;
}

type Rows = readonly (readonly unknown[])[];

/** Rows that refer to products, by product id. */
export interface ReferringRows {
  readonly children: (table: ChildTable, productId: number) => unknown[][];
  /** front_id, session_id, and the session's status. */
  readonly exclusions: (productId: number) => Rows;
}

/** Remembers the products that it has seen, to find what a view gives twice. */
export class ProductMaker {
  readonly #context: ProductContext;
  readonly #ids = new Set<unknown>();
  readonly #slugs = new Set<string>();

  constructor(context: ProductContext) {
    this.#context = context;
  }

  /** The product of a row of `productQuery`; null where it is bad or not wanted. */
  productOf(row: unknown[], referring: ReferringRows, log: FindingLog): Product | null {
    const isRepeated = this.#ids.has(row[0]);
    this.#ids.add(row[0]);
    if (!PRODUCT.check(row, log, { productId: parseId(row[0]) })) return null;
    const [id, slug, name, ageRating, saleSchema, pushka, paused, pausedUntil, imageId, status] = row;
    if (isRepeated || this.#slugs.has(slug)) {
      const message = `expected a unique id and slug, found ${id} or "${slug}" twice`;
      log.add([findingOf('error', 'duplicate-key', PRODUCT.locationOf(row), message)], { productId: id });
      return null;
    }
    this.#slugs.add(slug);
    const pauseProblem = pauseFinding(() => PRODUCT.locationOf(row), paused, pausedUntil);
    if (pauseProblem !== null) {
      log.add([pauseProblem], { productId: id });
      return null;
    }
    if (!this.#context.wantedIds.has(id)) return null;
    const isPublished = status === 'published';
    const image = imageOf(row, id, imageId, log);
    const rows = (table: ChildTable) => referring.children(table, id);
    const hasSessions = isPublished || this.#context.rowsRead === 'all';
    return {
      id,
      slug,
      name,
      ageRating,
      saleSchema,
      isPushka: pushka === 1,
      // A pause without an end lasts until Infinity.
      pausedUntil: paused === 0 ? Number.NEGATIVE_INFINITY : periodOf(null, pausedUntil).until,
      isPublished,
      image,
      ...this.#taxonomyOf(id, rows, log),
      sessions: hasSessions ? sessionsOf(id, rows('sessions'), rows('price_tiers'), this.#context, log) : [],
      exclusions: exclusionsOf(id, referring.exclusions(id), log),
      sessionsTotal: 0,
      scheduledTotal: 0,
    };
  }

  /** The elements of the taxonomy that a product is linked to. */
  #taxonomyOf(
    productId: number,
    rows: (table: ChildTable) => Rows,
    log: FindingLog,
  ): Pick<Product, 'groups' | 'badges' | 'categories' | 'tags'> {
    const { positions } = this.#context;
    const links = <R extends readonly unknown[]>(checker: LinkChecker<R>, parent: keyof Taxonomy) =>
      linksOf(checker, rows(`product_${parent}`), { parent, positions: positions[parent] }, { productId, log });
    const groups = links(GROUP_LINK, 'groups');
    const badges = links(BADGE_LINK, 'badges');
    return {
      groups: groups
        .map(({ position, row: [, , sortWeight] }) => ({ group: position, sortWeight }))
        .sort((a, b) => a.group - b.group),
      badges: badges
        .map(({ position, row: [, , from, until] }) => ({ badge: position, valid: periodOf(from, until) }))
        .sort((a, b) => a.badge - b.badge),
      categories: positionsOf(links(CATEGORY_LINK, 'categories')),
      tags: positionsOf(links(TAG_LINK, 'tags')),
    };
  }
}

/** In order: databases give links in any. */
function positionsOf(links: readonly { readonly position: number }[]): readonly number[] {
  return links.map(({ position }) => position).sort((a, b) => a - b);
}

function imageOf(row: readonly unknown[], productId: number, imageId: number | null, log: FindingLog): Image | null {
  if (imageId === null) return null;
  const imageRow = row.slice(PRODUCT.columns.length);
  if (imageRow[0] === null) {
    log.add([dangling(PRODUCT.locationOf(row), 'image_id', 'images', imageId)], { productId });
    return null;
  }
  if (!IMAGE.check(imageRow, log, { productId })) return null;
  const [, url, altText, copyright, copyrightUrl] = imageRow;
  return { url, altText, copyright, copyrightUrl };
}

function exclusionsOf(productId: number, rows: Rows, log: FindingLog): ReadonlyMap<number, Exclusion> {
  const exclusions = new Map<number, { sessionIds: Set<number>; scheduledTotal: number }>();
  for (const [frontId, sessionId, status] of rows) {
    const row = [frontId, sessionId];
    if (!EXCLUSION.check(row, log, { productId })) continue;
    const exclusion = exclusions.get(row[0]) ?? { sessionIds: new Set(), scheduledTotal: 0 };
    exclusion.sessionIds.add(row[1]);
    if (status === 'scheduled') exclusion.scheduledTotal += 1;
    exclusions.set(row[0], exclusion);
  }
  return exclusions;
}

/**
 * Checks rows of a table that links products to elements of another; the element's id is in the
 * second column.
 */
interface LinkChecker<R extends readonly unknown[]> extends Pick<typeof PRODUCT, 'locationOf'> {
  check(row: readonly unknown[], log: FindingLog, concerns: { readonly productId: number }): row is R;
  readonly columns: readonly string[];
}

/**
 * A table of the taxonomy, with the positions of its elements by id; null for those whose row is
 * bad.
 */
interface Elements {
  readonly parent: keyof Taxonomy;
  readonly positions: ReadonlyMap<number, number | null>;
}

/** The good rows among those that link a product to elements, with the elements' positions. */
function linksOf<R extends readonly unknown[]>(
  checker: LinkChecker<R>,
  rows: Rows,
  { parent, positions }: Elements,
  { productId, log }: { readonly productId: number; readonly log: FindingLog },
): { readonly position: number; readonly row: R }[] {
  const links: { position: number; row: R }[] = [];
  for (const row of rows) {
    if (!checker.check(row, log, { productId })) continue;
    const id = Number(row[1]);
    const position = positions.get(id);
    if (position === undefined)
      log.add([dangling(checker.locationOf(row), checker.columns[1] ?? '', parent, id)], { productId });
    // The element's own row has a finding. A tag or badge is on every front of the product;
    // categories and groups only on fronts that attach them, which loadFronts holds back.
    else if (position === null && (parent === 'tags' || parent === 'badges')) log.badProductIds.add(productId);
    else if (position !== null && links.some((link) => link.position === position)) {
      log.add([repeated(checker.locationOf(row))], { productId });
    } else if (position !== null) links.push({ position, row });
  }
  return links;
}
