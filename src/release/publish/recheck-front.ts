// A front that a shard has rendered, looked at once more when its run is published: another build may have published meanwhile, or have
// pruned. Knows nothing of catalogues.

import type { ShardFront } from '../../contract/run.ts';
import type { Finding } from '../../findings.ts';
import type { Instant } from '../../catalogue/instant.ts';
import { obstructionFinding } from '../tree/found.ts';
import type { PublishedTree } from '../tree/published.ts';
import { guardsTripped, type GuardOptions } from './guards.ts';
import { heldResult, type FrontResult } from './render-front.ts';
import { guardedBefore } from './publish.ts';

/**
 * What becomes of a front by now. One that its shard held back stays held back, since it has no content; of the others, the guards decide
 * again, and every file must still be there, unless nothing is going to be written (`isPlan`). Where the run is for an earlier instant than
 * what is published (`isLate`), a front without a pointer has been taken off since.
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
  // Of a run that is finished once more.
  const plan = result.plan.map((entry) =>
    entry.reason === 'new-content' && published.lists(entry.path)
      ? ({ ...entry, action: 'keep', reason: 'same-content' } as const)
      : entry,
  );
  return { code, ...result, guards, plan };
}

function goneFinding(path: string): Finding {
  const message = 'a shard has written it, and it has been removed since: start its shard again, and then finish';
  return { severity: 'error', code: 'file-missing', place: path, message };
}
