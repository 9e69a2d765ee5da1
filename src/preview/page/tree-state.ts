// The tree as the page knows it: the overview, and the releases shown, fetched when first needed.

import { useEffect, useState } from 'preact/hooks';
import { IN_FORCE, OVERVIEW_PATH, RELEASES_PATH, type Overview, type PreviewRelease } from '../messages.ts';
import { messageOf } from '../../errors.ts';
import { fetchJson } from './fetch-json.ts';

export function useTree(ids: readonly string[], onProblem: (message: string | null) => void) {
  const [overview, setOverview] = useState<Overview | null>(null);
  // By id, and `IN_FORCE`.
  const [releases, setReleases] = useState<ReadonlyMap<string, PreviewRelease>>(new Map());
  const fail = (error: unknown): void => onProblem(messageOf(error));
  const fetchRelease = async (id: string): Promise<void> => {
    const release = await fetchJson<PreviewRelease>(RELEASES_PATH + encodeURIComponent(id));
    setReleases((known) => new Map(known).set(id, release));
  };
  /** Fetches again what is in force and what time it is. */
  const refresh = (): void => {
    onProblem(null);
    const fetchAll = [
      fetchJson<Overview>(OVERVIEW_PATH).then(setOverview),
      ...ids.filter((id) => id === IN_FORCE || !releases.has(id)).map(fetchRelease),
    ];
    Promise.all(fetchAll).catch(fail);
  };
  useEffect(refresh, []);
  useEffect(() => {
    if (overview === null) return;
    Promise.all(ids.filter((id) => !releases.has(id)).map(fetchRelease)).catch(fail);
  }, [ids.join(' ')]);
  return { overview, releases, refresh };
}
