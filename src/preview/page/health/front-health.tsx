// The health of one front at the clock's instant: what an alarm would say, its cards and prices
// against the release before, the kept releases, and what visitors cannot buy, each with its
// reason.

import type { VNode } from 'preact';
import { formatInstant } from '../../../catalogue/instant.ts';
import type { ProductsDocument } from '../../../contract/documents.ts';
import {
  ALARMS_PATH,
  CONTINGENTS_PATH,
  CURRENT,
  HISTORY_PATH,
  pathOf,
  type Contingent,
  type FrontAlarms,
  type HistoryEntry,
  type MissingProduct,
  type Overview,
} from '../../messages.ts';
import type { Scene } from '../state/scene.ts';
import { useLatestJson, type Fetched } from '../state/use-json.ts';
import type { ViewState } from '../state/view-state.ts';
import { Waiting } from '../waiting.tsx';
import { Alarms } from './alarms.tsx';
import { History } from './history.tsx';
import { Prices } from './prices.tsx';
import { Seats, WithoutCard } from './not-on-sale.tsx';

export interface FrontHealthProps {
  readonly overview: Overview;
  readonly scene: Scene;
  /** null until it is known. */
  readonly document: ProductsDocument | null;
  /** Neither loaded nor failed without a catalogue. */
  readonly missing: Fetched<readonly MissingProduct[]>;
  readonly readings: number;
  readonly onChange: (change: Partial<ViewState>) => void;
  readonly onOpen: (slug: string) => void;
}

export function FrontHealth(props: FrontHealthProps): VNode {
  const { overview, scene, document, missing, readings, onChange, onOpen } = props;
  const { front, chosen } = scene;
  const instant = formatInstant(chosen);
  const alarms = useLatestJson<FrontAlarms>(pathOf(ALARMS_PATH, front, instant), front, readings);
  const history = useLatestJson<readonly HistoryEntry[]>(pathOf(HISTORY_PATH, front), front, readings);
  const contingents = useLatestJson<readonly Contingent[]>(
    overview.database === null ? null : pathOf(CONTINGENTS_PATH, front, formatInstant(scene.steady)),
    front,
    readings,
  );
  const [side] = scene.sides;
  const index = history.json?.findIndex((one) => (side.release === CURRENT ? one.isCurrent : one.id === side.release));
  const [entry, ...older] = history.json?.slice(index) ?? [];
  return (
    <div class="front-health" id="panes" tabIndex={-1}>
      <div class="health-main">
        <section class="alarms">
          <h2>Alarms</h2>
          {alarms.json === null ? (
            <Waiting problem={alarms.problem} />
          ) : (
            <Alarms alarms={alarms.json} {...{ overview, front, chosen }} />
          )}
        </section>
        <section>
          <h2>Cards and prices</h2>
          {history.json === null ? (
            <Waiting problem={history.problem} />
          ) : entry === undefined || index === -1 ? (
            <p class="small">This release is older than those below, or its manifest cannot be read.</p>
          ) : (
            <Prices {...{ entry, older, side, chosen }} />
          )}
        </section>
        {history.json !== null && (
          <section>
            <h2>Releases</h2>
            <History entries={history.json} {...{ side, onChange }} />
          </section>
        )}
      </div>
      <div class="health-side">
        <WithoutCard {...{ overview, side, missing, onChange, onOpen }} />
        {document !== null && (
          <Seats
            {...{ document, side, onChange, onOpen }}
            contingents={contingents}
            hasCatalogue={overview.database !== null}
          />
        )}
      </div>
    </div>
  );
}
