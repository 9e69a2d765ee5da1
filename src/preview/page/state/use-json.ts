// Fetches JSON from the server for a component.

import { useEffect, useState } from 'preact/hooks';
import { fetchJson, problemOf, type Problem } from './fetch-json.ts';

/** Both are null while it is loading. */
export interface Fetched<T> {
  readonly json: T | null;
  readonly problem: Problem | null;
}

/** null fetches nothing. */
export function useJson<T extends object>(path: string | null): Fetched<T> {
  const [fetched, setFetched] = useState<Fetched<T>>({ json: null, problem: null });
  useEffect(() => {
    let isWanted = true;
    const settle = (outcome: Fetched<T>): void => {
      if (isWanted) setFetched(outcome);
    };
    settle({ json: null, problem: null });
    if (path === null) return undefined;
    fetchJson<T>(path).then(
      (json) => settle({ json, problem: null }),
      (error: unknown) => settle({ json: null, problem: problemOf(error) }),
    );
    return () => {
      isWanted = false;
    };
  }, [path]);
  return fetched;
}
