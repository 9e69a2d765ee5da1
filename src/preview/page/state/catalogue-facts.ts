// What only the catalogue knows of a front: its products without a card, the categories and tags of
// its products, and the sessions of a day.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { formatInstant } from '../../../catalogue/instant.ts';
import {
  LABELS_PATH,
  MISSING_PATH,
  pathOf,
  type DaySessions,
  type MissingProduct,
  type ProductLabels,
} from '../../messages.ts';
import { fetchJson, problemOf } from './fetch-json.ts';
import type { Scene } from './scene.ts';
import type { Fetched } from './use-json.ts';

/** Explaining all products takes the server a while: not while the clock moves. */
const FETCH_AFTER_MS = 400;

const DAY_AFTER_MS = 100;

const NOTHING: Fetched<never> = { json: null, problem: null };

interface KnownMissing extends Fetched<readonly MissingProduct[]> {
  readonly front: string | null;
}

/**
 * The products without a card at the scene's instant; nothing without a catalogue. Until they are
 * known, those of the instant before. A new `occasion` asks again.
 */
export function useMissing(
  hasCatalogue: boolean,
  scene: Scene | null,
  occasion: unknown,
): Fetched<readonly MissingProduct[]> {
  const [known, setKnown] = useState<KnownMissing>({ ...NOTHING, front: null });
  const front = scene?.front ?? null;
  const path =
    !hasCatalogue || scene === null
      ? null
      : pathOf(MISSING_PATH, scene.sides[0].release, scene.front, formatInstant(scene.steady));
  useEffect(() => {
    if (path === null) return undefined;
    const abandoned = new AbortController();
    const settle = (fetched: Fetched<readonly MissingProduct[]>): void => {
      if (!abandoned.signal.aborted) setKnown({ ...fetched, front });
    };
    const timer = setTimeout(() => {
      fetchJson<readonly MissingProduct[]>(path, abandoned.signal).then(
        (json) => settle({ json, problem: null }),
        (error: unknown) => settle({ json: null, problem: problemOf(error) }),
      );
    }, FETCH_AFTER_MS);
    return () => {
      abandoned.abort();
      clearTimeout(timer);
    };
  }, [path, occasion]);
  return known.front === front ? known : NOTHING;
}

/**
 * The sessions of a day of the front, by the path of the day; null asks for nothing. A new
 * `occasion` asks again.
 */
export function useDay(path: string | null, occasion: unknown): Fetched<DaySessions> {
  const [known, setKnown] = useState<Fetched<DaySessions> & { readonly path: string | null }>({ ...NOTHING, path });
  useEffect(() => {
    if (path === null) return undefined;
    const abandoned = new AbortController();
    const settle = (fetched: Fetched<DaySessions>): void => {
      if (!abandoned.signal.aborted) setKnown({ ...fetched, path });
    };
    // Not of all days that a drag goes over.
    const timer = setTimeout(() => {
      fetchJson<DaySessions>(path, abandoned.signal).then(
        (json) => settle({ json, problem: null }),
        (error: unknown) => settle({ json: null, problem: problemOf(error) }),
      );
    }, DAY_AFTER_MS);
    return () => {
      abandoned.abort();
      clearTimeout(timer);
    };
  }, [path, occasion]);
  return known.path === path ? known : NOTHING;
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
