// The clock at the foot of the page: a slider over the time of the snapshot, with a tick where an edition begins, and a button that
// lets the time run. Below it, as text, what the edition in force has changed.

import type { VNode } from 'preact';
import { instantOf, type Instant } from '../../catalogue/instant.ts';
import type { DocumentChange } from '../../contract/diff-results.ts';
import { fieldText } from '../../release/diff/document-diff.ts';
import type { Changes } from './changes.ts';
import type { useClock } from './hooks.ts';
import { tickAfter, tickBefore, clampTo, type Scene } from './scene.ts';
import { nameOf, shown } from './text.ts';
import { Ticks } from './ticks.tsx';
import { clockText, dateText, instantAt, zoneOf } from './descriptions.ts';

/** Seconds of the front's time for each second of ours. */
const SPEEDS = [
  [60, '1 min a second'],
  [600, '10 min a second'],
  [3600, '1 h a second'],
] as const;

interface ClockProps {
  readonly scene: Scene;
  /** null while there is nothing to compare with. */
  readonly changes: Changes | null;
  readonly clock: ReturnType<typeof useClock>;
  readonly onAt: (at: Instant) => void;
  readonly onNow: () => void;
}

export function Clock({ scene, changes, clock, onAt, onNow }: ClockProps): VNode {
  const { at, timeline, sides } = scene;
  const { isPlaying, speed, play, setSpeed } = clock;
  const zoneName = sides[0].pointer.timezone;
  const wall = zoneOf(zoneName).format(at);
  const edition = describeEdition(scene);
  return (
    <section class="clock" aria-label="Clock">
      <div class="clock-top">
        <p class="clock-time">
          <strong>{clockText(wall)}</strong>
          <span class="clock-date">
            {dateText(wall)} <span class="zone">{zoneName.replaceAll('_', ' ')}</span>
          </span>
        </p>
        <div class="transport">
          {iconButton('Previous change', 'M5 4v12M15 4L8 10l7 6z', () => onAt(tickBefore(timeline, at)))}
          {isPlaying
            ? iconButton('Pause', 'M6 4v12M14 4v12', () => play(false), 'play')
            : iconButton('Play', 'M6 4l10 6-10 6z', () => play(true), 'play')}
          {iconButton('Next change', 'M15 4v12M5 4l7 6-7 6z', () => onAt(tickAfter(timeline, at)))}
          <button type="button" class="now" onClick={onNow}>
            Now
          </button>
          <select
            aria-label="Speed"
            value={speed}
            onChange={({ currentTarget }) => setSpeed(Number(currentTarget.value))}
          >
            {SPEEDS.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </div>
      </div>
      <Slider timeline={timeline} at={at} text={`${dateText(wall)}, ${clockText(wall)}, ${edition}`} onAt={onAt} />
      {changeList(edition, sides.length > 1, changes)}
    </section>
  );
}

function iconButton(label: string, path: string, onClick: () => void, name = ''): VNode {
  return (
    <button type="button" class={name} aria-label={label} onClick={onClick}>
      <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
        <path d={path} />
      </svg>
    </button>
  );
}

interface SliderProps extends Pick<Scene, 'at' | 'timeline'>, Pick<ClockProps, 'onAt'> {
  readonly text: string;
}

/** Left and right go by minutes, page up and down by changes, home and end to the ends; a pointer goes anywhere. */
function Slider({ at, timeline, text, onAt }: SliderProps): VNode {
  const span = [timeline.first, timeline.last] as const;
  return (
    <div class="slider">
      <Ticks span={span} known={span} ticks={timeline.ticks} at={null} />
      <input
        type="range"
        aria-label="Instant"
        title="Arrow keys: minutes. Page up and down: changes."
        aria-valuetext={text}
        min={timeline.first}
        max={timeline.last}
        step={1}
        value={at}
        onInput={({ currentTarget }) => onAt(instantOf(Number(currentTarget.value)))}
        onKeyDown={(event) => {
          const target = keyTarget(event.key, at, timeline);
          if (target === undefined) return;
          event.preventDefault();
          onAt(clampTo(timeline, target));
        }}
      />
    </div>
  );
}

function keyTarget(key: string, at: Instant, timeline: Scene['timeline']): Instant | undefined {
  const minuteAfter = instantOf((Math.floor(at / 60) + 1) * 60);
  const minuteBefore = instantOf((Math.ceil(at / 60) - 1) * 60);
  const targets: Readonly<Record<string, Instant>> = {
    ArrowRight: minuteAfter,
    ArrowUp: minuteAfter,
    ArrowLeft: minuteBefore,
    ArrowDown: minuteBefore,
    PageUp: tickAfter(timeline, at),
    PageDown: tickBefore(timeline, at),
  };
  return targets[key];
}

/** `edition 3 of 6, in force from 15:30`, and whether it is shown outside its time. */
function describeEdition({ sides: [side] }: Scene): string {
  const { pointer, index, timeliness } = side;
  const start = instantAt((pointer.products[index] ?? '').slice(0, 20));
  const from = clockText(zoneOf(pointer.timezone).format(start));
  const early = timeliness === 'early' ? '; before this snapshot was made' : '';
  const stale = timeliness === 'stale' ? `; after ${pointer.validUntil}, so stale` : '';
  return `edition ${index + 1} of ${pointer.products.length}, in force from ${from}${early}${stale}`;
}

/** Changes listed; of the others, only the number is shown. */
const CHANGES_LISTED = 200;

function changeList(edition: string, isPaired: boolean, changes: Changes | null): VNode {
  const noChange = isPaired ? 'no difference between the two releases' : 'no change';
  const summary = changes === null ? 'nothing before it to compare with' : changes.summary || noChange;
  const list = changes?.list ?? [];
  return (
    <details class="changes">
      <summary>
        <span role="status">
          <span class="edition">{edition}</span>
          <span class="summary">
            {isPaired && list.length > 0 && 'from the first to the second: '}
            {summary}
          </span>
        </span>
      </summary>
      <div class="change-list" role="region" aria-label="What changes" tabIndex={0}>
        <ul>
          {list.slice(0, CHANGES_LISTED).map((change) => (
            <ChangeItem key={`${change.list} ${change.id} ${change.change}`} change={change} />
          ))}
        </ul>
        {list.length > CHANGES_LISTED && <p>… and {list.length - CHANGES_LISTED} more; playbill diff lists all.</p>}
        {list.length === 0 && <p>{summary}</p>}
      </div>
    </details>
  );
}

const LIST_NAMES = { productCards: '', categories: 'Category ', groups: 'Group ', tags: 'Tag ', badges: 'Badge ' };

function ChangeItem({ change }: { readonly change: DocumentChange }): VNode {
  return (
    <li>
      {LIST_NAMES[change.list]}
      <bdi class="changed-name">{nameOf(change)}</bdi>
      {change.change === 'changed' ? ': ' : ` ${change.change}`}
      {change.change === 'changed' &&
        change.fields.map((field, i) => (
          <bdi key={field.path} class="field">
            {shown(fieldText(field))}
            {i + 1 < change.fields.length ? '; ' : ''}
          </bdi>
        ))}
      {change.change === 'moved' && ` from place ${change.placeBefore} to ${change.placeAfter}`}
    </li>
  );
}
