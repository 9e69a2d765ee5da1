// Loads and checks the catalogue, and renders its products in batches: the sessions of one batch are freed before the next is loaded.

import { setImmediate } from 'node:timers/promises';
import type { Finding } from '../findings.ts';
import type { Front } from '../catalogue/front.ts';
import type { Instant } from '../catalogue/instant.ts';
import type { Product } from '../catalogue/product.ts';
import { loadFronts, type LoadedFronts } from '../database/load/load-fronts.ts';
import { loadKeys } from '../database/load/load-keys.ts';
import { ProductLoad } from '../database/load/load-products.ts';
import { unknownFront } from '../database/load/unknown-front.ts';
import { loadTaxonomy, loadVenues, type LoadedTaxonomy } from '../database/load/load-taxonomy.ts';
import { zoneRulesFindings } from '../database/load/zone-rules.ts';
import type { CatalogueReader } from '../database/reader.ts';
import { dangling, FindingLog } from '../database/contract/row-checker.ts';
import { Zones } from '../database/contract/zones.ts';
import { ProductRenderer } from '../render/product-renderer.ts';
import { FrontEditions } from '../render/editions.ts';
import { encodeTaxonomy } from '../render/facets.ts';
import { groupByProfile, ShownProducts } from '../render/front-profiles.ts';
import type { CatalogueKeys } from '../release/publish/next-key-ring.ts';
import type { RenderableFronts } from '../release/publish/render-fronts.ts';
import { sha256BytesOf } from '../release/tree/digest.ts';
import { shardsOf, type Shard } from '../render/shards.ts';
import { InitialStates } from '../render/initial-states.ts';
import { RenderedProductsBuilder, type RenderedProducts } from '../render/rendered-products.ts';

/** The fronts that can be rendered (of a shard: its own), and what is known of all others. */
export interface FrontsToRender extends RenderableFronts {
  /** The shard of every front that can be rendered, by code. Always 0 in a build without shards. */
  readonly shardOf: ReadonlyMap<string, number>;
  /** Active fronts held back by an error in their own rows or in those of their products. */
  readonly badCodes: readonly string[];
  /** Active fronts that were not selected. */
  readonly unselectedCodes: readonly string[];
  /** False if a front's id or code cannot be read. */
  readonly isEveryCodeKnown: boolean;
  /** Disabled fronts: the operator wants them removed. */
  readonly disabledCodes: ReadonlySet<string>;
  readonly keys: CatalogueKeys;
  readonly findings: readonly Finding[];
  /** The number of all findings; `findings` has only the first thousand. */
  readonly findingsTotal: number;
}

export interface RenderOptions {
  /** The fronts to render; null for all active ones. */
  readonly frontCodes: readonly string[] | null;
  /** Render only the fronts of this shard; null for all. Everything is read and checked in any case. */
  readonly shard: Shard | null;
  /** The end of the horizon. */
  readonly until: Instant;
  readonly tzdata: string;
  /** Tables without reliable foreign keys, such as views. */
  readonly unguarded: ReadonlySet<string>;
}

/**
 * Loads and checks everything, and renders the products. Calls `onProducts` after each batch.
 * @throws AppError front-unknown, database-…
 */
