// The page: the operator's desk, the front as its visitors see it, and the clock. State lives here; everything else is derived from it.

import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { instantOf } from '../../catalogue/instant.ts';
import { PICTURES_PATH, type ReleaseView } from '../messages.ts';
import type { Search } from './arrangement.ts';
import { changesOf, type Changes } from './changes.ts';
import { Clock } from './clock.tsx';
import { Desk } from './desk.tsx';
import { Editions } from './editions.ts';
import { useDocuments, usePlaying, useSteady, type Loaded, type Wanted } from './hooks.ts';
import { placeOf, searchOf, type Place } from './place.ts';
import { frontOf, sceneOf, within, type Scene } from './scene.ts';
import { Stage } from './stage.tsx';
import { shown } from './text.ts';
import { useTree } from './tree-state.ts';
import { instantAt } from './words.ts';

const editions = new Editions();
const HAS_PICTURES = location.pathname === PICTURES_PATH;

export function App(): VNode {
  const [place, setPlace] = useState<Place>(() => placeOf(location.search));
  const [search, setSearch] = useState<Pick<Search, 'badge' | 'words'>>({ badge: null, words: '' });
  const [treeProblem, setTreeProblem] = useState<string | null>(null);
  const [editionProblem, setEditionProblem] = useState<string | null>(null);
  const problem = treeProblem ?? editionProblem;
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(600);
  const tree = useTree([place.release, ...(place.beside === null ? [] : [place.beside])], setTreeProblem);
  const move = (change: Partial<Place>): void => setPlace((before) => ({ ...before, ...change }));

  const release = tree.releases.get(place.release) ?? null;
  const beside = tree.releases.get(place.beside ?? '') ?? null;
  const now = tree.overview === null ? instantOf(0) : instantAt(tree.overview.now);
  const scene = release === null ? null : sceneOf(place, release, beside, now);
  const front = release === null ? place.front : frontOf(place, release);
  const loaded = useDocuments(editions, scene, wantedOf(scene), tree.overview, setEditionProblem);
  const changes = useChanges(loaded);
  useClock(isPlaying, speed, scene, (at, isOver) => {
    move({ at });
    if (isOver) setPlaying(false);
  });
  useAddress(place, front);
  usePrefetch(scene);

  if (tree.overview === null || release === null) return <p class="waiting">{problem ?? 'Reading the tree…'}</p>;
  return (
    <>
      <Desk
        overview={tree.overview}
        release={release}
        place={place}
        front={front}
        now={now}
        hasPictures={HAS_PICTURES}
        onPlace={(change) => {
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
            scene={loaded?.purpose ?? scene}
            documents={loaded?.documents ?? []}
            changes={changes}
            search={{ ...search, tab: place.tab }}
            hasPictures={HAS_PICTURES}
            onTab={(tab) => move({ tab })}
            onSearch={setSearch}
          />
        )}
      </main>
      {scene !== null && (
        <Clock
          scene={scene}
          changes={changes}
          isPlaying={isPlaying}
          speed={speed}
          onAt={(at) => move({ at })}
          onNow={() => {
            move({ at: null });
            tree.refresh();
          }}
          onPlay={(isWished) => {
            if (isWished && scene.at >= scene.timeline.last) move({ at: scene.timeline.first });
            setPlaying(isWished);
          }}
          onSpeed={setSpeed}
        />
      )}
    </>
  );
}

const NOTHING = 'Nothing is published here. Publish with: playbill build';

/** Why a front cannot be shown. */
function problemOf({ fronts }: ReleaseView, front: string | null): string {
  if (front === null || fronts.length === 0) return NOTHING;
  const view = fronts.find((one) => one.front === front);
  return view === undefined ? `There is no front “${shown(front)}” here. Choose another.` : (view.problem ?? NOTHING);
}

/** Of two releases, a document each; of one, its document and the one before it. */
function wantedOf(scene: Scene | null): readonly Wanted[] {
  const [side, other] = scene?.sides ?? [];
  if (side === undefined) return [];
  const { front, digest, digestBefore } = side;
  if (other !== undefined)
    return [
      { front, digest },
      { front, digest: other.digest },
    ];
  return [{ front, digest }, ...(digestBefore === null ? [] : [{ front, digest: digestBefore }])];
}

/** What differs from the edition before, or the second release from the first; null where there is nothing to compare with. */
function useChanges(loaded: Loaded<Scene | null> | null): Changes | null {
  const [first, second] = loaded?.documents ?? [];
  const isPaired = (loaded?.purpose?.sides.length ?? 0) > 1;
  return useSteady(() => {
    if (first === undefined || second === undefined) return null;
    return isPaired ? changesOf(first, second) : changesOf(second, first);
  }, [first, second, isPaired]);
}

/** Lets the time run: `onTick` gets the instant of each frame, and whether it is the last. */
function useClock(
  isPlaying: boolean,
  speed: number,
  scene: Scene | null,
  onTick: (at: Scene['at'], isOver: boolean) => void,
): void {
  const remainder = useRef(0);
  usePlaying(isPlaying, (seconds) => {
    if (scene === null) return;
    // Instants are whole seconds; what is left over counts in the next frame.
    const passed = remainder.current + seconds * speed;
    remainder.current = passed - Math.floor(passed);
    const at = within(scene.timeline, instantOf(scene.at + Math.floor(passed)));
    onTick(at, at >= scene.timeline.last);
  });
}

/** The address follows the place, some time after it last moved: browsers limit how often it may change. The title names the front. */
function useAddress(place: Place, front: string | null): void {
  useEffect(() => {
    document.title = front === null ? 'Playbill preview' : `${shown(front)} · Playbill preview`;
  }, [front]);
  const search = searchOf(place);
  useEffect(() => {
    const timer = setTimeout(() => history.replaceState(null, '', location.pathname + search), 300);
    return () => clearTimeout(timer);
  }, [search]);
}

/** Editions on both sides of the one in force are fetched before they are asked for. */
function usePrefetch(scene: Scene | null): void {
  const side = scene?.sides[0];
  useEffect(() => {
    if (side === undefined) return undefined;
    const { products } = side.pointer;
    const timer = setTimeout(() => {
      for (const near of [1, -2, 2, 3]) {
        const digest = products[side.index + near]?.split(' ')[1];
        // What cannot be loaded is told when it is wanted.
        if (digest !== undefined) editions.load(side.front, digest).catch(() => undefined);
      }
    }, 60);
    return () => clearTimeout(timer);
  }, [side?.front, side?.digest]);
}
