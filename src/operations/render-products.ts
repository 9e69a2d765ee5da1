// From a database to everything that fronts are rendered from: loads the catalogue in one transaction, and renders its products
// range by range, so that the sessions of one are let go of before the next.

import { setImmediate } from 'node:timers/promises';
import type { Finding } from '../findings.ts';
import type { Front } from '../catalogue/front.ts';
import type { Instant } from '../catalogue/instant.ts';
import type { KeyRing } from '../contract/key-ring.ts';
import type { Product, Venue } from '../catalogue/product.ts';
import type { Taxonomy } from '../catalogue/taxonomy.ts';
import { loadFronts, type LoadedFronts } from '../database/read/load-fronts.ts';
import { loadKeyRing } from '../database/read/load-keys.ts';
import { ProductLoad } from '../database/read/load-products.ts';
import { loadTaxonomy, loadVenues, type LoadedTaxonomy } from '../database/read/load-taxonomy.ts';
import type { CatalogueReader } from '../database/open.ts';
import { dangling, FindingLog } from '../database/schema/row-checker.ts';
import { journalModeFinding } from '../database/schema/row-rules.ts';
import { Zones } from '../database/schema/zones.ts';
import { AppError } from '../errors.ts';
import { ProductRenderer } from '../render/card-timeline.ts';
import { FrontEditions } from '../render/editions.ts';
import { renderedCatalogue, type RenderedCatalogue } from '../render/rendered-catalogue.ts';
import { RenderedProductsBuilder } from '../render/rendered-products.ts';
import { groupByProfile, ShownProducts } from '../render/front-profiles.ts';
import { encodeTaxonomy } from '../render/facets.ts';

export interface FrontsToRender {
  readonly catalogue: RenderedCatalogue;
  /** Fronts to render. */
  readonly fronts: readonly Front[];
  /** Active fronts that a finding of severity error concerns. */
  readonly badCodes: readonly string[];
  /** Active fronts that were not asked for. */
  readonly unselectedCodes: readonly string[];
  readonly isEveryCodeKnown: boolean;
  /** Fronts that the catalogue has but does not show: losing their pointers is what their operator asked for. */
  readonly disabledCodes: ReadonlySet<string>;
  readonly keyRing: KeyRing;
  readonly findings: readonly Finding[];
  /** How many findings there are; only the first thousand are in `findings`. */
  readonly findingsTotal: number;
}

export interface RenderOptions {
  /** Only these fronts; all active ones where null. */
  readonly frontCodes: readonly string[] | null;
  /** The end of the horizon. */
  readonly until: Instant;
  readonly tzdata: string;
  /** Tables that are views: no foreign key guards them. */
  readonly views: ReadonlySet<string>;
  /** The key ring of the tree; null where there is none. */
  readonly keyRingInForce: KeyRing | null;
}

/** Everything but products, and what renders these. */
export class CatalogueRenderer {
  readonly #reader: CatalogueReader;
  readonly #keyRingInForce: KeyRing | null;
  readonly #until: Instant;
  readonly #now: Instant;
  readonly #log: FindingLog;
  readonly #load: ProductLoad;
  readonly #products: ProductRenderer;
  readonly #taxonomy: Taxonomy;
  readonly #loaded: LoadedFronts;
  /** Codes of active fronts, bad ones included. */
  readonly #activeCodes: readonly string[];
  readonly #selected: ReadonlySet<string>;
  /** Selected fronts with a good row, by code. */
  readonly #fronts: ReadonlyMap<string, Front>;
  readonly #profileIndexOf: (front: Front) => number;
  readonly #shown: ShownProducts;
  readonly #profileOfFrontId: ReadonlyMap<number, number>;

