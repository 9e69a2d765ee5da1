// The stage: the front's masthead, its filters, and its page, once or as two releases side by side.

import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatInstant, type Instant } from '../../../catalogue/instant.ts';
import type { ProductCard, ProductsDocument } from '../../../contract/documents.ts';
import { CURRENT, type Overview } from '../../messages.ts';
import { Command } from '../command.tsx';
import type { Scene, Side } from '../state/scene.ts';
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
import type { Search } from './arrangement.ts';
import type { CardContext } from './card.tsx';
import { Finder } from './finder.tsx';
import { FrontPage } from './front.tsx';

interface StageProps {
  readonly overview: Overview;
  readonly scene: Scene;
  /** The server's clock. */
  readonly now: Instant;
  /**
   * One per side; with one side, followed by its previous edition. Fewer if some cannot be loaded.
   */
  readonly documents: readonly ProductsDocument[];
  readonly changes: Changes | null;
  readonly search: Search;
  readonly pointed: number | null;
  readonly onSearch: (change: Partial<Search>) => void;
  /** Must stay the same function, or all cards are redrawn. */
  readonly onOpen: (card: ProductCard) => void;
}

export function Stage(props: StageProps): VNode {
  const { overview, scene, now, documents, search, onSearch } = props;
  const { front, chosen, sides } = scene;
  const isPaired = sides.length > 1;
  const zone = zoneOf(sides[0].pointer.timezone);
  const [first] = documents;
  return (
    <>
      <header class="masthead">
        <h1>{front}</h1>
        <p class="dateline">
          <span>{dateText(zone.format(chosen))}</span>{' '}
          <time dateTime={formatInstant(chosen)}>{zoneClockText(zone, chosen)}</time>
        </p>
      </header>
      {first !== undefined && <Finder document={first} search={search} onSearch={onSearch} />}
      {sides.map((side) => (
        <Untimely key={side.release} {...{ side, now, overview }} />
      ))}
      {first !== undefined && (
        <div
          class={isPaired ? 'panes is-paired' : 'panes'}
          role="tabpanel"
          id="panes"
          aria-labelledby={`tab-${search.tab}`}
        >
          {sides.map((side, i) => {
            const document = documents[i];
            return document !== undefined && <Pane key={i} {...props} {...{ side, document, isPaired }} />;
          })}
        </div>
      )}
    </>
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

interface PaneProps extends Pick<StageProps, 'changes' | 'search' | 'pointed' | 'onSearch' | 'onOpen'> {
  readonly side: Side;
  readonly document: ProductsDocument;
  readonly isPaired: boolean;
}

function Pane({ side, document, changes, search, pointed, isPaired, onSearch, onOpen }: PaneProps): VNode {
  const { pointer, record, release } = side;
  const money = useMemo(() => moneyOf(record?.currency ?? null), [record?.currency]);
  const zone = zoneOf(pointer.timezone);
  const byProduct = changes?.byProduct ?? NO_CHANGES;
  // Memoized, so that no card is redrawn while the clock ticks and nothing else changes.
  const badges = useMemo(
    () => new Map(document.badges.map((badge) => [badge.slug, badge])),
    [JSON.stringify(document.badges)],
  );
  const context = useMemo<CardContext>(
    () => ({ tab: search.tab, zone, today: pointer.today, money, badges, isPaired, onOpen }),
    [search.tab, zone, pointer.today, money, badges, isPaired, onOpen],
  );
  const page = useMemo(
    () => (
      <FrontPage
        {...{ document, search, context, pointed }}
        changes={byProduct}
        onShowAll={() => onSearch({ tab: 'all', badge: null, query: '' })}
      />
    ),
    [document, search.badge, search.query, context, byProduct, pointed],
  );
  return (
    <div class="pane">
      {isPaired && (
        <h2 class="pane-title">
          {release === CURRENT ? 'Current' : release.slice(0, 8)}
          <span> as of {pointer.now.slice(0, 16).replace('T', ' ')}Z</span>
        </h2>
      )}
      {page}
    </div>
  );
}
