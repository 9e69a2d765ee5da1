// What the page's components share: values that stay the same object, documents that are on their way, the clock that plays.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { ProductsDocument } from '../../contract/documents.ts';
import type { Editions } from './editions.ts';

/** A value that is made anew only when its key is another one. */
export function useSteady<T>(make: () => T, key: string | readonly unknown[]): T {
  const kept = useRef<{ readonly key: string | readonly unknown[]; readonly value: T } | null>(null);
  if (kept.current === null || !isSameKey(kept.current.key, key)) kept.current = { key, value: make() };
  return kept.current.value;
}

function isSameKey(a: string | readonly unknown[], b: string | readonly unknown[]): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b;
  return a.length === b.length && a.every((part, i) => part === b[i]);
}

/** An edition of a front. */
export interface Wanted {
  readonly front: string;
  readonly digest: string;
}

export interface Loaded<T> {
  /** What the documents were wanted for. */
  readonly purpose: T;
  readonly documents: readonly ProductsDocument[];
}

/**
 * The documents of the editions wanted. While they are on their way, those of the same front that were here last: so the page never
 * flickers, it shows the last edition until it can show the next one whole. Where one cannot be had, the first alone, or null: nothing
 * ever stands in the place of something else. With another `occasion` they are asked for once more.
 */
export function useDocuments<T>(
  editions: Editions,
  purpose: T,
  wanted: readonly Wanted[],
  occasion: unknown,
  onProblem: (message: string | null) => void,
): Loaded<T> | null {
  const [, drawAnew] = useState(0);
  const [failedKey, setFailedKey] = useState('');
  const last = useRef<{ readonly front: string; readonly loaded: Loaded<T> } | null>(null);
  const here = wanted.map(({ front, digest }) => editions.peek(front, digest));
  const documents = here.filter((document) => document !== undefined);
  const [first] = wanted;
  const isComplete = documents.length === wanted.length;
  if (first !== undefined && isComplete) last.current = { front: first.front, loaded: { purpose, documents } };
  const key = wanted.map(({ front, digest }) => `${front} ${digest}`).join(',');
  useEffect(() => {
    let isWanted = true;
    onProblem(null);
    setFailedKey('');
    if (isComplete) return undefined;
    void Promise.allSettled(wanted.map(({ front, digest }) => editions.load(front, digest))).then((results) => {
      if (!isWanted) return;
      const failure = results.find((result) => result.status === 'rejected');
      if (failure === undefined) return drawAnew((count) => count + 1);
      setFailedKey(key);
      onProblem(failure.reason instanceof Error ? failure.reason.message : String(failure.reason));
    });
    return () => {
      isWanted = false;
    };
  }, [key, occasion]);
  if (!isComplete && failedKey === key) return here[0] === undefined ? null : { purpose, documents: [here[0]] };
  return last.current?.front === first?.front ? (last.current?.loaded ?? null) : null;
}

/** While `isPlaying`, calls `advance` once a frame with the seconds that have passed since the frame before. */
export function usePlaying(isPlaying: boolean, advance: (seconds: number) => void): void {
  const latest = useRef(advance);
  latest.current = advance;
  useEffect(() => {
    if (!isPlaying) return undefined;
    let before: number | null = null;
    let frame = requestAnimationFrame(function tick(time) {
      if (before !== null) latest.current((time - before) / 1000);
      before = time;
      frame = requestAnimationFrame(tick);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying]);
}
