// Explains one product on one front. Loads them as a build does, in one read transaction and with
// the same checks. Checks the front's other products only to see whether they hold the front back.
// Writes nothing.

import type { Finding } from '../findings.ts';
import type { Front } from '../catalogue/front.ts';
import type { FrontProduct } from '../catalogue/front-products.ts';
import { formatInstant, type Instant } from '../catalogue/instant.ts';
import { ALWAYS } from '../catalogue/period.ts';
import type { Product } from '../catalogue/product.ts';
import type { ExplainedRules, ExplainResultJson } from '../contract/results/explain.ts';
import { openCatalogue } from '../database/open.ts';
import { productNames, productRow, tierRows } from '../database/load/explain-rows.ts';
import { loadFrontAlone } from '../database/load/load-catalogue.ts';
import { ProductLoad } from '../database/load/load-products.ts';
import { unknownFront } from '../database/load/unknown-front.ts';
import type { CatalogueReader, DatabaseKind } from '../database/reader.ts';
import { checkContract } from '../database/contract/check-schema.ts';
import { knownTables } from '../database/contract/query-builders.ts';
import { dangling, FindingLog } from '../database/contract/row-checker.ts';
import { AppError, shellWord } from '../errors.ts';
import { nearNames } from '../suggestions.ts';
import { explainRules } from './explain-rules.ts';

export interface ExplainOptions {
  readonly databasePath: string;
  readonly frontCode: string;
  readonly slug: string;
  /** Version of the time-zone rules. */
  readonly tzdata: string;
}

/**
 * Explains a product on a front at an instant.
 * @throws AppError database-…, contract-…, front-unknown, product-unknown
 */
export async function explainProduct(options: ExplainOptions, now: Instant): Promise<ExplainResultJson> {
  await using reader = await openCatalogue(options.databasePath);
  return await explainOn(await loadFront(reader, options.frontCode, options.tzdata, now), options.slug);
}

type LoadedFront = Awaited<ReturnType<typeof loadFront>>;

/**
 * Loads one front as a build would, and what its products refer to. `front` is null if it is
 * disabled or cannot be read.
 * @throws AppError front-unknown, contract-…, database-unreadable, database-busy
 */
export async function loadFront(reader: CatalogueReader, code: string, tzdata: string, now: Instant) {
  const withoutForeignKeys = reader.withoutForeignKeys(await checkContract(reader));
  const frontId = await frontIdOf(reader, code);
  const log = new HoldingLog(reader.kind, frontId);
  // No front has the id 0, so no products are read.
  const catalogue = await loadFrontAlone(reader, frontId ?? 0, log);
  const { fronts, badCodes, codeOf, positions, venues } = catalogue;
  const front = fronts.find((one) => one.code === code) ?? null;
  const state: ExplainResultJson['frontState'] =
    front !== null ? 'active' : badCodes.includes(code) ? 'unreadable' : 'disabled';
  if (state === 'disabled' && ![...codeOf.values()].includes(code)) throw unknownFront(code, [...codeOf.values()]);
  const context = {
    positions,
    venues,
    wantedIds: { has: () => true },
    tzdata,
    withoutForeignKeys,
    rowsRead: 'relevant',
  } as const;
  const frontContext = { ...context, wantedIds: new Set(front?.products.ids) };
  const load = new ProductLoad(reader, frontContext, now);
  const isAnyProductBad = front !== null && (await noteBadProducts(front, load, withoutForeignKeys.size === 0, log));
  const isHeldBack =
    state === 'unreadable' || isAnyProductBad || (frontId !== undefined && log.badFrontIds.has(frontId));
  return { reader, code, state, front, catalogue, context, log, holding: [...log.holding], isHeldBack, now };
}

/**
 * Notes what is wrong with the products that a front lists, and returns whether any of them holds
 * the front back. Reads tables product by product. Reads views in full, as a build does: their
 * slugs need not be unique, and a query for one row can take as long as one for all.
 */
async function noteBadProducts(
  front: Front,
  load: ProductLoad,
  hasForeignKeys: boolean,
  log: HoldingLog,
): Promise<boolean> {
  const { ids } = front.products;
  for (const id of ids) log.productIds.add(id);
  await load.noteOrphanRows(log);
  const readIds = new Set<number>();
  if (hasForeignKeys) for await (const { id } of load.withIds(ids, log)) readIds.add(id);
  else for await (const { products } of load.batches(log)) for (const { id } of products) readIds.add(id);
  for (const id of ids) {
    if (!readIds.has(id) && !log.badProductIds.has(id))
      log.add([dangling(`front_products ${front.id},${id}`, 'product_id', 'products', id)], { frontId: front.id });
  }
  return ids.some((id) => !readIds.has(id) || log.badProductIds.has(id));
}

