// What visitors of a front cannot buy: products without a card, sold-out and paused ones, and
// contingents that are used up. Each leads to its details.

import type { VNode } from 'preact';
import type { ProductsDocument } from '../../../contract/documents.ts';
import type { Contingent, MissingProduct, Overview } from '../../messages.ts';
import { Command } from '../command.tsx';
import type { Side } from '../state/scene.ts';
import type { Fetched } from '../state/use-json.ts';
import type { ViewState } from '../state/view-state.ts';
import { previewCommand } from '../text/commands.ts';
import { countText } from '../../../count-text.ts';
import { describeDropped, reasonText, sentenceOf, sessionText, zoneOf } from '../text/descriptions.ts';
import { ProductButton } from '../product-button.tsx';
import { shown } from '../text/safe-text.ts';
import { Waiting } from '../waiting.tsx';

/** So many are listed; the rest is in the list of products. */
const LISTED_MAX = 40;

interface WithoutCardProps {
  readonly overview: Overview;
  readonly side: Side;
  /** Neither loaded nor failed without a catalogue. */
  readonly missing: Fetched<readonly MissingProduct[]>;
  readonly onChange: (change: Partial<ViewState>) => void;
  readonly onOpen: (slug: string) => void;
}

export function WithoutCard({
  overview,
  side,
  missing: { json: known, problem },
  onChange,
  onOpen,
}: WithoutCardProps): VNode {
  const dropped = side.record === null ? [] : describeDropped(side.record.dropped);
  const isCounted = overview.database === null;
  const counts = isCounted ? dropped : [];
  const missing = known ?? [];
  const total = isCounted ? dropped.reduce((sum, { count }) => sum + count, 0) : missing.length;
  return (
    <section class="absent" aria-label="Without a card">
      <h2>Without a card {(isCounted || known !== null) && <b>{total}</b>}</h2>
      <ul>
        {missing.slice(0, LISTED_MAX).map(({ slug, name, reason, verdict }) => (
          <li key={slug}>
            <ProductButton product={{ slug, name }} onOpen={onOpen} />
            <p dir="auto">
              <b>{reasonText(reason)}:</b> {shown(sentenceOf(verdict))}
            </p>
          </li>
        ))}
        {counts.map(({ code, reason, count }) => (
          <li key={code}>
            <button type="button" class="quiet" aria-haspopup="dialog" onClick={() => onChange({ missing: code })}>
              {reason}
            </button>
            <p>{countText(count, 'product')}</p>
          </li>
        ))}
      </ul>
      {missing.length > LISTED_MAX && (
        <button type="button" class="chip" onClick={() => onChange({ view: 'list', only: 'without-card' })}>
          All {missing.length}
        </button>
      )}
      {isCounted && total > 0 && (
        <>
          <p class="small">A release only counts them. To see which, start the preview with the catalogue:</p>
          <Command text={previewCommand(overview)} />
        </>
      )}
      {!isCounted && known === null && <Waiting problem={problem} />}
      {total === 0 && (isCounted || known !== null) && <p class="small">Every product that the front lists has one.</p>}
    </section>
  );
}

interface SeatsProps {
  readonly document: ProductsDocument;
  readonly side: Side;
  readonly contingents: Fetched<readonly Contingent[]>;
  readonly hasCatalogue: boolean;
  readonly onChange: (change: Partial<ViewState>) => void;
  readonly onOpen: (slug: string) => void;
}

export function Seats({ document, side, contingents, hasCatalogue, onChange, onOpen }: SeatsProps): VNode {
  const { productCards } = document;
  const states = [
    ['Sold out', 'sold-out', productCards.filter(({ soldOut }) => soldOut)],
    ['Sales paused', 'paused', productCards.filter(({ paused }) => paused)],
  ] as const;
  return (
    <section class="absent" aria-label="Seats">
      <h2>Seats</h2>
      {states.map(([label, only, cards]) => (
        <div key={only} class="state-of">
          <h3>
            {label} <b>{cards.length}</b>
          </h3>
          <p>
            {cards.slice(0, LISTED_MAX).map(({ slug, name }, i) => (
              <span key={slug}>
                {i > 0 && ' · '}
                <ProductButton product={{ slug, name }} onOpen={onOpen} />
              </span>
            ))}
            {cards.length > LISTED_MAX && (
              <button type="button" class="chip" onClick={() => onChange({ view: 'list', only })}>
                All {cards.length}
              </button>
            )}
          </p>
        </div>
      ))}
      {contingents.json !== null && <Contingents contingents={contingents.json} {...{ side, onOpen }} />}
      {hasCatalogue && contingents.json === null && <Waiting problem={contingents.problem} />}
      {!hasCatalogue && <p class="small">The contingents of this front are known only with the catalogue.</p>}
    </section>
  );
}

type ContingentsProps = Pick<SeatsProps, 'side' | 'onOpen'> & { readonly contingents: readonly Contingent[] };

/** Those used up first. */
function Contingents({ contingents, side, onOpen }: ContingentsProps): VNode {
  const used = contingents.filter(({ left }) => left <= 0).length;
  const zone = zoneOf(side.pointer.timezone);
  const listed = contingents.toSorted((a, b) => a.left - b.left || (a.start < b.start ? -1 : 1)).slice(0, LISTED_MAX);
  return (
    <div class="state-of">
      <h3>
        Contingent of this front <b>{contingents.length === 0 ? 'none' : `${used} of ${contingents.length} used up`}</b>
      </h3>
      <ul class="contingents">
        {listed.map(({ slug, name, start, left }) => {
          const { date, time } = sessionText(start, zone, side.pointer.today);
          return (
            <li key={slug + start}>
              <ProductButton product={{ slug, name }} onOpen={onOpen} />
              <time dateTime={start}>
                {date} {time}
              </time>
              <span class={left <= 0 ? 'bad' : ''}>{left <= 0 ? 'used up' : `${left} left`}</span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
