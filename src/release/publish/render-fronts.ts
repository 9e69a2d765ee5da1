// Fronts rendered one by one, against what is published of each: steps 2 to 4 of the publish
// protocol, for builds and for shards.

import type { Front } from '../../catalogue/front.ts';
import type { Instant } from '../../catalogue/instant.ts';
import { FrontEditions } from '../../render/editions.ts';
import type { RenderedCatalogue } from '../../render/front-cards.ts';
import { obstructionFinding } from '../tree/found.ts';
import type { PublishedTree } from '../tree/published.ts';
import type { ReleaseStore } from '../tree/store.ts';
import type { GuardOptions } from './guards.ts';
import { guardedBefore } from './publish.ts';
import { heldResult, renderFront, type FrontResult, type FrontTask } from './render-front.ts';

export interface RenderSettings {
  readonly guards: GuardOptions;
  readonly toolVersion: string;
}

/**
 * What becomes of each front; their content is on its way into the store.
 * @throws AppError tree-…
 */
export async function* renderFronts(
  fronts: readonly Front[],
  rendered: RenderedCatalogue,
  published: PublishedTree,
  { guards, toolVersion }: RenderSettings,
  store: ReleaseStore,
  now: Instant,
): AsyncGenerator<FrontResult> {
  const { tasks, obstructed } = await frontTasks(fronts, published, now);
  yield* obstructed;
  const { filesByRecipe } = published;
  const settings = { guards, toolVersion, filesByRecipe, isNamed: (path: string) => published.lists(path) };
  const { profileIndexOf } = rendered;
  // Profile by profile: what the fronts of a profile share is computed once, and freed before the
  // next.
  for (const task of tasks.toSorted((a, b) => profileIndexOf(a.front) - profileIndexOf(b.front))) {
    yield await renderFront(task, new FrontEditions(task.front, rendered, now), settings, store, now);
  }
}

/**
 * The fronts that can be published, each with its published state; and results for those with
 * something else at their pointer's path.
 */
async function frontTasks(
  fronts: readonly Front[],
  published: PublishedTree,
  now: Instant,
): Promise<{ readonly tasks: readonly FrontTask[]; readonly obstructed: readonly FrontResult[] }> {
  const tasks: FrontTask[] = [];
  const obstructed: FrontResult[] = [];
  for (const front of fronts) {
    const obstruction = await published.obstructionOf(front.code);
    if (obstruction === null) tasks.push({ front, before: await guardedBefore(front.code, published, now) });
    else obstructed.push(heldResult(front.code, 'file-kind-wrong', [], [obstructionFinding(obstruction)]));
  }
  return { tasks, obstructed };
}
