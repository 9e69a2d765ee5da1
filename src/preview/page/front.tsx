// A front's page as its visitors see it: rows of cards from a document.

import type { VNode } from 'preact';
import type { ProductsDocument } from '../../contract/documents.ts';
import { arrange, type Search } from './arrangement.ts';
import { CardView, type CardContext } from './card.tsx';
import { nameOf, shown } from './text.ts';

interface FrontProps {
  readonly document: ProductsDocument;
  readonly search: Search;
  readonly changes: ReadonlyMap<number, string>;
  readonly context: CardContext;
}

export function FrontPage({ document, search, changes, context }: FrontProps): VNode {
  const rows = arrange(document, search);
  const Heading = context.isPaired ? 'h3' : 'h2';
  return (
    <>
      {!context.isPaired && <Menu document={document} />}
      {rows.map((row) => (
        <section key={row.key} class={`row row-${row.kind} type-${row.cardType}`}>
          <Heading class="row-title">
            <span dir="auto">{nameOf(row)}</span>
          </Heading>
          <ul class="cards">
            {row.cards.map((card) => (
              <CardView key={card.productId} card={card} context={context} change={changes.get(card.productId)} />
            ))}
          </ul>
        </section>
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
