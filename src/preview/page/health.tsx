// The health strip: every front of a release with its editions, how long it stays right, its cards, and products without a card.

import type { VNode } from 'preact';
import type { Instant } from '../../catalogue/instant.ts';
import type { PreviewFront } from '../messages.ts';
import { Ticks } from './ticks.tsx';
import { countText, describeDropped, durationText, instantAt } from './descriptions.ts';

interface HealthProps {
  readonly fronts: readonly PreviewFront[];
  readonly chosen: string | null;
  /** The server's clock. */
  readonly now: Instant;
  readonly onChoose: (front: string) => void;
}

export function Health({ fronts, chosen, now, onChoose }: HealthProps): VNode {
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
            aria-current={view.front === chosen ? 'true' : undefined}
            onClick={() => onChoose(view.front)}
          >
            {view.front}
          </button>
          {frontHealth(view, span, now)}
        </li>
      ))}
    </ul>
  );
}

function frontHealth({ pointer, problem, record }: PreviewFront, span: readonly [number, number], now: Instant): VNode {
  if (pointer === null) return <p class="damage bad">{problem}</p>;
  const left = instantAt(pointer.validUntil) - now;
  const dropped = record === null ? [] : describeDropped(record.dropped);
  const without = dropped.reduce((sum, [, count]) => sum + count, 0);
  return (
    <>
      <Ticks
        span={span}
        known={[instantAt(pointer.now), instantAt(pointer.validUntil)]}
        ticks={pointer.products.slice(1).map((entry) => instantAt(entry.slice(0, 20)))}
        at={now}
      />
      <p class={left > 0 ? 'left' : 'left bad'}>
        {left > 0 ? `${durationText(left)} left` : `stale for ${durationText(-left)}`}
      </p>
      <p class="facts">
        {record !== null && `${countText(record.cards, 'card')}, `}
        {countText(pointer.products.length, 'edition')}
        {record !== null && record.held !== null && <span class="bad">, held: {record.held}</span>}
        {without > 0 &&
          `; ${without} without a card: ${dropped.map(([reason, count]) => `${count} ${reason}`).join(', ')}`}
      </p>
    </>
  );
}
