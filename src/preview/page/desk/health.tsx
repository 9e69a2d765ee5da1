// The health of every front of a release: its editions, how long it stays right, its cards, and the
// number of products without a card. For the chosen front, chips list those products by reason.

import { entryOf } from '../../../contract/pointer-entry.ts';
import type { VNode } from 'preact';
import type { Instant } from '../../../catalogue/instant.ts';
import type { PreviewFront } from '../../messages.ts';
import { Ticks } from '../clock/ticks.tsx';
import { countText } from '../../../count-text.ts';
import { describeDropped, durationText, instantAt } from '../text/descriptions.ts';

interface HealthProps {
  readonly fronts: readonly PreviewFront[];
  readonly chosen: string | null;
  /** The server's clock. */
  readonly now: Instant;
  readonly onChoose: (front: string) => void;
  /** Called with the code of a reason. */
  readonly onDropped: (code: string) => void;
}

export function Health({ fronts, chosen, now, onChoose, onDropped }: HealthProps): VNode {
  const ends = fronts
    .flatMap(({ pointer }) => (pointer === null ? [] : [instantAt(pointer.now), instantAt(pointer.validUntil)]))
    .sort((a, b) => a - b);
  const span = [ends[0] ?? now, ends.at(-1) ?? now] as const;
  return (
    <ul class="health">
      {fronts.map((view) => (
        <li key={view.front} class={view.front === chosen ? 'is-chosen' : ''}>
          <button
            type="button"
            class="choose"
            aria-current={view.front === chosen ? 'true' : undefined}
            onClick={() => onChoose(view.front)}
          >
            {view.front}
          </button>
          {frontHealth(view, span, now, view.front === chosen ? onDropped : null)}
        </li>
      ))}
    </ul>
  );
}

/**
 * `onDropped` is given for the chosen front, which shows reasons as chips. Other fronts show only
 * the number.
 */
function frontHealth(
  { pointer, problem, record }: PreviewFront,
  span: readonly [number, number],
  now: Instant,
  onDropped: HealthProps['onDropped'] | null,
): VNode {
  if (pointer === null) return <p class="damage bad">{problem}</p>;
  const [from, until] = [instantAt(pointer.now), instantAt(pointer.validUntil)];
  const left = until - now;
  const dropped = record === null ? [] : describeDropped(record.dropped);
  const without = dropped.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      <p class={left > 0 ? 'left' : 'left bad'}>
        {left > 0 ? `${durationText(left)} left` : `stale for ${durationText(-left)}`}
      </p>
      <Ticks
        span={span}
        known={[from, until]}
        ticks={pointer.products.slice(1).map((entry) => [instantAt(entryOf(entry).from), 0.7])}
        at={now}
      />
      <p class="facts">
        {record !== null && `${countText(record.cards, 'card')} · `}
        {countText(pointer.products.length, 'edition')}
        {without > 0 && ` · ${without} without a card`}
        {record !== null && record.held !== null && <span class="bad"> · held: {record.held}</span>}
      </p>
      {onDropped !== null && dropped.length > 0 && (
        <ul class="drops" aria-label="Products without a card">
          {dropped.map(({ code, reason, count }) => (
            <li key={code}>
              <button type="button" class="chip" aria-haspopup="dialog" onClick={() => onDropped(code)}>
                {reason} <b>{count}</b>
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
