// In place of cards and rows when there are none, and where the products are that have none.

import type { VNode } from 'preact';
import type { FrontRecord } from '../../messages.ts';
import { Notice } from '../notice.tsx';
import { countText } from '../../../count-text.ts';
import { describeDropped } from '../text/descriptions.ts';
import { shown } from '../text/safe-text.ts';
import type { Search } from './search.ts';

interface NoCardsProps {
  readonly count: number;
  readonly search: Search;
  /** Removes all filters. */
  readonly onShowAll: () => void;
}

const WHEN = { today: ' today', tomorrow: ' tomorrow', weekend: ' at the weekend', all: '' } as const;

/** Says why there are no cards: nothing matches, or the front has none at this time. */
export function NoCards({ count, search: { tab, query, ...others }, onShowAll }: NoCardsProps): VNode {
  if (count === 0) {
    return (
      <Notice title="No cards at this time">
        <p>This edition has no cards. Choose a reason in the list of fronts to see why products have none.</p>
      </Notice>
    );
  }
  const isFiltered = Object.values(others).some((value) => value !== null);
  const wanted = [
    ...(query.trim() === '' ? [] : [`“${shown(query.trim())}”`]),
    ...(isFiltered ? ['these filters'] : []),
  ].join(' and ');
  return (
    <Notice title={`No card${wanted === '' ? '' : ` matches ${wanted}`}${WHEN[tab]}`}>
      <button type="button" onClick={onShowAll}>
        Show all {countText(count, 'card')}
      </button>
    </Notice>
  );
}

/** Below a list that cannot name the products without a card: their number by reason. */
export function Unnamed({ dropped }: { readonly dropped: FrontRecord['dropped'] }): VNode | null {
  const reasons = describeDropped(dropped);
  if (reasons.length === 0) return null;
  const total = reasons.reduce((sum, { count }) => sum + count, 0);
  return (
    <p class="small below">
      Not listed: {countText(total, 'product')} without a card, which a release does not name (
      {reasons.map(({ reason, count }) => `${reason} ${count}`).join(', ')}). Start the preview with <code>--db</code>{' '}
      to see {total === 1 ? 'it' : 'them'}.
    </p>
  );
}
