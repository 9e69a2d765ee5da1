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
 * The documents of the editions wanted. Until all of them are here, those that were here last; null before the first. So the page
 * never flickers: it shows the last edition until it can show the next one whole.
 */
export function useDocuments<T>(
  editions: Editions,
  purpose: T,
  wanted: readonly Wanted[],
  onProblem: (message: string | null) => void,
): Loaded<T> | null {
  const [, drawAnew] = useState(0);
  const last = useRef<Loaded<T> | null>(null);
  const here = wanted.map(({ front, digest }) => editions.peek(front, digest));
  const documents = here.filter((document) => document !== undefined);
  if (documents.length === wanted.length && wanted.length > 0) last.current = { purpose, documents };
  const key = wanted.map(({ front, digest }) => `${front} ${digest}`).join(',');
  useEffect(() => {
    let isWanted = true;
    onProblem(null);
    if (documents.length === wanted.length) return undefined;
    Promise.all(wanted.map(({ front, digest }) => editions.load(front, digest))).then(
      () => isWanted && drawAnew((count) => count + 1),
      (error: unknown) => isWanted && onProblem(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      isWanted = false;
    };
  }, [key]);
  return wanted.length === 0 ? null : last.current;
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
