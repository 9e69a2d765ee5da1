// The page's copy of the tree: the overview, and the releases shown, fetched when needed. While the
// page is visible, it polls for new releases and then reads the tree again.

import { useEffect, useRef, useState } from 'preact/hooks';
import {
  CURRENT,
  CURRENT_PATH,
  OVERVIEW_PATH,
  pathOf,
  RELEASES_PATH,
  type CurrentRelease,
  type Overview,
  type PreviewRelease,
} from '../../messages.ts';
import { EXPORTED } from './exported.ts';
import { fetchJson, problemOf, type Problem } from './fetch-json.ts';

const POLL_MS = 3000;

export function useTree(ids: readonly string[]) {
  const [overview, setOverview] = useState<Overview | null>(null);
  // Keyed by id or `CURRENT`.
  const [releases, setReleases] = useState<ReadonlyMap<string, PreviewRelease>>(new Map());
  const [problem, setProblem] = useState<Problem | null>(null);
  const [readings, setReadings] = useState(0);
  const [published, setPublished] = useState<string | null>(null);
  const fail = (error: unknown): void => setProblem(problemOf(error));
  const fetchRelease = async (id: string): Promise<void> => {
    const release = await fetchJson<PreviewRelease>(pathOf(RELEASES_PATH, id));
    setReleases((known) => new Map(known).set(id, release));
  };
  /** Reads the current pointers and the server's time again. */
  const refresh = async (): Promise<void> => {
    try {
      const [fresh] = await Promise.all([
        fetchJson<Overview>(OVERVIEW_PATH),
        ...ids.filter((id) => id === CURRENT || !releases.has(id)).map(fetchRelease),
      ]);
      setOverview(fresh);
      setProblem(null);
      setReadings((count) => count + 1);
    } catch (error) {
      fail(error);
    }
  };
  const poll = async (): Promise<void> => {
    if (document.visibilityState !== 'visible' || EXPORTED !== null) return;
    try {
      const { now, current } = await fetchJson<CurrentRelease>(CURRENT_PATH);
      const isNew = overview !== null && overview.current !== current;
      if (isNew) setPublished(current);
      if (isNew || overview === null || problem !== null) await refresh();
      else setOverview((known) => (known === null || known.now === now ? known : { ...known, now }));
    } catch (error) {
      fail(error);
    }
  };
  const latest = useRef(poll);
  latest.current = poll;
  useEffect(() => {
    void refresh();
    const again = (): void => void latest.current();
    const timer = setInterval(again, POLL_MS);
    document.addEventListener('visibilitychange', again);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', again);
    };
  }, []);
  useEffect(() => {
    if (overview === null) return;
    setProblem(null);
    Promise.all(ids.filter((id) => !releases.has(id)).map(fetchRelease)).catch(fail);
  }, [ids.join(' ')]);
  return { overview, releases, problem, readings, published, refresh };
}
