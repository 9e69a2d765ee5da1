// Lists the changes of an edition. A click scrolls to the card.

import type { VNode } from 'preact';
import type { DescribedChange } from '../text/changes.ts';
import { nameOf, shown } from '../text/safe-text.ts';

/** At most so many changes are listed; the rest are counted. */
const CHANGES_LISTED = 200;

interface ChangeListProps {
  readonly list: readonly DescribedChange[];
  readonly onPoint: (productId: number) => void;
}

export function ChangeList({ list, onPoint }: ChangeListProps): VNode {
  return (
    <div class="change-list" id="changes" role="region" aria-label="What changes" tabIndex={0}>
      <ul>
        {list.slice(0, CHANGES_LISTED).map((one) => (
          <li key={`${one.change.list} ${one.change.id} ${one.change.change}`}>{lineOf(one, onPoint)}</li>
        ))}
      </ul>
      {list.length > CHANGES_LISTED && <p>… and {list.length - CHANGES_LISTED} more; playbill diff lists all.</p>}
      {list.length === 0 && <p>Every card is as it was.</p>}
    </div>
  );
}

function lineOf({ change, productId, kind, texts }: DescribedChange, onPoint: (productId: number) => void): VNode {
  const text = (
    <>
      {kind !== '' && <span class="kind">{kind} </span>}
      <bdi class="changed-name">{nameOf(change)}</bdi>
      <bdi>{texts.map(shown).join(' · ')}</bdi>
    </>
  );
  if (productId === null) return <p>{text}</p>;
  return (
    <button type="button" class="quiet" title="Show the card" onClick={() => onPoint(productId)}>
      {text}
    </button>
  );
}
