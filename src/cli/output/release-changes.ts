// What `releases --changes` says below a release: a line for each front that it changed.

import type { FrontChanges, ReleaseChanges } from '../../contract/results/history.ts';
import { foldedText } from './table.ts';
import { countText, type Terminal } from './terminal.ts';

/** Nothing if it was not asked for (undefined). */
export function changesLines(
  changes: ReleaseChanges | null | undefined,
  width: Pick<Terminal, 'columns'>,
): readonly string[] {
  if (changes === undefined) return [];
  if (changes === null) return ['  no older release to compare with'];
  const { since, fronts } = changes;
  if (fronts.length === 0) return [`  nothing changed since ${since}`];
  return [`  since ${since}:`, ...fronts.map((front) => foldedText('    ', frontParts(front), width))];
}

function frontParts(changes: FrontChanges): readonly string[] {
  const { front, cards, changed, medianPrice, comparableUntil } = changes;
  if (changes.state === 'unknown') return [`${front}: cannot be compared: ${changes.message ?? ''}`];
  if (changes.state !== 'changed')
    return [`${front}: front ${changes.state}, ${countText(cards.added + cards.removed, 'card')}`];
  const { names, prices, flags, seats, sessions, other } = changed;
  const counted = (number: number, noun: string): string[] => (number === 0 ? [] : [countText(number, noun)]);
  const parts = [
    ...(cards.added === 0 ? [] : [`${countText(cards.added, 'card')} added`]),
    ...(cards.removed === 0 ? [] : [`${countText(cards.removed, 'card')} removed`]),
    ...counted(names, 'name'),
    ...counted(prices, 'price').map((text) => `${text}${medianText(medianPrice)}`),
    ...counted(flags, 'flag'),
    ...(seats === 0 ? [] : [`seats of ${seats}`]),
    ...(sessions === 0 ? [] : [`sessions of ${sessions}`]),
    ...(other === 0 ? [] : [`${other} other`]),
    ...(comparableUntil === null ? [] : [`in part by the clock: the older one is right until ${comparableUntil}`]),
  ];
  const [first = '', ...others] = parts;
  return [`${front}: ${first}`, ...others];
}

function medianText(median: FrontChanges['medianPrice']): string {
  if (median === null) return '';
  return ` (median ${median.before ?? 'none'} → ${median.after ?? 'none'} from ${median.at} on)`;
}
