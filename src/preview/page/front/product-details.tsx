// The details of a product: its dates and prices as published, the catalogue's explanation of each
// session and price, its JSON, and the explain command. Sessions are known only with a catalogue: a
// tree contains only cards. A product without a card has only the explanation.

import type { VNode } from 'preact';
import type { Instant } from '../../../catalogue/instant.ts';
import { formatInstant } from '../../../catalogue/instant.ts';
import type { ProductCard } from '../../../contract/documents.ts';
import { EXPLAIN_PATH, pathOf, type Explanation, type Overview } from '../../messages.ts';
import { Command, CopyButton } from '../command.tsx';
import { Facts } from '../facts.tsx';
import { Sheet } from '../sheet.tsx';
import { EXPORTED } from '../state/exported.ts';
import { useJson } from '../state/use-json.ts';
import type { FrontUnits } from '../text/changes.ts';
import { explainCommand, exportCommand, previewCommand } from '../text/commands.ts';
import { factsOf } from '../text/card-facts.ts';
import { headingOf, sectionsOf, type Section } from '../text/explanation.ts';
import { markdownOf } from '../text/markdown.ts';
import { shown } from '../text/safe-text.ts';
import { Picture } from './picture.tsx';
import { Waiting } from '../waiting.tsx';

interface ProductDetailsProps {
  readonly overview: Overview;
  readonly front: string;
  readonly at: Instant;
  readonly slug: string;
  readonly name: string;
  /** null if the product has no card. */
  readonly card: ProductCard | null;
  readonly units: FrontUnits;
  /** The id of the release; null if no manifest names it. */
  readonly release: string | null;
  /** Of the address that shows just this, whenever it is opened. */
  readonly query: string;
  readonly onClose: () => void;
}

export function ProductDetails(props: ProductDetailsProps): VNode {
  const { overview, front, at, slug, name, card, units, release, query, onClose } = props;
  const hasCatalogue = overview.database !== null;
  const why = useJson<Explanation>(hasCatalogue ? pathOf(EXPLAIN_PATH, front, slug, formatInstant(at)) : null);
  const sections = why.json === null ? [] : sectionsOf(why.json.text);
  const command = explainCommand(overview, front, slug, at);
  const facts = card === null ? [] : factsOf(card, units);
  const isWaiting = hasCatalogue && why.json === null && why.problem === null;
  return (
    <Sheet title={name} onClose={onClose}>
      <div class="share">
        {card !== null && <Picture card={card} />}
        {/* Once it is whole. */}
        {!isWaiting && (
          <CopyButton
            text={markdownOf({ name, front, at, zone: units.zone, release, facts, sections, command })}
            what="as Markdown"
          />
        )}
        {EXPORTED === null && (
          <CopyButton text={location.origin + location.pathname + query} what="link to this instant" />
        )}
      </div>
      {card !== null && (
        <section>
          <h3>As published</h3>
          <Facts facts={facts} />
        </section>
      )}
      {hasCatalogue ? (
        <Why sections={sections} {...why} />
      ) : (
        <section>
          <h3>Sessions, prices, and why</h3>
          <p>To see them, start the preview with the catalogue:</p>
          <Command text={previewCommand(overview)} />
        </section>
      )}
      <section>
        <h3>In a terminal</h3>
        <Command text={command} />
        {EXPORTED === null && (
          <>
            <p class="small">As a page, for somebody without this server:</p>
            <Command text={exportCommand(overview, query, front)} />
          </>
        )}
      </section>
      {card !== null && <Json card={card} />}
    </Sheet>
  );
}

function Json({ card }: { readonly card: ProductCard }): VNode {
  const json = JSON.stringify(card, null, 2);
  return (
    <details class="json">
      <summary>JSON</summary>
      <CopyButton text={json} what="JSON" />
      <pre dir="ltr" tabIndex={0} aria-label="JSON of the card">
        {json}
      </pre>
    </details>
  );
}

interface WhyProps extends ReturnType<typeof useJson<Explanation>> {
  readonly sections: readonly Section[];
}

/** The explanation from the catalogue, which may be newer than what is published. */
export function Why({ sections, json, problem }: WhyProps): VNode {
  if (json === null) return <Waiting problem={problem} />;
  return (
    <>
      {sections.map((section) => (
        <section key={section.title}>
          <h3>{headingOf(section)}</h3>
          {section.lines.length === 0 ? (
            <p dir="auto">{shown(section.title)}</p>
          ) : (
            <ul class="explained">
              {section.lines.map((line) => (
                <li key={line} dir="auto">
                  {shown(line)}
                </li>
              ))}
            </ul>
          )}
        </section>
      ))}
      <p class="small">From the catalogue as it is now; what is published may be older.</p>
    </>
  );
}
