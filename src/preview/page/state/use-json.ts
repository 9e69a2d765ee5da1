// One answer of the server for as long as a component wants it.

import { useEffect, useState } from 'preact/hooks';
import { fetchJson, problemOf, type Problem } from './fetch-json.ts';

/** Both are null while it is on its way. */
export interface Asked<T> {
  readonly answer: T | null;
  readonly problem: Problem | null;
}

export function useAnswer<T extends object>(path: string): Asked<T> {
  const [asked, setAsked] = useState<Asked<T>>({ answer: null, problem: null });
  useEffect(() => {
    let isWanted = true;
    const settle = (outcome: Asked<T>): void => {
      if (isWanted) setAsked(outcome);
    };
    settle({ answer: null, problem: null });
    fetchJson<T>(path).then(
      (answer) => settle({ answer, problem: null }),
      (error: unknown) => settle({ answer: null, problem: problemOf(error) }),
    );
    return () => {
      isWanted = false;
    };
  }, [path]);
  return asked;
}
