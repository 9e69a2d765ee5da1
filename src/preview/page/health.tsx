// The health strip: every front of a release with its editions, how long it stays right, its cards, and the products without one.

import type { VNode } from 'preact';
import type { Instant } from '../../catalogue/instant.ts';
import type { FrontView } from '../messages.ts';
import { Ticks } from './ticks.tsx';
import { countWords, droppedWords, durationWords, instantAt } from './words.ts';

interface HealthProps {
  readonly fronts: readonly FrontView[];
  readonly chosen: string | null;
  /** The server's clock. */
  readonly now: Instant;
  readonly onChoose: (front: string) => void;
}

const LATEST = '9999-12-31T23:59:59Z';

export function Health({ fronts, chosen, now, onChoose }: HealthProps): VNode {
  const pointers = fronts.flatMap(({ pointer }) => (pointer === null ? [] : [pointer]));
  // Instants have one form, so that they compare as text; Math.min takes its numbers as arguments, of which there may be too many.
  const from = pointers.reduce((first, pointer) => (pointer.now < first ? pointer.now : first), LATEST);
  const until = pointers.reduce((last, { validUntil }) => (validUntil > last ? validUntil : last), from);
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
          <FrontHealth view={view} span={[instantAt(from), instantAt(until)]} now={now} />
        </li>
      ))}
    </ul>
  );
}

function FrontHealth({
  view: { pointer, problem, record },
  span,
  now,
}: {
  readonly view: FrontView;
  readonly span: readonly [number, number];
  readonly now: Instant;
}): VNode {
  if (pointer === null) return <p class="damage bad">{problem}</p>;
  const left = instantAt(pointer.validUntil) - now;
  const dropped = record === null ? [] : droppedWords(record.dropped);
  const without = dropped.reduce((sum, [, count]) => sum + count, 0);
  return (
    <>
      <Ticks
        span={span}
        known={[instantAt(pointer.now), instantAt(pointer.validUntil)]}
        marks={pointer.products.slice(1).map((entry) => instantAt(entry.slice(0, 20)))}
        at={now}
      />
      <p class={left > 0 ? 'left' : 'left bad'}>
        {left > 0 ? `${durationWords(left)} left` : `stale for ${durationWords(-left)}`}
      </p>
      <p class="facts">
        {record !== null && `${countWords(record.cards, 'card')}, `}
        {countWords(pointer.products.length, 'edition')}
        {record !== null && record.held !== null && <span class="bad">, held: {record.held}</span>}
        {without > 0 && (
          <>
            ; {without} without a card: {dropped.map(([reason, count]) => `${count} ${reason}`).join(', ')}
          </>
        )}
      </p>
    </>
  );
}
