// Where the one who looks is: front, releases, instant, tab. It is kept in the page's address, so that a reload or a link comes back to it.

import { formatInstant, parseOffsetDateTime, type Instant } from '../../catalogue/instant.ts';
import { IN_FORCE } from '../messages.ts';
import { TABS, type Tab } from './arrangement.ts';

export interface Place {
  /** null: the first front there is. */
  readonly front: string | null;
  /** A release's id, or `IN_FORCE`. */
  readonly release: string;
  /** What is shown beside it; null for nothing. */
  readonly beside: string | null;
  /** null: where the server's clock is. */
  readonly at: Instant | null;
  readonly tab: Tab;
}

export function placeOf(search: string): Place {
  const query = new URLSearchParams(search);
  return {
    front: query.get('front'),
    release: query.get('release') ?? IN_FORCE,
    beside: query.get('beside'),
    at: parseOffsetDateTime(query.get('at') ?? '') ?? null,
    tab: TABS.find((tab) => tab === query.get('tab')) ?? 'all',
  };
}

/** The query of an address, with its question mark; '' for the place where everybody starts. The inverse of placeOf. */
export function searchOf({ front, release, beside, at, tab }: Place): string {
  const query = new URLSearchParams({
    ...(front === null ? {} : { front }),
    ...(release === IN_FORCE ? {} : { release }),
    ...(beside === null ? {} : { beside }),
    ...(at === null ? {} : { at: formatInstant(at) }),
    ...(tab === 'all' ? {} : { tab }),
  }).toString();
  return query === '' ? '' : `?${query}`;
}
