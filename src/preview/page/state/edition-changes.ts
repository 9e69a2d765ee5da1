// How much each edition of a scene changes, which sets the height of its tick. Fetched only after a
// front has been shown for a moment, because the server must read all its editions.

import { entryOf } from '../../../contract/pointer-entry.ts';
import { useEffect, useState } from 'preact/hooks';
import type { Instant } from '../../../catalogue/instant.ts';
import { CHANGES_PATH, type ChangeCounts } from '../../messages.ts';
import { instantAt } from '../text/descriptions.ts';
import { fetchJson, pathOf } from './fetch-json.ts';
import type { Scene, Side } from './scene.ts';

const FETCH_AFTER_MS = 400;

/** The number of changes by the instant at which an edition begins; empty until it is known. */
export function useChangeCounts(scene: Scene | null): ReadonlyMap<Instant, number> {
  const [counts, setCounts] = useState<ReadonlyMap<Instant, number>>(new Map());
  const sides = scene?.sides ?? [];
  const key = sides.map(({ release, pointer }) => [release, pointer.front, ...pointer.products].join(' ')).join(' ');
  useEffect(() => {
    setCounts(new Map());
    let isWanted = true;
    const timer = setTimeout(() => {
      // On failure all ticks keep the same height. The problem is reported when an edition is
      // shown.
      Promise.all(sides.map(countsOf)).then(
        (maps) => isWanted && setCounts(new Map(maps.flat())),
        () => undefined,
      );
    }, FETCH_AFTER_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [key]);
  return counts;
}

async function countsOf({ release, pointer }: Side): Promise<(readonly [Instant, number])[]> {
  const counts = await fetchJson<ChangeCounts>(pathOf(CHANGES_PATH, release, pointer.front));
  return counts.flatMap((count, i) => {
    const entry = pointer.products[i];
    return count === null || entry === undefined || i === 0 ? [] : [[instantAt(entryOf(entry).from), count] as const];
  });
}
