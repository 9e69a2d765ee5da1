// The viewer's choices. All of them are kept in the page's address, so that a reload or a link
// restores them, and the browser's back and forward buttons go through them.

import { formatInstant, parseOffsetDateTime, type Instant } from '../../../catalogue/instant.ts';
import { CURRENT } from '../../messages.ts';
import { FLAGS, NO_SEARCH, TABS, type Search } from '../front/search.ts';
import { COLUMNS, type Sort } from '../front/sorting.ts';

/** Ways to show the products of an edition; a key goes from one to the next. */
const PRODUCT_VIEWS = ['list', 'cards', 'map'] as const;
export const VIEWS = [...PRODUCT_VIEWS, 'health'] as const;

/** What the map's rows stand under. */
export const MAP_ROWS = ['products', 'venues'] as const;

export interface ViewState extends Search {
  /** null for the first front. */
  readonly front: string | null;
  /** A release's id, or `CURRENT`. */
  readonly release: string;
  /** The release to compare with, or null. */
  readonly beside: string | null;
  /** null for the server's clock. */
  readonly at: Instant | null;
  /** The instant to compare with, or null. */
  readonly from: Instant | null;
  /** When comparing: everything, not only what differs. */
  readonly isAll: boolean;
  readonly view: (typeof VIEWS)[number];
  readonly rows: (typeof MAP_ROWS)[number];
  /** The id of the session of the map's day that is open. */
  readonly session: string | null;
  /** null for the document's order. */
  readonly sort: Sort | null;
  /** The slug of the product whose details are open. */
  readonly card: string | null;
  /** The reason whose products without a card are listed. */
  readonly missing: string | null;
}

/** The next way to show products; from another view, the first one. */
export function viewAfter(view: ViewState['view']): ViewState['view'] {
  const index = PRODUCT_VIEWS.findIndex((one) => one === view);
  return PRODUCT_VIEWS[(index + 1) % PRODUCT_VIEWS.length] ?? 'list';
}

export function viewStateOf(search: string): ViewState {
  const query = new URLSearchParams(search);
  const instantOf = (name: string): Instant | null => parseOffsetDateTime(query.get(name) ?? '') ?? null;
  return {
    front: query.get('front'),
    release: query.get('release') ?? CURRENT,
    beside: query.get('beside'),
    at: instantOf('at'),
    from: instantOf('from'),
    isAll: query.has('all'),
    view: VIEWS.find((view) => view === query.get('view')) ?? 'list',
    rows: MAP_ROWS.find((rows) => rows === query.get('rows')) ?? 'products',
    session: query.get('session'),
    sort: sortOf(query.get('sort') ?? ''),
    tab: TABS.find((tab) => tab === query.get('tab')) ?? NO_SEARCH.tab,
    query: query.get('find') ?? '',
    only: FLAGS.find((flag) => flag === query.get('only')) ?? null,
    group: query.get('group'),
    category: query.get('category'),
    tag: query.get('tag'),
    badge: query.get('badge'),
    card: query.get('card'),
    missing: query.get('missing'),
  };
}

/** The query string with its question mark; '' for the initial state. The inverse of viewStateOf. */
export function queryOf(state: ViewState): string {
  const { release, at, from, isAll, view, rows, sort, tab, query: find, ...named } = state;
  const values: Readonly<Record<string, string | null>> = {
    front: named.front,
    release: release === CURRENT ? null : release,
    beside: named.beside,
    at: at === null ? null : formatInstant(at),
    from: from === null ? null : formatInstant(from),
    all: isAll ? '' : null,
    view: view === 'list' ? null : view,
    rows: rows === 'products' ? null : rows,
    session: named.session,
    sort: sort === null ? null : `${sort.isDescending ? '-' : ''}${sort.column}`,
    tab: tab === NO_SEARCH.tab ? null : tab,
    find: find === '' ? null : find,
    only: named.only,
    group: named.group,
    category: named.category,
    tag: named.tag,
    badge: named.badge,
    card: named.card,
    missing: named.missing,
  };
  const query = new URLSearchParams(
    Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== null),
  ).toString();
  return query === '' ? '' : `?${query}`;
}

function sortOf(text: string): Sort | null {
  const isDescending = text.startsWith('-');
  const column = COLUMNS.find((one) => one === text.slice(Number(isDescending)));
  return column === undefined ? null : { column, isDescending };
}

/**
 * The same view whenever it is opened: of what is shown now, not of the clock and the current
 * release.
 */
export function exactStateOf(state: ViewState, front: string, at: Instant, current: string | null): ViewState {
  const release = state.release === CURRENT ? (current ?? CURRENT) : state.release;
  return { ...state, front, at, release };
}
