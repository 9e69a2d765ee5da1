// One card as a visitor sees it, with what a tester wants to know beside: alternative text, credit, what has just changed.

import { Component, type VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Zone } from '../../catalogue/calendar.ts';
import type { ProductCard, ProductsDocument } from '../../contract/documents.ts';
import { PICTURES_PATH } from '../messages.ts';
import { sessionOf, type Tab } from './arrangement.ts';
import { readableOn } from './colour.ts';
import { httpsUrl, initialOf, nameOf, runsFromRight, shown } from './text.ts';
import { sessionText, type Money } from './descriptions.ts';

/** Whether this page may load pictures: the server's policy for its path says so. */
export const HAS_PICTURES = location.pathname === PICTURES_PATH;

/** What all cards of a document share. The same object for as long as nothing in it changes. */
export interface CardContext {
  readonly tab: Tab;
  readonly zone: Zone;
  /** The front's date when the snapshot was made. */
  readonly today: string;
  readonly money: Money;
  readonly badges: ReadonlyMap<string, ProductsDocument['badges'][number]>;
  readonly isPaired: boolean;
}

interface CardProps {
  readonly card: ProductCard;
  readonly context: CardContext;
  /** What has changed, as text. */
  readonly change: string | undefined;
}

/** Redrawn only when one of its three props differs: a card that is the same in two editions is not touched. */
export class CardView extends Component<CardProps> {
  override shouldComponentUpdate({ card, context, change }: CardProps): boolean {
    return card !== this.props.card || context !== this.props.context || change !== this.props.change;
  }

  override render({ card, context, change }: CardProps): VNode {
    const Heading = context.isPaired ? 'h4' : 'h3';
    const isClosed = card.soldOut || card.paused;
    return (
      <li
        class={`card${change === undefined ? '' : ' is-changed'}${isClosed ? ' is-closed' : ''}`}
        data-product={card.productId}
      >
        <article>
          <Picture card={card} />
          <div class="card-text" dir={runsFromRight(card.name) ? 'rtl' : 'ltr'}>
            <BadgeList card={card} badges={context.badges} />
            <Heading class="name" dir="auto">
              {nameOf(card)}
            </Heading>
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
      <li class="age" title="Age rating">
        {card.ageRating}+
      </li>
      {card.pushka && <li class="age">Pushkin card</li>}
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
      {session.hasMore && <span class="more"> {context.tab === 'all' ? 'and more dates' : 'and more times'}</span>}
    </p>
  );
}

/** The picture, where pictures are on and it can be loaded; else a placeholder with its text. */
function Picture({ card }: { readonly card: ProductCard }): VNode {
  const [failed, setFailed] = useState<string | null>(null);
  const url = httpsUrl(card.imageUrl);
  const alt = shown(card.altText ?? '');
  return (
    <figure class="picture">
      {HAS_PICTURES && url !== null && failed !== url ? (
        <img
          src={url}
          alt={alt}
          loading="lazy"
          decoding="async"
          referrerpolicy="no-referrer"
          onError={() => setFailed(url)}
        />
      ) : (
        <div class="placeholder" {...(alt === '' ? { 'aria-hidden': true } : { role: 'img', 'aria-label': alt })}>
          <bdi class="initial">{initialOf(card.name)}</bdi>
          <bdi class="alt">{alt}</bdi>
        </div>
      )}
      {card.copyright !== null && <Credit text={card.copyright} url={httpsUrl(card.copyrightUrl)} />}
    </figure>
  );
}

function Credit({ text, url }: { readonly text: string; readonly url: string | null }): VNode {
  const credit = /^\s*©/.test(text) ? shown(text) : `© ${shown(text)}`;
  return (
    <figcaption dir="auto">
      {url === null ? (
        credit
      ) : (
        <a href={url} target="_blank" rel="noopener noreferrer">
          {credit}
        </a>
      )}
    </figcaption>
  );
}
