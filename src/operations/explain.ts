// Explaining one product on one front: loads as a build does, in one read transaction and with the same checks, keeps the one
// product, and asks catalogue/explanation.ts. Writes nothing.

import { explainAt, type Explanation } from '../catalogue/explanation.ts';
import type { Finding } from '../findings.ts';
import type { Front } from '../catalogue/front.ts';
import { ALWAYS } from '../catalogue/period.ts';
import type { FrontProduct } from '../catalogue/front-products.ts';
import { formatInstant, type Instant } from '../catalogue/instant.ts';
import { nearNames } from '../suggestions.ts';
import type { DropReason } from '../catalogue/offer.ts';
import type { Product, Venue } from '../catalogue/product.ts';
import type { Taxonomy } from '../catalogue/taxonomy.ts';
import { checkContract } from '../database/schema/check-schema.ts';
import { loadFronts } from '../database/read/load-fronts.ts';
import { ProductLoad } from '../database/read/load-products.ts';
import { loadTaxonomy, loadVenues } from '../database/read/load-taxonomy.ts';
import { openCatalogue, type CatalogueReader } from '../database/open.ts';
import { productNames, productRow, sessionRows, tierRows, type ProductRow } from '../database/read/explain-rows.ts';
import { dangling, FindingLog } from '../database/schema/row-checker.ts';
import { Zones } from '../database/schema/zones.ts';
import { AppError } from '../errors.ts';

/** Why there is no card: the front, the shelf, or a rule of fields.md; `unreadable` where the product's own rows have findings. */
export type NoCardReason = 'front-disabled' | 'front-unreadable' | 'not-on-shelf' | 'product-unreadable' | DropReason;

export interface ProductExplanation {
  readonly front: string;
  readonly frontState: 'active' | 'disabled' | 'unreadable';
  /** null where the front is not active. */
  readonly timezone: string | null;
  readonly currency: string | null;
  readonly currencyExponent: number | null;
  readonly product: ProductRow;
  readonly at: string;
  /** null where there is a card. */
  readonly reason: NoCardReason | null;
  /** Errors that hold the front back, of this product or another: then its last snapshot stays, whatever is said here. */
  readonly holding: readonly Finding[];
  /** Whether anything holds the front back; it may be a row that only `check-db` names. */
  readonly isHeldBack: boolean;
  /** null where front or product cannot be read. Of a product that is not on the shelf, what the rules say apart from that. */
  readonly rules: Explanation | null;
}

export interface ExplainOptions {
  readonly databasePath: string;
  readonly frontCode: string;
  readonly slug: string;
  /** Version of the time-zone rules. */
  readonly tzdata: string;
}

/**
 * Explains a product on a front at an instant.
 * @throws AppError database-…, contract-…, front-unknown, product-unknown
 */
export async function explainProduct(options: ExplainOptions, now: Instant): Promise<ProductExplanation> {
  const reader = await openCatalogue(options.databasePath);
  try {
    const front = await FrontProductRows.load(reader, options.frontCode, options.slug, options.tzdata, now);
    return await front.explain(options.slug);
  } finally {
    await reader.close();
  }
}

/** Keeps the findings that hold one front back, besides what every log keeps. */
class FrontLog extends FindingLog {
  readonly holding: Finding[] = [];
  frontId: number | null = null;
  frontProductIds: ReadonlySet<number> = new Set();

  override add(
    findings: readonly Finding[],
    concerns: { readonly frontId?: number; readonly productId?: number },
  ): void {
    super.add(findings, concerns);
    const isOurs =
      (concerns.frontId !== undefined && concerns.frontId === this.frontId) ||
      (concerns.productId !== undefined && this.frontProductIds.has(concerns.productId));
    if (isOurs) this.holding.push(...findings.filter(({ severity }) => severity === 'error'));
  }
}

/** One front as a build would load it, with those of its products that are to be explained. */
export class FrontProductRows {
  readonly #reader: CatalogueReader;
  readonly #code: string;
  readonly #state: ProductExplanation['frontState'];
  readonly #front: Front | null;
  readonly #taxonomy: Taxonomy;
  readonly #venues: ReadonlyMap<number, Venue | null>;
  readonly #products: ReadonlyMap<number, Product>;
  readonly #holding: readonly Finding[];
  readonly #isHeldBack: boolean;
  readonly #now: Instant;

  private constructor(
    reader: CatalogueReader,
    code: string,
    state: ProductExplanation['frontState'],
    loaded: {
      readonly front: Front | null;
      readonly taxonomy: Taxonomy;
      readonly venues: ReadonlyMap<number, Venue | null>;
      readonly products: ReadonlyMap<number, Product>;
      readonly holding: readonly Finding[];
      readonly isHeldBack: boolean;
    },
    now: Instant,
  ) {
    this.#reader = reader;
    this.#code = code;
    this.#state = state;
    this.#front = loaded.front;
    this.#taxonomy = loaded.taxonomy;
    this.#venues = loaded.venues;
    this.#products = loaded.products;
    this.#holding = loaded.holding;
    this.#isHeldBack = loaded.isHeldBack;
    this.#now = now;
  }

