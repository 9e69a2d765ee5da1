// A front's page as its visitors see it: rows of cards from a document.

import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ProductsDocument } from '../../contract/documents.ts';
import { arrange, type Row, type Search } from './arrangement.ts';
import { CardView, type Badge, type CardContext } from './card.tsx';
import { nameOf, shown } from './text.ts';
import type { Zone } from '../../catalogue/calendar.ts';
import type { Money } from './descriptions.ts';

interface FrontProps {
  readonly document: ProductsDocument;
  readonly search: Search;
  readonly changes: ReadonlyMap<number, string>;
  readonly zone: Zone;
  readonly today: string;
  readonly money: Money;
  readonly hasPictures: boolean;
  /** Two fronts stand side by side below a heading of their own. */
  readonly isPaired: boolean;
}

export function FrontPage({ document, search, changes, isPaired, ...rest }: FrontProps): VNode {
  const rows = arrange(document, search);
  const badges = useMemo<ReadonlyMap<string, Badge>>(
    () => new Map(document.badges.map((badge) => [badge.slug, badge])),
    [JSON.stringify(document.badges)],
  );
  const { zone, today, money, hasPictures } = rest;
  const heading = isPaired ? 'h4' : 'h3';
  const context = useMemo<CardContext>(
    () => ({ tab: search.tab, zone, today, money, badges, hasPictures, heading }),
    [search.tab, zone.name, today, money, badges, hasPictures, heading],
  );
  return (
    <>
      {!isPaired && <Menu document={document} />}
      {rows.map((row) => (
        <RowView key={row.key} row={row} context={context} changes={changes} />
      ))}
      {rows.length === 0 && <p class="empty">Nothing here at this time.</p>}
    </>
  );
}

/** Categories and tags: the document says which there are, not which card has which. */
function Menu({ document: { categories, tags } }: { readonly document: ProductsDocument }): VNode | null {
  if (categories.length === 0 && tags.length === 0) return null;
  return (
    <ul class="menu" aria-label="Categories and tags">
      {categories.map(({ id, namePlural }) => (
        <li key={`category ${id}`} dir="auto">
          {shown(namePlural)}
        </li>
      ))}
      {tags.map(({ id, name }) => (
        <li key={`tag ${id}`} class="tag" dir="auto">
          {shown(name)}
        </li>
      ))}
    </ul>
  );
}

interface RowProps {
  readonly row: Row;
  readonly context: CardContext;
  readonly changes: ReadonlyMap<number, string>;
}

const TITLES = { banner: 'On the banner', featured: 'Featured', group: '', rest: 'In no group' } as const;

function RowView({ row, context, changes }: RowProps): VNode {
  const Heading = context.heading === 'h3' ? 'h2' : 'h3';
  return (
    <section class={`row row-${row.kind} type-${row.cardType}`}>
      <Heading class="row-title">
        <span dir="auto">{row.kind === 'group' ? nameOf(row) : TITLES[row.kind]}</span>
      </Heading>
      <ul class="cards">
        {row.cards.map((card) => (
          <CardView key={card.productId} card={card} context={context} change={changes.get(card.productId)} />
        ))}
      </ul>
    </section>
  );
}
