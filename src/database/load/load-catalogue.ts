// Loads a catalogue for a build in two steps: all that fronts are made of, which is kept; then the
// products, range by range, because their sessions do not fit into memory together. Bad rows become
// findings, and take out what they concern.

import { Zones } from '../../catalogue/calendar.ts';
import type { Front } from '../../catalogue/front.ts';
import { ListedProducts } from '../../catalogue/front-products.ts';
import type { Instant } from '../../catalogue/instant.ts';
import type { Product, Venue } from '../../catalogue/product.ts';
import type { RowId } from '../../catalogue/row-id.ts';
import type { Texts } from '../../catalogue/texts.ts';
import type { Finding } from '../../findings.ts';
import type { CatalogueKeys } from '../../release/publish/next-key-ring.ts';
import { dangling, FindingLog, locationOfKey } from '../contract/row-checker.ts';
import type { CatalogueReader } from '../reader.ts';
import type { GroupRange } from './groups.ts';
import { loadFronts, type LoadedFronts } from './load-fronts.ts';
import { loadKeys } from './load-keys.ts';
import { ProductLoad } from './load-products.ts';
import type { ProductContext } from './product-maker.ts';
import { loadTexts } from './load-texts.ts';
import { loadTaxonomy, loadVenues, type LoadedTaxonomy } from './load-taxonomy.ts';
import { unknownFront } from './unknown-front.ts';
import { zoneRulesFindings } from './server-zone-rules.ts';

/** What fronts and products refer to by id. */
export interface References extends LoadedTaxonomy {
  /** A finding where the row is bad. */
  readonly venues: ReadonlyMap<RowId, Venue | Finding>;
  readonly zones: Zones;
}

export interface LoadedCatalogue extends References, LoadedFronts {
  /** Columns and tables in which a row says something; added to while products are loaded. */
  readonly uses: Set<string>;
  readonly texts: Texts;
  /** Active fronts that were not selected. */
  readonly unselectedCodes: readonly string[];
  readonly keys: CatalogueKeys;
}

export interface LoadSettings {
  /** The fronts to select; null for all active ones. Every row is read and checked in any case. */
  readonly frontCodes: readonly string[] | null;
  /** Version of the time-zone rules. */
  readonly tzdata: string;
  /** Tables whose references the load checks itself, such as views. */
  readonly withoutForeignKeys: ReadonlySet<string>;
}

/**
 * A catalogue without its products. `fronts` and `badCodes` are those of the selection.
 * @throws AppError front-unknown, database-unreadable, database-busy
 */
export async function loadCatalogue(
  reader: CatalogueReader,
  { frontCodes, tzdata }: Omit<LoadSettings, 'withoutForeignKeys'>,
  log: FindingLog,
  now: Instant,
): Promise<LoadedCatalogue> {
  const zones = new Zones();
  const references = await loadReferences(reader, zones, log);
  log.add(await zoneRulesFindings(reader, zonesOf(references), tzdata, now), {});
  const all = await loadFronts(reader, references, zones, log);
  const texts = await loadTexts(reader, all.fronts, log);
  const activeCodes = [...all.fronts.map(({ code }) => code), ...all.badCodes].sort();
  for (const code of frontCodes ?? [])
    if (!activeCodes.includes(code)) throw unknownFront(code, activeCodes, 'active front');
  const isSelected = (code: string): boolean => frontCodes === null || frontCodes.includes(code);
  return {
    ...references,
    ...all,
    texts,
    uses: usesOf(all.fronts, references, texts),
    fronts: all.fronts.filter(({ code }) => isSelected(code)),
    badCodes: all.badCodes.filter(isSelected),
    unselectedCodes: activeCodes.filter((code) => !isSelected(code)),
    keys: await loadKeys(reader, all, log, now),
  };
}

/**
 * The same with the products of one front alone, and without keys: enough to explain that front.
 */
export async function loadFrontAlone(
  reader: CatalogueReader,
  frontId: RowId,
  log: FindingLog,
): Promise<References & LoadedFronts & { readonly texts: Texts }> {
  const zones = new Zones();
  const references = await loadReferences(reader, zones, log);
  const loaded = await loadFronts(reader, references, zones, log, frontId);
  return { ...references, ...loaded, texts: await loadTexts(reader, loaded.fronts, log) };
}

async function loadReferences(reader: CatalogueReader, zones: Zones, log: FindingLog): Promise<References> {
  return { ...(await loadTaxonomy(reader, log)), venues: await loadVenues(reader, zones, log), zones };
}

/** What of the small tables is used. */
function usesOf(fronts: readonly Front[], { taxonomy }: References, texts: Texts): Set<string> {
  const uses = new Set<string>();
  for (const { locale, channel, dayStartsAt } of fronts) {
    if (locale !== null) uses.add('fronts.locale');
    if (channel !== null) uses.add('fronts.channel');
    if (dayStartsAt !== 0) uses.add('fronts.day_starts_at');
  }
  for (const { rule } of taxonomy.badges) {
    if (rule !== null) uses.add('badges.rule');
    if (rule?.kind === 'few-left') uses.add('badges.rule_below');
  }
  if (!texts.isEmpty) uses.add('texts');
  return uses;
}

