// Fetches JSON from the server for a component.

import { useEffect, useRef, useState } from 'preact/hooks';
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

/** Not while the clock moves. */
const FETCH_AFTER_MS = 250;

/**
 * The same for what the clock changes: keeps what is known of the same subject until the next
 * answer is here. A new `occasion` asks again.
 */
export function useLatestJson<T extends object>(path: string | null, subject: string, occasion: unknown): Fetched<T> {
  const [fetched, setFetched] = useState<Fetched<T> & { readonly subject: string }>({
    json: null,
    problem: null,
    subject,
  });
  const isFirst = useRef(true);
  useEffect(() => {
    if (path === null) return undefined;
    const abandoned = new AbortController();
    const settle = (outcome: Fetched<T>): void => {
      if (!abandoned.signal.aborted) setFetched({ ...outcome, subject });
    };
    const ask = (): void =>
      void fetchJson<T>(path, abandoned.signal).then(
        (json) => settle({ json, problem: null }),
        (error: unknown) => settle({ json: null, problem: problemOf(error) }),
      );
    const timer = setTimeout(ask, isFirst.current ? 0 : FETCH_AFTER_MS);
    isFirst.current = false;
    return () => {
      abandoned.abort();
      clearTimeout(timer);
    };
  }, [path, occasion]);
  return fetched.subject === subject ? fetched : { json: null, problem: null };
}
