// What narrows a front's page: text and badges. Not categories and tags, since no card of the document says which it has.

import type { VNode } from 'preact';
import type { Search } from './arrangement.ts';
import type { Badge } from './card.tsx';
import { nameOf } from './text.ts';

interface SearchBarProps {
  readonly badges: readonly Badge[];
  readonly search: Search;
  readonly onSearch: (change: Partial<Search>) => void;
}

export function SearchBar({ badges, search: { badge, query }, onSearch }: SearchBarProps): VNode {
  return (
    <search class="search">
      <label>
        <span>Find</span>
        <input
          type="search"
          value={query}
          placeholder="name or venue"
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
