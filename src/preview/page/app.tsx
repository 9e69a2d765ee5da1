// The whole page: the operator's desk, the front as its visitors see it, and the clock. All state
// lives here; everything shown is derived from it.

import type { VNode } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { instantOf, type Instant } from '../../catalogue/instant.ts';
import type { MissingProduct } from '../messages.ts';
import { Clock } from './clock/clock.tsx';
import { Desk } from './desk/desk.tsx';
import { NO_SEARCH, type SearchFacts } from './front/search.ts';
import { Stage } from './front/stage.tsx';
import { ExportNote } from './exporting.tsx';
import { Help } from './help.tsx';
import { useKeys } from './keys.ts';
import { NoFront, NoRelease, ProblemBar } from './no-front.tsx';
import { OpenedSheet } from './opened.tsx';
import { useDay, useLabels, useMissing } from './state/catalogue-facts.ts';
import { useChangesLater, useEditionChanges } from './state/edition-changes.ts';
import { Editions } from './state/editions.ts';
import { EXPORTED } from './state/exported.ts';
import { dayPath } from './state/front-day.ts';
import type { Problem } from './state/fetch-json.ts';
import { useClock, useDocuments, type Loaded } from './state/hooks.ts';
import { editionPaths, frontOf, sceneOf, tickAfter, tickBefore, unitsOf, type Scene } from './state/scene.ts';
import { useTree } from './state/tree-state.ts';
import { useAddress } from './state/use-address.ts';
import { viewAfter, viewStateOf, type ViewState } from './state/view-state.ts';
import { changesOf, type Changes } from './text/changes.ts';
import { instantAt } from './text/descriptions.ts';
import { shown } from './text/safe-text.ts';

const editions = new Editions();
const NO_MISSING: readonly MissingProduct[] = [];

export function App(): VNode {
  const [state, setState] = useState<ViewState>(() => stateOf(location.search));
  const [editionProblem, setEditionProblem] = useState<Problem | null>(null);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [hasKeys, setHasKeys] = useState(true);
  const tree = useTree([state.release, ...(state.beside === null ? [] : [state.beside])]);
  const move = useCallback((change: Partial<ViewState>): void => setState((before) => ({ ...before, ...change })), []);

  const release = tree.releases.get(state.release) ?? null;
  const beside = tree.releases.get(state.beside ?? '') ?? null;
  const now = tree.overview === null ? instantOf(0) : instantAt(tree.overview.now);
  const scene = release === null ? null : sceneOf(state, release, beside, now);
  const front = release === null ? state.front : frontOf(state, release);
  const loaded = useDocuments(editions, scene, tree.readings, setEditionProblem);
  const changes = useChanges(loaded);
  const counts = useEditionChanges(scene);
  const hasCatalogue = tree.overview !== null && tree.overview.database !== null;
  // A comparison does not show them.
  const known = useMissing(hasCatalogue, scene?.sides.length === 1 ? scene : null, tree.readings);
  const missing = known.json ?? NO_MISSING;
  const facts = useFacts(scene, counts, changes, useLabels(hasCatalogue, scene?.front ?? null, tree.readings));
  const isMap = state.view === 'map' && scene?.sides.length === 1;
  const day = useDay(
    hasCatalogue && isMap ? dayPath(scene.front, scene.sides[0].pointer, scene.at) : null,
    tree.readings,
  );
  const goTo = (at: Instant): void => move({ at });
  const clock = useClock(scene, goTo);
  const [pointed, point] = usePointed(loaded, () => move({ ...NO_SEARCH, isAll: true }));
  const onOpen = useCallback((card: string) => move({ card }), []);
  const help = (): void => setHelpOpen(true);
  useKeys(
    {
      next: () => scene !== null && goTo(tickAfter(scene.timeline, scene.at)),
      previous: () => scene !== null && goTo(tickBefore(scene.timeline, scene.at)),
      play: () => clock.play(!clock.isPlaying),
      view: () => move({ view: viewAfter(state.view) }),
      health: () => move({ view: state.view === 'health' ? 'list' : 'health' }),
      compare: () => scene !== null && move({ from: scene.chosen, at: scene.chosen, beside: null }),
      help,
    },
    hasKeys,
  );
  useAddress(state, stateOf, setState);
  useTitle(front);
  usePrefetch(scene);

  const { overview, problem } = tree;
  const hasPanes = scene !== null && (state.view === 'health' || (loaded?.documents.length ?? 0) > 0);
  if (overview === null || release === null) return <NoRelease problem={problem} onChange={move} />;
  return (
    <>
      {hasPanes && (
        <a class="skip" href="#panes" onClick={skipToProducts}>
          Skip to the products
        </a>
      )}
      <Desk {...{ overview, release, state, front, now }} onChange={move} />
      {/* Before the cards in tab order, so that keyboard users need not tab through all of them. */}
      {scene !== null && (
        <Clock
          {...{ scene, now, changes, counts, clock }}
          onAt={goTo}
          onNow={() => {
            move({ at: null });
            void tree.refresh();
          }}
          onHelp={help}
          onPoint={point}
        />
      )}
      <main>
        <ExportNote />
        <ProblemBar problem={problem ?? editionProblem} overview={overview} />
        {scene === null && <NoFront {...{ overview, release, front }} onChange={move} />}
        {scene !== null && (
          <Stage
            {...{ overview, now, changes, state, facts, missing, day, pointed, onOpen }}
            readings={tree.readings}
            known={known}
            scene={loaded?.scene ?? scene}
            documents={loaded?.documents ?? []}
            onChange={move}
          />
        )}
      </main>
      <PublishedNotice release={tree.published} />
      {isHelpOpen && <Help isOn={hasKeys} onSwitch={setHasKeys} onClose={() => setHelpOpen(false)} />}
      {!isHelpOpen && (
        <OpenedSheet {...{ state, overview, release, front, loaded, missing }} day={day.json} onChange={move} />
      )}
    </>
  );
}

