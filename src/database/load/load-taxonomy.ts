// Loads categories, groups, tags, badges and venues: the small tables that others refer to by id.

import type { Zones } from '../../catalogue/calendar.ts';
import type { Venue } from '../../catalogue/product.ts';
import type { RowId } from '../../catalogue/row-id.ts';
import type { Taxonomy } from '../../catalogue/taxonomy.ts';
import type { CatalogueReader } from '../reader.ts';
import type { Finding } from '../../findings.ts';
import { FindingLog, parseId, repeated, RowChecker, type ColumnsOf, type RowOf } from '../contract/row-checker.ts';
import { checkedRows, knownTables } from '../contract/query-builders.ts';
import { ruleFinding } from '../contract/row-rules.ts';
import { unknownZone } from '../contract/zones.ts';
import { UniqueSlugs } from './unique-slugs.ts';

/** By id: the position of an element, or a finding where the row is bad. */
export type Positions = ReadonlyMap<number, number | Finding>;

export interface LoadedTaxonomy {
  readonly taxonomy: Taxonomy;
  readonly positions: Readonly<Record<keyof Taxonomy, Positions>>;
  /** Badges with a rule that no product names, as positions: they are for every product. */
  readonly looseBadges: readonly number[];
}

const CATEGORY = new RowChecker('categories', ['id', 'slug', 'name_singular', 'name_plural']);
const GROUP = new RowChecker('groups', ['id', 'slug', 'name', 'card_type']);
const TAG = new RowChecker('tags', ['id', 'slug', 'name', 'sort_weight']);
const BADGE = new RowChecker('badges', ['id', 'slug', 'name', 'color', 'sort_weight', 'rule', 'rule_below']);
const VENUE = new RowChecker('venues', ['id', 'name', 'timezone']);

/**
 * The taxonomy, each kind as documents print it. Bad rows are findings here; who uses them is left
 * out where the use is seen.
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
  const badges = await loadElements(
    reader,
    BADGE,
    byWeight,
    log,
    ([id, slug, name, color, , rule, below]) => {
      return {
        id,
        slug,
        name,
        color,
        rule: rule === 'few-left' ? { kind: rule, below: below ?? 0 } : rule && { kind: rule },
      };
    },
    (row) => ruleFinding(() => BADGE.locationOf(row), row[5], row[6]),
  );
  return {
    looseBadges: await looseBadges(reader, badges),
    taxonomy: { categories: categories.list, groups: groups.list, tags: tags.list, badges: badges.list },
    positions: {
      categories: categories.positionOf,
      groups: groups.positionOf,
      tags: tags.positionOf,
      badges: badges.positionOf,
    },
  };
}

/** A row of product_badges counts whatever its product or window, and if its id is mistyped. */
async function looseBadges(
  reader: CatalogueReader,
  { list, positionOf }: { readonly list: Taxonomy['badges']; readonly positionOf: Positions },
): Promise<readonly number[]> {
  const ruled = list
    .map(({ id, rule }, position) => ({ id, rule, position }))
    .filter(({ id, rule, position }) => rule !== null && positionOf.get(id) === position);
  if (ruled.length === 0) return [];
  const named = knownTables.selectFrom('product_badges').select('badge_id').distinct().orderBy('badge_id');
  const namedIds = new Set((await reader.rows(named)).map(([id]) => parseId(id)));
  return ruled.filter(({ id }) => !namedIds.has(id)).map(({ position }) => position);
}

async function loadElements<T extends keyof Taxonomy, const C extends ColumnsOf<T>, E>(
  reader: CatalogueReader,
  checker: RowChecker<T, C>,
  orderBy: readonly string[],
  log: FindingLog,
  elementOf: (row: RowOf<T, C>) => E,
  problemIn?: (row: RowOf<T, C>) => Finding | null,
): Promise<{ readonly list: readonly E[]; readonly positionOf: Positions }> {
  const list: E[] = [];
  const positionOf = new Map<number, number | Finding>();
  const slugs = new UniqueSlugs(checker.table);
  const rows = await reader.rows(checkedRows(checker, orderBy));
  await reader.markUndecodable(checker, rows);
  for (const row of rows) {
    const isAccepted = checker.accepts(row);
    const findings = isAccepted ? [problemIn?.(row) ?? []].flat() : [...checker.findings(row, log.source)];
    const id = parseId(row[0]);
    const isRepeated = id !== undefined && positionOf.has(id);
    if (isRepeated) findings.push(repeated(checker.locationOf(row)));
    const doubled = isRepeated ? null : slugs.note(row);
    if (doubled !== null) {
      findings.push(doubled.finding);
      // Its position stays unused.
      if (doubled.otherId !== undefined) positionOf.set(doubled.otherId, doubled.finding);
    }
    log.add(findings, {});
    const [finding] = findings;
    if (id !== undefined) positionOf.set(id, finding ?? list.length);
    if (isAccepted && finding === undefined) list.push(elementOf(row));
  }
  return { list, positionOf };
}

/** Venues by id; a finding where the row is bad. */
export async function loadVenues(
  reader: CatalogueReader,
  zones: Zones,
  log: FindingLog,
): Promise<ReadonlyMap<RowId, Venue | Finding>> {
  const venues = new Map<RowId, Venue | Finding>();
  const rows = await reader.rows(checkedRows(VENUE));
  await reader.markUndecodable(VENUE, rows);
  for (const row of rows) {
    if (!VENUE.accepts(row)) {
      const findings = VENUE.findings(row, log.source);
      log.add(findings, {});
      const id = VENUE.valueOf(row, 'id');
      if (id !== undefined && findings[0] !== undefined) venues.set(id, findings[0]);
      continue;
    }
    const [id, name, timezone] = row;
    const zone = timezone === null ? null : zones.get(timezone);
    const isKnown = timezone === null || zone !== null;
    if (isKnown && !venues.has(id)) {
      venues.set(id, { id, name, zone });
      continue;
    }
    const location = VENUE.locationOf(row);
    const finding = isKnown ? repeated(location) : unknownZone(location, timezone);
    log.add([finding], {});
    venues.set(id, finding);
  }
  return venues;
}
