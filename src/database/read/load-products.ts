// Loads products and their child rows, range of ids by range, each table once for all fronts. Reads only what can matter: sessions
// that may still be sold after `now`, and of products that no front shows only their ids.

import type { Instant } from '../../catalogue/instant.ts';
import { isAnyOffered } from '../../catalogue/offer.ts';
import type { Exclusion, Image, Product, Venue } from '../../catalogue/product.ts';
import { groupedQuery, orphanIds, isIdBefore, rowsIn, strictTables, type IdRange } from './grouped-query.ts';
import { sessionsOf } from './load-sessions.ts';
import type { LoadedTaxonomy } from './load-taxonomy.ts';
import type { CatalogueReader } from '../open.ts';
import {
  BADGE_LINK,
  CATEGORY_LINK,
  CHILD_TABLES,
  childGrouping,
  CHILDREN,
  EXCLUSION,
  exclusionQuery,
  GROUP_LINK,
  IMAGE,
  PRODUCT,
  ORPHAN_TIERS,
  PRODUCT_IDS,
  productQuery,
  TAG_LINK,
  type ChildTable,
} from './product-queries.ts';
import { knownTables } from '../schema/query-builders.ts';
import { dangling, FindingLog, findingOf, parseId, repeated } from '../schema/row-checker.ts';
import { pauseFinding } from '../schema/row-rules.ts';
import { markUndecodable } from './undecodable-text.ts';
import { periodOf } from '../schema/values.ts';

/** What a product's rows refer to, loaded before. */
export interface ProductContext {
  readonly taxonomy: LoadedTaxonomy;
  readonly venues: ReadonlyMap<number, Venue | null>;
  /** Products that a front to be built shows; the others are skipped. */
  readonly wantedIds: { has(id: number): boolean };
  /** Version of the time-zone rules, for the drift warning. */
  readonly tzdata: string;
  /** Whether sessions or price tiers are views: what foreign keys hold in tables is then checked here. */
  readonly isReadingViews: boolean;
}

/** By table and product id: the product's rows as JSON (grouped-query.ts). */
type ChildRows = ReadonlyMap<ChildTable, ReadonlyMap<unknown, unknown>>;

/** Bounds the rows in memory at one time. Measured: 250 take 10 MB more, and are no faster. */
const PRODUCTS_PER_RANGE = 100;

/** The products that fronts show, by id. Bad rows become findings and mark their product bad. */
export class ProductLoad {
  readonly #reader: CatalogueReader;
  readonly #context: ProductContext;
  readonly #now: Instant;
  /** Of the current call. */
  #log = new FindingLog();
  /** Of the ranges read so far, to find what a view gives twice. */
  readonly #ids = new Set<unknown>();
  readonly #slugs = new Set<string>();
  /** By product: rows of front_id, session_id, and the session's status. */
  readonly #exclusions = new Map<number, unknown>();
  /** Those of sessions that do not exist, or have no product. */
  readonly #orphanExclusions: unknown[][] = [];
  #strict: ReadonlySet<string> | null = null;

  constructor(reader: CatalogueReader, context: ProductContext, now: Instant) {
    this.#reader = reader;
    this.#context = context;
    this.#now = now;
  }

