// A front that a shard has rendered, checked again when its run is published: another build may have published or pruned in between.

import type { ShardFront } from '../../contract/run.ts';
import type { Finding } from '../../findings.ts';
import type { Instant } from '../../catalogue/instant.ts';
import { obstructionFinding } from '../tree/found.ts';
import type { PublishedTree } from '../tree/published.ts';
import { guardsTripped, type GuardOptions } from './guards.ts';
import { heldResult, type FrontResult } from './render-front.ts';
import { guardedBefore } from './publish.ts';

/**
 * What becomes of a front now. One that its shard held back stays held back, since it has no content. For the others the guards decide
 * again, and every file must still be there unless nothing will be written (`isPlan`). If the run is for an earlier instant than
 * the current release (`isLate`), a front without a pointer has been removed since.
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
  const guards = guardsTripped({ cards: listing.cards, minCards }, before, settings.guards, now);
  const guard = guards.find((one) => !one.isOverridden);
  if (guard !== undefined) return heldResult(code, guard.code, guards);
  for (const file of settings.isPlan ? [] : files) {
    if (!(await published.hasFiles([file]))) return heldResult(code, 'shard-missing', guards, [goneFinding(file.path)]);
  }
  // If the run was finished before, its files are published already.
  const plan = result.plan.map((entry) =>
    entry.reason === 'new-content' && published.lists(entry.path)
      ? ({ ...entry, action: 'keep', reason: 'same-content' } as const)
      : entry,
  );
  return { code, ...result, guards, plan };
}

function goneFinding(path: string): Finding {
  const message = 'its shard wrote it, and it has been removed since: start that shard again, then run finish again';
  return { severity: 'error', code: 'file-missing', place: path, message };
}
