// The details of a card: its dates and prices as published, the catalogue's explanation of each
// session and price, its JSON, and the explain command. Sessions are known only with a catalogue: a
// tree contains only cards.

import type { VNode } from 'preact';
import type { Instant } from '../../../catalogue/instant.ts';
import { formatInstant } from '../../../catalogue/instant.ts';
import type { ProductCard } from '../../../contract/documents.ts';
import { EXPLAIN_PATH, type Explanation, type Overview } from '../../messages.ts';
import { Command, CopyButton } from '../command.tsx';
import { Sheet } from '../sheet.tsx';
import { useJson } from '../state/use-json.ts';
import { pathOf } from '../state/fetch-json.ts';
import type { FrontUnits } from '../text/changes.ts';
import { explainCommand, previewCommand } from '../text/commands.ts';
import { sessionText } from '../text/descriptions.ts';
import { sectionsOf } from '../text/explanation.ts';
import { nameOf, shown } from '../text/safe-text.ts';
import { Picture } from './picture.tsx';
import { Waiting } from '../waiting.tsx';

interface CardDetailsProps {
  readonly overview: Overview;
  readonly front: string;
  readonly at: Instant;
  readonly card: ProductCard;
  readonly units: FrontUnits;
  readonly onClose: () => void;
}

export function CardDetails({ overview, front, at, card, units, onClose }: CardDetailsProps): VNode {
  const json = JSON.stringify(card, null, 2);
  return (
    <Sheet title={nameOf(card)} onClose={onClose}>
      <Picture card={card} />
      <section>
        <h3>As published</h3>
        <dl class="facts">
          {factsOf(card, units).map(([name, fact]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd dir="auto">{fact}</dd>
            </div>
          ))}
        </dl>
      </section>
      {overview.database === null ? (
        <section>
          <h3>Sessions, prices, and why</h3>
          <p>To see them, start the preview with the catalogue:</p>
          <Command text={previewCommand(overview)} />
        </section>
      ) : (
        <Why path={pathOf(EXPLAIN_PATH, front, card.slug, formatInstant(at))} />
      )}
      <section>
        <h3>In a terminal</h3>
        <Command text={explainCommand(overview, front, card.slug, at)} />
      </section>
      <details class="json">
        <summary>JSON</summary>
        <CopyButton text={json} what="JSON" />
        <pre dir="ltr" tabIndex={0} aria-label="JSON of the card">
          {json}
        </pre>
      </details>
    </Sheet>
  );
}

function factsOf(card: ProductCard, { zone, today, money }: FrontUnits): [name: string, fact: string][] {
  const sessionFact = (start: string | null, hasMore: boolean | null): string => {
    if (start === null) return 'none';
    const { date, time, offset } = sessionText(start, zone, today);
    return `${date}, ${time}${offset === null ? '' : ` ${offset}`}${hasMore === true ? ' and more' : ''}`;
  };
  const price = card.priceFrom === null ? 'none' : money(card.priceFrom);
  return [
    ['Nearest session', sessionFact(card.nextScheduleSlot, card.multiScheduleSlots)],
    ['Today', sessionFact(card.todaySlot, card.todayMultiScheduleSlots)],
    ['Tomorrow', sessionFact(card.tomorrowSlot, card.tomorrowMultiScheduleSlots)],
    ['Weekend', sessionFact(card.weekendSlot, card.weekendMultiScheduleSlots)],
    ['Price', `${price}${card.soldOut ? ', sold out' : ''}${card.paused ? ', sales paused' : ''}`],
    ['Venue', shown(card.inventoryItemName)],
    ['Picture', shown(card.altText ?? 'no text')],
  ];
}

/** The explanation from the catalogue, which may be newer than what is published. */
function Why({ path }: { readonly path: string }): VNode {
  const { json, problem } = useJson<Explanation>(path);
  if (json === null) return <Waiting problem={problem} />;
  return (
    <>
      {sectionsOf(json.text).map(({ title, lines }) =>
        lines.length === 0 ? (
          <section key={title}>
            <h3>{title.startsWith('Next change') ? 'Next' : 'Why'}</h3>
            <p dir="auto">{shown(title)}</p>
          </section>
        ) : (
          <section key={title}>
            <h3>{title}</h3>
            <ul class="explained">
              {lines.map((line) => (
                <li key={line} dir="auto">
                  {shown(line)}
                </li>
              ))}
            </ul>
          </section>
        ),
      )}
      <p class="small">From the catalogue as it is now; what is published may be older.</p>
    </>
  );
}
