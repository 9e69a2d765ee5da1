// From a database to everything that fronts are rendered from: loads the catalogue in one transaction, and presses its products
// range by range, so that the sessions of one are let go of before the next.

import type { Finding } from '../catalogue/finding.ts';
import type { Front, FrontClass } from '../catalogue/front.ts';
import type { Instant } from '../catalogue/instant.ts';
import type { KeyRing } from '../contract/key-ring.ts';
import type { Venue } from '../catalogue/product.ts';
import type { Taxonomy } from '../catalogue/taxonomy.ts';
import type { IdRange } from '../database/grouped-rows.ts';
import { dangling, loadFronts, type LoadedFronts } from '../database/load-fronts.ts';
import { loadKeyRing } from '../database/load-keys.ts';
import { ProductLoad } from '../database/load-products.ts';
import { loadTaxonomy, loadVenues, type LoadedTaxonomy } from '../database/load-taxonomy.ts';
import type { CatalogueReader } from '../database/open.ts';
import { FindingLog, type LoggedFindings } from '../database/row-check.ts';
import { journalModeFinding } from '../database/row-rules.ts';
import { Zones } from '../database/zones.ts';
import { AppError } from '../errors.ts';
import { ProductPress } from '../snapshot/card-timeline.ts';
import { FrontEditions, pressedCatalogue, type PressedCatalogue } from '../snapshot/editions.ts';
import { joinPressed, PressedBuilder, type PressedProducts } from '../snapshot/pressed.ts';
import { pressTaxonomy } from '../snapshot/facets.ts';

export interface Pressed {
  readonly catalogue: PressedCatalogue;
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

export interface PressOptions {
  /** Only these fronts; all active ones where null. */
  readonly frontCodes: readonly string[] | null;
  /** The end of the horizon. */
  readonly until: Instant;
  readonly tzdata: string;
  /** Tables that are views: no foreign key guards them. */
  readonly views: ReadonlySet<string>;
  /** Whether other threads are to read what is pressed. */
  readonly isShared: boolean;
}

/** A range of products, pressed: plain data, so that it can come from another thread. */
export interface PressedRange {
  readonly products: PressedProducts;
  readonly findings: LoggedFindings;
}

/** Everything but products, and what presses these. Threads that read one state of a catalogue make the same of it. */
export class Press {
  readonly #isShared: boolean;
  readonly #until: Instant;
  readonly #now: Instant;
  readonly #log: FindingLog;
  readonly #load: ProductLoad;
  readonly #products: ProductPress;
  readonly #taxonomy: Taxonomy;
  readonly #loaded: LoadedFronts;
  readonly #keyRing: KeyRing;
  /** Codes of active fronts, bad ones included. */
  readonly #activeCodes: readonly string[];
  readonly #selected: ReadonlySet<string>;
  /** Selected fronts with a good row, by code. */
  readonly #fronts: ReadonlyMap<string, Front>;
  readonly #classIndexOf: (front: Front) => number;
  readonly #shown: ReadonlyMap<number, ReadonlySet<number>>;
  readonly #classOfFrontId: ReadonlyMap<number, number>;

