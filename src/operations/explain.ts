// Explains one product on one front. Loads them as a build does, in one read transaction and with
// the same checks. Writes nothing.

import type { Finding } from '../findings.ts';
import type { FrontProduct } from '../catalogue/front-products.ts';
import { timeOfSeconds } from '../catalogue/days.ts';
import { formatInstant, instantOf, type Instant } from '../catalogue/instant.ts';
import { ALWAYS } from '../catalogue/period.ts';
import type { Product, SessionKey } from '../catalogue/product.ts';
import type { RowId } from '../catalogue/row-id.ts';
import type { ExplainedRules, ExplainResultJson } from '../contract/results/explain.ts';
import { openCatalogue } from '../database/open.ts';
import { idsOfSlug, productNames, productRow, tierRows } from '../database/load/explain-rows.ts';
import { loadFrontAlone } from '../database/load/load-catalogue.ts';
import { ProductLoad } from '../database/load/load-products.ts';
import { unknownFront } from '../database/load/unknown-front.ts';
import type { CatalogueReader } from '../database/reader.ts';
import { checkContract } from '../database/contract/check-schema.ts';
import { checkedRows } from '../database/contract/query-builders.ts';
import { FindingLog, locationOfKey, RowChecker, type Concerns } from '../database/contract/row-checker.ts';
import { AppError, shellWord } from '../errors.ts';
import { nearNames } from '../suggestions.ts';
import { explainRules, explainSession } from './explain-rules.ts';

const FRONT = new RowChecker('fronts', ['id']);

export interface ExplainOptions {
  readonly databasePath: string;
  readonly frontCode: string;
  readonly slug: string;
  /** Version of the time-zone rules. */
  readonly tzdata: string;
}

/**
 * Explains a product on a front at an instant, or only one session of it.
 * @throws AppError database-…, contract-…, front-unknown, product-unknown
 */
export async function explainProduct(
  options: ExplainOptions,
  now: Instant,
  only: SessionKey | null = null,
): Promise<ExplainResultJson> {
  await using reader = await openCatalogue(options.databasePath);
  return await explainOn(await loadFront(reader, options.frontCode, options.tzdata, now), options.slug, only);
}

export type LoadedFront = Awaited<ReturnType<typeof loadFront>>;

/**
 * Loads one front as a build would, and what its products refer to. `front` is null if it is
 * disabled or cannot be read.
 * @throws AppError front-unknown, contract-…, database-unreadable, database-busy
 */
export async function loadFront(reader: CatalogueReader, code: string, tzdata: string, now: Instant) {
  const withoutForeignKeys = reader.withoutForeignKeys((await checkContract(reader)).views);
  const frontId = await frontIdOf(reader, code);
  const log = new ConcernsLog(reader);
  // No front has the id 0, so no products are read.
  const catalogue = await loadFrontAlone(reader, frontId ?? 0, log);
  const { fronts, badCodes, codeOf, positions, looseBadges, venues, zones, attachedIds } = catalogue;
  const front = fronts.find((one) => one.code === code) ?? null;
  const state: ExplainResultJson['frontState'] =
    front !== null ? 'active' : badCodes.includes(code) ? 'unreadable' : 'disabled';
  if (state === 'disabled' && ![...codeOf.values()].includes(code)) throw unknownFront(code, [...codeOf.values()]);
  const context = {
    positions,
    looseBadges,
    venues,
    zones,
    uses: new Set<string>(),
    attachedIds,
    codeOf,
    wantedIds: { has: () => true },
    listedIds: { has: () => true },
    channels: fronts.map(({ channel }) => channel),
    spoiledSessions: new Map(),
    tzdata,
    withoutForeignKeys,
    rowsRead: 'relevant',
    now,
  } as const;
  const orphans = new ProductLoad(reader, context);
  await orphans.noteOrphanRows(log);
  const { findings: spoiledSessions } = await orphans.noteOrphanTiers(log);
  const isHeldBack = state === 'unreadable' || (frontId !== undefined && log.badFrontIds.has(frontId));
  return {
    reader,
    code,
    frontId,
    state,
    front,
    catalogue,
    context: { ...context, spoiledSessions },
    log,
    isHeldBack,
    now,
  };
}

/**
 * Explains a product on a loaded front, or only one session of it.
 * @throws AppError product-unknown, database-unreadable, database-busy
 */
