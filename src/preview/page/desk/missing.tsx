// The products behind a chip, each with the first line of `explain`. The tree only counts them:
// their names come from the catalogue, if the preview has one.

import type { VNode } from 'preact';
import { formatInstant } from '../../../catalogue/instant.ts';
import { MISSING_PATH, pathOf, type MissingProduct, type Overview } from '../../messages.ts';
import { Command } from '../command.tsx';
import { Sheet } from '../sheet.tsx';
import { useJson } from '../state/use-json.ts';
import { explainCommand, previewCommand } from '../text/commands.ts';
import { countText } from '../../../count-text.ts';
import { sentenceOf, type Dropped } from '../text/descriptions.ts';
import { nameOf, shown } from '../text/safe-text.ts';
import { Waiting } from '../waiting.tsx';

interface MissingProps {
  readonly overview: Overview;
  readonly dropped: Dropped;
  readonly onClose: () => void;
}

export function Missing({ overview, dropped, onClose }: MissingProps): VNode {
  const { front, at, reason, count } = dropped;
  return (
    <Sheet title={`${front}: ${countText(count, 'product')} without a card, ${reason}`} onClose={onClose}>
      {overview.database === null ? <Unnamed {...{ overview, dropped }} /> : <Named {...{ overview, dropped }} />}
      <p class="small">As of this snapshot, {formatInstant(at)}.</p>
    </Sheet>
  );
}

type Props = Pick<MissingProps, 'overview' | 'dropped'>;

function Unnamed({ overview, dropped: { front, at } }: Props): VNode {
  return (
    <>
      <p>A release only counts products without a card. To see their names, start the preview with the catalogue:</p>
      <Command text={previewCommand(overview)} />
      <p>If you know the slug of one:</p>
      <Command text={explainCommand(overview, front, null, at)} />
    </>
  );
}

function Named({ overview, dropped: { release, front, at, code } }: Props): VNode {
  const { json, problem } = useJson<readonly MissingProduct[]>(pathOf(MISSING_PATH, release, front, formatInstant(at)));
  if (json === null) return <Waiting problem={problem} />;
  const products = json.filter(({ reason }) => reason === code);
  if (products.length === 0) return <p>The catalogue has changed since: it has no such product now.</p>;
  return (
    <ul class="missing">
      {products.map(({ slug, name, verdict }) => (
        <li key={slug}>
          <h3 dir="auto">{nameOf({ name, slug })}</h3>
          <p dir="auto">{shown(sentenceOf(verdict))}</p>
          <Command text={explainCommand(overview, front, slug, at)} />
        </li>
      ))}
    </ul>
  );
}