function zonesOf({ venues }: References) {
  return new Map([...venues].map(([id, venue]) => [id, 'zone' in venue ? venue.zone : null]));
}

/** Some products, and how many rows of products are done, of all. */
export interface ProductRange {
  readonly products: readonly Product[];
  readonly done: number;
  readonly total: number;
}

/** Some of the fronts, whose products are loaded apart from those of the others. */
export interface FrontsPart {
  readonly fronts: readonly Front[];
  /** Those of the parts before: what is wrong with products that they list too is reported there. */
  readonly earlier: readonly Front[];
  /** Whether it is the first part, which also reports what is wrong with rows of no product. */
  readonly isFirst: boolean;
}

/**
 * The good products that the catalogue's fronts list, or those of a part of them, range by range. A
 * product may come twice: then the second counts.
 * When the last one has been taken, `log` has all findings, and everything that was read is known to
 * be of one state. The logs of all parts have what one of all fronts would have.
 * @throws AppError database-unreadable, database-busy
 */
export async function* loadProducts(
  reader: CatalogueReader,
  { positions, looseBadges, venues, zones, uses, attachedIds, codeOf, fronts: all, productNumbers }: LoadedCatalogue,
  { tzdata, withoutForeignKeys }: Omit<LoadSettings, 'frontCodes'>,
  log: FindingLog,
  now: Instant,
  part: FrontsPart | null = null,
): AsyncGenerator<ProductRange> {
  const fronts = part?.fronts ?? all;
  const listed = new ListedProducts(fronts, productNumbers);
  const context: ProductContext = {
    positions,
    looseBadges,
    venues,
    zones,
    uses,
    attachedIds,
    codeOf,
    wantedIds: listed,
    listedIds: part === null ? listed : new ListedProducts(all, productNumbers),
    channels: [...new Set(fronts.map(({ channel }) => channel))],
    spoiledSessions: new Map(),
    tzdata,
    withoutForeignKeys,
    rowsRead: 'relevant',
    now,
  };
  const load = new ProductLoad(reader, context);
  // Takes out the same, for nobody to read.
  const unread = new FindingLog(reader, log);
  const orphanLog = part?.isFirst === false ? unread : log;
  await load.noteOrphanRows(orphanLog);
  // A part does not see the tiers of other parts' products.
  const findsStrays = reader.areJoinsDear && part === null;
  if (!findsStrays) await load.noteOrphanTiers(orphanLog);
  const total = await load.total();
  let done = 0;
  const loadedIds = new Set<number>();
  const earlier = new ListedProducts(part?.earlier ?? [], productNumbers);
  const isOwn = (id: number): boolean => part === null || (listed.has(id) && !earlier.has(id));
  const logOf = (id: number | undefined): FindingLog => (id === undefined ? orphanLog : isOwn(id) ? log : unread);
  const ranges = rangesOf(part, listed);
  for await (const { products, read } of load.batches(orphanLog, { ranges, logOf, findsStrays })) {
    for (const { id } of products) loadedIds.add(id);
    done += read;
    yield { products, done, total };
  }
  if (findsStrays && load.hasStrays) {
    const { findings: spoiledSessions, productIds } = await load.noteOrphanTiers(log);
    const wantedIds = { has: (id: number) => productIds.has(id) && listed.has(id) };
    // Those were made without that knowledge.
    const again = new ProductLoad(reader, { ...context, wantedIds, spoiledSessions });
    const among = [...productIds].sort((a, b) => a - b);
    const spoiled = { ranges: [{ among, orphansOf: null }], logOf: () => unread, findsStrays: false };
    for await (const { products } of again.batches(unread, spoiled)) yield { products, done, total };
  }
  const missingIds = listed.ids.filter((id) => !loadedIds.has(id) && !log.badProducts.has(id));
  if (missingIds.length > 0) noteMissing(new Set(missingIds), await load.knownIds(), fronts, log);
  await reader.confirmOneState();
  // The parts may read a copy, in which nobody writes.
  if (reader.finding !== null && part === null) log.add([reader.finding], {});
}

/** The child rows to read of the products listed. Mistyped ids are text, which comes after every number. */
function rangesOf(part: FrontsPart | null, listed: ListedProducts): readonly GroupRange[] {
  if (part === null) return ['any'];
  const among = listed.ids.toSorted((a, b) => a - b);
  return part.isFirst ? [{ among, orphansOf: 'products' }] : [{ among, orphansOf: null }, 'mistyped'];
}

/** Reports listed ids of products that do not exist: such a row leads nowhere. */
function noteMissing(
  missingIds: ReadonlySet<number>,
  knownIds: ReadonlySet<number>,
  fronts: readonly Front[],
  log: FindingLog,
): void {
  for (const front of fronts) {
    for (const id of front.products.ids) {
      if (missingIds.has(id) && !knownIds.has(id))
        log.add([dangling(locationOfKey('front_products', [front.id, id]), 'product_id', 'products', id)], {});
    }
  }
}

/** The codes of fronts that errors in their own rows hold back; sorted. */
export function heldCodes({ fronts, badCodes }: LoadedCatalogue, { badFrontIds }: FindingLog): readonly string[] {
  return [...badCodes, ...fronts.filter(({ id }) => badFrontIds.has(id)).map(({ code }) => code)].sort();
}
