// Two documents side by side, each product once: by default only what differs, with a sentence for
// each difference.

import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ProductCard } from '../../../contract/documents.ts';
import { useVirtual } from '../state/use-virtual.ts';
import { ProductButton } from '../product-button.tsx';
import { nameOf, shown } from '../text/safe-text.ts';
import { CardView, type CardContext } from './card.tsx';
import { Session } from './list.tsx';
import type { Pair } from './pairs.ts';
import { Table, type TableColumn } from './table.tsx';

interface CompareProps {
  readonly pairs: readonly Pair[];
  /** What the two sides are: `17:00`, `20:00`. */
  readonly titles: readonly [string, string];
  /** Of the earlier and of the later document. */
  readonly contexts: readonly [CardContext, CardContext];
  /** The product to scroll to and highlight, or null. */
  readonly pointed: number | null;
}

type PairColumn = 'name' | 'changed' | 'next' | 'next-after' | 'price' | 'price-after';

export function CompareList({ pairs, titles, contexts, pointed }: CompareProps): VNode {
  const columns = useMemo(() => columnsOf(titles, contexts), [...titles, ...contexts]);
  return (
    <Table
      label="Compared products"
      layout="of-pairs"
      columns={columns}
      rows={pairs}
      classOf={classOf}
      wideCell={noWideCell}
      sort={null}
      onSort={null}
      pointed={pointed === null ? null : String(pointed)}
    />
  );
}

function classOf({ texts }: Pair): string {
  return texts.length > 0 ? 'listed pair is-changed' : 'listed pair';
}

function noWideCell(): null {
  return null;
}

function columnsOf(
  [earlier, later]: CompareProps['titles'],
  [before, after]: CompareProps['contexts'],
): readonly TableColumn<Pair, PairColumn>[] {
  const next = (card: ProductCard | null, context: CardContext): VNode => (
    <Session context={context} start={card?.nextScheduleSlot ?? null} hasMore={card?.multiScheduleSlots === true} />
  );
  const price = (card: ProductCard | null, { money }: CardContext): string =>
    card === null || card.priceFrom === null ? '–' : money(card.priceFrom);
  return [
    {
      name: 'name',
      label: 'Product',
      cell: (pair) => <ProductButton product={pair} onOpen={after.onOpen} />,
    },
    { name: 'changed', label: 'What differs', cell: ({ texts }) => <Differences texts={texts} /> },
    { name: 'next', label: `Next, ${earlier}`, cell: (pair) => next(pair.before, before) },
    { name: 'next-after', label: `Next, ${later}`, cell: (pair) => next(pair.after, after) },
    { name: 'price', label: `Price, ${earlier}`, cell: (pair) => price(pair.before, before) },
    { name: 'price-after', label: `Price, ${later}`, cell: (pair) => price(pair.after, after) },
  ];
}

function Differences({ texts }: { readonly texts: readonly string[] }): VNode {
  if (texts.length === 0) return <span class="none">nothing</span>;
  return (
    <ul class="differences">
      {texts.map((text) => (
        <li key={text} dir="auto">
          {shown(text)}
        </li>
      ))}
    </ul>
  );
}

const PAIR_PIXELS = 320;

function pairHeight(): number {
  return PAIR_PIXELS;
}

export function CompareCards({ pairs, titles, contexts, pointed }: CompareProps): VNode {
  const keys = useMemo(() => pairs.map(({ key }) => key), [pairs]);
  const pointedIndex = pointed === null ? -1 : keys.indexOf(String(pointed));
  const { ref, lines, before, after, measure } = useVirtual({
    keys,
    estimate: pairHeight,
    revealed: pointedIndex < 0 ? null : pointedIndex,
  });
  const sections = (
    <div ref={(element) => void (ref.current = element)} style={{ paddingBlock: `${before}px ${after}px` }}>
      {lines.map(({ index, key }) => {
        const pair = pairs[index];
        if (pair === undefined) return null;
        return (
          <section key={key} ref={measure} data-index={index} class="pair" aria-label={nameOf(pair)}>
            <ul class="sides">
              {([pair.before, pair.after] as const).map((card, side) => (
                <Side
                  key={side}
                  title={titles[side] ?? ''}
                  card={card}
                  context={contexts[side] ?? contexts[0]}
                  isPointed={index === pointedIndex}
                />
              ))}
            </ul>
            <Differences texts={pair.texts} />
          </section>
        );
      })}
    </div>
  );
  return (
    <>
      <div class="side-titles sides" aria-hidden="true">
        {titles.map((title, side) => (
          <span key={side}>{title}</span>
        ))}
      </div>
      {sections}
    </>
  );
}

interface SideProps {
  readonly title: string;
  readonly card: ProductCard | null;
  readonly context: CardContext;
  readonly isPointed: boolean;
}

function Side({ title, card, context, isPointed }: SideProps): VNode {
  if (card === null) return <li class="no-card">No card, {title}</li>;
  return <CardView card={card} context={context} change={undefined} isPointed={isPointed} />;
}
