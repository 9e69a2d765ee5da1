// A card as a visitor sees it, plus what a tester wants to know: credit, and what has just changed.
// A click opens its details.

import { Component, type VNode } from 'preact';
import type { Zone } from '../../../catalogue/calendar.ts';
import type { ProductCard, ProductsDocument } from '../../../contract/documents.ts';
import { readableOn } from '../text/colour.ts';
import { sessionText, type Money } from '../text/descriptions.ts';
import { nameOf, runsFromRight, shown } from '../text/safe-text.ts';
import { sessionOf, type Tab } from './search.ts';
import { flagsOf } from './sorting.ts';
import { Picture } from './picture.tsx';

/** What all cards of a document share. Must stay the same object while nothing in it changes. */
export interface CardContext {
  readonly tab: Tab;
  readonly zone: Zone;
  /** The front's date when the snapshot was made. */
  readonly today: string;
  readonly money: Money;
  readonly badges: ReadonlyMap<string, ProductsDocument['badges'][number]>;
  readonly onOpen: (slug: string) => void;
}

interface CardProps {
  readonly card: ProductCard;
  readonly context: CardContext;
  /** A text about what has changed. */
  readonly change: string | undefined;
  /** Chosen in the list of changes. */
  readonly isPointed: boolean;
}

/** Redrawn only when a prop changes: a card that is the same in two editions is not touched. */
export class CardView extends Component<CardProps> {
  override shouldComponentUpdate({ card, context, change, isPointed }: CardProps): boolean {
    const { props } = this;
    return card !== props.card || context !== props.context || change !== props.change || isPointed !== props.isPointed;
  }

  override render({ card, context, change, isPointed }: CardProps): VNode {
    const isClosed = card.soldOut || card.paused;
    return (
      <li
        class={`card${change === undefined ? '' : ' is-changed'}${isClosed ? ' is-closed' : ''}${isPointed ? ' is-pointed' : ''}`}
        data-product={card.productId}
      >
        <article>
          <Picture card={card} />
          <div class="card-text" dir={runsFromRight(card.name) ? 'rtl' : 'ltr'}>
            <BadgeList card={card} badges={context.badges} />
            <h3 class="name" dir="auto">
              <button type="button" aria-haspopup="dialog" onClick={() => context.onOpen(card.slug)}>
                {nameOf(card)}
              </button>
            </h3>
            <SessionLine card={card} context={context} />
            <p class="venue" dir="auto">
              {shown(card.inventoryItemName)}
              {card.multiInventoryItems && <span class="more"> and elsewhere</span>}
            </p>
            <p class="price">
              {card.priceFrom !== null && <span class="amount">{context.money(card.priceFrom)}</span>}
              {card.soldOut && <span class="state">Sold out</span>}
              {card.paused && <span class="state">Sales paused</span>}
            </p>
            {change !== undefined && <p class="change">{change}</p>}
          </div>
        </article>
      </li>
    );
  }
}

function BadgeList({ card, badges }: { readonly card: ProductCard; readonly badges: CardContext['badges'] }): VNode {
  return (
    <ul class="badges" aria-label="Badges">
      <li class="age" title="Age rating" dir="ltr">
        {card.ageRating}+
      </li>
      {flagsOf(card)
        .slice(Number(card.soldOut) + Number(card.paused))
        .map((flag) => (
          <li key={flag} class="age">
            {flag}
          </li>
        ))}
      {card.badges.map((slug) => {
        const badge = badges.get(slug);
        if (badge === undefined) return <li key={slug}>{slug}</li>;
        return (
          <li key={slug} style={{ backgroundColor: badge.color, color: readableOn(badge.color) }} dir="auto">
            {nameOf(badge)}
          </li>
        );
      })}
    </ul>
  );
}

function SessionLine({ card, context }: { readonly card: ProductCard; readonly context: CardContext }): VNode | null {
  const session = sessionOf(card, context.tab);
  if (session === null) return null;
  const { date, time, offset } = sessionText(session.start, context.zone, context.today);
  return (
    <p class="session">
      <time dateTime={session.start}>{`${date}, ${time}`}</time>
      {offset !== null && <span class="offset"> {offset}</span>}
      {session.hasMore && (
        <abbr class="more" title="and more">
          {'\u00A0+'}
        </abbr>
      )}
    </p>
  );
}
