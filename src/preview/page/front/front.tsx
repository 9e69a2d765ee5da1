// A front's page as its visitors see it: the document's cards in rows.

import type { VNode } from 'preact';
import type { ProductsDocument } from '../../../contract/documents.ts';
import { Notice } from '../notice.tsx';
import { countText } from '../text/descriptions.ts';
import { nameOf, shown } from '../text/safe-text.ts';
import { arrange, type Search } from './arrangement.ts';
import { CardView, type CardContext } from './card.tsx';

interface FrontProps {
  readonly document: ProductsDocument;
  readonly search: Search;
  readonly changes: ReadonlyMap<number, string>;
  readonly context: CardContext;
  /** The product to highlight, or null. */
  readonly pointed: number | null;
  /** Removes all filters. */
  readonly onShowAll: () => void;
}

export function FrontPage({ document, search, changes, context, pointed, onShowAll }: FrontProps): VNode {
  const rows = arrange(document, search);
  const Heading = context.isPaired ? 'h3' : 'h2';
  return (
    <>
      {rows.map((row) => (
        <section key={row.key} class={`row row-${row.kind} type-${row.cardType}`}>
          <Heading class="row-title">
            <span dir="auto">{nameOf(row)}</span>
          </Heading>
          <ul class="cards">
            {row.cards.map((card) => (
              <CardView
                key={card.productId}
                card={card}
                context={context}
                change={changes.get(card.productId)}
                isPointed={card.productId === pointed}
              />
            ))}
          </ul>
        </section>
      ))}
      {rows.length === 0 && <NoCards document={document} search={search} onShowAll={onShowAll} />}
      {!context.isPaired && <Menu document={document} />}
    </>
  );
}

const WHEN = { today: ' today', tomorrow: ' tomorrow', weekend: ' at the weekend', all: '' } as const;

type NoCardsProps = Pick<FrontProps, 'document' | 'search' | 'onShowAll'>;

/** Says why there are no cards: nothing matches, or the front has none at this time. */
function NoCards({ document: { productCards }, search: { tab, badge, query }, onShowAll }: NoCardsProps): VNode {
  if (productCards.length === 0) {
    return (
      <Notice title="No cards at this time">
        <p>This edition has no cards. Choose a reason in the list of fronts to see why products have none.</p>
      </Notice>
    );
  }
  const matching = query.trim() === '' ? '' : ` matches “${shown(query.trim())}”`;
  return (
    <Notice title={`No card${badge === null ? '' : ' with this badge'}${matching || ' is on'}${WHEN[tab]}`}>
      <button type="button" onClick={onShowAll}>
        Show all {countText(productCards.length, 'card')}
      </button>
    </Notice>
  );
}

/** Categories and tags are only listed: the document does not say which card has which. */
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