/**
 * Explains a product on a loaded front.
 * @throws AppError product-unknown, database-unreadable, database-busy
 */
export async function explainOn(loaded: LoadedFront, slug: string): Promise<ExplainResultJson> {
  const { reader, code, state, front, catalogue, context, log, holding, isHeldBack, now } = loaded;
  const row = await productRow(reader, slug);
  if (row === null) throw unknownProduct(slug, await productNames(reader), reader.path);
  if ('severity' in row) throw unreadableProduct(slug, row, reader.path);
  const entry = front?.products.find(row.id);
  let rules: ExplainedRules | null = null;
  const load = new ProductLoad(reader, context, now);
  const product = front === null ? undefined : await load.withId(row.id, log);
  // A product with a finding may lack sessions or tiers: its rules cannot be explained.
  if (front !== null && product !== undefined && !log.badProductIds.has(row.id)) {
    const whole = await wholeProduct(loaded, row.id);
    const placed = {
      front,
      entry: entry ?? plainEntry(row.id),
      product: whole ?? product,
      taxonomy: catalogue.taxonomy,
    };
    rules = explainRules(placed, entry !== undefined, await tierRows(reader, row.id), now);
  }
  await reader.confirmOneState();
  const reasons = {
    active: entry === undefined ? 'not-listed' : rules === null ? 'product-unreadable' : rules.reason,
    disabled: 'front-disabled',
    unreadable: 'front-unreadable',
  } as const;
  return {
    front: code,
    frontState: state,
    timezone: front?.zone.name ?? null,
    currency: front?.currency ?? null,
    currencyExponent: front?.currencyExponent ?? null,
    product: row,
    at: formatInstant(now),
    reason: reasons[state],
    holding,
    isHeldBack,
    rules,
  };
}

/**
 * The product with all its sessions, past ones too. What is wrong only with rows that no build
 * reads is left out, without a finding.
 */
function wholeProduct({ reader, context, now }: LoadedFront, id: number): Promise<Product | undefined> {
  return new ProductLoad(reader, { ...context, rowsRead: 'all' }, now).withId(id, new FindingLog(reader.kind));
}

/** A log that also collects the errors of one front and its products: what holds the front back. */
class HoldingLog extends FindingLog {
  readonly holding: Finding[] = [];
  readonly productIds = new Set<number>();
  readonly #frontId: number | undefined;

  constructor(kind: DatabaseKind, frontId: number | undefined) {
    super(kind);
    this.#frontId = frontId;
  }

  override add(
    findings: readonly Finding[],
    { frontId, productId }: { readonly frontId?: number; readonly productId?: number },
  ): void {
    super.add(findings, { frontId, productId });
    const isOurs =
      (frontId !== undefined && frontId === this.#frontId) ||
      (productId !== undefined && this.productIds.has(productId));
    if (isOurs) this.holding.push(...findings.filter(({ severity }) => severity === 'error'));
  }
}

/** A neutral entry, for a product that the front does not list. */
function plainEntry(productId: number): FrontProduct {
  return { productId, isFeatured: false, isBanner: false, isPaused: false, visible: ALWAYS };
}

async function frontIdOf(reader: CatalogueReader, code: string): Promise<number | undefined> {
  const [row] = await reader.rows(knownTables.selectFrom('fronts').select('id').where('code', '=', code).orderBy('id'));
  return typeof row?.[0] === 'number' ? row[0] : undefined;
}

function unreadableProduct(slug: string, { place, message, hint }: Finding, path: string): AppError {
  const found = `expected a product "${slug}" that can be read, found ${place}: ${message}`;
  return new AppError('product-unknown', found, hint ?? `see: playbill check-db --db ${shellWord(path)}`);
}

function unknownProduct(slug: string, names: Parameters<typeof nearNames>[1], path: string): AppError {
  const near = nearNames(slug, names).map(({ name, title }) => `${name} (${JSON.stringify(title)})`);
  return new AppError(
    'product-unknown',
    `expected the slug of a product, found ${JSON.stringify(slug)}`,
    near.length > 0
      ? `did you mean ${near.join(', ')}?`
      : `list them with: playbill export --db ${shellWord(path)} --table products`,
  );
}
