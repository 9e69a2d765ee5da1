// Loads fronts: their own rows, what each attaches, and their shelves. Every row of these tables is read and checked, those of
// fronts that are not built included: a row with a mistyped id would otherwise be missed in silence.

import { ALWAYS, type Front, type Period, type ShelfEntry } from '../catalogue/front.ts';
import { groupedQuery, rowsIn, strictTables } from './grouped-rows.ts';
import type { CatalogueReader } from './open.ts';
import { FindingLog, findingOf, idMeant, repeated, RowChecker, type RowOf } from './row-check.ts';
import { periodOf } from './values.ts';
import { unknownZone, type Zones } from './zones.ts';

export interface LoadedFronts {
  /** Active fronts with a good row, by code: those to build, bad data elsewhere notwithstanding. */
  readonly fronts: readonly Front[];
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
const FRONT_CATEGORY = new RowChecker('front_categories', ['front_id', 'category_id', 'sort_weight']);
const FRONT_GROUP = new RowChecker('front_groups', ['front_id', 'group_id', 'sort_weight']);

/** Bounds the shelves' rows in memory at one time. */
const SHELVES_PER_BATCH = 50;

interface TaxonomyPositions {
  readonly categories: ReadonlyMap<number, number | null>;
  readonly groups: ReadonlyMap<number, number | null>;
}

export async function loadFronts(
  reader: CatalogueReader,
  taxonomy: TaxonomyPositions,
  zones: Zones,
  log: FindingLog,
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
      for (const [otherId, other] of codeOf) if (other === code) log.blameFront(otherId);
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
  const shelves = await loadShelves(reader, new Set(goodRows.map(([id]) => id)), codeOf, log);
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
    const shelf = shelves.get(id) ?? [];
    fronts.push({ id, code, zone, currency, currencyExponent, weekendDays, minCards, categories, groups, shelf });
  }
  return { fronts, badCodes: badCodes.sort(), codeOf, isEveryCodeKnown };
}

/** Shelves by front id. Entries that say nothing but the product are one object for all fronts: there are millions of them. */
async function loadShelves(
  reader: CatalogueReader,
  wantedIds: ReadonlySet<number>,
  codeOf: ReadonlyMap<number, string>,
  log: FindingLog,
): Promise<ReadonlyMap<number, readonly ShelfEntry[]>> {
  const shelves = new Map<number, readonly ShelfEntry[]>();
  const plainEntries = new Map<number, ShelfEntry>();
  const isStrict = (await strictTables(reader)).has('front_products');
  const grouping = { table: 'front_products', by: 'front_id', columns: FRONT_PRODUCT.columns } as const;
  for (const range of ['null', { after: null, upTo: null }] as const) {
    for await (const batch of reader.batches(groupedQuery(reader, grouping, range, isStrict), SHELVES_PER_BATCH)) {
      for (const [frontId, json] of batch) {
        const rows = rowsIn(json);
        if (typeof frontId === 'number' && wantedIds.has(frontId)) {
          shelves.set(frontId, shelfOf(frontId, rows, plainEntries, log));
        } else {
          for (const row of rows) {
            if (!FRONT_PRODUCT.accepts(row)) noteFrontRow(FRONT_PRODUCT.findings(row), row, log);
            else if (!codeOf.has(row[0]))
              log.add([dangling(FRONT_PRODUCT.placeOf(row), 'front_id', 'fronts', row[0])], {});
          }
        }
      }
    }
  }
  return shelves;
}

/** One front's shelf, by (weight, product id). */
function shelfOf(
  frontId: number,
  rows: readonly unknown[][],
  plainEntries: Map<number, ShelfEntry>,
  log: FindingLog,
): readonly ShelfEntry[] {
  const shelf: ShelfEntry[] = [];
  const weights: number[] = [];
  const productIds = new Set<number>();
  let isSorted = true;
  for (const row of rows) {
    if (!FRONT_PRODUCT.accepts(row)) {
      noteFrontRow(FRONT_PRODUCT.findings(row), row, log);
      continue;
    }
    const [, productId, featured, banner, paused, weight, visibleFrom, visibleUntil] = row;
    if (productIds.has(productId)) {
      log.add([repeated(FRONT_PRODUCT.placeOf(row))], { frontId });
      continue;
    }
    productIds.add(productId);
    const visible: Period =
      visibleFrom === null && visibleUntil === null ? ALWAYS : periodOf(visibleFrom, visibleUntil);
    const isPlain = featured + banner + paused === 0 && visible === ALWAYS;
    let entry = isPlain ? plainEntries.get(productId) : undefined;
    if (entry === undefined) {
      entry = { productId, isFeatured: featured === 1, isBanner: banner === 1, isPaused: paused === 1, visible };
      if (isPlain) plainEntries.set(productId, entry);
    }
    const lastWeight = weights.at(-1) ?? Number.NEGATIVE_INFINITY;
    isSorted &&= lastWeight < weight || (lastWeight === weight && (shelf.at(-1)?.productId ?? 0) < productId);
    shelf.push(entry);
    weights.push(weight);
  }
  if (isSorted) return shelf;
  // As indexed they come in this order; a view may give them in another.
  return shelf
    .map((entry, i) => ({ entry, weight: weights[i] ?? 0 }))
    .sort((a, b) => a.weight - b.weight || a.entry.productId - b.entry.productId)
    .map(({ entry }) => entry);
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
    else if (position === null) log.blameFront(frontId);
    else if (attached.get(frontId)?.includes(position) === true) log.add([repeated(checker.placeOf(row))], { frontId });
    else if (attached.has(frontId)) attached.get(frontId)?.push(position);
    else attached.set(frontId, [position]);
  }
  return attached;
}

/** Notes what is wrong with a row that belongs to a front, whose id may itself be mistyped: '7' is still the seventh's. */
function noteFrontRow(findings: ReturnType<typeof FRONT.findings>, row: readonly unknown[], log: FindingLog): void {
  const frontId = idMeant(row[0]);
  log.add(findings, frontId === undefined ? {} : { frontId });
}

export function dangling(place: string, column: string, parent: string, id: unknown): ReturnType<typeof findingOf> {
  return findingOf(
    'error',
    'dangling-id',
    place,
    `${column}: expected the id of a row of ${parent}, found ${String(id)}`,
  );
}
