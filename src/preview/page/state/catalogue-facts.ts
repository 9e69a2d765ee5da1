// What only the catalogue knows of a front: its products without a card, and the categories and
// tags of its products.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { formatInstant } from '../../../catalogue/instant.ts';
import { LABELS_PATH, MISSING_PATH, pathOf, type MissingProduct, type ProductLabels } from '../../messages.ts';
import { fetchJson } from './fetch-json.ts';
import type { Scene } from './scene.ts';

/** Explaining all products takes the server a while: not while the clock moves. */
const FETCH_AFTER_MS = 400;

interface Known {
  readonly front: string;
  readonly missing: readonly MissingProduct[] | null;
}

/**
 * The products without a card at the scene's instant; null without a catalogue, and until they are
 * known. Meanwhile those of the instant before. A new `occasion` asks again.
 */
export function useMissing(
  hasCatalogue: boolean,
  scene: Scene | null,
  occasion: unknown,
): readonly MissingProduct[] | null {
  const [known, setKnown] = useState<Known>({ front: '', missing: null });
  const front = scene?.front ?? null;
  const path =
    !hasCatalogue || scene === null
      ? null
      : pathOf(MISSING_PATH, scene.sides[0].release, scene.front, formatInstant(scene.at));
  useEffect(() => {
    if (path === null || front === null) return undefined;
    const abandoned = new AbortController();
    const settle = (missing: Known['missing']): void => {
      if (!abandoned.signal.aborted) setKnown({ front, missing });
    };
    const timer = setTimeout(() => {
      // On failure the list lacks these rows; the details of a card report the problem.
      fetchJson<readonly MissingProduct[]>(path, abandoned.signal).then(settle, () => settle(null));
    }, FETCH_AFTER_MS);
    return () => {
      abandoned.abort();
      clearTimeout(timer);
    };
  }, [path, occasion]);
  return known.front === front ? known.missing : null;
}

/** By slug; null without a catalogue, and until they are known. */
export function useLabels(
  hasCatalogue: boolean,
  front: string | null,
  occasion: unknown,
): ReadonlyMap<string, ProductLabels> | null {
  const [labels, setLabels] = useState<readonly ProductLabels[] | null>(null);
  const path = !hasCatalogue || front === null ? null : pathOf(LABELS_PATH, front);
  useEffect(() => {
    let isWanted = true;
    setLabels(null);
    if (path === null) return undefined;
    fetchJson<readonly ProductLabels[]>(path).then(
      (known) => isWanted && setLabels(known),
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [path, occasion]);
  return useMemo(() => (labels === null ? null : new Map(labels.map((one) => [one.slug, one]))), [labels]);
}
