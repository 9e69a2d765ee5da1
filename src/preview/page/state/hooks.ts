// Hooks that load a scene's documents and that move the clock while it plays.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ProductsDocument } from '../../../contract/documents.ts';
import { instantOf, type Instant } from '../../../catalogue/instant.ts';
import type { Editions } from './editions.ts';
import { problemOf, type Problem } from './fetch-json.ts';
import { clampTo, editionPaths, type Scene } from './scene.ts';

/** The documents of a scene: one per side; with one side, followed by its previous edition. */
export interface Loaded {
  readonly scene: Scene;
  readonly documents: readonly ProductsDocument[];
}

/**
 * Loads the documents of a scene. Meanwhile returns the last ones of the same front, so that the
 * page does not flicker. If one cannot be loaded, returns the first document alone, or null: the
 * page never shows one document in place of another. A new `occasion` loads them again.
 */
export function useDocuments(
  editions: Editions,
  scene: Scene | null,
  occasion: unknown,
  onProblem: (problem: Problem | null) => void,
): Loaded | null {
  const [, redraw] = useState(0);
  const [failedKey, setFailedKey] = useState('');
  const last = useRef<Loaded | null>(null);
  const paths = scene === null ? [] : pathsOf(scene);
  const here = paths.map((path) => editions.peek(path));
  const documents = here.filter((document) => document !== undefined);
  const isComplete = documents.length === paths.length;
  if (scene !== null && isComplete) last.current = { scene, documents };
  const key = paths.join(' ');
  useEffect(() => {
    let isWanted = true;
    onProblem(null);
    setFailedKey('');
    if (isComplete) return undefined;
    void Promise.allSettled(paths.map((path) => editions.load(path))).then((results) => {
      if (!isWanted) return;
      const failure = results.find((result) => result.status === 'rejected');
      if (failure === undefined) return redraw((count) => count + 1);
      setFailedKey(key);
      onProblem(problemOf(failure.reason));
    });
    return () => {
      isWanted = false;
    };
  }, [key, occasion]);
  if (scene === null) return null;
  if (!isComplete && failedKey === key) return here[0] === undefined ? null : { scene, documents: [here[0]] };
  return last.current?.scene.front === scene.front ? last.current : null;
}

function pathsOf({ sides: [side, other] }: Scene): string[] {
  if (other === undefined) return editionPaths(side, [side.index, side.index - 1]);
  return [side, other].flatMap((one) => editionPaths(one, [one.index]));
}

/**
 * A clock that, while `isPlaying`, moves the instant by `speed` seconds per second until the end of
 * the timeline.
 */
export function useClock(scene: Scene | null, onAt: (at: Instant) => void) {
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(600);
  const remainder = useRef(0);
  const advance = (seconds: number): void => {
    if (scene === null) return;
    // Instants are whole seconds; the fraction is carried over to the next frame.
    const passed = remainder.current + seconds * speed;
    remainder.current = passed - Math.floor(passed);
    const at = clampTo(scene.timeline, instantOf(scene.at + Math.floor(passed)));
    onAt(at);
    if (at >= scene.timeline.last) setPlaying(false);
  };
  const latest = useRef(advance);
  latest.current = advance;
  // A layout effect: the clock must stop in the same frame in which it is shown as paused.
  useLayoutEffect(() => {
    if (!isPlaying) return undefined;
    let before: number | null = null;
    let frame = requestAnimationFrame(function tick(time) {
      if (before !== null) latest.current((time - before) / 1000);
      before = time;
      frame = requestAnimationFrame(tick);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying]);
  const play = (isWanted: boolean): void => {
    if (isWanted && scene !== null && scene.at >= scene.timeline.last) onAt(scene.timeline.first);
    setPlaying(isWanted);
  };
  return { isPlaying, speed, play, setSpeed };
}
