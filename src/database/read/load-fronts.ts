// Loads fronts: their own rows, what each attaches, and their shelves (load-front-products.ts). Every row of these tables is read and
// checked, those of fronts that are not built included: a row with a mistyped id would otherwise be missed in silence.

import type { Front } from '../../catalogue/front.ts';
import { FrontProducts, type ProductNumbers } from '../../catalogue/front-products.ts';
import { loadFrontProducts } from './load-front-products.ts';
import type { CatalogueReader } from '../open.ts';
import {
  dangling,
  findingOf,
  noteFrontRow,
  repeated,
  RowChecker,
  type FindingLog,
  type RowOf,
} from '../schema/row-checker.ts';
import { unknownZone, type Zones } from '../schema/zones.ts';

export interface LoadedFronts {
  /** Active fronts with a good row, by code: those to build, bad data elsewhere notwithstanding. */
  readonly fronts: readonly Front[];
  /** The products that shelves name. */
  readonly productNumbers: ProductNumbers;
  /** Codes of active fronts whose own row is bad: nothing can be built for them. */
  readonly badCodes: readonly string[];
  /** Codes by front id, disabled and bad fronts included: what keys speak for. */
  readonly codeOf: ReadonlyMap<number, string>;
  /** Whether every front's id and code could be read: otherwise no front can be called gone, and a key may be of one not known. */
  readonly isEveryCodeKnown: boolean;
}

const FRONT = new RowChecker('fronts', [
  'id',
  'code',
  'name',
  'timezone',
  'currency',
  'currency_exponent',
  'weekend_days',
  'status',
  'min_cards',
]);
const CODE = new RowChecker('fronts', ['id', 'code']);
const FRONT_CATEGORY = new RowChecker('front_categories', ['front_id', 'category_id', 'sort_weight']);
const FRONT_GROUP = new RowChecker('front_groups', ['front_id', 'group_id', 'sort_weight']);

interface TaxonomyPositions {
  readonly categories: ReadonlyMap<number, number | null>;
  readonly groups: ReadonlyMap<number, number | null>;
}

/** All fronts; their shelves too, or the one shelf of `shelfOfId`, where others are empty. */
export async function loadFronts(
  reader: CatalogueReader,
  taxonomy: TaxonomyPositions,
  zones: Zones,
  log: FindingLog,
  shelfOfId?: number,
): Promise<LoadedFronts> {
  const { db } = reader;
  const codeOf = new Map<number, string>();
  const badCodes: string[] = [];
  const goodRows: RowOf<'fronts', typeof FRONT.columns>[] = [];
  let isEveryCodeKnown = true;
  for (const row of await reader.rows(
    db
      .selectFrom('fronts')
      .select([...FRONT.columns])
      .orderBy('code')
      .orderBy('id'),
  )) {
    if (!CODE.accepts(row)) {
      log.add(FRONT.findings(row), {});
      isEveryCodeKnown = false;
      continue;
    }
    const [id, code] = row;
    const isRepeated = codeOf.has(id) || [...codeOf.values()].includes(code);
    if (isRepeated) {
      log.add(
        [
          findingOf(
            'error',
            'duplicate-key',
            FRONT.placeOf(row),
            `expected a unique id and code, found ${id} or "${code}" twice`,
          ),
        ],
        { frontId: id },
      );
      for (const [otherId, other] of codeOf) if (other === code) log.markFrontBad(otherId);
      // Not the same row twice: one of the two bears another front's id or code, and its own cannot be known.
      if (codeOf.get(id) !== code) isEveryCodeKnown = false;
      // A code that only this row bears is no gone front's: its snapshot stays.
      if (![...codeOf.values()].includes(code) && row[7] !== 'disabled') badCodes.push(code);
      continue;
    }
    codeOf.set(id, code);
    if (!FRONT.accepts(row)) {
      // A disabled front is not built, whatever else its row says.
      const isDisabled = row[7] === 'disabled';
      log.add(FRONT.findings(row), isDisabled ? {} : { frontId: id });
      if (!isDisabled) badCodes.push(code);
    } else if (row[7] === 'active') {
      goodRows.push(row);
    }
  }
  const goodIds = new Set(goodRows.map(([id]) => id));
  const { products, shelves } = await loadFrontProducts(reader, goodIds, codeOf, log, shelfOfId);
  const categoriesOf = await loadAttached(reader, FRONT_CATEGORY, taxonomy.categories, codeOf, log);
  const groupsOf = await loadAttached(reader, FRONT_GROUP, taxonomy.groups, codeOf, log);
  const fronts: Front[] = [];
  for (const row of goodRows) {
    const [id, code, , timezone, currency, currencyExponent, weekendDays, , minCards] = row;
    const zone = zones.get(timezone);
    if (zone === null) {
      log.add([unknownZone(FRONT.placeOf(row), timezone)], { frontId: id });
      badCodes.push(code);
      continue;
    }
    const categories = categoriesOf.get(id) ?? [];
    const groups = groupsOf.get(id) ?? [];
    const shelf = shelves.get(id) ?? new FrontProducts(products, new Int32Array(0), new Uint8Array(0), new Map());
    fronts.push({ id, code, zone, currency, currencyExponent, weekendDays, minCards, categories, groups, shelf });
  }
  return { fronts, productNumbers: products, badCodes: badCodes.sort(), codeOf, isEveryCodeKnown };
}

/** What each front attaches, as taxonomy positions by (weight, id). */
async function loadAttached(
  reader: CatalogueReader,
  checker: typeof FRONT_CATEGORY | typeof FRONT_GROUP,
  positionOf: ReadonlyMap<number, number | null>,
  codeOf: ReadonlyMap<number, string>,
  log: FindingLog,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const attached = new Map<number, number[]>();
  const query =
    checker.table === 'front_categories'
      ? reader.db
          .selectFrom('front_categories')
          .select([...FRONT_CATEGORY.columns])
          .orderBy('front_id')
          .orderBy('sort_weight')
          .orderBy('category_id')
      : reader.db
          .selectFrom('front_groups')
          .select([...FRONT_GROUP.columns])
          .orderBy('front_id')
          .orderBy('sort_weight')
          .orderBy('group_id');
  const [, idColumn] = checker.columns;
  const parent = checker.table === 'front_categories' ? 'categories' : 'groups';
  for (const row of await reader.rows(query)) {
    if (!checker.accepts(row)) {
      noteFrontRow(checker.findings(row), row, log);
      continue;
    }
    const [frontId, id] = row;
    const position = positionOf.get(id);
    if (!codeOf.has(frontId)) log.add([dangling(checker.placeOf(row), 'front_id', 'fronts', frontId)], {});
    else if (position === undefined) log.add([dangling(checker.placeOf(row), idColumn, parent, id)], { frontId });
    // The element's own row has a finding: every front that attaches it is held back.
    else if (position === null) log.markFrontBad(frontId);
    else if (attached.get(frontId)?.includes(position) === true) log.add([repeated(checker.placeOf(row))], { frontId });
    else if (attached.has(frontId)) attached.get(frontId)?.push(position);
    else attached.set(frontId, [position]);
  }
  return attached;
}
