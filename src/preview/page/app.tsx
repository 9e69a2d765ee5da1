// The whole page: the operator's desk, the front as its visitors see it, and the clock. All state
// lives here; everything shown is derived from it.

import type { VNode } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { instantOf, type Instant } from '../../catalogue/instant.ts';
import type { ProductCard } from '../../contract/documents.ts';
import type { Overview } from '../messages.ts';
import { Clock } from './clock/clock.tsx';
import { Desk } from './desk/desk.tsx';
import type { Dropped } from './desk/health.tsx';
import { Missing } from './desk/missing.tsx';
import type { Search } from './front/arrangement.ts';
import { CardDetails } from './front/card-details.tsx';
import { Stage } from './front/stage.tsx';
import { Help } from './help.tsx';
import { useKeys } from './keys.ts';
import { NoFront, NoRelease, ProblemBar } from './no-front.tsx';
import { useChangeCounts } from './state/change-counts.ts';
import { Editions } from './state/editions.ts';
import type { Problem } from './state/fetch-json.ts';
import { useClock, useDocuments, type Loaded } from './state/hooks.ts';
import { editionPaths, frontOf, sceneOf, tickAfter, tickBefore, type Scene } from './state/scene.ts';
import { useTree } from './state/tree-state.ts';
import { queryOf, viewStateOf, type ViewState } from './state/view-state.ts';
import { changesOf, type Changes, type FrontUnits } from './text/changes.ts';
import { instantAt, moneyOf, zoneOf } from './text/descriptions.ts';
import { shown } from './text/safe-text.ts';

const editions = new Editions();

/** The sheet that is open over the page. */
type Opened =
  | { readonly kind: 'help' }
  | { readonly kind: 'dropped'; readonly dropped: Dropped }
  | { readonly kind: 'card'; readonly card: ProductCard; readonly scene: Scene };

export function App(): VNode {
  const [state, setState] = useState<ViewState & Search>(() => {
    return { ...viewStateOf(location.search), badge: null, query: '' };
  });
  const [editionProblem, setEditionProblem] = useState<Problem | null>(null);
  const [opened, setOpened] = useState<Opened | null>(null);
  const [hasKeys, setHasKeys] = useState(true);
  const tree = useTree([state.release, ...(state.beside === null ? [] : [state.beside])]);
  const move = (change: Partial<ViewState & Search>): void => setState((before) => ({ ...before, ...change }));

  const release = tree.releases.get(state.release) ?? null;
  const beside = tree.releases.get(state.beside ?? '') ?? null;
  const now = tree.overview === null ? instantOf(0) : instantAt(tree.overview.now);
  const scene = release === null ? null : sceneOf(state, release, beside, now);
  const front = release === null ? state.front : frontOf(state, release);
  const loaded = useDocuments(editions, scene, tree.readings, setEditionProblem);
  const changes = useChanges(loaded);
  const counts = useChangeCounts(scene);
  const goTo = (at: Instant): void => move({ at });
  const clock = useClock(scene, goTo);
  const [pointed, point] = usePointed(loaded, () => move({ tab: 'all', badge: null, query: '' }));
  const onOpen = useOpenCard(loaded, setOpened);
  const help = (): void => setOpened({ kind: 'help' });
  useKeys(
    {
      next: () => scene !== null && goTo(tickAfter(scene.timeline, scene.at)),
      previous: () => scene !== null && goTo(tickBefore(scene.timeline, scene.at)),
      play: () => clock.play(!clock.isPlaying),
      help,
    },
    hasKeys,
  );
  useAddress(state, front);
  usePrefetch(scene);

  const { overview, problem } = tree;
  if (overview === null || release === null) return <NoRelease problem={problem} onChange={move} />;
  return (
    <>
      <Desk
        {...{ overview, release, state, front, now }}
        onChange={move}
        onDropped={(dropped) => setOpened({ kind: 'dropped', dropped })}
      />
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
        <ProblemBar problem={problem ?? editionProblem} overview={overview} />
        {scene === null && <NoFront {...{ overview, release, front }} onChange={move} />}
        {scene !== null && (
          <Stage
            {...{ overview, now, changes, pointed, onOpen }}
            scene={loaded?.scene ?? scene}
            documents={loaded?.documents ?? []}
            search={state}
            onSearch={move}
          />
        )}
      </main>
      <PublishedNotice release={tree.published} />
      {opened !== null && <OpenSheet {...{ opened, overview, hasKeys, setHasKeys }} onClose={() => setOpened(null)} />}
    </>
  );
}

interface OpenSheetProps {
  readonly opened: Opened;
  readonly overview: Overview;
  readonly hasKeys: boolean;
  readonly setHasKeys: (hasKeys: boolean) => void;
  readonly onClose: () => void;
}

function OpenSheet({ opened, overview, hasKeys, setHasKeys, onClose }: OpenSheetProps): VNode {
  switch (opened.kind) {
    case 'help':
      return <Help isOn={hasKeys} onSwitch={setHasKeys} onClose={onClose} />;
    case 'dropped':
      return <Missing {...{ overview, onClose }} dropped={opened.dropped} />;
    case 'card': {
      const { card, scene } = opened;
      return <CardDetails {...{ overview, card, onClose }} front={scene.front} at={scene.at} units={unitsOf(scene)} />;
    }
  }
}

function unitsOf({ sides: [{ pointer, record }] }: Scene): FrontUnits {
  const { timezone, today } = pointer;
  return { zone: zoneOf(timezone), today, money: moneyOf(record?.currency ?? null) };
}

/**
 * What differs from the previous edition, or between the two releases; null if there is nothing to
 * compare with.
 */
function useChanges(loaded: Loaded | null): Changes | null {
  const [first, second] = loaded?.documents ?? [];
  const isPaired = (loaded?.scene.sides.length ?? 0) > 1;
  return useMemo(() => {
    if (loaded === null || first === undefined || second === undefined) return null;
    return isPaired ? changesOf(first, second, unitsOf(loaded.scene)) : changesOf(second, first, unitsOf(loaded.scene));
  }, [first, second, isPaired]);
}

/**
 * The product whose card is highlighted until another edition is shown, and a function that scrolls
 * to a card. `onHidden` removes filters.
 */
function usePointed(loaded: Loaded | null, onHidden: () => void) {
  const [pointed, setPointed] = useState<{ readonly productId: number; readonly on: unknown } | null>(null);
  const shownDocument = loaded?.documents[0];
  const cardOf = (productId: number): Element | null => document.querySelector(`[data-product="${productId}"]`);
  const point = (productId: number): void => {
    if (cardOf(productId) === null) onHidden();
    setPointed({ productId, on: shownDocument });
  };
  useEffect(() => {
    const card = pointed === null ? null : cardOf(pointed.productId);
    card?.scrollIntoView({ block: 'center' });
    card?.querySelector<HTMLElement>('.name button')?.focus({ preventScroll: true });
  }, [pointed]);
  return [pointed?.on === shownDocument ? (pointed?.productId ?? null) : null, point] as const;
}

/** Returns the same function on every render, because a new one would redraw all cards. */
function useOpenCard(loaded: Loaded | null, onOpened: (opened: Opened) => void): (card: ProductCard) => void {
  const latest = useRef(loaded);
  latest.current = loaded;
  return useCallback((card: ProductCard) => {
    if (latest.current !== null) onOpened({ kind: 'card', card, scene: latest.current.scene });
  }, []);
}

/**
 * Writes the state into the page's address, with a delay because browsers limit how often that may
 * happen. Sets the title.
 */
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
