// Fronts rendered one by one, against what is published of each: steps 2 to 4 of the publish protocol, for builds and for shards.

import { localDateText } from '../../catalogue/calendar.ts';
import type { Front } from '../../catalogue/front.ts';
import type { Instant } from '../../catalogue/instant.ts';
import type { GuardOptions } from './guards.ts';
import { frontTasks } from './publish.ts';
import { renderFront, type FrontResult, type FrontTask } from './render-front.ts';
import type { PublishedTree } from '../tree/published.ts';
import type { ReleaseStore } from '../tree/store.ts';
import type { FrontEditions } from '../../render/editions.ts';

/** What fronts are rendered from. */
export interface RenderableFronts {
  readonly fronts: readonly Front[];
  /** The profile of one of them, by its code. */
  readonly profileIndexOf: (code: string) => number;
  /** The editions of one of them, by its code. Cheapest where fronts of a profile come one after the other. */
  readonly editionsOf: (code: string) => FrontEditions;
}

export interface RenderSettings {
  readonly guards: GuardOptions;
  readonly toolVersion: string;
}

/** What becomes of each front; their content is on its way into the store. @throws AppError tree-… */
export async function* renderFronts(
  rendered: RenderableFronts,
  published: PublishedTree,
  { guards, toolVersion }: RenderSettings,
  store: ReleaseStore,
  now: Instant,
): AsyncGenerator<FrontResult> {
  const { tasks, obstructed } = await frontTasks(
    rendered.fronts.map((front) => frontTask(front, now)),
    published,
    now,
  );
  yield* obstructed;
  const { filesByRecipe } = published;
  const settings = { guards, toolVersion, filesByRecipe, isNamed: (path: string) => published.lists(path) };
  // Profile by profile: what the fronts of a profile share is computed once, and freed before the next.
  for (const task of tasks.toSorted((a, b) => rendered.profileIndexOf(a.code) - rendered.profileIndexOf(b.code))) {
    yield await renderFront(task, rendered.editionsOf(task.code), settings, store, now);
  }
}

function frontTask(front: Front, now: Instant): Omit<FrontTask, 'before'> {
  const { code, zone, weekendDays, currency, minCards } = front;
  return { code, timezone: zone.name, weekendDays, currency, today: localDateText(zone, now), minCards };
}
