// What a release changed of a front, in words: `releases --changes` and the preview say the same.

import type { FrontChanges } from '../../contract/results/history.ts';
import { countText } from '../../count-text.ts';

/** Parts of a sentence; at least one. `instantText` writes an instant. */
export function frontChangesParts(
  { state, cards, changed, medianPrice, comparableUntil, message = '' }: FrontChanges,
  instantText: (at: string) => string,
): readonly string[] {
  if (state === 'unknown') return [`cannot be compared: ${message}`];
  if (state !== 'changed') return [`front ${state}, ${countText(cards.added + cards.removed, 'card')}`];
  const { names, prices, flags, seats, sessions, other } = changed;
  const counted = (count: number, noun: string, rest = ''): string[] =>
    count === 0 ? [] : [`${countText(count, noun)}${rest}`];
  const medians =
    medianPrice === null || medianPrice.before === medianPrice.after
      ? ''
      : ` (median ${medianPrice.before ?? 'none'} → ${medianPrice.after ?? 'none'} from ${instantText(medianPrice.at)} on)`;
  return [
    ...counted(cards.added, 'card', ' added'),
    ...counted(cards.removed, 'card', ' removed'),
    ...counted(names, 'name'),
    ...counted(prices, 'price', medians),
    ...counted(flags, 'flag'),
    ...(seats === 0 ? [] : [`seats of ${seats}`]),
    ...(sessions === 0 ? [] : [`sessions of ${sessions}`]),
    ...(other === 0 ? [] : [`${other} other`]),
    ...(comparableUntil === null
      ? []
      : [`in part by the clock: the older one is right until ${instantText(comparableUntil)}`]),
  ];
}
