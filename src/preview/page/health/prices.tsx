// A front's cards and the five numbers of its prices: in the edition in force, in the next one, and
// at the same instant in the release before, so that the clock alone changes nothing.

import type { VNode } from 'preact';
import { formatInstant, type Instant } from '../../../catalogue/instant.ts';
import { entryOf } from '../../../contract/pointer-entry.ts';
import { hasJumped } from '../../../release/publish/price-jump.ts';
import { editionIndexAt } from '../../../render/edition-choice.ts';
import type { HistoryEntry } from '../../messages.ts';
import type { Side } from '../state/scene.ts';
import { changeText } from '../text/change-text.ts';
import { amountsOf, instantAt, zoneClockText, zoneOf } from '../text/descriptions.ts';
import { releaseTime } from './history.tsx';

interface PricesProps {
  readonly entry: HistoryEntry;
  /** The releases before, newest first. */
  readonly older: readonly HistoryEntry[];
  readonly side: Side;
  readonly chosen: Instant;
}

const QUARTILES = ['Lowest', 'Lower quartile', 'Median', 'Upper quartile', 'Highest'] as const;

interface Numbers {
  readonly from: string;
  readonly cards: number;
  readonly prices: readonly number[];
}

export function Prices({ entry, older, side, chosen }: PricesProps): VNode {
  const zone = zoneOf(side.pointer.timezone);
  const clock = (text: string): string => zoneClockText(zone, instantAt(text));
  const amount = amountsOf(side.record?.currency ?? null);
  const at = formatInstant(chosen);
  const shown = numbersAt(entry.listing, at, 0);
  const next = numbersAt(entry.listing, at, 1);
  const others = older.flatMap((one) => {
    const numbers = numbersAt(one.listing, at, 0);
    return numbers === null ? [] : [{ one, numbers }];
  });
  const [before] = others;
  // Where the release before has the same prices, the change is against the last that has others.
  const other = others.find(({ numbers }) => String(numbers.prices) !== String(shown?.prices)) ?? before;
  const was = other?.numbers ?? null;
  const row = (label: VNode | string, numbers: Numbers, against: Numbers | null): VNode => (
    <tr>
      <th scope="row">{label}</th>
      <td>{numbers.cards}</td>
      {QUARTILES.map((name, i) => (
        <td key={name} class={isJump(numbers.prices[i], against?.prices[i]) ? 'bad' : ''}>
          {numbers.prices[i] === undefined ? '–' : amount(numbers.prices[i])}
        </td>
      ))}
    </tr>
  );
  return (
    <div class="scroll" role="region" aria-label="Cards and prices" tabIndex={0}>
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">Edition</th>
            <th scope="col">Cards</th>
            {QUARTILES.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown !== null && row(`In force, from ${clock(shown.from)}`, shown, was)}
          {next !== null && row(`Next, from ${clock(next.from)}`, next, shown)}
          {before !== undefined && row(`Release before, ${releaseTime(before.one, side)}`, before.numbers, null)}
          {other !== undefined &&
            other !== before &&
            row(`Last other prices, ${releaseTime(other.one, side)}`, other.numbers, null)}
          {shown !== null && was !== null && (
            <tr class="change">
              <th scope="row">Change{other === before ? '' : ' since those'}</th>
              <td>{signed(shown.cards - was.cards)}</td>
              {QUARTILES.map((name, i) => (
                <td key={name} class={isJump(shown.prices[i], was.prices[i]) ? 'bad' : ''}>
                  {changeText(was.prices[i], shown.prices[i])}
                </td>
              ))}
            </tr>
          )}
        </tbody>
      </table>
      {before === undefined && <p class="small">No older release of this front is kept.</p>}
    </div>
  );
}

/** Of the edition in force, or of one so many later; null if there is none. */
function numbersAt(listing: HistoryEntry['listing'], at: string, later: number): Numbers | null {
  if (listing === null) return null;
  const { pointer, cardsByEdition, prices = [] } = listing;
  const index = editionIndexAt(pointer.products, at) + later;
  const product = pointer.products[index];
  if (product === undefined) return null;
  return { from: entryOf(product).from, cards: cardsByEdition[index] ?? 0, prices: prices[index]?.prices ?? [] };
}

function isJump(is: number | undefined, was: number | undefined): boolean {
  return is !== undefined && was !== undefined && is !== was && hasJumped(was, is);
}

function signed(count: number): string {
  return count === 0 ? 'none' : count > 0 ? `+${count}` : `−${-count}`;
}