export async function renderProducts(
  reader: CatalogueReader,
  options: RenderOptions,
  onProducts: (done: number, total: number) => void,
  now: Instant,
): Promise<FrontsToRender> {
  const log = new FindingLog(reader.kind);
  const zones = new Zones();
  const taxonomy = await loadTaxonomy(reader, log);
  const venues = await loadVenues(reader, zones, log);
  const zoneOf = new Map([...venues].map(([id, venue]) => [id, venue?.zone ?? null]));
  log.add(await zoneRulesFindings(reader, zoneOf, options.tzdata, now), {});
  const loaded = await loadFronts(reader, taxonomy, zones, log);
  const activeCodes = [...loaded.fronts.map(({ code }) => code), ...loaded.badCodes].sort();
  const selected = selectedCodes(options.frontCodes, activeCodes);
  const fronts = loaded.fronts.filter(({ code }) => selected.has(code));
  const { profiles, profileIndexOf } = groupByProfile(fronts);
  const listed = new ShownProducts(fronts, profileIndexOf, loaded.productNumbers);
  const { shard } = options;
  const shardOf = shardsOf(fronts, profileIndexOf, shard?.total ?? 1);
  const isOurs = ({ code }: Front): boolean => shard === null || shardOf.get(code) === shard.index;
  const shown =
    shard === null ? listed : new ShownProducts(fronts.filter(isOurs), profileIndexOf, loaded.productNumbers);
  const keys = await loadKeys(reader, loaded, log, now);

  const { tzdata, unguarded } = options;
  const context = { taxonomy, venues, wantedIds: listed, tzdata, unguarded, rowsRead: 'relevant' } as const;
  const load = new ProductLoad(reader, context, now);
  const profileOfFrontId = new Map(fronts.filter(isOurs).map((front) => [front.id, profileIndexOf(front)]));
  const builder = new RenderedProductsBuilder(sha256BytesOf);
  const renderer = new ProductRenderer(profiles, taxonomy.taxonomy, builder, options.until, now);
  await load.noteOrphanRows(log);
  const total = await load.total();
  let done = 0;
  const goodIds = new Set<number>();
  for await (const { products, read } of load.batches(log)) {
    for (const product of products) {
      goodIds.add(product.id);
      if (shown.has(product.id))
        renderer.render(product, shown.profilesOf(product.id), profilesExcluding(product, profileOfFrontId));
    }
    done += read;
    onProducts(done, total);
    // Lets the lease of a bucket be renewed between two batches.
    await setImmediate();
  }

  const products = builder.products();
  const missing = await missingProducts(goodIds, listed, load);
  await reader.confirmOneState();
  const badFronts = fronts.filter((front) => isFrontBad(front, missing, log));
  const badCodes = new Set([
    ...loaded.badCodes.filter((code) => selected.has(code)),
    ...badFronts.map(({ code }) => code),
  ]);
  if (reader.finding !== null) log.add([reader.finding], {});
  return {
    fronts: fronts.filter((front) => isOurs(front) && !badCodes.has(front.code)),
    shardOf: new Map([...shardOf].filter(([code]) => !badCodes.has(code))),
    ...renderingOf(fronts, profileIndexOf, products, loaded, taxonomy, options.until, now),
    badCodes: [...badCodes].sort(),
    unselectedCodes: activeCodes.filter((code) => !selected.has(code)),
    isEveryCodeKnown: loaded.isEveryCodeKnown,
    disabledCodes: loaded.disabledCodes,
    keys,
    findings: log.kept,
    findingsTotal: log.total,
  };
}

/** By front id, the profiles of the fronts that exclude a product or some of its sessions. */
function profilesExcluding(
  { exclusions }: Product,
  profileOfFrontId: ReadonlyMap<number, number>,
): ReadonlyMap<number, number> {
  const profiles = new Map<number, number>();
  for (const frontId of exclusions.keys()) {
    const profileIndex = profileOfFrontId.get(frontId);
    if (profileIndex !== undefined) profiles.set(frontId, profileIndex);
  }
  return profiles;
}

/** A separate function, so that the closures it returns do not keep alive what only the load needs. */
function renderingOf(
  fronts: readonly Front[],
  profileIndexOf: (front: Front) => number,
  products: RenderedProducts,
  { productNumbers }: LoadedFronts,
  { taxonomy }: LoadedTaxonomy,
  until: Instant,
  now: Instant,
): Pick<FrontsToRender, 'profileIndexOf' | 'editionsOf'> {
  const initialStates = new InitialStates(products, productNumbers, now);
  const rendered = { taxonomy: encodeTaxonomy(taxonomy), products, initialStates, spares: [] };
  const byCode = new Map(fronts.map((front) => [front.code, { front, profileIndex: profileIndexOf(front) }]));
  const find = (code: string) => {
    const found = byCode.get(code);
    if (found === undefined) throw new Error(`no front ${code}`);
    return found;
  };
  return {
    profileIndexOf: (code) => find(code).profileIndex,
    editionsOf: (code) => {
      const { front, profileIndex } = find(code);
      return new FrontEditions(front, profileIndex, rendered, until, now);
    },
  };
}

function selectedCodes(wanted: readonly string[] | null, active: readonly string[]): ReadonlySet<string> {
  if (wanted === null) return new Set(active);
  for (const code of wanted) if (!active.includes(code)) throw unknownFront(code, active, 'active front');
  return new Set(wanted);
}

/** Listed products that were not loaded: bad ones, which already have a finding, and ids that do not exist. */
async function missingProducts(
  goodIds: ReadonlySet<number>,
  listed: ShownProducts,
  load: ProductLoad,
): Promise<ReadonlyMap<number, 'bad' | 'unknown'>> {
  const missingIds = listed.ids.filter((id) => !goodIds.has(id));
  const knownIds = missingIds.length === 0 ? null : await load.knownIds();
  return new Map(missingIds.map((id) => [id, knownIds?.has(id) === true ? 'bad' : 'unknown']));
}

/** Whether an error in its own rows or its products holds a front back. Reports the products that do not exist. */
function isFrontBad(front: Front, missing: ReadonlyMap<number, 'bad' | 'unknown'>, log: FindingLog): boolean {
  let isBad = log.badFrontIds.has(front.id);
  if (missing.size === 0 && log.badProductIds.size === 0) return isBad;
  for (const productId of front.products.ids) {
    const why = missing.get(productId);
    if (why === 'unknown')
      log.add([dangling(`front_products ${front.id},${productId}`, 'product_id', 'products', productId)], {});
    isBad ||= why !== undefined || log.badProductIds.has(productId);
  }
  return isBad;
}
