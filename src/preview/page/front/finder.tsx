// The filters of a front's page: tabs, text and badges. There is none for categories and tags,
// because a card does not say which it has.

import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ProductsDocument } from '../../../contract/documents.ts';
import { found, TABS, type Search } from './arrangement.ts';
import { nameOf } from '../text/safe-text.ts';

interface FinderProps {
  readonly document: ProductsDocument;
  readonly search: Search;
  readonly onSearch: (change: Partial<Search>) => void;
}

export function Finder(props: FinderProps): VNode {
  return (
    <div class="finder">
      <Tabs {...props} />
      <SearchBar {...props} />
    </div>
  );
}

function SearchBar({ document: { badges }, search: { badge, query }, onSearch }: FinderProps): VNode {
  return (
    <search class="search">
      <label>
        <input
          type="search"
          aria-label="Find"
          value={query}
          placeholder="Name or venue"
          dir="auto"
          onInput={({ currentTarget }) => onSearch({ query: currentTarget.value })}
        />
      </label>
      {badges.length > 0 && (
        <ul class="badge-filter" aria-label="Badges to show">
          {badges.map(({ slug, name, color }) => (
            <li key={slug}>
              <button
                type="button"
                aria-pressed={badge === slug}
                onClick={() => onSearch({ badge: badge === slug ? null : slug })}
              >
                <span class="swatch" style={{ backgroundColor: color }} aria-hidden="true" />
                <span dir="auto">{nameOf({ name, slug })}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </search>
  );
}

const TAB_LABELS = { today: 'Today', tomorrow: 'Tomorrow', weekend: 'Weekend', all: 'All' } as const;

/** A tab list with arrow keys (WAI-ARIA authoring practices, Tabs). */
function Tabs({ document: { productCards }, search, onSearch }: FinderProps): VNode {
  const counts = useMemo(
    () => new Map(TABS.map((tab) => [tab, found(productCards, { ...search, tab }).length])),
    [productCards, search.badge, search.query],
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
