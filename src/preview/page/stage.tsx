// The stage: the front's masthead, what narrows its page, and the page itself, once or as two releases side by side.

import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatInstant } from '../../catalogue/instant.ts';
import type { ProductsDocument } from '../../contract/documents.ts';
import { IN_FORCE } from '../messages.ts';
import type { Search } from './arrangement.ts';
import type { Changes } from './changes.ts';
import type { CardContext } from './card.tsx';
import { Finder } from './finder.tsx';
import { FrontPage } from './front.tsx';
import type { Scene, Side } from './scene.ts';
import { clockText, dateText, moneyOf, zoneOf } from './descriptions.ts';

interface StageProps {
  readonly scene: Scene;
  /** Of each side, in their order; of a side alone, the one before follows. Fewer where some cannot be had. */
  readonly documents: readonly ProductsDocument[];
  readonly changes: Changes | null;
  readonly search: Search;
  readonly onSearch: (change: Partial<Search>) => void;
}

export function Stage({ scene, documents, changes, search, onSearch }: StageProps): VNode {
  const { front, at, sides } = scene;
  const isPaired = sides.length > 1;
  const wall = zoneOf(sides[0].pointer.timezone).format(at);
  const [first] = documents;
  return (
    <>
      <header class="masthead">
        <p class="kicker">Playbill</p>
        <h1>{front}</h1>
        <p class="dateline">
          <span>{dateText(wall)}</span>
          <time dateTime={formatInstant(at)}>{clockText(wall)}</time>
        </p>
      </header>
      {first !== undefined && <Finder document={first} search={search} onSearch={onSearch} />}
      {first !== undefined && (
        <div
          class={isPaired ? 'panes is-paired' : 'panes'}
          role="tabpanel"
          id="panes"
          aria-labelledby={`tab-${search.tab}`}
        >
          {sides.map((side, i) => {
            const document = documents[i];
            return document !== undefined && <Pane key={i} {...{ side, document, changes, search, isPaired }} />;
          })}
        </div>
      )}
    </>
  );
}

const NO_CHANGES: ReadonlyMap<number, string> = new Map();

interface PaneProps extends Pick<StageProps, 'changes' | 'search'> {
  readonly side: Side;
  readonly document: ProductsDocument;
  readonly isPaired: boolean;
}

function Pane({ side, document, changes, search, isPaired }: PaneProps): VNode {
  const { pointer, record, release } = side;
  const money = useMemo(() => moneyOf(record?.currency ?? null), [record?.currency]);
  const zone = zoneOf(pointer.timezone);
  const byProduct = changes?.byProduct ?? NO_CHANGES;
  // The same objects while nothing changes that they show: then no card is redrawn, however often the clock ticks.
  const badges = useMemo(
    () => new Map(document.badges.map((badge) => [badge.slug, badge])),
    [JSON.stringify(document.badges)],
  );
  const context = useMemo<CardContext>(
    () => ({ tab: search.tab, zone, today: pointer.today, money, badges, isPaired }),
    [search.tab, zone, pointer.today, money, badges, isPaired],
  );
  const page = useMemo(
    () => <FrontPage {...{ document, search, context }} changes={byProduct} />,
    [document, search.badge, search.query, context, byProduct],
  );
  return (
    <div class="pane">
      {isPaired && (
        <h2 class="pane-title">
          {release === IN_FORCE ? 'In force' : release.slice(0, 8)}
          <span> as of {pointer.now.slice(0, 16).replace('T', ' ')}Z</span>
        </h2>
      )}
      {side.timeliness !== 'right' && (
        <p class="untimely">
          {side.timeliness === 'early'
            ? `Made for ${pointer.now} and later: this is its first edition.`
            : `Right until ${pointer.validUntil}: this is its last edition, and stale.`}
        </p>
      )}
      {page}
    </div>
  );
}
