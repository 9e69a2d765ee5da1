// The viewer's choices: front, releases, instant, tab. They are kept in the page's address, so that
// a reload or a link restores them.

import { formatInstant, parseOffsetDateTime, type Instant } from '../../../catalogue/instant.ts';
import { CURRENT } from '../../messages.ts';
import { TABS, type Tab } from '../front/arrangement.ts';

export interface ViewState {
  /** null for the first front. */
  readonly front: string | null;
  /** A release's id, or `CURRENT`. */
  readonly release: string;
  /** The release to show next to it, or null. */
  readonly beside: string | null;
  /** null for the server's clock. */
  readonly at: Instant | null;
  readonly tab: Tab;
}

export function viewStateOf(search: string): ViewState {
  const query = new URLSearchParams(search);
  return {
    front: query.get('front'),
    release: query.get('release') ?? CURRENT,
    beside: query.get('beside'),
    at: parseOffsetDateTime(query.get('at') ?? '') ?? null,
    tab: TABS.find((tab) => tab === query.get('tab')) ?? 'all',
  };
}

/**
 * The query string with its question mark; '' for the initial state. The inverse of viewStateOf.
 */
export function queryOf({ front, release, beside, at, tab }: ViewState): string {
  const query = new URLSearchParams({
    ...(front === null ? {} : { front }),
    ...(release === CURRENT ? {} : { release }),
    ...(beside === null ? {} : { beside }),
    ...(at === null ? {} : { at: formatInstant(at) }),
    ...(tab === 'all' ? {} : { tab }),
  }).toString();
  return query === '' ? '' : `?${query}`;
}
