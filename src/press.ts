// From a database to everything that fronts are rendered from: loads the catalogue in one transaction, and presses each product
// as it comes, so that its sessions are let go of before the next batch.

import { setImmediate } from 'node:timers/promises';
import type { Finding } from './catalogue/finding.ts';
import type { Front, FrontClass } from './catalogue/front.ts';
import type { Instant } from './catalogue/instant.ts';
import type { KeyRing } from './contract/key-ring.ts';
import { dangling, loadFronts } from './database/load-fronts.ts';
import { loadKeyRing } from './database/load-keys.ts';
import { ProductLoad } from './database/load-products.ts';
import { loadTaxonomy, loadVenues } from './database/load-taxonomy.ts';
import type { CatalogueReader } from './database/open.ts';
import { FindingLog } from './database/row-check.ts';
import { journalModeFinding } from './database/row-rules.ts';
import { Zones } from './database/zones.ts';
import { AppError } from './errors.ts';
import { Arena } from './snapshot/arena.ts';
import { ProductPress, type PressedProduct } from './snapshot/card-timeline.ts';
import type { PressedCatalogue } from './snapshot/editions.ts';
import { pressTaxonomy } from './snapshot/facets.ts';

export interface Pressed {
  readonly catalogue: PressedCatalogue;
  /** Fronts to render, each with the number of its class. */
  readonly fronts: readonly { readonly front: Front; readonly classIndex: number }[];
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
  readonly onProducts: (done: number, total: number) => void;
}

/** @throws AppError front-unknown, database-unreadable */
export async function pressCatalogue(reader: CatalogueReader, options: PressOptions, now: Instant): Promise<Pressed> {
  const log = new FindingLog();
  const journal = journalModeFinding(reader.journalMode);
  if (journal !== null) log.add([journal], {});
  const zones = new Zones();
  const taxonomy = await loadTaxonomy(reader, log);
  const venues = await loadVenues(reader, zones, log);
  const loaded = await loadFronts(reader, taxonomy, zones, log);
  const keyRing = await loadKeyRing(reader, loaded.codeOf, log);

  const activeCodes = [...loaded.fronts.map((front) => front.code), ...loaded.badCodes].sort();
  const selected = selectedCodes(options.frontCodes, activeCodes);
  const fronts = loaded.fronts.filter((front) => selected.has(front.code));
  const { classes, classIndexOf } = classify(fronts);

  const arena = new Arena();
  const press = new ProductPress(classes, taxonomy.taxonomy, arena, options.until, now);
  const shown = classesShowing(fronts, classIndexOf);
  const products = new Map<number, PressedProduct>();
  const classOfFrontId = new Map(fronts.map((front) => [front.id, classIndexOf(front)]));
  const load = new ProductLoad(
    reader,
    {
      taxonomy,
      venues,
      wantedIds: new Set(shown.keys()),
      tzdata: options.tzdata,
      isReadingViews: options.views.has('sessions') || options.views.has('price_tiers'),
    },
    log,
    now,
  );
  for await (const batch of load.batches()) {
    for (const product of batch) {
      const excluding = new Map<number, number>();
      for (const frontId of product.exclusions.keys()) {
        const classIndex = classOfFrontId.get(frontId);
        if (classIndex !== undefined) excluding.set(frontId, classIndex);
      }
      products.set(product.id, press.press(product, [...(shown.get(product.id) ?? [])], excluding));
    }
    options.onProducts(products.size, shown.size);
    // Lets the process hear its signals between two batches.
    await setImmediate();
  }

  const badCodes = new Set(loaded.badCodes.filter((code) => selected.has(code)));
  for (const front of fronts) if (isFrontBad(front, shown, products, load.knownIds, log)) badCodes.add(front.code);
  return {
    catalogue: { taxonomy: pressTaxonomy(taxonomy.taxonomy), arena, products },
    fronts: fronts
      .filter((front) => !badCodes.has(front.code))
      .map((front) => ({ front, classIndex: classIndexOf(front) })),
    badCodes: [...badCodes].sort(),
    unselectedCodes: activeCodes.filter((code) => !selected.has(code)),
    isEveryCodeKnown: loaded.isEveryCodeKnown,
    disabledCodes: new Set([...loaded.codeOf.values()].filter((code) => !activeCodes.includes(code))),
    keyRing,
    findings: log.kept,
    findingsTotal: log.total,
  };
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
function isFrontBad(
  front: Front,
  shown: ReadonlyMap<number, unknown>,
  products: ReadonlyMap<number, unknown>,
  knownIds: ReadonlySet<number>,
  log: FindingLog,
): boolean {
  let isBad = log.isFrontBad(front.id);
  if (products.size === shown.size && !log.isAnyProductBad()) return isBad;
  for (const { productId } of front.shelf) {
    if (!knownIds.has(productId)) {
      log.add([dangling(`front_products ${front.id},${productId}`, 'product_id', 'products', productId)], {});
      isBad = true;
    }
    isBad ||= log.isProductBad(productId) || !products.has(productId);
  }
  return isBad;
}