  /** Ranges of ids, ascending, that together hold every product, and every child row without one. */
  async ranges(): Promise<readonly IdRange[]> {
    const ids = (await this.#reader.rows(PRODUCT_IDS)).map(([id]) => id);
    const ends: number[] = [];
    for (let i = PRODUCTS_PER_RANGE - 1; i < ids.length - 1; i += PRODUCTS_PER_RANGE) {
      const id = ids[i];
      if (typeof id === 'number' && id !== ends.at(-1)) ends.push(id);
    }
    return [...ends, null].map((upTo, i) => ({ after: ends[i - 1] ?? null, upTo }));
  }

  /** Ids of all products, bad ones and those not wanted included: what other tables may refer to. */
  async knownIds(): Promise<ReadonlySet<number>> {
    const rows = await this.#reader.rows(PRODUCT_IDS);
    return new Set(rows.flatMap(([id]) => (typeof id === 'number' ? [id] : [])));
  }

  /** The wanted products of a range, in any order, each made when asked for. Child rows without one are reported with their ids' range. */
  async *products(range: IdRange, log: FindingLog): AsyncGenerator<Product, undefined> {
    this.#log = log;
    await this.#prepare();
    const children = new Map<ChildTable, ReadonlyMap<unknown, unknown>>();
    for (const table of CHILD_TABLES) children.set(table, new Map(await this.#groups(table, range)));
    const rows = await this.#reader.rows(productQuery(range));
    await markUndecodable(this.#reader, PRODUCT, rows);
    await markUndecodable(this.#reader, IMAGE, rows, PRODUCT.columns.length);
    const knownIds = new Set(rows.map(([id]) => id).filter((id) => typeof id === 'number'));
    const orphans = orphanIds(children.values(), knownIds);
    const counted: Product[] = [];
    // In the order of ids, orphans included: findings do not depend on where ranges begin and end.
    let next = 0;
    for (const row of rows) {
      for (; next < orphans.length && isIdBefore(orphans[next], row[0]); next++) {
        this.#noteOrphansOf(orphans[next], children);
      }
      const product = this.#productOf(row, children);
      if (product === null) continue;
      if (this.#isCounted(product)) counted.push(product);
      else yield product;
    }
    for (; next < orphans.length; next++) this.#noteOrphansOf(orphans[next], children);
    if (counted.length > 0) yield* await this.#withTotals(counted);
  }

  /** What all ranges need. */
  async #prepare(): Promise<void> {
    if (this.#strict !== null) return;
    this.#strict = await strictTables(this.#reader);
    await this.#loadExclusions();
  }

  async #groups(table: ChildTable, range: IdRange | 'null'): Promise<[unknown, unknown][]> {
    const isStrict = this.#strict?.has(table) === true;
    const query = groupedQuery(childGrouping(table, this.#now), range, isStrict);
    return (await this.#reader.rows(query)).map(([id, json]) => [id, json]);
  }

  /** Reports what concerns no range: rows without a product id, exclusions and tiers without a session. */
  async noteOrphanRows(log: FindingLog): Promise<void> {
    this.#log = log;
    await this.#prepare();
    for (const table of CHILD_TABLES) {
      for (const [id, json] of await this.#groups(table, 'null')) this.#noteOrphans(table, id, json);
    }
    for (const [frontId, sessionId] of this.#orphanExclusions) {
      const place = EXCLUSION.placeOf([frontId, sessionId]);
      this.#log.add([dangling(place, 'session_id', 'sessions', sessionId)], { frontId: parseId(frontId) });
    }
    if (this.#context.isReadingViews) await this.#noteOrphanTiers();
  }

  #noteOrphansOf(productId: unknown, children: ChildRows): void {
    for (const [table, groups] of children) this.#noteOrphans(table, productId, groups.get(productId));
  }

  #noteOrphans(table: ChildTable, productId: unknown, json: unknown): void {
    for (const row of rowsIn(json)) {
      this.#log.add([dangling(CHILDREN[table].placeOf(row), 'product_id', 'products', productId)], {});
      const id = parseId(productId);
      if (id !== undefined) this.#log.badProductIds.add(id);
    }
  }

  /** Exclusions are few: all of them at once. */
  async #loadExclusions(): Promise<void> {
    const isStrict = ['front_session_exclusions', 'sessions'].every((table) => this.#strict?.has(table) === true);
    for (const [productId, json] of await this.#reader.rows(exclusionQuery(isStrict))) {
      if (typeof productId === 'number') this.#exclusions.set(productId, json);
      else for (const row of rowsIn(json)) this.#orphanExclusions.push(row);
    }
  }

  /** One product from its row and its child rows; null where it is bad or not wanted. */
  #productOf(row: readonly unknown[], children: ChildRows): Product | null {
    const isRepeated = this.#ids.has(row[0]);
    this.#ids.add(row[0]);
    if (!PRODUCT.check(row, this.#log, { productId: parseId(row[0]) })) return null;
    const [id, slug, name, ageRating, saleSchema, pushka, paused, pausedUntil, imageId, status] = row;
    if (isRepeated || this.#slugs.has(slug)) {
      const message = `expected a unique id and slug, found ${id} or "${slug}" twice`;
      this.#log.add([findingOf('error', 'duplicate-key', PRODUCT.placeOf(row), message)], { productId: id });
      return null;
    }
    this.#slugs.add(slug);
    const pauseProblem = pauseFinding(() => PRODUCT.placeOf(row), paused, pausedUntil);
    if (pauseProblem !== null) {
      this.#log.add([pauseProblem], { productId: id });
      return null;
    }
    if (!this.#context.wantedIds.has(id)) return null;
    const isPublished = status === 'published';
    const image = this.#imageOf(row, id, imageId);
    const { taxonomy } = this.#context;
    const rowsOf = (table: ChildTable): unknown[][] => rowsIn(children.get(table)?.get(id));
    const groups = this.#links(GROUP_LINK, rowsOf('product_groups'), taxonomy.groups, 'groups', id);
    const badges = this.#links(BADGE_LINK, rowsOf('product_badges'), taxonomy.badges, 'badges', id);
    const categories = this.#links(CATEGORY_LINK, rowsOf('product_categories'), taxonomy.categories, 'categories', id);
    const tags = this.#links(TAG_LINK, rowsOf('product_tags'), taxonomy.tags, 'tags', id);
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
      sessions: isPublished ? sessionsOf(id, rowsOf('sessions'), rowsOf('price_tiers'), this.#context, this.#log) : [],
      groups: groups
        .map(({ position, row: [, , sortWeight] }) => ({ group: position, sortWeight }))
        .sort((a, b) => a.group - b.group),
      badges: badges
        .map(({ position, row: [, , from, until] }) => ({ badge: position, valid: periodOf(from, until) }))
        .sort((a, b) => a.badge - b.badge),
      categories: categories.map(({ position }) => position),
      tags: tags.map(({ position }) => position),
      exclusions: this.#exclusionsOf(id, rowsIn(this.#exclusions.get(id))),
      sessionsTotal: 0,
      scheduledTotal: 0,
    };
  }

  #imageOf(row: readonly unknown[], productId: number, imageId: number | null): Image | null {
    if (imageId === null) return null;
    const imageRow = row.slice(PRODUCT.columns.length);
    if (imageRow[0] === null) {
      this.#log.add([dangling(PRODUCT.placeOf(row), 'image_id', 'images', imageId)], { productId });
      return null;
    }
    if (!IMAGE.check(imageRow, this.#log, { productId })) return null;
    const [, url, altText, copyright, copyrightUrl] = imageRow;
    return { url, altText, copyright, copyrightUrl };
  }

  #exclusionsOf(productId: number, rows: readonly unknown[][]): ReadonlyMap<number, Exclusion> {
    const exclusions = new Map<number, { sessionIds: Set<number>; scheduledTotal: number }>();
    for (const [frontId, sessionId, status] of rows) {
      const row = [frontId, sessionId];
      if (!EXCLUSION.check(row, this.#log, { productId })) continue;
      const exclusion = exclusions.get(row[0]) ?? { sessionIds: new Set(), scheduledTotal: 0 };
      exclusion.sessionIds.add(row[1]);
      if (status === 'scheduled') exclusion.scheduledTotal += 1;
      exclusions.set(row[0], exclusion);
    }
    return exclusions;
  }

  /** The rows that link a product to elements of the taxonomy, with the elements' positions. */
  #links<R extends readonly unknown[]>(
    checker: Pick<typeof PRODUCT, 'placeOf'> & {
      check(row: readonly unknown[], log: FindingLog, concerns: { readonly productId: number }): row is R;
      readonly columns: readonly string[];
    },
    rows: readonly unknown[][],
    positionOf: ReadonlyMap<number, number | null>,
    parent: string,
    productId: number,
  ): { readonly position: number; readonly row: R }[] {
    const links: { position: number; row: R }[] = [];
    for (const row of rows) {
      if (!checker.check(row, this.#log, { productId })) continue;
      const id = Number(row[1]);
      const position = positionOf.get(id);
      if (position === undefined)
        this.#log.add([dangling(checker.placeOf(row), checker.columns[1] ?? '', parent, id)], { productId });
      // The element's own row has a finding. A tag or badge is on every front of the product; categories and groups only on
      // fronts that attach them, which loadFronts holds back.
      else if (position === null && (parent === 'tags' || parent === 'badges')) this.#log.badProductIds.add(productId);
      else if (position !== null && links.some((link) => link.position === position)) {
        this.#log.add([repeated(checker.placeOf(row))], { productId });
      } else if (position !== null) links.push({ position, row });
    }
    return links;
  }

  /** Reports tiers of a session that is not the product's: without them it would be sold at the default prices. */
  async #noteOrphanTiers(): Promise<void> {
    for (const [productId, id, sessionId] of await this.#reader.rows(ORPHAN_TIERS)) {
      const finding = dangling(`price_tiers ${String(id)}`, 'session_id', 'sessions of the product', sessionId);
      this.#log.add([finding], { productId: parseId(productId) });
    }
  }

  /** Whether a product has no card now on some front: how many sessions it has decides which reason that has. */
  #isCounted(product: Product): boolean {
    const isOfferedWithout = (excluded?: Exclusion): boolean => isAnyOffered(product, excluded, this.#now);
    return product.isPublished && ![undefined, ...product.exclusions.values()].every(isOfferedWithout);
  }

  /** Counts all sessions of products, in one query: with a view each may take as long as all rows. */
  async #withTotals(products: readonly Product[]): Promise<readonly Product[]> {
    const ids = products.map(({ id }) => id);
    const query = knownTables
      .selectFrom('sessions')
      .select(({ fn }) => [
        'product_id',
        fn.countAll().as('total'),
        fn.countAll().filterWhere('status', '=', 'scheduled').as('scheduled'),
      ])
      .where('product_id', 'in', ids)
      .groupBy('product_id')
      .orderBy('product_id');
    const totals = new Map<number, Pick<Product, 'sessionsTotal' | 'scheduledTotal'>>();
    for (const [id, sessionsTotal, scheduledTotal] of await this.#reader.rows(query))
      totals.set(Number(id), { sessionsTotal: Number(sessionsTotal), scheduledTotal: Number(scheduledTotal) });
    return products.map((product) => ({ ...product, ...totals.get(product.id) }));
  }
}
