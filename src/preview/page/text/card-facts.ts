// What a card says, as names and values for people.

import type { ProductCard } from '../../../contract/documents.ts';
import type { FrontUnits } from './changes.ts';
import { sessionText } from './descriptions.ts';
import { shown } from './safe-text.ts';

export type Fact = readonly [name: string, value: string];

export function factsOf(card: ProductCard, { zone, today, money }: FrontUnits): readonly Fact[] {
  const sessionFact = (start: string | null, hasMore: boolean | null): string => {
    if (start === null) return 'none';
    const { date, time, offset } = sessionText(start, zone, today);
    return `${date}, ${time}${offset === null ? '' : ` ${offset}`}${hasMore === true ? ' and more' : ''}`;
  };
  const price = card.priceFrom === null ? 'none' : money(card.priceFrom);
  const groups = card.groups.map(({ slug }) => slug).join(', ');
  return [
    ['Nearest session', sessionFact(card.nextScheduleSlot, card.multiScheduleSlots)],
    ['Today', sessionFact(card.todaySlot, card.todayMultiScheduleSlots)],
    ['Tomorrow', sessionFact(card.tomorrowSlot, card.tomorrowMultiScheduleSlots)],
    ['Weekend', sessionFact(card.weekendSlot, card.weekendMultiScheduleSlots)],
    ['Price', `${price}${card.soldOut ? ', sold out' : ''}${card.paused ? ', sales paused' : ''}`],
    ['Venue', shown(card.inventoryItemName)],
    ['Groups', groups === '' ? 'none' : groups],
    ['Picture', shown(card.altText ?? 'no text')],
  ];
}