/** An export begins with the view that it was made of. */
function stateOf(search: string): ViewState {
  return viewStateOf(search === '' && EXPORTED !== null ? EXPORTED.query : search);
}

/** Moves the focus without a step in the address. */
function skipToProducts(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('panes')?.focus();
}

/** Memoized: new facts would search all cards again. */
function useFacts(
  scene: Scene | null,
  counts: ReturnType<typeof useEditionChanges>,
  changes: Changes | null,
  labels: SearchFacts['labels'],
): SearchFacts {
  const changesLater = useChangesLater(scene, counts);
  return useMemo(
    () => ({ changed: changes?.byProduct ?? new Map(), changesLater, labels }),
    [changes, changesLater, labels],
  );
}

/**
 * What differs from the previous edition, or between the two sides; null if there is nothing to
 * compare with.
 */
function useChanges(loaded: Loaded | null): Changes | null {
  const [first, second] = loaded?.documents ?? [];
  const isPaired = (loaded?.scene.sides.length ?? 0) > 1;
  return useMemo(() => {
    if (loaded === null || first === undefined || second === undefined) return null;
    const units = unitsOf(loaded.scene.sides[0]);
    return isPaired ? changesOf(first, second, units) : changesOf(second, first, units);
  }, [first, second, isPaired]);
}

/**
 * The product that is highlighted and scrolled to until another edition is shown, and a function
 * that chooses it. `onHidden` removes filters.
 */
function usePointed(loaded: Loaded | null, onHidden: () => void) {
  const [pointed, setPointed] = useState<{ readonly productId: number; readonly on: unknown } | null>(null);
  const shownDocument = loaded?.documents[0];
  const point = (productId: number): void => {
    if (document.querySelector(`[data-product="${productId}"]`) === null) onHidden();
    setPointed({ productId, on: shownDocument });
  };
  return [pointed?.on === shownDocument ? (pointed?.productId ?? null) : null, point] as const;
}

function useTitle(front: string | null): void {
  useEffect(() => {
    document.title = front === null ? 'Playbill preview' : `${shown(front)} · Playbill preview`;
  }, [front]);
}

/** Fetches the neighbours of the shown edition in advance. */
function usePrefetch(scene: Scene | null): void {
  const side = scene?.sides[0];
  useEffect(() => {
    if (side === undefined) return undefined;
    const near = [1, -2, 2, 3].map((steps) => side.index + steps);
    const timer = setTimeout(() => {
      // A failure is reported when the edition is shown.
      for (const path of editionPaths(side, near)) editions.load(path).catch(() => undefined);
    }, 60);
    return () => clearTimeout(timer);
  }, [side && editionPaths(side, [side.index])[0]]);
}

const NOTICE_MS = 6000;

/** Says for a few seconds that a new release has been published and is shown. */
function PublishedNotice({ release }: { readonly release: string | null }): VNode {
  const [isFresh, setFresh] = useState(false);
  useEffect(() => {
    if (release === null) return undefined;
    setFresh(true);
    const timer = setTimeout(() => setFresh(false), NOTICE_MS);
    return () => clearTimeout(timer);
  }, [release]);
  return (
    <p class="news" role="status">
      {isFresh && release !== null && `Release ${release.slice(0, 8)} has been published, and is shown.`}
    </p>
  );
}
