// Loads categories, groups, tags, badges and venues: the small tables that others refer to by id.

import type { Zones } from '../../catalogue/calendar.ts';
import type { Venue } from '../../catalogue/product.ts';
import type { Taxonomy } from '../../catalogue/taxonomy.ts';
import type { CatalogueReader } from '../reader.ts';
import { FindingLog, findingOf, RowChecker, type ColumnsOf, type RowOf } from '../contract/row-checker.ts';
import type { TableName } from '../contract/tables.ts';
import { checkedRows } from '../contract/query-builders.ts';
import { unknownZone } from '../contract/zones.ts';

/** By id: the position of an element, or null where its row is bad. */
export type Positions = ReadonlyMap<number, number | null>;

export interface LoadedTaxonomy {
  readonly taxonomy: Taxonomy;
  readonly positions: Readonly<Record<keyof Taxonomy, Positions>>;
}

const CATEGORY = new RowChecker('categories', ['id', 'slug', 'name_singular', 'name_plural']);
const GROUP = new RowChecker('groups', ['id', 'slug', 'name', 'card_type']);
const TAG = new RowChecker('tags', ['id', 'slug', 'name', 'sort_weight']);
const BADGE = new RowChecker('badges', ['id', 'slug', 'name', 'color', 'sort_weight']);
const VENUE = new RowChecker('venues', ['id', 'name', 'timezone']);

/**
 * The taxonomy, each kind as documents print it. Bad rows are findings here; who uses them is held
 * back where the use is seen.
 */
export async function loadTaxonomy(reader: CatalogueReader, log: FindingLog): Promise<LoadedTaxonomy> {
  const categories = await loadElements(reader, CATEGORY, ['id'], log, ([id, slug, nameSingular, namePlural]) => {
    return { id, slug, nameSingular, namePlural };
  });
  const groups = await loadElements(reader, GROUP, ['id'], log, ([id, slug, name, cardType]) => {
    return { id, slug, name, cardType };
  });
  const byWeight = ['sort_weight', 'id'];
  const tags = await loadElements(reader, TAG, byWeight, log, ([id, slug, name]) => ({ id, slug, name }));
  const badges = await loadElements(reader, BADGE, byWeight, log, ([id, slug, name, color]) => {
    return { id, slug, name, color };
  });
  return {
    taxonomy: { categories: categories.list, groups: groups.list, tags: tags.list, badges: badges.list },
    positions: {
      categories: categories.positionOf,
      groups: groups.positionOf,
      tags: tags.positionOf,
      badges: badges.positionOf,
    },
  };
}

async function loadElements<
  T extends TableName,
  const C extends ColumnsOf<T>,
  E extends { readonly id: number; readonly slug: string },
>(
  reader: CatalogueReader,
  checker: RowChecker<T, C>,
  orderBy: readonly string[],
  log: FindingLog,
  elementOf: (row: RowOf<T, C>) => E,
): Promise<{ readonly list: readonly E[]; readonly positionOf: Positions }> {
  const list: E[] = [];
  const positionOf = new Map<number, number | null>();
  const slugs = new Set<string>();
  const rows = await reader.rows(checkedRows(checker, orderBy));
  await reader.markUndecodable(checker, rows);
  for (const row of rows) {
    if (!checker.check(row, log, {})) {
      if (typeof row[0] === 'number') positionOf.set(row[0], null);
      continue;
    }
    const element = elementOf(row);
    const { id, slug } = element;
    if (positionOf.has(id) || slugs.has(slug)) {
      const message = `expected a unique id and slug, found ${id} or "${slug}" twice`;
      log.add([findingOf('error', 'duplicate-key', checker.locationOf(row), message)], {});
      positionOf.set(id, null);
      continue;
    }
    slugs.add(slug);
    positionOf.set(id, list.length);
    list.push(element);
  }
  return { list, positionOf };
}

/** Venues by id; null where the row is bad. */
export async function loadVenues(
  reader: CatalogueReader,
  zones: Zones,
  log: FindingLog,
): Promise<ReadonlyMap<number, Venue | null>> {
  const venues = new Map<number, Venue | null>();
  const rows = await reader.rows(checkedRows(VENUE));
  await reader.markUndecodable(VENUE, rows);
  for (const row of rows) {
    if (!VENUE.check(row, log, {})) {
      if (typeof row[0] === 'number') venues.set(row[0], null);
      continue;
    }
    const [id, name, timezone] = row;
    const zone = zones.get(timezone);
    if (zone === null) log.add([unknownZone(VENUE.locationOf(row), timezone)], {});
    else if (venues.has(id))
      log.add([findingOf('error', 'duplicate-key', VENUE.locationOf(row), 'expected a unique id, found it twice')], {});
    venues.set(id, zone === null || venues.has(id) ? null : { id, name, zone });
  }
  return venues;
}
