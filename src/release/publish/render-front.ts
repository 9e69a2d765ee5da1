// Steps 2 to 4 of the publish protocol for one front: check the guards, render, write new editions.

import type { Finding } from '../../findings.ts';
import { dayText, timeOfSeconds } from '../../catalogue/days.ts';
import type { Front } from '../../catalogue/front.ts';
import { formatInstant, type Instant } from '../../catalogue/instant.ts';
import type { ManifestFile, ManifestFront } from '../../contract/manifest.ts';
import type { HeldReason } from '../../contract/held-reasons.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { TREE_SCHEMA } from '../../contract/primitives.ts';
import type { Guard, PlanEntry } from '../../contract/results/parts.ts';
import { nextStartIn } from '../../contract/pointer-entry.ts';
import type { Edition, FrontEditions } from '../../render/editions.ts';
import type { PriceSummary } from '../../render/edition-prices.ts';
import { digestOf, editionPath, type Endpoint } from '../../render/paths.ts';
import { recipeOf, sha256Of } from '../tree/digest.ts';
import { guardsTripped, priceGuard, type GuardedBefore, type GuardOptions } from './guards.ts';
import { priceJump } from './price-jump.ts';
import { obstructionFinding, orNull, orThrow } from '../tree/found.ts';
import type { ReleaseStore } from '../tree/store.ts';

/** A front to render. */
export interface FrontTask {
  readonly front: Front;
  /** null if nothing of the front is published. */
  readonly before: GuardedBefore | null;
}

/** The result of rendering a front, or of holding it. */
export interface FrontResult {
  readonly code: string;
  /** Why the old snapshot stays; null if the new one can be published. */
  readonly held: HeldReason | null;
  readonly guards: readonly Guard[];
  /** The front's entry for the manifest; null if it is held. */
  readonly listing: ManifestFront | null;
  readonly files: readonly ManifestFile[];
  readonly plan: readonly PlanEntry[];
  readonly findings: readonly Finding[];
}

/** The result of a front that is held: its old snapshot stays, if it has one. */
export function heldResult(
  code: string,
  held: HeldReason,
  guards: readonly Guard[] = [],
  findings: readonly Finding[] = [],
): FrontResult {
  return { code, held, guards, listing: null, files: [], plan: [], findings };
}

/** What is the same for all fronts of a build. */
export interface FrontSettings {
  readonly guards: GuardOptions;
  readonly toolVersion: string;
  /** Published files by recipe. */
  readonly filesByRecipe: ReadonlyMap<string, ManifestFile>;
  /** Whether the current release names a file. */
  readonly isNamed: (path: string) => boolean;
}

/**
 * Renders a front, unless a guard holds it, and creates its new files.
 * @throws AppError tree-full, tree-not-writable, tree-unreadable
 */
export async function renderFront(
  task: FrontTask,
  editions: FrontEditions,
  settings: FrontSettings,
  store: ReleaseStore,
  now: Instant,
): Promise<FrontResult> {
  const { code, zone, dayStartsAt, weekendDays, currency, minCards } = task.front;
  const { cards, leftOut } = editions;
  const guards = guardsTripped({ cards, minCards, leftOut }, task.before, settings.guards, now);
  const held = (reason: HeldReason, findings: readonly Finding[] = []): FrontResult =>
    heldResult(code, reason, guards, findings);
  const guard = guards.find((one) => !one.isOverridden);
  if (guard !== undefined) return held(guard.code);

  const plan: PlanEntry[] = [];
  const files = new Map<string, ManifestFile>();
  const entries: Record<Endpoint, string[]> = { products: [], categories: [] };
  const cardsByEdition: number[] = [];
  const prices: PriceSummary[] = [];
  let jump: Guard | null = null;
  for (const edition of editions.render()) {
    const { endpoint, from, priceSummary: summary } = edition;
    if (endpoint === 'products' && task.before !== null && jump === null) {
      const newer = { summary, prices: edition.prices };
      jump = priceGuard(await priceJump(task.before.prices, newer, formatInstant(from)), settings.guards);
      // State after this: content of earlier editions, which no pointer names.
      if (jump?.isOverridden === false) return heldResult(code, 'price-jump', [...guards, jump]);
    }
    const { file, bytes } = await fileOf(code, edition, settings, store);
    entries[endpoint].push(`${formatInstant(from)} ${digestOf(file.sha256)}`);
    if (endpoint === 'products') {
      cardsByEdition.push(edition.cards);
      prices.push(summary);
    }
    if (files.has(file.path)) continue;
    files.set(file.path, file);
    const put = await putFile(file, bytes, settings, store);
    if ('action' in put) plan.push(put);
    else return held(put.held, [put.finding]);
  }
  const pointer: Pointer = {
    schema: TREE_SCHEMA,
    front: code,
    now: formatInstant(now),
    validUntil: formatInstant(editions.validUntil),
    today: dayText(zone.daysFrom(dayStartsAt), now),
    timezone: zone.name,
    ...(dayStartsAt === 0 ? {} : { dayStartsAt: timeOfSeconds(dayStartsAt) }),
    products: entries.products,
    categories: entries.categories,
  };
  const listing: ManifestFront = {
    front: code,
    held: null,
    pointer,
    weekendDays,
    currency,
    cards,
    editions: { products: entries.products.length, categories: entries.categories.length },
    cardsByEdition,
    prices,
    dropped: editions.dropped,
    ...(leftOut === null ? {} : { leftOut }),
    nextChange: nextStartIn(entries.products),
  };
  return {
    code,
    held: null,
    guards: jump === null ? guards : [...guards, jump],
    listing,
    files: [...files.values()],
    plan,
    findings: [],
  };
}

