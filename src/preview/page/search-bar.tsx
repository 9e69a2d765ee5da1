// What narrows a front's page: words and badges. Categories and tags cannot, since no card of the document says which it has.

import type { VNode } from 'preact';
import type { Search } from './arrangement.ts';
import type { Badge } from './card.tsx';
import { nameOf } from './text.ts';

interface SearchBarProps {
  readonly badges: readonly Badge[];
  readonly search: Search;
  readonly onSearch: (search: Pick<Search, 'badge' | 'words'>) => void;
}

export function SearchBar({ badges, search: { badge, words }, onSearch }: SearchBarProps): VNode {
  return (
    <search class="search">
      <label>
        <span>Find</span>
        <input
          type="search"
          value={words}
          placeholder="name or venue"
          dir="auto"
          onInput={({ currentTarget }) => onSearch({ badge, words: currentTarget.value })}
        />
      </label>
      {badges.length > 0 && (
        <ul class="badge-filter" aria-label="Badges to show">
          {badges.map(({ slug, name, color }) => (
            <li key={slug}>
              <button
                type="button"
                aria-pressed={badge === slug}
                onClick={() => onSearch({ words, badge: badge === slug ? null : slug })}
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
