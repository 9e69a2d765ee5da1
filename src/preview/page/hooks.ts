// What the page's components share: documents being loaded, the clock that plays.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { ProductsDocument } from '../../contract/documents.ts';
import { instantOf, type Instant } from '../../catalogue/instant.ts';
import type { Editions } from './editions.ts';
import { clampTo, type Scene } from './scene.ts';

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
 * The documents of the editions wanted. While they load, the last ones of the same front, so that the page does not flicker. Where one
 * cannot be loaded, the first alone, or null: nothing is shown in place of something else. Another `occasion` loads them once more.
 */
export function useDocuments<T>(
  editions: Editions,
  purpose: T,
  wanted: readonly Wanted[],
  occasion: unknown,
  onProblem: (message: string | null) => void,
): Loaded<T> | null {
  const [, redraw] = useState(0);
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
      if (failure === undefined) return redraw((count) => count + 1);
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

/** While `isPlaying`, moves the instant by `speed` seconds for each second; `onTick` also gets whether it has reached the end. */
export function useClock(
  isPlaying: boolean,
  speed: number,
  scene: Scene | null,
  onTick: (at: Instant, isOver: boolean) => void,
): void {
  const remainder = useRef(0);
  const advance = (seconds: number): void => {
    if (scene === null) return;
    // Instants are whole seconds; the rest counts in the next frame.
    const passed = remainder.current + seconds * speed;
    remainder.current = passed - Math.floor(passed);
    const at = clampTo(scene.timeline, instantOf(scene.at + Math.floor(passed)));
    onTick(at, at >= scene.timeline.last);
  };
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
