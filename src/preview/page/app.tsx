// The page: the operator's desk, the front as its visitors see it, and the clock. State lives here; everything else is derived from it.

import type { VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { instantOf } from '../../catalogue/instant.ts';
import type { PreviewRelease } from '../messages.ts';
import type { Search } from './arrangement.ts';
import { changesOf, type Changes } from './changes.ts';
import { Clock } from './clock.tsx';
import { Desk } from './desk.tsx';
import { Editions } from './editions.ts';
import { useClock, useDocuments, type Loaded } from './hooks.ts';
import { viewStateOf, queryOf, type ViewState } from './view-state.ts';
import { editionPaths, frontOf, sceneOf, type Scene } from './scene.ts';
import { Stage } from './stage.tsx';
import { shown } from './text.ts';
import { useTree } from './tree-state.ts';
import { instantAt } from './descriptions.ts';

const editions = new Editions();

export function App(): VNode {
  const [state, setState] = useState<ViewState & Search>(() => {
    return { ...viewStateOf(location.search), badge: null, query: '' };
  });
  const [treeProblem, setTreeProblem] = useState<string | null>(null);
  const [editionProblem, setEditionProblem] = useState<string | null>(null);
  const problem = treeProblem ?? editionProblem;
  const tree = useTree([state.release, ...(state.beside === null ? [] : [state.beside])], setTreeProblem);
  const move = (change: Partial<ViewState & Search>): void => setState((before) => ({ ...before, ...change }));

  const release = tree.releases.get(state.release) ?? null;
  const beside = tree.releases.get(state.beside ?? '') ?? null;
  const now = tree.overview === null ? instantOf(0) : instantAt(tree.overview.now);
  const scene = release === null ? null : sceneOf(state, release, beside, now);
  const front = release === null ? state.front : frontOf(state, release);
  const loaded = useDocuments(editions, scene, tree.overview, setEditionProblem);
  const changes = useChanges(loaded);
  const clock = useClock(scene, (at) => move({ at }));
  useAddress(state, front);
  usePrefetch(scene);

  if (tree.overview === null || release === null) return <p class="waiting">{problem ?? 'Reading the tree…'}</p>;
  return (
    <>
      <Desk
        overview={tree.overview}
        release={release}
        state={state}
        front={front}
        now={now}
        onChange={(change) => {
          setTreeProblem(null);
          move(change);
        }}
      />
      <main>
        {problem !== null && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {scene === null && <p class="empty">{problemOf(release, front)}</p>}
        {scene !== null && (
          <Stage
            scene={loaded?.scene ?? scene}
            documents={loaded?.documents ?? []}
            changes={changes}
            search={state}
            onSearch={move}
          />
        )}
      </main>
      {scene !== null && (
        <Clock
          scene={scene}
          changes={changes}
          clock={clock}
          onAt={(at) => move({ at })}
          onNow={() => {
            move({ at: null });
            tree.refresh();
          }}
        />
      )}
    </>
  );
}

const NOTHING = 'Nothing is published here. Publish with: playbill build';

/** Why a front cannot be shown. */
function problemOf({ fronts }: PreviewRelease, front: string | null): string {
  if (front === null || fronts.length === 0) return NOTHING;
  const view = fronts.find((one) => one.front === front);
  return view === undefined ? `There is no front “${shown(front)}” here. Choose another.` : (view.problem ?? NOTHING);
}

/** What differs from the edition before, or the second release from the first; null where there is nothing to compare with. */
function useChanges(loaded: Loaded | null): Changes | null {
  const [first, second] = loaded?.documents ?? [];
  const isPaired = (loaded?.scene.sides.length ?? 0) > 1;
  return useMemo(() => {
    if (first === undefined || second === undefined) return null;
    return isPaired ? changesOf(first, second) : changesOf(second, first);
  }, [first, second, isPaired]);
}

/** The address follows the state, a while after its last change: browsers limit how often it may change. The title names the front. */
function useAddress(state: ViewState, front: string | null): void {
  useEffect(() => {
    document.title = front === null ? 'Playbill preview' : `${shown(front)} · Playbill preview`;
  }, [front]);
  const search = queryOf(state);
  useEffect(() => {
    const timer = setTimeout(() => history.replaceState(null, '', location.pathname + search), 300);
    return () => clearTimeout(timer);
  }, [search]);
}

/** Editions on both sides of the one in force are fetched in advance. */
function usePrefetch(scene: Scene | null): void {
  const side = scene?.sides[0];
  useEffect(() => {
    if (side === undefined) return undefined;
    const near = [1, -2, 2, 3].map((steps) => side.index + steps);
    const timer = setTimeout(() => {
      // A failure is reported when the edition is wanted.
      for (const path of editionPaths(side, near)) editions.load(path).catch(() => undefined);
    }, 60);
    return () => clearTimeout(timer);
  }, [side && editionPaths(side, [side.index])[0]]);
}
