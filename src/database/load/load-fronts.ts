// Loads fronts: their own rows, what each attaches, and their products (load-front-products.ts).
// Every row of these tables is read and checked, those of fronts that are not built included: a row
// with a mistyped id would otherwise go unnoticed.

import type { Zones } from '../../catalogue/calendar.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { Front } from '../../catalogue/front.ts';
import { FrontProducts } from '../../catalogue/front-products.ts';
import type { CatalogueReader } from '../reader.ts';
import {
  dangling,
  findingOf,
  names,
  parseId,
  repeated,
  RowChecker,
  type FindingLog,
  type RowOf,
} from '../contract/row-checker.ts';
import { checkedRows } from '../contract/query-builders.ts';
import { unknownZone } from '../contract/zones.ts';
import { loadFrontProducts } from './load-front-products.ts';
import type { LoadedTaxonomy, Positions } from './load-taxonomy.ts';

/** Which codes the fronts have. */
export interface FrontCodes {
  /** Codes by front id, disabled and bad fronts included. */
  readonly codeOf: ReadonlyMap<number, string>;
  /**
   * Whether every front's id and code could be read: otherwise no front counts as removed, and a
   * key may belong to one not known.
   */
  readonly isEveryCodeKnown: boolean;
  /**
   * Ids that two rows have, or whose code two rows have: which of them is right cannot be known.
   */
  readonly doubtfulIds: ReadonlySet<number>;
  readonly disabledCodes: ReadonlySet<string>;
}

/**
 * Active fronts whose own row is good, by code, to build unless bad data elsewhere holds them back;
 * and the products that they list.
 */
export interface LoadedFronts extends FrontCodes, Pick<Catalogue, 'fronts' | 'productNumbers'> {
  /** Active fronts whose own row is bad, for which nothing can be built; sorted. */
  readonly badCodes: readonly string[];
}

const FRONT = new RowChecker(
  'fronts',
  names('id code name timezone currency currency_exponent weekend_days status min_cards'),
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
  onlyFrontId?: number,
): Promise<LoadedFronts> {
  const { goodRows, badCodes, ...codes } = await loadFrontRows(reader, log);
  const { codeOf } = codes;
  const wantedIds = new Set(goodRows.map(([id]) => id));
  const { productNumbers, productsOf } = await loadFrontProducts(reader, wantedIds, codeOf, log, onlyFrontId);
  const categoriesOf = await loadAttached(reader, FRONT_CATEGORY, positions.categories, 'categories', codeOf, log);
  const groupsOf = await loadAttached(reader, FRONT_GROUP, positions.groups, 'groups', codeOf, log);
  const unzonedCodes: string[] = [];
  const fronts: Front[] = [];
  for (const row of goodRows) {
    const [id, code, , timezone, currency, currencyExponent, weekendDays, , minCards] = row;
    const zone = zones.get(timezone);
    if (zone === null) {
      log.add([unknownZone(FRONT.locationOf(row), timezone)], { frontId: id });
      unzonedCodes.push(code);
      continue;
    }
    const categories = categoriesOf.get(id) ?? [];
    const groups = groupsOf.get(id) ?? [];
    const products =
      productsOf.get(id) ?? new FrontProducts(productNumbers, new Int32Array(0), new Uint8Array(0), new Map());
    fronts.push({ id, code, zone, currency, currencyExponent, weekendDays, minCards, categories, groups, products });
  }
  return { fronts, productNumbers, badCodes: [...badCodes, ...unzonedCodes].sort(), ...codes };
}

/**
 * The rows of fronts themselves: the good rows of active fronts, and the codes of those whose row
 * is bad. Rows with an invalid code are skipped; of duplicates, the first wins.
 */
export async function loadFrontRows(
  reader: Pick<CatalogueReader, 'rows'>,
  log: FindingLog,
): Promise<FrontCodes & { readonly goodRows: readonly FrontRow[]; readonly badCodes: readonly string[] }> {
  const codeOf = new Map<number, string>();
  const idOf = new Map<string, number>();
  const badCodes: string[] = [];
  const goodRows: FrontRow[] = [];
  const doubtfulIds = new Set<number>();
  const disabledCodes = new Set<string>();
  let isEveryCodeKnown = true;
  for (const row of await reader.rows(checkedRows(FRONT, ['code', 'id']))) {
    if (!CODE.accepts(row)) {
      log.add(FRONT.findings(row, log.kind), {});
      isEveryCodeKnown = false;
      continue;
    }
    const [id, code] = row;
    const isDisabled = row[7] === 'disabled';
    const otherId = idOf.get(code);
    if (codeOf.has(id) || otherId !== undefined) {
      const message = `expected a unique id and code, found ${id} or "${code}" twice`;
      log.add([findingOf('error', 'duplicate-key', FRONT.locationOf(row), message)], { frontId: id });
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
      log.add(FRONT.findings(row, log.kind), isDisabled ? {} : { frontId: id });
      if (!isDisabled) badCodes.push(code);
    } else if (row[7] === 'active') {
      goodRows.push(row);
    }
  }
  return { codeOf, isEveryCodeKnown, doubtfulIds, disabledCodes, goodRows, badCodes };
}

/** What each front attaches, as taxonomy positions by (weight, id). */
async function loadAttached(
  reader: CatalogueReader,
  checker: typeof FRONT_CATEGORY | typeof FRONT_GROUP,
  positionOf: Positions,
  parent: 'categories' | 'groups',
  codeOf: ReadonlyMap<number, string>,
  log: FindingLog,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const attached = new Map<number, number[]>();
  const [, idColumn] = checker.columns;
  for (const row of await reader.rows(checkedRows(checker, ['front_id', 'sort_weight', idColumn]))) {
    if (!checker.check(row, log, { frontId: parseId(row[0]) })) continue;
    const [frontId, id] = row;
    const position = positionOf.get(id);
    const known = attached.get(frontId) ?? [];
    if (!codeOf.has(frontId)) log.add([dangling(checker.locationOf(row), 'front_id', 'fronts', frontId)], {});
    else if (position === undefined) log.add([dangling(checker.locationOf(row), idColumn, parent, id)], { frontId });
    // The element's own row has a finding: every front that attaches it is held back.
    else if (position === null) log.badFrontIds.add(frontId);
    else if (known.includes(position)) log.add([repeated(checker.locationOf(row))], { frontId });
    else {
      known.push(position);
      attached.set(frontId, known);
    }
  }
  return attached;
}
