// What each edition of a scene changes: the heights of the slider's ticks, and the products that
// change later. Fetched only after a front has been shown for a moment, because the server must
// read all its editions.

import { entryOf } from '../../../contract/pointer-entry.ts';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Instant } from '../../../catalogue/instant.ts';
import { CHANGES_PATH, pathOf, type EditionChange, type EditionChanges } from '../../messages.ts';
import { instantAt } from '../text/descriptions.ts';
import { fetchJson } from './fetch-json.ts';
import type { Scene, Side } from './scene.ts';

const FETCH_AFTER_MS = 400;

/** By the instant at which an edition begins. */
export type ChangesByInstant = ReadonlyMap<Instant, EditionChange>;

/** Empty until it is known. */
export function useEditionChanges(scene: Scene | null): ChangesByInstant {
  const [changes, setChanges] = useState<ChangesByInstant>(new Map());
  const sides = scene?.sides ?? [];
  const key = sides.map(({ release, pointer }) => [release, pointer.front, ...pointer.products].join(' ')).join(' ');
  useEffect(() => {
    setChanges(new Map());
    let isWanted = true;
    const timer = setTimeout(() => {
      // On failure all ticks keep the same height. The problem is reported when an edition is
      // shown.
      Promise.all(sides.map(changesOf)).then(
        (maps) => isWanted && setChanges(new Map(maps.flat())),
        () => undefined,
      );
    }, FETCH_AFTER_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [key]);
  return changes;
}

/** The products that change after the edition that is shown, within the horizon. */
export function useChangesLater(scene: Scene | null, changes: ChangesByInstant): ReadonlySet<number> {
  const entry = scene?.sides[0].pointer.products[scene.sides[0].index];
  return useMemo(() => {
    const from = entry === undefined ? null : instantAt(entryOf(entry).from);
    const later = [...changes].filter(([at]) => from !== null && at > from);
    return new Set(later.flatMap(([, { products }]) => products));
  }, [entry, changes]);
}

async function changesOf({ release, pointer }: Side): Promise<(readonly [Instant, EditionChange])[]> {
  const changes = await fetchJson<EditionChanges>(pathOf(CHANGES_PATH, release, pointer.front));
  return changes.flatMap((change, i) => {
    const entry = pointer.products[i];
    return change === null || entry === undefined || i === 0 ? [] : [[instantAt(entryOf(entry).from), change] as const];
  });
}
