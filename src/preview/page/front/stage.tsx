// The stage: the front's masthead, its filters, and its products as a list, as cards, or on a map
// of the day; or two documents compared.

import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatInstant, type Instant } from '../../../catalogue/instant.ts';
import type { ProductsDocument } from '../../../contract/documents.ts';
import { CURRENT, type DaySessions, type MissingProduct, type Overview } from '../../messages.ts';
import { Command } from '../command.tsx';
import { FrontHealth } from '../health/front-health.tsx';
import { DayMap, MapRows } from '../map/day-map.tsx';
import type { Scene, Side } from '../state/scene.ts';
import type { Fetched } from '../state/use-json.ts';
import { VIEWS, type ViewState } from '../state/view-state.ts';
import type { Changes } from '../text/changes.ts';
import { buildCommand } from '../text/commands.ts';
import {
  dateText,
  durationText,
  instantAt,
  moneyOf,
  shortDateText,
  zoneClockText,
  zoneOf,
} from '../text/descriptions.ts';
import { sideTitles } from '../text/side-titles.ts';
import { arrange } from './arrangement.ts';
import type { CardContext } from './card.tsx';
import { CompareCards, CompareList } from './compare.tsx';
import { Finder } from './finder.tsx';
import { FrontPage } from './front.tsx';
import { List } from './list.tsx';
import { NoCards, Unnamed } from './no-cards.tsx';
import { pairsOf } from './pairs.ts';
import { foundMissing, NO_SEARCH, type SearchFacts } from './search.ts';

export interface StageProps {
  readonly overview: Overview;
  readonly scene: Scene;
  /** The server's clock. */
  readonly now: Instant;
  /**
   * One per side; with one side, followed by its previous edition. Fewer if some cannot be loaded.
   */
  readonly documents: readonly ProductsDocument[];
  readonly changes: Changes | null;
  readonly state: ViewState;
  readonly facts: SearchFacts;
  readonly missing: readonly MissingProduct[];
  /** The same as it was asked for; neither loaded nor failed without a catalogue. */
  readonly known: Fetched<readonly MissingProduct[]>;
  /** The sessions of the map's day; neither loaded nor failed without a catalogue. */
  readonly day: Fetched<DaySessions>;
  readonly pointed: number | null;
  /** How often the tree has been read. */
  readonly readings: number;
  readonly onChange: (change: Partial<ViewState>) => void;
  /** Must stay the same function, or all cards are redrawn. */
  readonly onOpen: (slug: string) => void;
}

export function Stage(props: StageProps): VNode {
  const { overview, scene, now, documents, state, facts, missing, readings, known, onChange, onOpen } = props;
  const { front, chosen, sides } = scene;
  const zone = zoneOf(sides[0].pointer.timezone);
  const wall = zone.format(chosen);
  const [first, second] = documents;
  const isPaired = sides.length > 1;
  const isHealth = state.view === 'health';
  const isMap = state.view === 'map' && !isPaired;
  const Shown = isMap ? DayMap : Products;
  return (
    <>
      <header class="masthead">
        <h1>{front}</h1>
        <p class="dateline">
          <span class="long-date">{dateText(wall)}</span>
          <span class="short-date">{shortDateText(wall)}</span>{' '}
          <time dateTime={formatInstant(chosen)}>{zoneClockText(zone, chosen)}</time>
        </p>
        <Views view={state.view} onChange={onChange} />
      </header>
      {isHealth && (
        <FrontHealth {...{ overview, scene, readings, onChange, onOpen }} missing={known} document={first ?? null} />
      )}
      {first !== undefined && !isHealth && (
        <Finder
          document={first}
          search={state}
          sort={state.sort}
          {...{ facts, missing }}
          lead={isMap ? <MapRows rows={state.rows} onChange={onChange} /> : null}
          onSearch={onChange}
        />
      )}
      {sides.map((side) => (
        <Untimely key={side.release + side.instant} {...{ side, now, overview }} />
      ))}
      {first !== undefined && !isHealth && (
        <div
          class="panes"
          id="panes"
          tabIndex={-1}
          {...(isMap ? {} : { role: 'tabpanel', 'aria-labelledby': `tab-${state.tab}` })}
        >
          <h2 class="unseen">{isPaired ? 'Compared products' : isMap ? 'Sessions of the day' : 'Products'}</h2>
          {isPaired && second !== undefined ? (
            <Compared {...props} documents={[first, second]} />
          ) : (
            <Shown {...props} document={first} side={sides[0]} />
          )}
        </div>
      )}
    </>
  );
}

const VIEW_LABELS = { list: 'List', cards: 'Cards', map: 'Map', health: 'Health' } as const;

function Views({ view, onChange }: Pick<ViewState, 'view'> & Pick<StageProps, 'onChange'>): VNode {
  return (
    <div class="views" role="group" aria-label="View">
      {VIEWS.map((one) => (
        <button key={one} type="button" aria-pressed={one === view} onClick={() => onChange({ view: one })}>
          {VIEW_LABELS[one]}
        </button>
      ))}
    </div>
  );
}