/** An edition's file, and its bytes; null if a file with the same recipe is published already. */
async function fileOf(
  code: string,
  { endpoint, ingredients, assemble }: Edition,
  { guards, toolVersion, filesByRecipe }: FrontSettings,
  store: ReleaseStore,
): Promise<{ readonly file: ManifestFile; readonly bytes: Uint8Array | null }> {
  const recipe = ingredients && recipeOf(toolVersion, ingredients);
  const published = recipe === null || guards.force ? undefined : filesByRecipe.get(recipe);
  if (published !== undefined) {
    const size = await store.size(published.path);
    if (size.ok && size.value === published.bytes) return { file: published, bytes: null };
  }
  const bytes = assemble();
  const sha256 = sha256Of(bytes);
  const path = editionPath(code, endpoint, digestOf(sha256));
  return { file: { path, bytes: bytes.length, sha256, ...(recipe === null ? {} : { recipe }) }, bytes };
}

/**
 * Creates a file unless it exists. If the existing one is wrong, replaces it if forced, or else
 * returns why the front is held.
 */
async function putFile(
  { path, bytes: length, sha256 }: ManifestFile,
  bytes: Uint8Array | null,
  { guards: { force: isForced }, isNamed }: FrontSettings,
  store: ReleaseStore,
): Promise<PlanEntry | { readonly held: HeldReason; readonly finding: Finding }> {
  const kept = { action: 'keep', path, bytes: length } as const;
  if (bytes === null) return { ...kept, reason: 'same-recipe' };
  const size = await store.size(path);
  if (!size.ok && size.why === 'missing') {
    await store.create({ path, bytes, sha256 });
    return { action: 'put', path, bytes: length, reason: 'new-content' };
  }
  if (size.ok && size.value === length && !(isForced && (await isDamaged(path, sha256, store)))) {
    // A listing is no proof: what has been removed since is created again.
    if (store.askSize !== null && !isNamed(path)) await store.create({ path, bytes, sha256 });
    return { ...kept, reason: 'same-content' };
  }
  if (isForced && (size.ok || size.isReplaceable)) {
    await store.replace([{ path, bytes }]);
    return { action: 'put', path, bytes: length, reason: 'repaired' };
  }
  if (!size.ok && size.why === 'obstructed') return { held: 'file-kind-wrong', finding: obstructionFinding(size) };
  return { held: 'file-size-wrong', finding: wrongSize(path, length, orThrow(size)) };
}

/**
 * Whether a file of the right size has wrong content. Too slow for every build, so checked only
 * under --force.
 */
async function isDamaged(path: string, sha256: string, store: ReleaseStore): Promise<boolean> {
  const bytes = orNull(await store.read(path));
  return bytes === null || sha256Of(bytes) !== sha256;
}

function wrongSize(path: string, expected: number, found: number): Finding {
  const message = `expected ${expected} bytes, found ${found}: the published file is damaged; build --force replaces it`;
  return { severity: 'error', code: 'file-size-wrong', place: path, message };
}
