// Loads fronts: their own rows, what each attaches, and their products (load-front-products.ts).
// Every row of these tables is read and checked, those of fronts that are not built included: a row
// with a mistyped id would otherwise go unnoticed.

import type { Zones } from '../../catalogue/calendar.ts';
import { secondsOfTime } from '../../catalogue/days.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { Front } from '../../catalogue/front.ts';
import { FrontProducts, type FrontProductColumns } from '../../catalogue/front-products.ts';
import type { RowId } from '../../catalogue/row-id.ts';
import type { Finding } from '../../findings.ts';
import type { CatalogueReader } from '../reader.ts';
import {
  dangling,
  names,
  notUnique,
  repeated,
  RowChecker,
  type FindingLog,
  type RowOf,
} from '../contract/row-checker.ts';
import { checkedRows } from '../contract/query-builders.ts';
import { TABLE_RULES } from '../contract/tables.ts';
import { unknownZone } from '../contract/zones.ts';
import { loadFrontProducts } from './load-front-products.ts';
import type { LoadedTaxonomy, Positions } from './load-taxonomy.ts';

/** Which codes the fronts have. */
export interface FrontCodes {
  /** Codes by front id, disabled and bad fronts included. */
  readonly codeOf: ReadonlyMap<RowId, string>;
  /**
   * Whether every front's id and code could be read: otherwise no front counts as removed, and a
   * key may belong to one not known.
   */
  readonly isEveryCodeKnown: boolean;
  /**
   * Ids that two rows have, or whose code two rows have: which of them is right cannot be known.
   */
  readonly doubtfulIds: ReadonlySet<RowId>;
  readonly disabledCodes: ReadonlySet<string>;
}

/**
 * Active fronts whose own row is good, by code, to build;
 * and the products that they list.
 */
export interface LoadedFronts extends FrontCodes, Pick<Catalogue, 'fronts' | 'productNumbers'> {
  /** Ids of the categories and groups that an active front attaches, those with an error too. */
  readonly attachedIds: Readonly<Record<'categories' | 'groups', ReadonlySet<number>>>;
  /** Active fronts whose own row is bad, for which nothing can be built; sorted. */
  readonly badCodes: readonly string[];
}

const FRONT = new RowChecker(
  'fronts',
  names('id code name timezone day_starts_at currency currency_exponent weekend_days status min_cards channel locale'),
);
type FrontRow = RowOf<'fronts', typeof FRONT.columns>;

const CODE = new RowChecker('fronts', ['id', 'code']);
const FRONT_CATEGORY = new RowChecker('front_categories', ['front_id', 'category_id', 'sort_weight']);
const FRONT_GROUP = new RowChecker('front_groups', ['front_id', 'group_id', 'sort_weight']);

/**
 * All fronts with their products; with `onlyFrontId` the products of that one alone, where others
 * have none.
 */
export async function loadFronts(
  reader: CatalogueReader,
  { positions }: LoadedTaxonomy,
  zones: Zones,
  log: FindingLog,
  onlyFrontId?: RowId,
): Promise<LoadedFronts> {
  const { goodRows, badCodes, ...codes } = await loadFrontRows(reader, log);
  const { codeOf } = codes;
  const wantedIds = new Set(goodRows.map(([id]) => id));
  const { productNumbers, productsOf } = await loadFrontProducts(reader, wantedIds, codeOf, log, onlyFrontId);
  const categories = await loadAttached(reader, FRONT_CATEGORY, positions.categories, codeOf, wantedIds, log);
  const groups = await loadAttached(reader, FRONT_GROUP, positions.groups, codeOf, wantedIds, log);
  const unzonedCodes: string[] = [];
  const fronts: Front[] = [];
  for (const row of goodRows) {
    const [id, code, , timezone, dayStartsAt, currency, currencyExponent, weekendDays, , minCards, channel, locale] =
      row;
    const zone = zones.get(timezone);
    if (zone === null) {
      log.add([unknownZone(FRONT.locationOf(row), timezone)], { frontId: id });
      unzonedCodes.push(code);
      continue;
    }
    const products = productsOf.get(id) ?? new FrontProducts(productNumbers, NO_PRODUCTS);
    fronts.push({
      id,
      code,
      zone,
      dayStartsAt: secondsOfTime(dayStartsAt),
      currency,
      currencyExponent,
      weekendDays,
      minCards,
      channel,
      locale,
      categories: categories.of.get(id) ?? [],
      groups: groups.of.get(id) ?? [],
      products,
    });
  }
  return {
    fronts,
    productNumbers,
    badCodes: [...badCodes, ...unzonedCodes].sort(),
    attachedIds: { categories: categories.ids, groups: groups.ids },
    ...codes,
  };
}

