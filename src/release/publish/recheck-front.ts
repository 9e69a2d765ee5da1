// Checks a front that a shard rendered again when its run is published, because another build may
// have published or pruned in the meantime. Does not use the catalogue.

import type { ShardFront } from '../../contract/run.ts';
import type { Finding } from '../../findings.ts';
import type { Instant } from '../../catalogue/instant.ts';
import { obstructionFinding } from '../tree/found.ts';
import type { PublishedTree } from '../tree/published.ts';
import { readAhead } from '../tree/read-ahead.ts';
import { guardsTripped, priceGuard, type GuardOptions } from './guards.ts';
import { firstPriceJump } from './price-jump.ts';
import { heldResult, type FrontResult } from './render-front.ts';
import { guardedBefore } from './publish.ts';

/**
 * The front's result by now. A front that its shard held back has no content and stays held. For
 * the others the guards decide again, and every file must still exist, unless nothing will be
 * written (`isPlan`). If something later than the run is published (`isLate`), a front without a
 * pointer has been removed since and stays removed.
 */
export async function recheckFront(
  { code, minCards, ...result }: ShardFront,
  published: PublishedTree,
  settings: { readonly guards: GuardOptions; readonly isLate: boolean; readonly isPlan: boolean },
  now: Instant,
): Promise<FrontResult> {
  const { held, listing, files } = result;
  if (held !== null || listing === null) return { code, ...result };
  const obstruction = await published.obstructionOf(code);
  if (obstruction !== null) return heldResult(code, 'file-kind-wrong', [], [obstructionFinding(obstruction)]);
  const before = await guardedBefore(code, published, now);
  if (before === null && settings.isLate) return heldResult(code, 'now-earlier', []);
  const guards = guardsTripped(
    { cards: listing.cards, minCards, leftOut: listing.leftOut ?? null },
    before,
    settings.guards,
    now,
  );
  const guard = guards.find((one) => !one.isOverridden);
  if (guard !== undefined) return heldResult(code, guard.code, guards);
  const pricesOf = (digest: string) => published.pricesOf(code, digest);
  const jump =
    before === null ? null : priceGuard(await firstPriceJump(listing, before.prices, pricesOf), settings.guards);
  if (jump?.isOverridden === false) return heldResult(code, 'price-jump', [...guards, jump]);
  const there = readAhead(settings.isPlan ? [] : files, (file) => published.hasFile(file));
  for await (const [{ path }, isThere] of there) {
    if (!isThere) return heldResult(code, 'shard-missing', guards, [removedFinding(path)]);
  }
  // If the run is being finished a second time, its content is not new.
  const plan = result.plan.map((entry) =>
    entry.reason === 'new-content' && published.lists(entry.path)
      ? ({ ...entry, action: 'keep', reason: 'same-content' } as const)
      : entry,
  );
  return { code, ...result, guards: jump === null ? guards : [...guards, jump], plan };
}

function removedFinding(path: string): Finding {
  const message = 'a shard wrote this file, but it has been removed since: run that shard again, then finish';
  return { severity: 'error', code: 'file-missing', place: path, message };
}