  private constructor(
    reader: CatalogueReader,
    taxonomy: LoadedTaxonomy,
    venues: ReadonlyMap<number, Venue | null>,
    loaded: LoadedFronts,
    log: FindingLog,
    options: RenderOptions,
    now: Instant,
  ) {
    this.#reader = reader;
    this.#keyRingInForce = options.keyRingInForce;
    this.#until = options.until;
    this.#now = now;
    this.#log = log;
    this.#taxonomy = taxonomy.taxonomy;
    this.#loaded = loaded;
    this.#activeCodes = [...loaded.fronts.map((front) => front.code), ...loaded.badCodes].sort();
    this.#selected = selectedCodes(options.frontCodes, this.#activeCodes);
    const fronts = loaded.fronts.filter((front) => this.#selected.has(front.code));
    this.#fronts = new Map(fronts.map((front) => [front.code, front]));
    const { profiles, profileIndexOf } = groupByProfile(fronts);
    this.#profileIndexOf = profileIndexOf;
    this.#products = new ProductRenderer(profiles, taxonomy.taxonomy, options.until, now);
    this.#shown = new ShownProducts(fronts, profileIndexOf, loaded.productNumbers);
    this.#profileOfFrontId = new Map(fronts.map((front) => [front.id, profileIndexOf(front)]));
    const isReadingViews = options.views.has('sessions') || options.views.has('price_tiers');
    this.#load = new ProductLoad(
      reader,
      { taxonomy, venues, wantedIds: this.#shown, tzdata: options.tzdata, isReadingViews },
      now,
    );
  }

  /** @throws AppError front-unknown, database-unreadable */
  static async open(reader: CatalogueReader, options: RenderOptions, now: Instant): Promise<CatalogueRenderer> {
    const log = new FindingLog();
    const journal = journalModeFinding(reader.journalMode);
    if (journal !== null) log.add([journal], {});
    const zones = new Zones();
    const taxonomy = await loadTaxonomy(reader, log);
    const venues = await loadVenues(reader, zones, log);
    const loaded = await loadFronts(reader, taxonomy, zones, log);
    return new CatalogueRenderer(reader, taxonomy, venues, loaded, log, options, now);
  }

  /**
   * Renders the products range by range, so that the sessions of one are let go of before the next. `onRange` hears of each range done.
   * @throws AppError database-…
   */
  async products(onRange: (done: number, total: number) => void): Promise<FrontsToRender> {
    const log = this.#log;
    const keyRing = await loadKeyRing(this.#reader, this.#loaded, this.#keyRingInForce, log);
    const builder = new RenderedProductsBuilder();
    await this.#load.noteOrphanRows(log);
    const ranges = await this.#load.ranges();
    for (const [i, range] of ranges.entries()) {
      for (const product of await this.#load.products(range, log)) this.#render(product, builder);
      onRange(i + 1, ranges.length);
      // Lets the process hear its signals between two of them.
      await setImmediate();
    }
    const { productNumbers, isEveryCodeKnown, codeOf } = this.#loaded;
    const catalogue = renderedCatalogue(encodeTaxonomy(this.#taxonomy), builder.products(), productNumbers, this.#now);
    const badCodes = new Set(this.#loaded.badCodes.filter((code) => this.#selected.has(code)));
    const missing = await this.#missingOf(catalogue.productOf);
    for (const front of this.#fronts.values()) if (isFrontBad(front, missing, log)) badCodes.add(front.code);
    return {
      catalogue,
      fronts: [...this.#fronts.values()].filter((front) => !badCodes.has(front.code)),
      badCodes: [...badCodes].sort(),
      unselectedCodes: this.#activeCodes.filter((code) => !this.#selected.has(code)),
      isEveryCodeKnown,
      disabledCodes: new Set([...codeOf.values()].filter((code) => !this.#activeCodes.includes(code))),
      keyRing,
      findings: log.kept,
      findingsTotal: log.total,
    };
  }

  /** For the front profiles that show a product, and apart for each front that excludes sessions of it. */
  #render(product: Product, builder: RenderedProductsBuilder): void {
    const excluding = new Map<number, number>();
    for (const frontId of product.exclusions.keys()) {
      const profileIndex = this.#profileOfFrontId.get(frontId);
      if (profileIndex !== undefined) excluding.set(frontId, profileIndex);
    }
    this.#products.render(product, this.#shown.profilesOf(product.id), excluding, builder);
  }

  /** Which profile a front is of, by its code. */
  profileIndexOf(code: string): number {
    return this.#profileIndexOf(this.#frontOf(code));
  }

  /** One front's editions, by its code. Cheapest where fronts of a profile come one after the other. */
  editionsOf(code: string, catalogue: RenderedCatalogue): FrontEditions {
    const front = this.#frontOf(code);
    return new FrontEditions(front, this.#profileIndexOf(front), catalogue, this.#until, this.#now);
  }

  #frontOf(code: string): Front {
    const front = this.#fronts.get(code);
    if (front === undefined) throw new Error(`no front ${code}`);
    return front;
  }

  /** Products on shelves that were not rendered: bad ones, which have findings, and such as there are none. */
  async #missingOf(productOf: ReadonlyMap<number, number>): Promise<ReadonlyMap<number, 'bad' | 'unknown'>> {
    const missing = new Map<number, 'bad' | 'unknown'>();
    const missingIds = this.#shown.ids.filter((id) => !productOf.has(id));
    const knownIds = missingIds.length === 0 ? null : await this.#load.knownIds();
    for (const id of missingIds) missing.set(id, knownIds?.has(id) === true ? 'bad' : 'unknown');
    return missing;
  }
}

function selectedCodes(wanted: readonly string[] | null, active: readonly string[]): ReadonlySet<string> {
  if (wanted === null) return new Set(active);
  for (const code of wanted) {
    if (!active.includes(code)) {
      const some = active.slice(0, 10).join(', ') + (active.length > 10 ? ', …' : '');
      throw new AppError(
        'front-unknown',
        `expected the code of an active front, found "${code}"`,
        `active fronts are: ${some || 'none'}`,
      );
    }
  }
  return new Set(wanted);
}

/** Whether anything on a front's shelf is bad, or missing. */
function isFrontBad(front: Front, missing: ReadonlyMap<number, 'bad' | 'unknown'>, log: FindingLog): boolean {
  let isBad = log.isFrontBad(front.id);
  if (missing.size === 0 && !log.isAnyProductBad()) return isBad;
  for (const productId of front.shelf.productIds) {
    const why = missing.get(productId);
    if (why === 'unknown')
      log.add([dangling(`front_products ${front.id},${productId}`, 'product_id', 'products', productId)], {});
    isBad ||= why !== undefined || log.isProductBad(productId);
  }
  return isBad;
}
