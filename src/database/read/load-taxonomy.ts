// Loads categories, groups, tags, badges and venues: the small tables that everything else refers to by id.

import type { Venue } from '../../catalogue/product.ts';
import type { Taxonomy } from '../../catalogue/taxonomy.ts';
import type { CatalogueReader } from '../open.ts';
import { FindingLog, findingOf, RowChecker } from '../schema/row-checker.ts';
import { markUndecodable } from './undecodable-text.ts';
import { unknownZone, type Zones } from '../schema/zones.ts';

/** The elements of one kind: by position as documents print them, and each id's position, or null where its row is bad. */
export interface Positions<T> {
  readonly list: readonly T[];
  readonly positionOf: ReadonlyMap<number, number | null>;
}

export interface LoadedTaxonomy {
  readonly taxonomy: Taxonomy;
  readonly categories: ReadonlyMap<number, number | null>;
  readonly groups: ReadonlyMap<number, number | null>;
  readonly tags: ReadonlyMap<number, number | null>;
  readonly badges: ReadonlyMap<number, number | null>;
}

const CATEGORY = new RowChecker('categories', ['id', 'slug', 'name_singular', 'name_plural']);
const GROUP = new RowChecker('groups', ['id', 'slug', 'name', 'card_type']);
const TAG = new RowChecker('tags', ['id', 'slug', 'name', 'sort_weight']);
const BADGE = new RowChecker('badges', ['id', 'slug', 'name', 'color', 'sort_weight']);
const VENUE = new RowChecker('venues', ['id', 'name', 'timezone']);

export async function loadTaxonomy(reader: CatalogueReader, log: FindingLog): Promise<LoadedTaxonomy> {
  const { db } = reader;
  const categoryRows = await reader.rows(
    db
      .selectFrom('categories')
      .select([...CATEGORY.columns])
      .orderBy('id'),
  );
  const groupRows = await reader.rows(
    db
      .selectFrom('groups')
      .select([...GROUP.columns])
      .orderBy('id'),
  );
  const tagRows = await reader.rows(
    db
      .selectFrom('tags')
      .select([...TAG.columns])
      .orderBy('sort_weight')
      .orderBy('id'),
  );
  const badgeRows = await reader.rows(
    db
      .selectFrom('badges')
      .select([...BADGE.columns])
      .orderBy('sort_weight')
      .orderBy('id'),
  );
  await markUndecodable(reader, CATEGORY, categoryRows);
  await markUndecodable(reader, GROUP, groupRows);
  await markUndecodable(reader, TAG, tagRows);
  await markUndecodable(reader, BADGE, badgeRows);
  const categories = collect(categoryRows, CATEGORY, log, (row) => {
    if (!CATEGORY.accepts(row)) return null;
    const [id, slug, nameSingular, namePlural] = row;
    return { id, slug, nameSingular, namePlural };
  });
  const groups = collect(groupRows, GROUP, log, (row) => {
    if (!GROUP.accepts(row)) return null;
    const [id, slug, name, cardType] = row;
    return { id, slug, name, cardType };
  });
  const tags = collect(tagRows, TAG, log, (row) => {
    if (!TAG.accepts(row)) return null;
    const [id, slug, name] = row;
    return { id, slug, name };
  });
  const badges = collect(badgeRows, BADGE, log, (row) => {
    if (!BADGE.accepts(row)) return null;
    const [id, slug, name, color] = row;
    return { id, slug, name, color };
  });
  return {
    taxonomy: { categories: categories.list, groups: groups.list, tags: tags.list, badges: badges.list },
    categories: categories.positionOf,
    groups: groups.positionOf,
    tags: tags.positionOf,
    badges: badges.positionOf,
  };
}

interface RowFindings {
  readonly columns: readonly string[];
  findings(row: readonly unknown[]): ReturnType<RowChecker<'tags', ['id']>['findings']>;
  placeOf(row: readonly unknown[]): string;
}

/** Rows to elements. A bad row is noted here; whoever uses it is held back where the use is seen. */
function collect<T extends { readonly slug: string }>(
  rows: readonly (readonly unknown[])[],
  checker: RowFindings,
  log: FindingLog,
  elementOf: (row: readonly unknown[]) => T | null,
): Positions<T> {
  const list: T[] = [];
  const positionOf = new Map<number, number | null>();
  const slugs = new Set<string>();
  for (const row of rows) {
    const id = row[0];
    const element = elementOf(row);
    if (element === null) {
      log.add(checker.findings(row), {});
      if (typeof id === 'number') positionOf.set(id, null);
      continue;
    }
    if (typeof id !== 'number') continue;
    if (positionOf.has(id) || slugs.has(element.slug)) {
      const message = `expected a unique id and slug, found ${id} or "${element.slug}" twice`;
      log.add([findingOf('error', 'duplicate-key', checker.placeOf(row), message)], {});
      positionOf.set(id, null);
      continue;
    }
    slugs.add(element.slug);
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
  const query = reader.db
    .selectFrom('venues')
    .select([...VENUE.columns])
    .orderBy('id');
  const rows = await reader.rows(query);
  await markUndecodable(reader, VENUE, rows);
  for (const row of rows) {
    if (!VENUE.accepts(row)) {
      log.add(VENUE.findings(row), {});
      if (typeof row[0] === 'number') venues.set(row[0], null);
      continue;
    }
    const [id, name, timezone] = row;
    const zone = zones.get(timezone);
    if (zone === null) log.add([unknownZone(VENUE.placeOf(row), timezone)], {});
    else if (venues.has(id))
      log.add([findingOf('error', 'duplicate-key', VENUE.placeOf(row), 'expected a unique id, found it twice')], {});
    venues.set(id, zone === null || venues.has(id) ? null : { id, name, zone });
  }
  return venues;
}
