// The states of a session in words, and the sign of each, so that nobody needs colours to tell them
// apart.

import type { DayState, SessionState } from '../../messages.ts';

interface StateWords {
  readonly label: string;
  /**
   * How it is drawn (map.css). Those that are not on sale here for one cause or another look alike.
   */
  readonly look: 'open' | 'full' | 'paused' | 'early' | 'hidden' | 'refused' | 'off' | 'over';
  /** A path in a box of 8 by 8; '' for none. */
  readonly sign: string;
}

const REFUSED = 'M1.5 6.5L6.5 1.5M4 .5a3.5 3.5 0 1 0 .01 0';

/** In the order of the legend. */
export const STATES: Readonly<Record<SessionState, StateWords>> = {
  offered: { label: 'Offered', look: 'open', sign: '' },
  'on-sale': { label: 'On sale', look: 'open', sign: '' },
  'not-on-sale': { label: 'Not on sale yet', look: 'early', sign: 'M4 .5a3.5 3.5 0 1 0 .01 0M4 2v2.2l1.6 1' },
  paused: { label: 'Paused', look: 'paused', sign: 'M2.5 1v6M5.5 1v6' },
  'sold-out': { label: 'Sold out', look: 'full', sign: 'M1 1l6 6M7 1l-6 6' },
  'prices-expired': { label: 'Prices expired', look: 'refused', sign: REFUSED },
  'not-announced': { label: 'Not announced', look: 'hidden', sign: 'M1 4h.1M4 4h.1M7 4h.1' },
  'not-visible': { label: 'Product not visible', look: 'refused', sign: REFUSED },
  'not-on-channel': { label: 'Not on this channel', look: 'refused', sign: REFUSED },
  excluded: { label: 'Excluded here', look: 'refused', sign: REFUSED },
  'product-not-published': { label: 'Product not published', look: 'refused', sign: REFUSED },
  'not-scheduled': { label: 'Not scheduled', look: 'off', sign: 'M.5 4h7' },
  over: { label: 'Sales over', look: 'over', sign: 'M1 4.5l2 2L7 1.5' },
};

/** The state in force at an instant, `2026-05-01T12:00:00Z`. */
export function stateAt(states: readonly DayState[], at: string): DayState {
  const state = states.findLast(({ from }) => from <= at) ?? states[0];
  if (state === undefined) throw new Error('a session without a state');
  return state;
}