/** Says that the instant is outside the time that the snapshot covers, and what to do. */
function Untimely({ side, now, overview }: Pick<StageProps, 'now' | 'overview'> & { readonly side: Side }) {
  const { pointer, timeliness, release } = side;
  if (timeliness === 'right') return null;
  const zone = zoneOf(pointer.timezone);
  const whenOf = (instant: string): string => {
    const at = instantAt(instant);
    return `${shortDateText(zone.format(at))}, ${zoneClockText(zone, at)}`;
  };
  if (timeliness === 'early') {
    return <p class="untimely">Built for {whenOf(pointer.now)} and later: this is its first edition.</p>;
  }
  const over = now - instantAt(pointer.validUntil);
  return (
    <div class="untimely is-bad">
      <p>
        <b>Stale{over > 0 ? ` for ${durationText(over)}` : ''}.</b> Right until {whenOf(pointer.validUntil)}: this is
        the last edition.
      </p>
      {release === CURRENT && over > 0 && <Command text={buildCommand(overview)} />}
    </div>
  );
}

const NO_CHANGES: ReadonlyMap<number, string> = new Map();

/** Memoized, so that nothing is redrawn while the clock ticks and nothing else changes. */
function useContext(side: Side, document: ProductsDocument, { state: { tab }, onOpen }: StageProps): CardContext {
  const { pointer, record } = side;
  const money = useMemo(() => moneyOf(record?.currency ?? null), [record?.currency]);
  const zone = zoneOf(pointer.timezone);
  const badges = useMemo(
    () => new Map(document.badges.map((badge) => [badge.slug, badge])),
    [JSON.stringify(document.badges)],
  );
  return useMemo<CardContext>(
    () => ({ tab, zone, today: pointer.today, money, badges, onOpen }),
    [tab, zone, pointer.today, money, badges, onOpen],
  );
}

type ProductsProps = StageProps & { readonly document: ProductsDocument; readonly side: Side };

/** One document, as a list or as cards. */
function Products(props: ProductsProps): VNode {
  const { overview, document, side, changes, state, facts, missing, pointed, onChange } = props;
  const { view, sort, tab, query, only, group, category, tag, badge } = state;
  const byProduct = changes?.byProduct ?? NO_CHANGES;
  const context = useContext(side, document, props);
  const search = useMemo(
    () => ({ tab, query, only, group, category, tag, badge }),
    [tab, query, only, group, category, tag, badge],
  );
  const rows = useMemo(() => arrange(document, search, facts), [document, search, facts]);
  const without = useMemo(() => {
    const withCard = new Set(document.productCards.map(({ slug }) => slug));
    return foundMissing(missing, search, facts).filter(({ slug }) => !withCard.has(slug));
  }, [document, missing, search, facts]);
  return useMemo(() => {
    if (rows.length === 0 && (view === 'cards' || without.length === 0)) {
      const showAll = (): void => onChange(NO_SEARCH);
      return <NoCards count={document.productCards.length} search={search} onShowAll={showAll} />;
    }
    if (view === 'cards') return <FrontPage {...{ rows, context, pointed }} changes={byProduct} />;
    const onSort = (one: ViewState['sort']): void => onChange({ sort: one });
    return (
      <>
        <List {...{ rows, context, pointed, sort, onSort }} missing={without} changes={byProduct} />
        {overview.database === null && side.record !== null && <Unnamed dropped={side.record.dropped} />}
      </>
    );
  }, [document, rows, without, context, byProduct, pointed, view, sort, overview.database, side.record]);
}

type ComparedProps = StageProps & { readonly documents: readonly [ProductsDocument, ProductsDocument] };

/** Two documents: only what differs, or all. */
function Compared(props: ComparedProps): VNode {
  const { scene, documents, changes, state, facts, pointed, onChange } = props;
  const [one, other = one] = scene.sides;
  const contexts = [useContext(one, documents[0], props), useContext(other, documents[1], props)] as const;
  const titles = sideTitles([one, other]);
  const pairs = useMemo(
    () => (changes === null ? [] : pairsOf(documents, changes, state, facts)),
    [...documents, changes, JSON.stringify({ ...state, at: null }), facts],
  );
  const shownPairs = useMemo(
    () => (state.isAll ? pairs : pairs.filter(({ texts }) => texts.length > 0)),
    [pairs, state.isAll],
  );
  const View = state.view === 'cards' ? CompareCards : CompareList;
  return (
    <>
      <div class="compare-bar">
        <p>
          <b>{titles[0]}</b> compared with <b>{titles[1]}</b>
        </p>
        <label class="switch">
          <input
            type="checkbox"
            checked={!state.isAll}
            onChange={({ currentTarget }) => onChange({ isAll: !currentTarget.checked })}
          />
          <span>Only what differs</span>
        </label>
        <button type="button" onClick={() => onChange({ beside: null, from: null, isAll: false })}>
          End comparison
        </button>
      </div>
      {shownPairs.length === 0 ? (
        <p class="small below">
          {[one, other].every(({ timeliness }) => timeliness === 'right')
            ? `No card differs${pairs.length > 0 ? ` among ${pairs.length}` : ''}.`
            : 'Nothing to compare: one side is outside the time that its release was built for.'}
          {titles[0] === titles[1] && ` Move the clock: one side stays at ${titles[0]}.`}
        </p>
      ) : (
        <View pairs={shownPairs} titles={titles} contexts={contexts} pointed={pointed} />
      )}
    </>
  );
}
