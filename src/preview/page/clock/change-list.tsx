// What an edition has changed, one line each, in people's words. A click leads to the card.

import type { VNode } from 'preact';
import type { WordedChange } from '../words/changes.ts';
import { nameOf, shown } from '../words/text.ts';

/** Changes listed; of the others, only the number is shown. */
const CHANGES_LISTED = 200;

interface ChangeListProps {
  readonly list: readonly WordedChange[];
  readonly onPoint: (productId: number) => void;
}

export function ChangeList({ list, onPoint }: ChangeListProps): VNode {
  return (
    <div class="change-list" id="changes" role="region" aria-label="What changes" tabIndex={0}>
      <ul>
        {list.slice(0, CHANGES_LISTED).map((worded) => (
          <li key={`${worded.change.list} ${worded.change.id} ${worded.change.change}`}>{lineOf(worded, onPoint)}</li>
        ))}
      </ul>
      {list.length > CHANGES_LISTED && <p>… and {list.length - CHANGES_LISTED} more; playbill diff lists all.</p>}
      {list.length === 0 && <p>Nothing to list.</p>}
    </div>
  );
}

function lineOf({ change, productId, kind, words }: WordedChange, onPoint: (productId: number) => void): VNode {
  const text = (
    <>
      {kind !== '' && <span class="kind">{kind} </span>}
      <bdi class="changed-name">{nameOf(change)}</bdi>
      <bdi class="words">{words.map(shown).join(' · ')}</bdi>
    </>
  );
  if (productId === null) return <p>{text}</p>;
  return (
    <button type="button" class="quiet" title="Show the card" onClick={() => onPoint(productId)}>
      {text}
    </button>
  );
}
