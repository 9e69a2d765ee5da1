// How much each edition of a scene changes: the height of its tick. Asked for once a front stays, since the server reads all its editions.

import { useEffect, useState } from 'preact/hooks';
import type { Instant } from '../../../catalogue/instant.ts';
import { CHANGES_PATH, type ChangeCounts } from '../../messages.ts';
import { instantAt } from '../words/descriptions.ts';
import { fetchJson, pathOf } from './fetch-json.ts';
import type { Scene, Side } from './scene.ts';

const ASK_AFTER_MS = 400;

/** By the instant at which an edition begins; empty while they are not known. */
export function useChangeCounts(scene: Scene | null): ReadonlyMap<Instant, number> {
  const [counts, setCounts] = useState<ReadonlyMap<Instant, number>>(new Map());
  const sides = scene?.sides ?? [];
  const key = sides.map(({ release, pointer }) => [release, pointer.front, ...pointer.products].join(' ')).join(' ');
  useEffect(() => {
    setCounts(new Map());
    let isWanted = true;
    const timer = setTimeout(() => {
      // Without counts all ticks are alike; what is wrong is said where an edition is shown.
      Promise.all(sides.map(countsOf)).then(
        (maps) => isWanted && setCounts(new Map(maps.flat())),
        () => undefined,
      );
    }, ASK_AFTER_MS);
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
    const from = pointer.products[i]?.slice(0, 20);
    return count === null || from === undefined || i === 0 ? [] : [[instantAt(from), count] as const];
  });
}