/**
 * The rows of fronts themselves: the good rows of active fronts, and the codes of those whose row
 * is bad. Rows with an invalid code are skipped; of duplicates, the first wins.
 */
export async function loadFrontRows(
  reader: Pick<CatalogueReader, 'rows'>,
  log: FindingLog,
): Promise<FrontCodes & { readonly goodRows: readonly FrontRow[]; readonly badCodes: readonly string[] }> {
  const codeOf = new Map<RowId, string>();
  const idOf = new Map<string, RowId>();
  const badCodes: string[] = [];
  const goodRows: FrontRow[] = [];
  const doubtfulIds = new Set<RowId>();
  const disabledCodes = new Set<string>();
  let isEveryCodeKnown = true;
  for (const row of await reader.rows(checkedRows(FRONT, ['code', 'id']))) {
    if (!CODE.accepts(row)) {
      log.add(FRONT.findings(row, log.source), {});
      isEveryCodeKnown = false;
      continue;
    }
    const [id, code] = row;
    const status = FRONT.valueOf(row, 'status');
    const isDisabled = status === 'disabled';
    const otherId = idOf.get(code);
    if (codeOf.has(id) || otherId !== undefined) {
      const location = FRONT.locationOf(row);
      const finding = codeOf.has(id)
        ? repeated(location)
        : notUnique(location, 'code', code, FRONT.locationOf([otherId]));
      log.add([finding], { frontId: id });
      if (otherId !== undefined) log.badFrontIds.add(otherId);
      // Not the same row twice: one of the two has another front's id or code, and its own cannot
      // be known.
      if (codeOf.get(id) !== code) {
        isEveryCodeKnown = false;
        doubtfulIds.add(id).add(otherId ?? id);
      }
      // A code that only this row has does not belong to a removed front: its snapshot stays.
      if (otherId === undefined && !isDisabled) badCodes.push(code);
      continue;
    }
    codeOf.set(id, code);
    idOf.set(code, id);
    if (isDisabled) disabledCodes.add(code);
    if (!FRONT.accepts(row)) {
      // A disabled front is not built, whatever else its row says.
      if (isDisabled) continue;
      log.add(FRONT.findings(row, log.source), { frontId: id });
      badCodes.push(code);
    } else if (status === 'active') {
      goodRows.push(row);
    }
  }
  return { codeOf, isEveryCodeKnown, doubtfulIds, disabledCodes, goodRows, badCodes };
}

const NO_PRODUCTS: FrontProductColumns = {
  numbers: new Int32Array(0),
  flags: new Uint8Array(0),
  periods: new Map(),
  bad: new Map(),
};

/**
 * `of`: what each front attaches, as taxonomy positions by (weight, id); an error in a row takes out
 * that element on that front. `ids`: the elements, bad ones too, that a wanted front attaches.
 */
async function loadAttached(
  reader: CatalogueReader,
  checker: typeof FRONT_CATEGORY | typeof FRONT_GROUP,
  positionOf: Positions,
  codeOf: ReadonlyMap<RowId, string>,
  wantedIds: ReadonlySet<RowId>,
  log: FindingLog,
): Promise<{ readonly of: ReadonlyMap<RowId, readonly number[]>; readonly ids: ReadonlySet<number> }> {
  const attached = new Map<RowId, Map<number, number | Finding>>();
  const seen = new Set<string>();
  const [, idColumn] = checker.columns;
  const parent = TABLE_RULES[checker.table].references[idColumn] ?? '';
  for (const row of await reader.rows(checkedRows(checker, ['front_id', 'sort_weight', idColumn]))) {
    if (!checker.check(row, log, {})) continue;
    const [frontId, id] = row;
    const position = positionOf.get(id);
    const location = checker.locationOf(row);
    const ofFront = attached.get(frontId) ?? new Map<number, number | Finding>();
    attached.set(frontId, ofFront);
    if (!codeOf.has(frontId)) log.add([dangling(location, 'front_id', 'fronts', frontId, codeOf)], {});
    else if (position === undefined) log.add([dangling(location, idColumn, parent, id)], {});
    else if (seen.has(location)) {
      log.add([repeated(location)], {});
      ofFront.delete(id);
    } else ofFront.set(id, position);
    seen.add(location);
  }
  const of = new Map(
    [...attached].map(([id, places]) => [id, [...places.values()].filter((one) => typeof one === 'number')]),
  );
  const ids = [...attached].flatMap(([id, places]) => (wantedIds.has(id) ? [...places.keys()] : []));
  return { of, ids: new Set(ids) };
}
