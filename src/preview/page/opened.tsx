// The sheet that is open over the page, as the view state says: the details of a product, those of
// a session, or the products without a card for one reason.

import type { VNode } from 'preact';
import { CURRENT, type DaySessions, type MissingProduct, type Overview, type PreviewRelease } from '../messages.ts';
import { Missing } from './desk/missing.tsx';
import { ProductDetails } from './front/product-details.tsx';
import { SessionDetails } from './map/session-details.tsx';
import type { Loaded } from './state/hooks.ts';
import { clampTo, unitsOf } from './state/scene.ts';
import { exactStateOf, queryOf, type ViewState } from './state/view-state.ts';
import { droppedOf } from './text/descriptions.ts';
import { nameOf } from './text/safe-text.ts';

interface OpenedSheetProps {
  readonly state: ViewState;
  readonly overview: Overview;
  readonly release: PreviewRelease;
  readonly front: string | null;
  readonly loaded: Loaded | null;
  readonly missing: readonly MissingProduct[];
  /** The day of the map; null in other views. */
  readonly day: DaySessions | null;
  readonly onChange: (change: Partial<ViewState>) => void;
}

export function OpenedSheet(props: OpenedSheetProps): VNode | null {
  const { state, overview, release, front, loaded, missing, day, onChange } = props;
  if (state.card !== null && loaded !== null) {
    const { scene, documents } = loaded;
    // Of two sides, the later one that has the card; of two editions, the one that is shown.
    const sides = scene.sides.map((side, i) => {
      const card = documents[i]?.productCards.find(({ slug }) => slug === state.card) ?? null;
      return { side, card };
    });
    const { side, card } = sides.findLast((one) => one.card !== null) ?? { side: scene.sides[0], card: null };
    const named = card ?? missing.find(({ slug }) => slug === state.card) ?? { name: '', slug: state.card };
    return (
      <ProductDetails
        key={state.card}
        {...{ overview, card }}
        slug={state.card}
        name={nameOf(named)}
        front={scene.front}
        at={clampTo(scene.timeline, side.instant)}
        units={unitsOf(side)}
        release={side.release === CURRENT ? overview.current : side.release}
        query={queryOf(exactStateOf(state, scene.front, scene.chosen, overview.current))}
        onClose={() => onChange({ card: null })}
      />
    );
  }
  const product = day?.products.find(({ sessions }) => sessions.some(({ id }) => id === state.session));
  const session = product?.sessions.find(({ id }) => id === state.session);
  if (state.view === 'map' && product !== undefined && session !== undefined && loaded !== null) {
    const { scene } = loaded;
    return (
      <SessionDetails
        key={state.session}
        {...{ overview, product, session }}
        front={scene.front}
        at={scene.at}
        units={unitsOf(scene.sides[0])}
        onProduct={() => onChange({ session: null, card: product.slug })}
        onClose={() => onChange({ session: null })}
      />
    );
  }
  const view = release.fronts.find((one) => one.front === front);
  const dropped = state.missing === null || view === undefined ? null : droppedOf(release.id, view, state.missing);
  if (dropped === null) return null;
  return <Missing {...{ overview, dropped }} onClose={() => onChange({ missing: null })} />;
}
