// Loads the shelves of fronts. Every row is read and checked, those of fronts that are not built included: a row with a mistyped id
// would otherwise be missed in silence.

import { sql } from 'kysely';
import { ALWAYS, type Period } from '../../catalogue/period.ts';
import { FLAG, FrontProducts, ProductNumbers } from '../../catalogue/front-products.ts';
import { groupedQuery, MISTYPED_IDS, onlyId, valuesIn, strictTables, type Grouping } from './grouped-query.ts';
import type { CatalogueReader } from '../open.ts';
import { dangling, noteFrontRow, repeated, RowChecker, type FindingLog } from '../schema/row-checker.ts';
import { periodOf } from '../schema/values.ts';

const FRONT_PRODUCT = new RowChecker('front_products', [
  'front_id',
  'product_id',
  'featured',
  'banner',
  'paused',
  'sort_weight',
  'visible_from',
  'visible_until',
]);

/** Most rows say nothing but the product: they come as its id alone, and all weights in an array of their own. */
const GROUPING: Grouping = {
  table: 'front_products',
  by: 'front_id',
  columns: FRONT_PRODUCT.columns,
  plain: {
    where: sql`typeof(front_id) = 'integer' and typeof(product_id) = 'integer' and typeof(sort_weight) = 'integer'
      and featured = 0 and banner = 0 and paused = 0 and visible_from is null and visible_until is null`,
    column: 'product_id',
    alongside: 'sort_weight',
  },
};

/** Bounds the shelves' rows in memory at one time. */
const SHELVES_PER_BATCH = 50;

/**
 * The shelves of the fronts wanted, by front id; `codeOf` has the codes of all fronts there are. With `onlyFrontId` no other front's
 * rows are read, but for those whose front_id is mistyped.
 */
export async function loadFrontProducts(
  reader: CatalogueReader,
  wantedIds: ReadonlySet<number>,
  codeOf: ReadonlyMap<number, string>,
  log: FindingLog,
  onlyFrontId?: number,
): Promise<{ readonly products: ProductNumbers; readonly shelves: ReadonlyMap<number, FrontProducts> }> {
  const shelves = new Map<number, FrontProducts>();
  const builder = new FrontProductsBuilder(log);
  const isStrict = (await strictTables(reader)).has('front_products');
  const ranges = onlyFrontId === undefined ? [{ after: null, upTo: null }] : [onlyId(onlyFrontId), MISTYPED_IDS];
  for (const range of ['null', ...ranges] as const) {
    for await (const batch of reader.batches(groupedQuery(reader, GROUPING, range, isStrict), SHELVES_PER_BATCH)) {
      for (const [frontId, rowsJson, weightsJson] of batch) {
        const rows = valuesIn(rowsJson);
        const weights = valuesIn(weightsJson);
        if (typeof frontId === 'number' && wantedIds.has(frontId)) {
          shelves.set(frontId, builder.shelf(frontId, rows, weights));
          continue;
        }
        for (const [i, one] of rows.entries()) {
          const row = wholeRow(frontId, one, weights[i]);
          if (!FRONT_PRODUCT.accepts(row)) noteFrontRow(FRONT_PRODUCT.findings(row), row, log);
          else if (!codeOf.has(row[0])) {
            log.add([dangling(FRONT_PRODUCT.placeOf(row), 'front_id', 'fronts', row[0])], {});
          }
        }
      }
    }
  }
  return { products: builder.products, shelves };
}

/** The columns of FRONT_PRODUCT, of a row that may have come as its product's id alone. */
function wholeRow(frontId: unknown, row: unknown, weight: unknown): readonly unknown[] {
  return Array.isArray(row) ? row : [frontId, row, 0, 0, 0, weight, null, null];
}

/** Makes shelves, one after the other. */
class FrontProductsBuilder {
  readonly products = new ProductNumbers();
  readonly #log: FindingLog;
  /** By number of a product: the last front that was seen to show it. */
  readonly #lastFrontIds: number[] = [];

  constructor(log: FindingLog) {
    this.#log = log;
  }

  /** One front's shelf, by (weight, product id). */
  shelf(frontId: number, rows: readonly unknown[], weights: readonly unknown[]): FrontProducts {
    const numbers = new Int32Array(rows.length);
    const flags = new Uint8Array(rows.length);
    const order: number[] = [];
    const periods = new Map<number, Period>();
    let places = 0;
    let isSorted = true;
    let lastId = Number.NEGATIVE_INFINITY;
    let lastWeight = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < rows.length; i++) {
      const one = rows[i];
      const weight = Number(weights[i]);
      const isPlain = Number.isSafeInteger(one) && Number.isSafeInteger(weight);
      const row = isPlain ? null : wholeRow(frontId, one, weights[i]);
      if (row !== null && !FRONT_PRODUCT.accepts(row)) {
        noteFrontRow(FRONT_PRODUCT.findings(row), row, this.#log);
        continue;
      }
      const productId = row === null ? Number(one) : row[1];
      const number = this.products.add(productId);
      if (this.#lastFrontIds[number] === frontId) {
        const place = FRONT_PRODUCT.placeOf(wholeRow(frontId, one, weight));
        this.#log.add([repeated(place)], { frontId });
        continue;
      }
      this.#lastFrontIds[number] = frontId;
      if (row !== null) {
        const [, , featured, banner, paused, , from, until] = row;
        flags[places] = featured * FLAG.featured + banner * FLAG.banner + paused * FLAG.paused;
        const visible = from === null && until === null ? ALWAYS : periodOf(from, until);
        if (visible !== ALWAYS) periods.set(places, visible);
      }
      numbers[places] = number;
      isSorted &&= lastWeight < weight || (lastWeight === weight && lastId < productId);
      lastWeight = weight;
      lastId = productId;
      order.push(weight);
      places += 1;
    }
    if (isSorted)
      return new FrontProducts(this.products, numbers.subarray(0, places), flags.subarray(0, places), periods);
    return this.#sorted(numbers, flags, periods, order);
  }

  /** As indexed they come in order; a view may give them in another. */
  #sorted(
    numbers: Int32Array,
    flags: Uint8Array,
    periods: ReadonlyMap<number, Period>,
    weights: readonly number[],
  ): FrontProducts {
    const idAt = (place: number): number => this.products.ids[numbers[place] ?? -1] ?? 0;
    const weightAt = (place: number): number => weights[place] ?? 0;
    const places = [...weights.keys()].sort((a, b) => weightAt(a) - weightAt(b) || idAt(a) - idAt(b));
    const moved = new Map<number, Period>();
    for (const [to, from] of places.entries()) {
      const period = periods.get(from);
      if (period !== undefined) moved.set(to, period);
    }
    return new FrontProducts(
      this.products,
      Int32Array.from(places, (place) => numbers[place] ?? 0),
      Uint8Array.from(places, (place) => flags[place] ?? 0),
      moved,
    );
  }
}
