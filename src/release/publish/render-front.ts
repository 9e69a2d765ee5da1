// Steps 2 to 4 of the publish protocol for one front: render, let the guards decide, put what is new. Knows the tree only by its
// store.

import type { Finding } from '../../findings.ts';
import { formatInstant, type Instant } from '../../catalogue/instant.ts';
import type { HoldCode, ManifestFile, ManifestFront } from '../../contract/manifest.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { TREE_SCHEMA } from '../../contract/primitives.ts';
import type { Guard, PlanEntry } from '../../contract/results.ts';
import type { FrontEditions } from '../../render/editions.ts';
import { digestOf, editionPath, type Endpoint } from '../../render/paths.ts';
import { sha256Of } from '../tree/digest.ts';
import { guardsTripped, type GuardedBefore, type GuardOptions } from './guards.ts';
import { obstructionFinding, orNull, orThrow } from '../tree/found.ts';
import type { ReleaseStore } from '../tree/store.ts';

/** One front to render and put. */
export interface FrontTask {
  readonly code: string;
  readonly timezone: string;
  readonly weekendDays: string;
  readonly currency: string;
  /** `YYYY-MM-DD` in the front's zone at now. */
  readonly today: string;
  readonly minCards: number;
  /** What is published of it; null where nothing is. */
  readonly before: GuardedBefore | null;
}

/** What became of it. */
export interface FrontResult {
  readonly code: string;
  /** Why the old snapshot stays; null where the new one can be published. */
  readonly held: HoldCode | null;
  readonly guards: readonly Guard[];
  /** As the manifest is to list the front; null where it is held. */
  readonly listing: ManifestFront | null;
  readonly files: readonly ManifestFile[];
  readonly plan: readonly PlanEntry[];
  readonly findings: readonly Finding[];
}

/** A front whose old snapshot stays, if it has one. */
export function heldResult(
  code: string,
  held: HoldCode,
  guards: readonly Guard[] = [],
  findings: readonly Finding[] = [],
): FrontResult {
  return { code, held, guards, listing: null, files: [], plan: [], findings };
}

/** @throws AppError tree-full, tree-not-writable, tree-unreadable */
export async function renderFront(
  task: FrontTask,
  editions: FrontEditions,
  guardOptions: GuardOptions,
  store: ReleaseStore,
  now: Instant,
): Promise<FrontResult> {
  const { code } = task;
  const guards = guardsTripped({ cards: editions.cards, minCards: task.minCards }, task.before, guardOptions, now);
  const held = (reason: HoldCode, findings: readonly Finding[] = []): FrontResult =>
    heldResult(code, reason, guards, findings);
  const guard = guards.find((one) => !one.isOverridden);
  if (guard !== undefined) return held(guard.code);

  const plan: PlanEntry[] = [];
  const files = new Map<string, ManifestFile>();
  const entries: Record<Endpoint, string[]> = { products: [], categories: [] };
  const cardsByEdition: number[] = [];
  for (const { endpoint, from, bytes, cards } of editions.render()) {
    const sha256 = sha256Of(bytes);
    const path = editionPath(code, endpoint, digestOf(sha256));
    entries[endpoint].push(`${formatInstant(from)} ${digestOf(sha256)}`);
    if (endpoint === 'products') cardsByEdition.push(cards);
    if (files.has(path)) continue;
    files.set(path, { path, bytes: bytes.length, sha256 });
    const size = await store.size(path);
    const isThere = size.ok && size.value === bytes.length;
    if (!size.ok && size.why === 'missing') {
      plan.push({ action: 'put', path, bytes: bytes.length, reason: 'new-content' });
      await store.create(path, bytes);
    } else if (isThere && !(guardOptions.force && (await isDamaged(path, sha256, store)))) {
      plan.push({ action: 'keep', path, bytes: bytes.length, reason: 'same-content' });
    } else if (guardOptions.force && (size.ok || size.isReplaceable)) {
      plan.push({ action: 'put', path, bytes: bytes.length, reason: 'repaired' });
      await store.replace([{ path, bytes }]);
    } else if (!size.ok && size.why === 'obstructed') {
      return held('file-kind-wrong', [obstructionFinding(size)]);
    } else {
      return held('file-size-wrong', [wrongSize(path, bytes.length, orThrow(size))]);
    }
  }
  const pointer: Pointer = {
    schema: TREE_SCHEMA,
    front: code,
    now: formatInstant(now),
    validUntil: formatInstant(editions.validUntil),
    today: task.today,
    timezone: task.timezone,
    products: entries.products,
    categories: entries.categories,
  };
  const listing: ManifestFront = {
    front: code,
    held: null,
    pointer,
    weekendDays: task.weekendDays,
    currency: task.currency,
    cards: editions.cards,
    editions: { products: entries.products.length, categories: entries.categories.length },
    cardsByEdition,
    dropped: editions.dropped,
    nextChange: entries.products[1]?.slice(0, 20) ?? null,
  };
  return { code, held: null, guards, listing, files: [...files.values()], plan, findings: [] };
}

/** Whether a file of the right size has another content: too slow to check in every build, so only where damage is to be mended. */
async function isDamaged(path: string, sha256: string, store: ReleaseStore): Promise<boolean> {
  const bytes = orNull(await store.read(path));
  return bytes === null || sha256Of(bytes) !== sha256;
}

function wrongSize(path: string, expected: number, found: number): Finding {
  const message = `expected ${expected} bytes, found ${found}: the published file is damaged; build --force replaces it`;
  return { severity: 'error', code: 'file-size-wrong', place: path, message };
}
