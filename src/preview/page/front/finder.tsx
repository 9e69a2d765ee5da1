// The filters of a front's page: tabs, text, and what a card or product has. On a phone the choices
// are behind a button. Categories and tags need the catalogue, because a card does not say which it
// has.

import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { ProductsDocument } from '../../../contract/documents.ts';
import type { MissingProduct } from '../../messages.ts';
import type { ViewState } from '../state/view-state.ts';
import { nameOf } from '../text/safe-text.ts';
import { COLUMNS } from './sorting.ts';
import { FLAGS, found, foundMissing, NO_SEARCH, TABS, type Flag, type Search, type SearchFacts } from './search.ts';

interface FinderProps {
  readonly document: ProductsDocument;
  readonly search: Search;
  readonly sort: ViewState['sort'];
  readonly facts: SearchFacts;
  readonly missing: readonly MissingProduct[];
  /** In place of the tabs. */
  readonly lead: VNode | null;
  readonly onSearch: (change: Partial<ViewState>) => void;
}

export function Finder(props: FinderProps): VNode {
  const [isOpen, setOpen] = useState(false);
  const { search, onSearch } = props;
  const chosen = [search.only, search.group, search.category, search.tag, search.badge].filter((one) => one !== null);
  return (
    <div class="finder">
      {props.lead ?? <Tabs {...props} />}
      <search class="search">
        <input
          type="search"
          aria-label="Find"
          value={search.query}
          placeholder="Name or venue"
          dir="auto"
          onInput={({ currentTarget }) => onSearch({ query: currentTarget.value })}
        />
        <button
          type="button"
          class="filters-door"
          aria-expanded={isOpen}
          aria-controls="filters"
          onClick={() => setOpen(!isOpen)}
        >
          Filters{chosen.length > 0 && ` · ${chosen.length}`}
        </button>
        <div id="filters" class={isOpen ? 'filters is-open' : 'filters'}>
          <Choices {...props} />
          <div class="sort">
            {choice('Sort by', 'group', SORTS, props.sort?.column ?? null, (name) => {
              const column = COLUMNS.find((one) => one === name);
              onSearch({ sort: column === undefined ? null : { column, isDescending: false } });
            })}
          </div>
          {chosen.length > 0 && (
            <button
              type="button"
              class="clear"
              onClick={() => onSearch({ ...NO_SEARCH, tab: search.tab, query: search.query })}
            >
              Clear
            </button>
          )}
        </div>
      </search>
    </div>
  );
}

/** Where the table has no heads to sort by: on a phone. */
const SORTS = [
  ['name', 'name'],
  ['next', 'next session'],
  ['price', 'price'],
  ['flags', 'flags'],
  ['changed', 'what has changed'],
] as const;

const FLAG_LABELS: Readonly<Record<Flag, string>> = {
  'sold-out': 'Sold out',
  paused: 'Sales paused',
  banner: 'On the banner',
  featured: 'Featured',
  pushka: 'Pushkin card',
  changed: 'Changed in this edition',
  'changes-later': 'Changes later',
  'without-card': 'Without a card',
};

function Choices({ document, search, facts: { labels }, onSearch }: FinderProps): VNode {
  const { badges, groups, categories, tags } = document;
  const named = (list: readonly { readonly slug: string; readonly name: string }[]): Options =>
    list.map((one) => [one.slug, nameOf(one)]);
  const flags = FLAGS.map((flag) => [flag, FLAG_LABELS[flag]] as const);
  return (
    <>
      {choice('Show', 'all', flags, search.only, (slug) => {
        const only = FLAGS.find((flag) => flag === slug) ?? null;
        // Products without a card are only in the list.
        onSearch(only === 'without-card' ? { only, view: 'list' } : { only });
      })}
      {choice('Group', 'any', named(groups), search.group, (group) => onSearch({ group }))}
      {labels !== null &&
        choice(
          'Category',
          'any',
          categories.map(({ slug, namePlural: name }) => [slug, nameOf({ slug, name })]),
          search.category,
          (category) => onSearch({ category }),
        )}
      {labels !== null && choice('Tag', 'any', named(tags), search.tag, (tag) => onSearch({ tag }))}
      {choice('Badge', 'any', named(badges), search.badge, (badge) => onSearch({ badge }))}
    </>
  );
}

type Options = readonly (readonly [slug: string, label: string])[];

/** A filter; null if there is nothing to choose. */
function choice(
  label: string,
  any: string,
  options: Options,
  value: string | null,
  onChoose: (slug: string | null) => void,
): VNode | null {
  if (options.length === 0 && value === null) return null;
  const known: Options =
    value === null || options.some(([slug]) => slug === value) ? options : [[value, value], ...options];
  return (
    <label class={value === null ? 'filter' : 'filter is-set'}>
      <span>{label}</span>
      <select value={value ?? ''} onChange={({ currentTarget }) => onChoose(currentTarget.value || null)}>
        <option value="">{any}</option>
        {known.map(([slug, text]) => (
          <option key={slug} value={slug}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

const TAB_LABELS = { today: 'Today', tomorrow: 'Tomorrow', weekend: 'Weekend', all: 'All' } as const;

/** A tab list with arrow keys (WAI-ARIA authoring practices, Tabs). */
function Tabs({ document: { productCards }, search, facts, missing, onSearch }: FinderProps): VNode {
  const counts = useMemo(
    () =>
      new Map(
        TABS.map((tab) => {
          const wanted = { ...search, tab };
          const isMissing = search.only === 'without-card';
          const matching = isMissing ? foundMissing(missing, wanted, facts) : found(productCards, wanted, facts);
          return [tab, matching.length];
        }),
      ),
    [productCards, missing, JSON.stringify({ ...search, tab: null }), facts],
  );
  const go = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const edge = event.key === 'Home' ? TABS[0] : event.key === 'End' ? TABS.at(-1) : undefined;
    const tab = edge ?? (step === 0 ? undefined : TABS.at((TABS.indexOf(search.tab) + step) % TABS.length));
    if (tab === undefined) return;
    event.preventDefault();
    onSearch({ tab });
    document.getElementById(`tab-${tab}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="When" onKeyDown={go}>
      {TABS.map((tab) => (
        <button
          key={tab}
          id={`tab-${tab}`}
          type="button"
          role="tab"
          aria-selected={tab === search.tab}
          aria-controls="panes"
          tabIndex={tab === search.tab ? 0 : -1}
          onClick={() => onSearch({ tab })}
        >
          {TAB_LABELS[tab]} <span class="count">{counts.get(tab)}</span>
        </button>
      ))}
    </div>
  );
}
