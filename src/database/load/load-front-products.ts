// Loads the products of fronts. Every row is read and checked, those of fronts that are not built
// included: a row with a mistyped id would otherwise go unnoticed.

import { FLAG, FrontProducts, ProductNumbers, type FrontProductColumns } from '../../catalogue/front-products.ts';
import { ALWAYS, type Period } from '../../catalogue/period.ts';
import type { RowId } from '../../catalogue/row-id.ts';
import type { Grouping, IdRange } from './groups.ts';
import type { CatalogueReader } from '../reader.ts';
import {
  dangling,
  locationOfKey,
  names,
  parseId,
  repeated,
  RowChecker,
  type FindingLog,
} from '../contract/row-checker.ts';
import { TABLES } from '../contract/tables.ts';
import { periodOf } from '../contract/values.ts';

const FRONT_PRODUCT = new RowChecker(
  'front_products',
  names('front_id product_id featured banner paused sort_weight visible_from visible_until'),
);

const { front_id: FRONT_ID } = TABLES.front_products;

/**
 * Most rows hold nothing but the product: they come as its id alone, and all weights in an array of
 * their own.
 */
const GROUPING: Grouping = {
  table: 'front_products',
  by: 'front_id',
  columns: FRONT_PRODUCT.columns,
  plain: {
    whole: ['product_id', 'sort_weight'],
    zero: ['featured', 'banner', 'paused'],
    empty: ['visible_from', 'visible_until'],
    column: 'product_id',
    alongside: 'sort_weight',
  },
};

/** Bounds the rows in memory at one time. */
const FRONTS_PER_BATCH = 50;

/**
 * The products of the fronts wanted, by front id; `codeOf` has the codes of all fronts. With
 * `onlyFrontId` no other front's rows are read.
 */
export async function loadFrontProducts(
  reader: CatalogueReader,
  wantedIds: ReadonlySet<RowId>,
  codeOf: ReadonlyMap<RowId, string>,
  log: FindingLog,
  onlyFrontId?: RowId,
): Promise<{ readonly productNumbers: ProductNumbers; readonly productsOf: ReadonlyMap<RowId, FrontProducts> }> {
  const productsOf = new Map<RowId, FrontProducts>();
  const builder = new FrontProductsBuilder(log);
  const wanted: IdRange = onlyFrontId === undefined ? 'any' : { only: onlyFrontId };
  for (const range of ['null', wanted] as const) {
    for await (const batch of reader.groups(GROUPING, range, FRONTS_PER_BATCH)) {
      for (const group of batch) {
        const frontId = group.id;
        const rows = group.rows();
        const weights = group.alongside();
        if (FRONT_ID.accepts(frontId) && wantedIds.has(frontId)) {
          productsOf.set(frontId, builder.productsOf(frontId, rows, weights));
          continue;
        }
        for (const [i, one] of rows.entries()) {
          const row = wholeRow(frontId, one, weights[i]);
          if (FRONT_PRODUCT.check(row, log, {}) && !codeOf.has(row[0])) {
            log.add([dangling(FRONT_PRODUCT.locationOf(row), 'front_id', 'fronts', row[0], codeOf)], {});
          }
        }
      }
    }
  }
  return { productNumbers: builder.productNumbers, productsOf };
}

/** The columns of FRONT_PRODUCT, of a row that may have come as its product's id alone. */
function wholeRow(frontId: unknown, row: unknown, weight: unknown): unknown[] {
  return Array.isArray(row) ? row : [frontId, row, 0, 0, 0, weight, null, null];
}

class FrontProductsBuilder {
  readonly productNumbers = new ProductNumbers();
  readonly #log: FindingLog;
  /** By product number: the last front that was seen to list it. */
  readonly #lastFrontIds: RowId[] = [];

  constructor(log: FindingLog) {
    this.#log = log;
  }

  /** One front's products, by (weight, product id). */
  productsOf(frontId: RowId, rows: readonly unknown[], weights: readonly unknown[]): FrontProducts {
    const numbers = new Int32Array(rows.length);
    const flags = new Uint8Array(rows.length);
    const weightAt: number[] = [];
    const periods = new Map<number, Period>();
    const bad = new Map<number, string>();
    let isSorted = true;
    let lastId = Number.NEGATIVE_INFINITY;
    let lastWeight = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < rows.length; i++) {
      const one = rows[i];
      let weight = Number(weights[i]);
      const isPlain = Number.isSafeInteger(one) && Number.isSafeInteger(weight);
      const row = isPlain ? null : wholeRow(frontId, one, weights[i]);
      const isAccepted = row === null || FRONT_PRODUCT.accepts(row);
      const findings = isAccepted ? [] : FRONT_PRODUCT.findings(row, this.#log.source);
      this.#log.add(findings, {});
      if (!isAccepted) weight = FRONT_PRODUCT.valueOf(row, 'sort_weight') ?? 0;
      const productId = row === null ? Number(one) : parseId(row[1]);
      if (productId === undefined) continue;
      const number = this.productNumbers.add(productId);
      if (this.#lastFrontIds[number] === frontId) {
        this.#log.add([repeated(locationOfKey('front_products', [frontId, productId]))], {});
        bad.set(numbers.subarray(0, weightAt.length).indexOf(number), 'duplicate-key');
        continue;
      }
      this.#lastFrontIds[number] = frontId;
      const position = weightAt.push(weight) - 1;
      numbers[position] = number;
      if (findings[0] !== undefined) bad.set(position, findings[0].code);
      if (row !== null && isAccepted) {
        const [, , featured, banner, paused, , from, until] = row;
        flags[position] = featured * FLAG.featured + banner * FLAG.banner + paused * FLAG.paused;
        const visible = periodOf(from, until);
        if (visible !== ALWAYS) periods.set(position, visible);
      }
      isSorted &&= lastWeight < weight || (lastWeight === weight && lastId < productId);
      lastWeight = weight;
      lastId = productId;
    }
    const count = weightAt.length;
    const columns = { numbers: numbers.subarray(0, count), flags: flags.subarray(0, count), periods, bad };
    return new FrontProducts(this.productNumbers, isSorted ? columns : this.#sorted(columns, weightAt));
  }

  /** An index gives rows in order; a view may not. */
  #sorted({ numbers, flags, periods, bad }: FrontProductColumns, weights: readonly number[]): FrontProductColumns {
    const idAt = (position: number): number => this.productNumbers.ids[numbers[position] ?? -1] ?? 0;
    const weightAt = (position: number): number => weights[position] ?? 0;
    const order = [...weights.keys()].sort((a, b) => weightAt(a) - weightAt(b) || idAt(a) - idAt(b));
    const positionOf = new Map(order.map((from, to) => [from, to]));
    const moved = <T>(at: ReadonlyMap<number, T>) =>
      new Map([...at].map(([from, one]) => [positionOf.get(from) ?? -1, one]));
    return {
      numbers: Int32Array.from(order, (position) => numbers[position] ?? 0),
      flags: Uint8Array.from(order, (position) => flags[position] ?? 0),
      periods: moved(periods),
      bad: moved(bad),
    };
  }
}