  private constructor(
    reader: CatalogueReader,
    taxonomy: LoadedTaxonomy,
    venues: ReadonlyMap<number, Venue | null>,
    loaded: LoadedFronts,
    keyRing: KeyRing,
    log: FindingLog,
    options: PressOptions,
    now: Instant,
  ) {
    this.#isShared = options.isShared;
    this.#until = options.until;
    this.#now = now;
    this.#log = log;
    this.#taxonomy = taxonomy.taxonomy;
    this.#loaded = loaded;
    this.#keyRing = keyRing;
    this.#activeCodes = [...loaded.fronts.map((front) => front.code), ...loaded.badCodes].sort();
    this.#selected = selectedCodes(options.frontCodes, this.#activeCodes);
    const fronts = loaded.fronts.filter((front) => this.#selected.has(front.code));
    this.#fronts = new Map(fronts.map((front) => [front.code, front]));
    const { classes, classIndexOf } = classify(fronts);
    this.#classIndexOf = classIndexOf;
    this.#products = new ProductPress(classes, taxonomy.taxonomy, options.until, now);
    this.#shown = classesShowing(fronts, classIndexOf);
    this.#classOfFrontId = new Map(fronts.map((front) => [front.id, classIndexOf(front)]));
    const isReadingViews = options.views.has('sessions') || options.views.has('price_tiers');
    this.#load = new ProductLoad(
      reader,
      { taxonomy, venues, wantedIds: this.#shown, tzdata: options.tzdata, isReadingViews },
      now,
    );
  }

  /** @throws AppError front-unknown, database-unreadable */
  static async open(reader: CatalogueReader, options: PressOptions, now: Instant): Promise<Press> {
    const log = new FindingLog();
    const journal = journalModeFinding(reader.journalMode);
    if (journal !== null) log.add([journal], {});
    const zones = new Zones();
    const taxonomy = await loadTaxonomy(reader, log);
    const venues = await loadVenues(reader, zones, log);
    const loaded = await loadFronts(reader, taxonomy, zones, log);
    const keyRing = await loadKeyRing(reader, loaded.codeOf, log);
    return new Press(reader, taxonomy, venues, loaded, keyRing, log, options, now);
  }

  /** The ranges of products to press. @throws AppError database-unreadable */
  ranges(): Promise<readonly IdRange[]> {
    return this.#load.ranges();
  }

  /** Presses one range; its sessions are let go of. @throws AppError database-unreadable */
  async range(range: IdRange): Promise<PressedRange> {
    const log = new FindingLog();
    const builder = new PressedBuilder();
    for (const product of await this.#load.products(range, log)) {
      const excluding = new Map<number, number>();
      for (const frontId of product.exclusions.keys()) {
        const classIndex = this.#classOfFrontId.get(frontId);
        if (classIndex !== undefined) excluding.set(frontId, classIndex);
      }
      this.#products.press(product, this.#shown.get(product.id) ?? [], excluding, builder);
    }
    return { products: builder.build(this.#isShared), findings: log.logged() };
  }

  /** What fronts are rendered from, once all ranges are pressed and joined. */
  catalogueOf(products: PressedProducts): PressedCatalogue {
    return pressedCatalogue(pressTaxonomy(this.#taxonomy), products);
  }

  /** One front's editions, by its code. */
  editionsOf(code: string, catalogue: PressedCatalogue): FrontEditions {
    const front = this.#fronts.get(code);
    if (front === undefined) throw new Error(`no front ${code}`);
    return new FrontEditions(front, this.#classIndexOf(front), catalogue, this.#until, this.#now);
  }

  /** Puts the pressed ranges together, in their order. */
  async finish(ranges: readonly PressedRange[]): Promise<Pressed> {
    const log = this.#log;
    for (const { findings } of ranges) log.absorb(findings);
    const products = joinPressed(
      ranges.map((range) => range.products),
      this.#isShared,
    );
    const catalogue = this.catalogueOf(products);
    const badCodes = new Set(this.#loaded.badCodes.filter((code) => this.#selected.has(code)));
    const missing = await this.#missingOf(catalogue.productOf);
    for (const front of this.#fronts.values()) if (isFrontBad(front, missing, log)) badCodes.add(front.code);
    return {
      catalogue,
      fronts: [...this.#fronts.values()].filter((front) => !badCodes.has(front.code)),
      badCodes: [...badCodes].sort(),
      unselectedCodes: this.#activeCodes.filter((code) => !this.#selected.has(code)),
      isEveryCodeKnown: this.#loaded.isEveryCodeKnown,
      disabledCodes: new Set([...this.#loaded.codeOf.values()].filter((code) => !this.#activeCodes.includes(code))),
      keyRing: this.#keyRing,
      findings: log.kept,
      findingsTotal: log.total,
    };
  }

  /** Products on shelves that were not pressed: bad ones, which have findings, and such as there are none. */
  async #missingOf(productOf: ReadonlyMap<number, number>): Promise<ReadonlyMap<number, 'bad' | 'unknown'>> {
    const missing = new Map<number, 'bad' | 'unknown'>();
    if (productOf.size === this.#shown.size) return missing;
    const knownIds = await this.#load.knownIds();
    for (const id of this.#shown.keys()) {
      if (!productOf.has(id)) missing.set(id, knownIds.has(id) ? 'bad' : 'unknown');
    }
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

/** Groups fronts by what their cards depend on besides products. */
function classify(fronts: readonly Front[]): {
  classes: readonly FrontClass[];
  classIndexOf: (front: Front) => number;
} {
  const classes: FrontClass[] = [];
  const indexes = new Map<string, number>();
  const keyOf = ({ zone, weekendDays, currency, currencyExponent }: FrontClass): string =>
    [zone.name, weekendDays, currency, currencyExponent].join(' ');
  for (const front of fronts) {
    if (indexes.has(keyOf(front))) continue;
    indexes.set(keyOf(front), classes.length);
    classes.push(front);
  }
  return { classes, classIndexOf: (front) => indexes.get(keyOf(front)) ?? -1 };
}

/** The classes whose fronts show each product. Equal sets are one object: there are few of them and many products. */
function classesShowing(
  fronts: readonly Front[],
  classIndexOf: (front: Front) => number,
): Map<number, ReadonlySet<number>> {
  const shown = new Map<number, ReadonlySet<number>>();
  const kept = new Map<string, ReadonlySet<number>>();
  for (const front of fronts) {
    const classIndex = classIndexOf(front);
    for (const { productId } of front.shelf) {
      const known = shown.get(productId);
      if (known?.has(classIndex) === true) continue;
      const indexes = [...(known ?? []), classIndex].sort((a, b) => a - b);
      const key = indexes.join(' ');
      const set = kept.get(key) ?? new Set(indexes);
      kept.set(key, set);
      shown.set(productId, set);
    }
  }
  return shown;
}

/** Whether anything on a front's shelf is bad, or missing. */
function isFrontBad(front: Front, missing: ReadonlyMap<number, 'bad' | 'unknown'>, log: FindingLog): boolean {
  let isBad = log.isFrontBad(front.id);
  if (missing.size === 0 && !log.isAnyProductBad()) return isBad;
  for (const { productId } of front.shelf) {
    const why = missing.get(productId);
    if (why === 'unknown')
      log.add([dangling(`front_products ${front.id},${productId}`, 'product_id', 'products', productId)], {});
    isBad ||= why !== undefined || log.isProductBad(productId);
  }
  return isBad;
}
