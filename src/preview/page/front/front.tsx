// A front's page as its visitors see it: the document's cards in rows.

import type { VNode } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ProductCard } from '../../../contract/documents.ts';
import { useVirtual } from '../state/use-virtual.ts';
import { nameOf } from '../text/safe-text.ts';
import { linesOf, type Line, type Row } from './arrangement.ts';
import { CardView, type CardContext } from './card.tsx';

interface FrontProps {
  readonly rows: readonly Row[];
  readonly changes: ReadonlyMap<number, string>;
  readonly context: CardContext;
  /** The product to scroll to and highlight, or null. */
  readonly pointed: number | null;
}

/** Like the style's columns of cards. */
const CARD_PIXELS = { width: 176, gap: 20 };
const CARD_PIXELS_PHONE = { width: 144, gap: 16 };

/** The number of cards that fit side by side into an element, known once it is drawn. */
function useCardsPerLine() {
  const ref = useRef<HTMLDivElement>(null);
  const [count, setCount] = useState(0);
  useLayoutEffect(() => {
    const { current: element } = ref;
    if (element === null) return undefined;
    const measure = (): void => {
      const { width, gap } = innerWidth > 640 ? CARD_PIXELS : CARD_PIXELS_PHONE;
      setCount(Math.max(1, Math.floor((element.clientWidth + gap) / (width + gap))));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, count] as const;
}

export function FrontPage({ rows, changes, context, pointed }: FrontProps): VNode {
  const [ref, count] = useCardsPerLine();
  const lines = useMemo(() => (count === 0 ? [] : linesOf(rows, count)), [rows, count]);
  return (
    <div class="front" ref={ref} style={{ '--cards': String(count) }}>
      {count > 0 && (
        <CardLines
          lines={lines}
          pointed={pointed}
          cardOf={(card) => (
            <CardView
              key={card.productId}
              card={card}
              context={context}
              change={changes.get(card.productId)}
              isPointed={card.productId === pointed}
            />
          )}
        />
      )}
    </div>
  );
}

interface CardLinesProps {
  readonly lines: readonly Line[];
  readonly pointed: number | null;
  readonly cardOf: (card: ProductCard) => VNode;
}

const TITLE_PIXELS = 52;
const LINE_PIXELS = 260;

function CardLines({ lines, pointed, cardOf }: CardLinesProps): VNode {
  const keys = useMemo(() => lines.map(({ key }) => key), [lines]);
  const estimate = useMemo(
    () => (index: number) => (lines[index]?.kind === 'title' ? TITLE_PIXELS : LINE_PIXELS),
    [lines],
  );
  const pointedLine = lines.findIndex(
    (line) => line.kind === 'cards' && line.cards.some(({ productId }) => productId === pointed),
  );
  const {
    ref,
    lines: drawn,
    before,
    after,
    measure,
  } = useVirtual({
    keys,
    estimate,
    revealed: pointedLine < 0 ? null : pointedLine,
  });
  return (
    <div ref={(element) => void (ref.current = element)} style={{ paddingBlock: `${before}px ${after}px` }}>
      {drawn.map(({ index, key }) => {
        const line = lines[index];
        return (
          <div key={key} ref={measure} data-index={index} class="line">
            {line?.kind === 'title' && (
              <h2 class="row-title">
                <span dir="auto">{nameOf(line.title)}</span>
              </h2>
            )}
            {line?.kind === 'cards' && <ul class="cards">{line.cards.map(cardOf)}</ul>}
          </div>
        );
      })}
    </div>
  );
}
