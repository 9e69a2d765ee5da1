// A front's page as its visitors see it: rows of cards from a document.

import type { VNode } from 'preact';
import type { ProductsDocument } from '../../contract/documents.ts';
import { arrange, type Row, type Search } from './arrangement.ts';
import { CardView, type CardContext } from './card.tsx';
import { nameOf, shown } from './text.ts';

interface FrontProps {
  readonly document: ProductsDocument;
  readonly search: Search;
  readonly changes: ReadonlyMap<number, string>;
  readonly context: CardContext;
  readonly hasMenu: boolean;
}

export function FrontPage({ document, search, changes, context, hasMenu }: FrontProps): VNode {
  const rows = arrange(document, search);
  return (
    <>
      {hasMenu && <Menu document={document} />}
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
