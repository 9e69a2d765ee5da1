// What only the catalogue knows of a front: its products without a card, the categories and tags of
// its products, and the sessions of a day.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { formatInstant, type Instant } from '../../../catalogue/instant.ts';
import {
  DAY_PATH,
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

/**
 * The sessions of the front's day that contains an instant; of the day before while they are fetched.
 * null asks for nothing. A new `occasion` asks again.
 */
export function useDay(front: string | null, at: Instant, occasion: unknown): Fetched<DaySessions> {
  const [known, setKnown] = useState<KnownDay>({ front: null, path: '', occasion, json: null, problem: null });
  const instant = formatInstant(at);
  const { json } = known;
  const isOfDay = known.front === front && json !== null && json.from <= instant && instant < json.until;
  const wanted = front === null ? '' : pathOf(DAY_PATH, front, instant);
  const path = known.occasion === occasion && (isOfDay || known.path === wanted) ? '' : wanted;
  useEffect(() => {
    if (path === '') return undefined;
    const abandoned = new AbortController();
    const settle = (fetched: Fetched<DaySessions>): void => {
      if (!abandoned.signal.aborted) setKnown({ front, path, occasion, ...fetched });
    };
    const ask = (): void =>
      void fetchJson<DaySessions>(path, abandoned.signal).then(
        (day) => settle({ json: day, problem: null }),
        (error: unknown) => settle({ json: null, problem: problemOf(error) }),
      );
    const timer = setTimeout(ask, known.front === front ? FETCH_AFTER_MS / 4 : 0);
    return () => {
      abandoned.abort();
      clearTimeout(timer);
    };
  }, [path, occasion]);
  return known.front === front ? known : NOTHING;
}

interface KnownDay extends Fetched<DaySessions> {
  readonly front: string | null;
  readonly path: string;
  readonly occasion: unknown;
}

const NOTHING: Fetched<never> = { json: null, problem: null };

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