  /**
   * Loads a front and everything on its shelf; keeps the product with the slug, or all where it is null.
   * @throws AppError front-unknown, contract-…, database-unreadable, database-busy
   */
  static async load(
    reader: CatalogueReader,
    code: string,
    slug: string | null,
    tzdata: string,
    now: Instant,
  ): Promise<FrontProductRows> {
    const views = await checkContract(reader);
    const frontId = await frontIdOf(reader, code);
    const log = new FrontLog();
    log.frontId = frontId;
    const zones = new Zones();
    const taxonomy = await loadTaxonomy(reader, log);
    const venues = await loadVenues(reader, zones, log);
    const loaded = await loadFronts(reader, taxonomy, zones, log);
    const front = loaded.fronts.find((one) => one.code === code) ?? null;
    const state = front !== null ? 'active' : loaded.badCodes.includes(code) ? 'unreadable' : 'disabled';
    if (front === null && state === 'disabled' && ![...loaded.codeOf.values()].includes(code)) {
      throw unknownFront(code, [...loaded.codeOf.values()]);
    }
    const frontProductIds = new Set(front?.products.ids);
    log.frontProductIds = frontProductIds;
    const wanted = slug === null ? null : await productRow(reader, slug);
    const products = new Map<number, Product>();
    const readIds = new Set<number>();
    if (front !== null) {
      const load = new ProductLoad(
        reader,
        {
          taxonomy,
          venues,
          wantedIds: wanted === null ? frontProductIds : new Set([...frontProductIds, wanted.id]),
          tzdata,
          isReadingViews: views.has('sessions') || views.has('price_tiers'),
        },
        now,
      );
      for await (const batch of load.batches(log)) {
        for (const product of batch) {
          readIds.add(product.id);
          if (slug === null || product.id === wanted?.id) products.set(product.id, product);
        }
      }
    }
    const holding = [...log.holding];
    let isHeldBack = state === 'unreadable' || (frontId !== null && log.isFrontBad(frontId));
    for (const productId of frontProductIds) {
      const isBad = log.isProductBad(productId);
      if (!isBad && readIds.has(productId)) continue;
      isHeldBack = true;
      if (!isBad) holding.push(dangling(`front_products ${frontId},${productId}`, 'product_id', 'products', productId));
    }
    // What cannot be trusted is not explained: its sessions or tiers may be missing.
    for (const productId of products.keys()) if (log.isProductBad(productId)) products.delete(productId);
    const found = { front, taxonomy: taxonomy.taxonomy, venues, products, holding, isHeldBack };
    return new FrontProductRows(reader, code, state, found, now);
  }

  /** Slugs of the products that were kept, by id. */
  get slugs(): readonly string[] {
    return [...this.#products.values()].map(({ slug }) => slug);
  }

  /** @throws AppError product-unknown */
  async explain(slug: string): Promise<ProductExplanation> {
    const row = await productRow(this.#reader, slug);
    if (row === null) throw unknownProduct(slug, await productNames(this.#reader));
    const front = this.#front;
    const entry = front?.products.find(row.id);
    const product = this.#products.get(row.id);
    const rules =
      front === null || product === undefined
        ? null
        : explainAt(
            { front, entry: entry ?? plainEntry(row.id), product, taxonomy: this.#taxonomy },
            await sessionRows(this.#reader, this.#venues, row.id),
            await tierRows(this.#reader, row.id),
            this.#now,
          );
    return {
      front: this.#code,
      frontState: this.#state,
      timezone: front?.zone.name ?? null,
      currency: front?.currency ?? null,
      currencyExponent: front?.currencyExponent ?? null,
      product: row,
      at: formatInstant(this.#now),
      reason: this.#reasonOf(entry, rules),
      holding: this.#holding,
      isHeldBack: this.#isHeldBack,
      rules: rules === null || entry !== undefined ? rules : withoutCard(rules),
    };
  }

  #reasonOf(entry: FrontProduct | undefined, rules: Explanation | null): NoCardReason | null {
    if (this.#state === 'disabled') return 'front-disabled';
    if (this.#state === 'unreadable') return 'front-unreadable';
    if (entry === undefined) return 'not-on-shelf';
    return rules === null ? 'product-unreadable' : rules.reason;
  }
}

/** What the rules say of a product that would have a card, were it on the shelf. */
function withoutCard(rules: Explanation): Explanation {
  const facets = rules.facets.map((facet) => ({ ...facet, refusal: facet.refusal ?? 'no-card' }));
  return { ...rules, card: null, nextChange: null, facets };
}

/** How a product would stand on a shelf that does not have it: so that its other rules can be told all the same. */
function plainEntry(productId: number): FrontProduct {
  return { productId, isFeatured: false, isBanner: false, isPaused: false, visible: ALWAYS };
}

async function frontIdOf(reader: CatalogueReader, code: string): Promise<number | null> {
  const [row] = await reader.rows(reader.db.selectFrom('fronts').select('id').where('code', '=', code).orderBy('id'));
  return typeof row?.[0] === 'number' ? row[0] : null;
}

function unknownFront(code: string, codes: readonly string[]): AppError {
  const near = nearNames(
    code,
    codes.map((name) => ({ name, title: name })),
  ).map(({ name }) => name);
  const some = [...codes].sort().slice(0, 10).join(', ') + (codes.length > 10 ? ', …' : '');
  return new AppError(
    'front-unknown',
    `expected the code of a front, found ${JSON.stringify(code)}`,
    near.length > 0 ? `did you mean ${near.join(', ')}?` : `fronts are: ${some || 'none'}`,
  );
}

function unknownProduct(slug: string, names: Parameters<typeof nearNames>[1]): AppError {
  const near = nearNames(slug, names).map(({ name, title }) => `${name} (${JSON.stringify(title)})`);
  return new AppError(
    'product-unknown',
    `expected the slug of a product, found ${JSON.stringify(slug)}`,
    near.length > 0
      ? `did you mean ${near.join(', ')}?`
      : 'list them with: playbill export | grep \'"table":"products"\'',
  );
}
