// The list: a row for each product, with a card or without, in columns that can be sorted.

import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { MissingProduct } from '../../messages.ts';
import { sessionText } from '../text/descriptions.ts';
import { ProductButton } from '../product-button.tsx';
import { nameOf, shown } from '../text/safe-text.ts';
import type { CardContext } from './card.tsx';
import type { Row } from './arrangement.ts';
import { sorted, flagsOf, listedProducts, type Column, type ListedProduct, type Sort } from './sorting.ts';
import { Table, type TableColumn } from './table.tsx';

interface ListProps {
  readonly rows: readonly Row[];
  readonly missing: readonly MissingProduct[];
  readonly changes: ReadonlyMap<number, string>;
  readonly context: CardContext;
  readonly sort: Sort | null;
  readonly onSort: (sort: Sort | null) => void;
  /** The product to scroll to and highlight, or null. */
  readonly pointed: number | null;
}

export function List({ rows, missing, changes, context, sort, onSort, pointed }: ListProps): VNode {
  const listed = useMemo(
    () =>
      sorted(
        listedProducts(
          rows.flatMap(({ cards }) => cards),
          changes,
          missing,
        ),
        sort,
      ),
    [rows, changes, missing, sort],
  );
  const columns = useMemo(() => columnsOf(context), [context]);
  // Where venues are in several zones, times are longer.
  const hasZones = useMemo(
    () => new Set(listed.flatMap(({ card }) => card?.nextScheduleSlot.slice(19) ?? [])).size > 1,
    [listed],
  );
  return (
    <Table
      label="Products"
      layout={hasZones ? 'of-products has-zones' : 'of-products'}
      columns={columns}
      rows={listed}
      classOf={classOf}
      wideCell={whyNot}
      sort={sort}
      onSort={onSort}
      pointed={pointed === null ? null : `card ${pointed}`}
    />
  );
}

function classOf({ card, change }: ListedProduct): string {
  if (card === null) return 'listed is-missing';
  return `listed${change === null ? '' : ' is-changed'}${card.soldOut || card.paused ? ' is-closed' : ''}`;
}

/** Of a product without a card: why. */
function whyNot({ missing }: ListedProduct): VNode | null {
  if (missing === null) return null;
  const verdict = shown(missing.verdict);
  return (
    <span title={verdict} dir="auto">
      <b>No card:</b> {verdict}
    </span>
  );
}

function columnsOf(context: CardContext): readonly TableColumn<ListedProduct, Column>[] {
  const ofCard =
    (cell: (card: NonNullable<ListedProduct['card']>) => VNode | string | null) =>
    ({ card }: ListedProduct) =>
      card === null ? null : cell(card);
  const day = (name: 'today' | 'tomorrow' | 'weekend', label: string): TableColumn<ListedProduct, Column> => ({
    name,
    label,
    cell: ofCard((card) => (
      <Session
        context={context}
        start={card[`${name}Slot`]}
        hasMore={card[`${name}MultiScheduleSlots`] === true}
        dateLength={name === 'weekend' ? 3 : 0}
      />
    )),
  });
  return [
    {
      name: 'name',
      label: 'Product',
      cell: ({ card, missing }) => <ProductButton product={card ?? missing} onOpen={context.onOpen} />,
    },
    {
      name: 'next',
      label: 'Next',
      cell: ofCard((card) => (
        <Session context={context} start={card.nextScheduleSlot} hasMore={card.multiScheduleSlots} />
      )),
    },
    day('today', 'Today'),
    day('tomorrow', 'Tomorrow'),
    day('weekend', 'Weekend'),
    {
      name: 'price',
      label: 'Price from',
      cell: ofCard((card) =>
        card.priceFrom === null ? <None /> : context.money(card.priceFrom).replace(/^from /, ''),
      ),
    },
    { name: 'venue', label: 'Venue', cell: ofCard((card) => <Words text={venueOf(card)} />) },
    { name: 'flags', label: 'Flags', cell: ofCard((card) => <Words text={flagsOf(card).join(', ')} />) },
    { name: 'badges', label: 'Badges', cell: ofCard((card) => <Badges slugs={card.badges} context={context} />) },
    { name: 'changed', label: 'Change', cell: ({ change }) => <Words text={change ?? ''} /> },
  ];
}

interface SessionProps {
  readonly context: Pick<CardContext, 'zone' | 'today'>;
  readonly start: string | null;
  readonly hasMore: boolean;
  /** How much of the date is shown; by default all of it. */
  readonly dateLength?: number;
}

/** A session's start: `Fri 1 May 19:00 +`, where the plus says that there are more. */
export function Session({ context: { zone, today }, start, hasMore, dateLength = 20 }: SessionProps): VNode {
  if (start === null) return <None />;
  const { date, time, offset } = sessionText(start, zone, today);
  return (
    <>
      <time dateTime={start} title={[date, time, offset].join(' ').trim()}>
        {`${date.slice(0, dateLength)} ${time}`.trim()}
      </time>
      {offset !== null && <span class="offset"> {offset}</span>}
      {hasMore && (
        <abbr class="more" title="and more">
          {' +'}
        </abbr>
      )}
    </>
  );
}

function venueOf({ inventoryItemName, multiInventoryItems }: NonNullable<ListedProduct['card']>): string {
  return shown(inventoryItemName) + (multiInventoryItems ? ' and elsewhere' : '');
}

function Words({ text }: { readonly text: string }): VNode {
  if (text === '') return <None />;
  return (
    <span title={text} dir="auto">
      {text}
    </span>
  );
}

function None(): VNode {
  return (
    <span class="none" aria-label="none" role="img">
      –
    </span>
  );
}

function Badges({ slugs, context }: { readonly slugs: readonly string[]; readonly context: CardContext }): VNode {
  const badges = slugs.map((slug) => context.badges.get(slug) ?? { slug, name: slug, color: 'transparent' });
  if (badges.length === 0) return <None />;
  return (
    <span title={badges.map(nameOf).join(', ')}>
      {badges.map((badge, i) => (
        <span key={badge.slug} class="badge">
          <span class="swatch" style={{ backgroundColor: badge.color }} aria-hidden="true" />
          <bdi>{nameOf(badge)}</bdi>
          {i < badges.length - 1 && ', '}
        </span>
      ))}
    </span>
  );
}
