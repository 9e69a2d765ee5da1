// Makes products of their rows and of the rows that refer to them. Bad rows become findings, and
// take out their product or a session of it (containment.md).

import type { FrontTerms, Image, Product, Session } from '../../catalogue/product.ts';
import { otherTypeOf, type RowId } from '../../catalogue/row-id.ts';
import type { Taxonomy } from '../../catalogue/taxonomy.ts';
import { ALWAYS } from '../../catalogue/period.ts';
import type { Finding } from '../../findings.ts';
import type { LoadedFronts } from './load-fronts.ts';
import { sessionsOf, type SessionContext } from './load-sessions.ts';
import type { LoadedTaxonomy, Positions } from './load-taxonomy.ts';
import {
  ALLOCATION,
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
import { dangling, parseId, repeated, type FindingLog } from '../contract/row-checker.ts';
import { pauseFinding } from '../contract/row-rules.ts';
import { periodOf } from '../contract/values.ts';
import { UniqueSlugs } from './unique-slugs.ts';

/** What a product's rows refer to, loaded before. */
export interface ProductContext extends SessionContext {
  readonly positions: LoadedTaxonomy['positions'];
  readonly looseBadges: LoadedTaxonomy['looseBadges'];
  /** Ids of the categories and groups that a front to be built attaches. */
  readonly attachedIds: LoadedFronts['attachedIds'];
  readonly codeOf: LoadedFronts['codeOf'];
  /** Products that a front to be built shows; the others are skipped. */
  readonly wantedIds: { has(id: number): boolean };
  /** Those, and the products that other shards show: no two of all may have one slug. */
  readonly listedIds: { has(id: number): boolean };
  /** The channels of those fronts, each once. */
  readonly channels: readonly (string | null)[];
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
  /** front_id, session_id, and what is left. */
  readonly allocations: (productId: number) => Rows;
  /** Those of both that lead nowhere, by the session that they would lead to in the other type. */
  readonly mistypedTerms: ReadonlyMap<RowId, readonly MistypedTerm[]>;
}

/** An exclusion or contingent of a front with an error. */
export interface MistypedTerm {
  readonly frontId: RowId;
  readonly finding: Finding;
}

/** Remembers the products that it has seen, to find what a view gives twice. */
export class ProductMaker {
  readonly #context: ProductContext;
  /** By id: whether a document can come to show it. */
  readonly #isShown = new Map<unknown, boolean>();
  /** Of published products that are listed. */
  readonly #slugs = new UniqueSlugs('products');
  readonly #frontIdTypes: ReadonlySet<string>;

  constructor(context: ProductContext) {
    this.#context = context;
    this.#frontIdTypes = new Set([...context.codeOf.keys()].map((id) => typeof id));
  }

  /**
   * The product of a row of `productQuery`; null where it is left out or not wanted. An error in the
   * row of a product that no document can come to show is nothing to a build.
   */
  productOf(row: unknown[], referring: ReferringRows, log: FindingLog): Product | null {
    const productId = parseId(row[0]);
    const readStatus = PRODUCT.valueOf(row, 'status');
    const isListed = productId === undefined || this.#context.listedIds.has(productId);
    const isShown = isListed && (readStatus === undefined || readStatus === 'published');
    const before = this.#isShown.get(row[0]);
    const isRepeated = before !== undefined;
    this.#isShown.set(row[0], isShown || before === true);
    if (isRepeated && (isShown || before)) log.add([repeated(PRODUCT.locationOf(row))], { productId });
    const doubled = isShown && !isRepeated ? this.#slugs.note(row) : null;
    if (doubled !== null) {
      log.add([doubled.finding], { productId });
      log.takeOut(doubled.finding, { productId: doubled.otherId });
    }
    if (!PRODUCT.accepts(row)) {
      if (isShown) log.add(PRODUCT.findings(row, log.source), { productId });
      return null;
    }
    const [id, slug, name, ageRating, saleSchema, pushka, paused, pausedUntil, imageId, status] = row;
    const isPublished = status === 'published';
    if (isRepeated || !this.#context.wantedIds.has(id)) return null;
    const problem = isPublished ? pauseFinding(() => PRODUCT.locationOf(row), paused, pausedUntil) : null;
    if (problem !== null) {
      log.add([problem], { productId });
      return null;
    }
    const image = isPublished ? imageOf(row, id, imageId, log) : null;
    const rows = (table: ChildTable) => referring.children(table, id);
    const isWhole = isPublished || this.#context.rowsRead === 'all';
    if (referring.allocations(id).length > 0) this.#context.uses.add('front_allocations');
    const { terms, spoiled } = this.#termsOf(referring.exclusions(id), referring.allocations(id), id, log);
    const spoiledSessions =
      spoiled.size === 0 ? this.#context.spoiledSessions : new Map([...this.#context.spoiledSessions, ...spoiled]);
    const sessions = isWhole
      ? sessionsOf(id, rows('sessions'), rows('price_tiers'), { ...this.#context, spoiledSessions }, log)
      : { sessions: [], badSessions: [], channelTiers: null };
    if (referring.mistypedTerms.size > 0) noteMistyped(terms, sessions.sessions, referring.mistypedTerms, id, log);
    const taxonomy = this.#taxonomyOf(id, isWhole ? rows : () => [], log);
    if (log.badProducts.has(id)) return null;
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
      ...taxonomy,
      ...sessions,
      terms,
      sessionsTotal: 0,
      scheduledTotal: 0,
      scheduledIds: [],
      elsewhereIds: [],
    };
  }

  /**
   * A product's terms by front id, and the sessions that an error in such a row spoils on every
   * front: those whose front cannot be read, or is of another type than fronts are.
   */
  #termsOf(
    exclusions: Rows,
    allocations: Rows,
    productId: number,
    log: FindingLog,
  ): { readonly terms: TermsOfFronts; readonly spoiled: SessionContext['spoiledSessions'] } {
    const terms = new TermsOfFronts();
    const spoiled = new Map<RowId, Finding>();
    const spoil = (finding: Finding, frontId: RowId | undefined, sessionId: RowId | undefined): void => {
      log.add([finding], sessionId === undefined ? {} : { sessionOf: productId });
      if (sessionId === undefined) return;
      if (frontId === undefined) spoiled.set(sessionId, finding);
      else terms.of(frontId).bad.set(sessionId, finding.code);
    };
    const isMistyped = (location: string, frontId: RowId, sessionId: RowId): boolean => {
      if (!this.#isOfOtherType(frontId)) return false;
      spoil(dangling(location, 'front_id', 'fronts', frontId, this.#context.codeOf), undefined, sessionId);
      return true;
    };
    for (const [frontId, sessionId, status] of exclusions) {
      const row = [frontId, sessionId];
      if (!EXCLUSION.accepts(row)) {
        for (const finding of EXCLUSION.findings(row, log.source))
          spoil(finding, EXCLUSION.valueOf(row, 'front_id'), EXCLUSION.valueOf(row, 'session_id'));
        continue;
      }
      if (isMistyped(EXCLUSION.locationOf(row), row[0], row[1])) continue;
      terms.of(row[0]).excludedIds.add(row[1]);
      if (status === 'scheduled' || status === 'rescheduled') terms.of(row[0]).excludedScheduledIds.add(row[1]);
    }
    for (const cells of allocations) {
      const row = [...cells];
      if (!ALLOCATION.accepts(row)) {
        for (const finding of ALLOCATION.findings(row, log.source))
          spoil(finding, ALLOCATION.valueOf(row, 'front_id'), ALLOCATION.valueOf(row, 'session_id'));
        continue;
      }
      const [frontId, sessionId, available] = row;
      if (isMistyped(ALLOCATION.locationOf(row), frontId, sessionId)) continue;
      const own = terms.of(frontId).allocations;
      if (own.has(sessionId)) spoil(repeated(ALLOCATION.locationOf(row)), frontId, sessionId);
      own.set(sessionId, available);
    }
    return { terms, spoiled };
  }

  /** Whether an id is of another type than those of fronts: then it is not known which is meant. */
  #isOfOtherType(frontId: RowId): boolean {
    const { codeOf } = this.#context;
    const meant = otherTypeOf(frontId);
    return !codeOf.has(frontId) && (!this.#frontIdTypes.has(typeof frontId) || (meant !== null && codeOf.has(meant)));
  }

  /** The elements of the taxonomy that a product is linked to. */
  #taxonomyOf(
    productId: number,
    rows: (table: ChildTable) => Rows,
    log: FindingLog,
  ): Pick<Product, 'groups' | 'badges' | 'categories' | 'tags'> {
    const { positions, looseBadges, attachedIds } = this.#context;
    const isShown = (parent: keyof Taxonomy, id: number): boolean =>
      parent === 'tags' || parent === 'badges' || attachedIds[parent].has(id);
    const links = <R extends readonly unknown[]>(checker: LinkChecker<R>, parent: keyof Taxonomy) => {
      const elements = { parent, positions: positions[parent], isShown: (id: number) => isShown(parent, id) };
      return linksOf(checker, rows(`product_${parent}`), elements, { productId, log });
    };
    const groups = links(GROUP_LINK, 'groups');
    const badges = links(BADGE_LINK, 'badges');
    return {
      groups: groups
        .map(({ position, row: [, , sortWeight] }) => ({ group: position, sortWeight }))
        .sort((a, b) => a.group - b.group),
      badges: [
        ...badges.map(({ position, row: [, , from, until] }) => ({ badge: position, valid: periodOf(from, until) })),
        ...looseBadges.map((badge) => ({ badge, valid: ALWAYS })),
      ].sort((a, b) => a.badge - b.badge),
      categories: positionsOf(links(CATEGORY_LINK, 'categories')),
      tags: positionsOf(links(TAG_LINK, 'tags')),
    };
  }
}

/** In order: databases give links in any. */
function positionsOf(links: readonly { readonly position: number }[]): readonly number[] {
  return links.map(({ position }) => position).sort((a, b) => a - b);
}

function imageOf(row: readonly unknown[], productId: number, imageId: RowId | null, log: FindingLog): Image | null {
  if (imageId === null) return null;
  const imageRow = row.slice(PRODUCT.columns.length);
  if (imageRow[0] === null) {
    log.add([dangling(PRODUCT.locationOf(row), 'image_id', 'images', imageId)], { productId });
    return null;
  }
  if (!IMAGE.check(imageRow, log, { productId })) return null;
  const [id, url, altText, copyright, copyrightUrl] = imageRow;
  return { id, url, altText, copyright, copyrightUrl };
}

interface OpenTerms extends FrontTerms {
  readonly excludedIds: Set<RowId>;
  readonly excludedScheduledIds: Set<RowId>;
  readonly allocations: Map<RowId, number>;
  readonly bad: Map<RowId, string>;
}

/** A product's terms by front id. */
class TermsOfFronts extends Map<RowId, OpenTerms> {
  /** Those of a front, new ones if it has none. */
  of(frontId: RowId): OpenTerms {
    const known = this.get(frontId);
    if (known !== undefined) return known;
    const open = {
      excludedIds: new Set<RowId>(),
      excludedScheduledIds: new Set<RowId>(),
      allocations: new Map<RowId, number>(),
      bad: new Map<RowId, string>(),
    };
    this.set(frontId, open);
    return open;
  }
}

/** Leaves out sessions that rows of a front mean by an id of the other type. */
function noteMistyped(
  terms: TermsOfFronts,
  sessions: readonly Session[],
  mistypedTerms: ReferringRows['mistypedTerms'],
  productId: number,
  log: FindingLog,
): void {
  for (const { id } of sessions) {
    for (const { frontId, finding } of mistypedTerms.get(id) ?? []) {
      terms.of(frontId).bad.set(id, finding.code);
      log.takeOut(finding, { sessionOf: productId });
    }
  }
}

/**
 * Checks rows of a table that links products to elements of another; the element's id is in the
 * second column.
 */
interface LinkChecker<R extends readonly unknown[]> extends Pick<typeof PRODUCT, 'locationOf' | 'findings'> {
  accepts(row: readonly unknown[]): row is R;
  readonly columns: readonly string[];
}

/** A table of the taxonomy, with the positions of its elements by id (load-taxonomy.ts). */
interface Elements {
  readonly parent: keyof Taxonomy;
  readonly positions: Positions;
  /** Whether a document can come to show an element. */
  readonly isShown: (id: number) => boolean;
}

/**
 * The good rows among those that link a product to elements, with the elements' positions. A link
 * that leads nowhere is left out; any other error, the element's own too, takes out the product,
 * unless no document can come to show the element.
 */
function linksOf<R extends readonly unknown[]>(
  checker: LinkChecker<R>,
  rows: Rows,
  { parent, positions, isShown }: Elements,
  { productId, log }: { readonly productId: number; readonly log: FindingLog },
): { readonly position: number; readonly row: R }[] {
  const links: { position: number; row: R }[] = [];
  for (const row of rows) {
    const id = Number(row[1]);
    const position = typeof row[1] === 'number' ? positions.get(id) : undefined;
    if (position === undefined) {
      const findings = checker.findings(row, log.source);
      const isAccepted = findings.length === 0;
      log.add(isAccepted ? [dangling(checker.locationOf(row), checker.columns[1] ?? '', parent, id)] : findings, {});
    } else if (!isShown(id)) {
      if (typeof position === 'number' && checker.accepts(row)) links.push({ position, row });
    } else if (!checker.accepts(row)) log.add(checker.findings(row, log.source), { productId });
    else if (typeof position === 'object') log.takeOut(position, { productId });
    else if (links.some((link) => link.position === position)) {
      log.add([repeated(checker.locationOf(row))], { productId });
    } else links.push({ position, row });
  }
  return links;
}
