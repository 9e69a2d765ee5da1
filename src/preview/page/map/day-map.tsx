// The day as a map: a row for each product with sessions on the day that the clock stands in, on an
// axis over which the clock moves. Without a catalogue, only what cards say of the day.

import type { VNode } from 'preact';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { formatInstant, type Instant } from '../../../catalogue/instant.ts';
import type { ProductsDocument } from '../../../contract/documents.ts';
import type { DaySessions, MissingProduct, Overview } from '../../messages.ts';
import { Command } from '../command.tsx';
import { found, foundMissing, isNarrowed, type SearchFacts } from '../front/search.ts';
import { Notice } from '../notice.tsx';
import { frontDayOf } from '../state/front-day.ts';
import type { Scene, Side } from '../state/scene.ts';
import type { Fetched } from '../state/use-json.ts';
import { MAP_ROWS, type ViewState } from '../state/view-state.ts';
import { checkCommand, previewCommand } from '../text/commands.ts';
import { countText } from '../../../count-text.ts';
import { dateText, instantAt, moneyOf, shortDateText, zoneOf } from '../text/descriptions.ts';
import { Waiting } from '../waiting.tsx';
import { dayOfDocument, rowsOf, type MapSession } from './day-rows.ts';
import { axisOf } from './layout.ts';
import { MapGrid } from './map-grid.tsx';
import type { MapContext } from './map-row.tsx';
import { Legend } from './legend.tsx';

interface DayMapProps {
  readonly overview: Overview;
  readonly scene: Scene;
  readonly side: Side;
  readonly document: ProductsDocument;
  /** The sessions of the day; neither loaded nor failed without a catalogue. */
  readonly day: Fetched<DaySessions>;
  /** The server's clock. */
  readonly now: Instant;
  readonly state: ViewState;
  readonly facts: SearchFacts;
  readonly missing: readonly MissingProduct[];
  readonly pointed: number | null;
  readonly onOpen: (slug: string) => void;
  readonly onChange: OnChange;
}

type OnChange = (change: Partial<ViewState>) => void;

export function DayMap(props: DayMapProps): VNode {
  const { overview, scene, side, document, day, now, state, pointed, onOpen, onChange } = props;
  const { pointer, record } = side;
  const zone = zoneOf(pointer.timezone);
  const hasCatalogue = overview.database !== null;
  const [from] = frontDayOf(pointer, scene.at);
  const known = useMemo(
    () => (hasCatalogue ? day.json : dayOfDocument(document, pointer, from)),
    [hasCatalogue, day.json, hasCatalogue ? null : document, from],
  );
  const products = useFound(props, known);
  const rows = useMemo(() => rowsOf(products, state.rows), [products, state.rows]);
  // Of all products, so that it stays while one looks for some.
  const axis = useMemo(
    () => (known === null ? null : axisOf(known, rowsOf(known.products, 'products'), scene.timeline)),
    [known, scene.timeline.first, scene.timeline.last],
  );
  const [measured, pixels] = useWidth();
  const context = useMemo<MapContext | null>(
    () =>
      axis && {
        axis,
        pixels,
        zone,
        today: pointer.today,
        money: moneyOf(record?.currency ?? null),
        onProduct: onOpen,
        onSession: ({ id }: MapSession, slug: string) => (hasCatalogue ? onChange({ session: id }) : onOpen(slug)),
      },
    [axis, pixels, zone, pointer.today, record?.currency, hasCatalogue, onOpen, onChange],
  );
  if (known === null || context === null) return <Waiting problem={day.problem} />;
  const date = zone.format(instantAt(known.from));
  const total = products.reduce((sum, { sessions }) => sum + sessions.length, 0);
  return (
    <>
      {!hasCatalogue && <WithoutCatalogue overview={overview} />}
      <div class="map-bar">
        <p>
          <b>{shortDateText(date)}</b> {countText(total, 'session')}, {countText(products.length, 'product')}
        </p>
        <Legend products={products} at={formatInstant(scene.at)} />
      </div>
      {rows.length === 0 ? (
        <NoSessions day={dateText(date)} known={known} {...{ hasCatalogue, onChange }} />
      ) : (
        <MapGrid
          label={`Sessions of ${dateText(date)}`}
          {...{ rows, context, now }}
          at={scene.at}
          timeline={scene.timeline}
          pointed={pointed}
          axisRef={measured}
        />
      )}
      {hasCatalogue && <Notes overview={overview} day={known} />}
    </>
  );
}

/** The products that the search finds; all of the day if it looks for nothing. */
function useFound({ document, missing, facts, state }: DayMapProps, day: DaySessions | null) {
  const { query, only, group, category, tag, badge } = state;
  return useMemo(() => {
    const search = { tab: 'all', query, only, group, category, tag, badge } as const;
    const products = day?.products ?? [];
    if (!isNarrowed(search)) return products;
    const slugs = new Set([
      ...found(document.productCards, search, facts).map(({ slug }) => slug),
      ...foundMissing(missing, search, facts).map(({ slug }) => slug),
    ]);
    return products.filter(({ slug }) => slugs.has(slug));
  }, [day, document, missing, facts, query, only, group, category, tag, badge]);
}

/** The width of an element in pixels, 0 until it is drawn; and what is to be given the element. */
function useWidth() {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (element === null) return undefined;
    const measure = (): void => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return [setElement, width] as const;
}

/** The choice of what the rows stand under. */
export function MapRows({ rows, onChange }: { readonly rows: ViewState['rows']; readonly onChange: OnChange }): VNode {
  return (
    <div class="views" role="group" aria-label="Rows">
      {MAP_ROWS.map((one) => (
        <button key={one} type="button" aria-pressed={one === rows} onClick={() => onChange({ rows: one })}>
          {one === 'products' ? 'Products' : 'Venues'}
        </button>
      ))}
    </div>
  );
}

function WithoutCatalogue({ overview }: { readonly overview: Overview }): VNode {
  return (
    <div class="untimely is-aside">
      <p>A release knows only the first session of a card today. To see all:</p>
      <Command text={previewCommand(overview)} />
    </div>
  );
}

interface NoSessionsProps {
  readonly day: string;
  readonly known: DaySessions;
  readonly hasCatalogue: boolean;
  readonly onChange: OnChange;
}

function NoSessions({ day, known, hasCatalogue, onChange }: NoSessionsProps): VNode {
  const { length: count } = known.products;
  if (known.frontState !== 'active') {
    return (
      <Notice title={`The front is ${known.frontState === 'disabled' ? 'disabled' : 'not readable'} in the catalogue`}>
        <p>So it has no sessions there; what is published is older.</p>
      </Notice>
    );
  }
  if (count > 0) {
    return (
      <Notice title="No product of the day matches">
        <button
          type="button"
          onClick={() => onChange({ query: '', only: null, group: null, category: null, tag: null, badge: null })}
        >
          Show all {countText(count, 'product')}
        </button>
      </Notice>
    );
  }
  return (
    <Notice title={hasCatalogue ? `No session starts on ${day}` : `No card shows a session on ${day}`}>
      <p>Move the clock to another day.</p>
    </Notice>
  );
}

function Notes({ overview, day: { leftOut } }: { readonly overview: Overview; readonly day: DaySessions }): VNode {
  return (
    <div class="small below">
      <p>
        Only products with a session on this day, from the catalogue as it is now; what is published may be older.
        {leftOut > 0 &&
          ` Errors leave out ${countText(leftOut, 'product')}, or sessions of ${leftOut === 1 ? 'it' : 'them'}:`}
      </p>
      {leftOut > 0 && <Command text={checkCommand(overview)} />}
    </div>
  );
}