export async function explainOn(
  loaded: LoadedFront,
  slug: string,
  only: SessionKey | null = null,
): Promise<ExplainResultJson> {
  const { reader, code, frontId, state, front, catalogue, context, log, isHeldBack, now } = loaded;
  const row = await productRow(reader, slug);
  if (row === null) throw unknownProduct(slug, await productNames(reader), reader.path);
  if ('severity' in row) throw unreadableProduct(slug, row, reader.path);
  const entry = front?.products.find(row.id);
  const badEntry = front?.products.badEntry(row.id) ?? null;
  const sameSlug = await idsOfSlug(reader, slug);
  const isListed = (id: number): boolean => id === row.id || front?.products.find(id) !== undefined;
  const listedIds = { has: isListed };
  const load = new ProductLoad(reader, { ...context, wantedIds: listedIds, listedIds });
  let product: Product | undefined;
  if (front !== null) for await (const one of load.withIds(sameSlug, log)) if (one.id === row.id) product = one;
  let rules: ExplainedRules | null = null;
  if (front !== null && product !== undefined && badEntry === null && !log.badProducts.has(row.id)) {
    const placed = {
      front,
      entry: entry ?? plainEntry(row.id),
      product: (await wholeProduct(loaded, row.id, only)) ?? product,
      taxonomy: catalogue.taxonomy,
      texts: catalogue.texts,
    };
    const given = [placed, entry !== undefined, await tierRows(reader, row.id)] as const;
    rules = only === null ? explainRules(...given, now) : explainSession(...given, only, now);
  }
  await reader.confirmOneState();
  const isDraft = row.status === 'draft' || row.status === 'archived';
  const ofListed = rules === null ? (isDraft ? 'not-published' : 'bad-data') : rules.reason;
  const reasons = {
    active: entry === undefined ? 'not-listed' : ofListed,
    disabled: 'front-disabled',
    unreadable: 'front-unreadable',
  } as const;
  const entryLocation = locationOfKey('front_products', [front?.id, row.id]);
  const ofEntry = log.kept.filter(({ place }) => place === entryLocation);
  return {
    front: code,
    frontState: state,
    timezone: front?.zone.name ?? null,
    currency: front?.currency ?? null,
    currencyExponent: front?.currencyExponent ?? null,
    channel: front?.channel ?? null,
    locale: front?.locale ?? null,
    dayStartsAt: front === null ? null : timeOfSeconds(front.dayStartsAt),
    product: row,
    at: formatInstant(now),
    reason: reasons[state],
    holding: log.holding(frontId),
    isHeldBack,
    leftOut: [...(badEntry === null ? [] : ofEntry), ...log.leavingOut(row.id)],
    rules,
  };
}

/**
 * The product with all its sessions, past ones too. What is wrong only with rows that no build
 * reads is left out, without a finding. Of a daily session, dates that are over are not kept, but
 * for the one that is asked for.
 */
function wholeProduct(
  { reader, context }: LoadedFront,
  id: number,
  only: SessionKey | null,
): Promise<Product | undefined> {
  const now = instantOf(Math.min(context.now, only?.startsAt ?? context.now));
  return new ProductLoad(reader, { ...context, now, rowsRead: 'all' }).withId(id, new FindingLog(reader));
}

/** A log that keeps what its findings take out. */
class ConcernsLog extends FindingLog {
  readonly #taken: { readonly finding: Finding; readonly concerns: Concerns }[] = [];

  /** What holds a front back. */
  holding(frontId: RowId | undefined): Finding[] {
    return this.#findingsOn((concerns) => frontId !== undefined && concerns.frontId === frontId);
  }

  /** What leaves out a product, or sessions of it. */
  leavingOut(id: number): Finding[] {
    return this.#findingsOn(({ productId, sessionOf }) => productId === id || sessionOf === id);
  }

  override takeOut(finding: Finding, concerns: Concerns): void {
    super.takeOut(finding, concerns);
    this.#taken.push({ finding, concerns });
  }

  #findingsOn(isMeant: (concerns: Concerns) => boolean): Finding[] {
    const findings = this.#taken.filter(({ concerns }) => isMeant(concerns)).map(({ finding }) => finding);
    return [...new Set(findings)];
  }
}

/** A neutral entry, for a product that the front does not list. */
function plainEntry(productId: number): FrontProduct {
  return { productId, isFeatured: false, isBanner: false, isPaused: false, visible: ALWAYS };
}

async function frontIdOf(reader: CatalogueReader, code: string): Promise<RowId | undefined> {
  const [row] = await reader.rows(checkedRows(FRONT).where('code', '=', code));
  return row === undefined ? undefined : FRONT.valueOf(row, 'id');
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
