// The clock at the foot of the page: a slider over the time of the snapshot, with a tick where an edition begins, and a button that
// lets the time run. Below it, in words, what the edition in force has changed.

import type { VNode } from 'preact';
import { instantOf, type Instant } from '../../catalogue/instant.ts';
import type { DocumentChange } from '../../contract/diff-results.ts';
import { fieldText } from '../../release/diff/document-diff.ts';
import type { Changes } from './changes.ts';
import { markAfter, markBefore, within, type Scene } from './scene.ts';
import { nameOf, shown } from './text.ts';
import { Ticks } from './ticks.tsx';
import { clockWords, dateWords, instantAt, zoneOf } from './words.ts';

/** Seconds of the front's time for each second of ours. */
export const SPEEDS = [
  [60, '1 min a second'],
  [600, '10 min a second'],
  [3600, '1 h a second'],
] as const;

interface ClockProps {
  readonly scene: Scene;
  /** null while there is nothing to compare with. */
  readonly changes: Changes | null;
  readonly isPlaying: boolean;
  readonly speed: number;
  readonly onAt: (at: Instant) => void;
  readonly onNow: () => void;
  readonly onPlay: (isPlaying: boolean) => void;
  readonly onSpeed: (speed: number) => void;
}

export function Clock({ scene, changes, isPlaying, speed, onAt, onNow, onPlay, onSpeed }: ClockProps): VNode {
  const { at, timeline, sides } = scene;
  const zoneName = sides[0]?.pointer.timezone ?? 'UTC';
  const wall = zoneOf(zoneName).format(at);
  return (
    <section class="clock" aria-label="Clock">
      <div class="clock-top">
        <p class="clock-time">
          <strong>{clockWords(wall)}</strong>
          <span class="clock-date">
            {dateWords(wall)} <span class="zone">{zoneName.replaceAll('_', ' ')}</span>
          </span>
        </p>
        <div class="transport">
          <button type="button" aria-label="Previous change" onClick={() => onAt(markBefore(timeline, at))}>
            <Icon path="M5 4v12M15 4L8 10l7 6z" />
          </button>
          <button
            type="button"
            class="play"
            aria-label={isPlaying ? 'Pause' : 'Play'}
            onClick={() => onPlay(!isPlaying)}
          >
            <Icon path={isPlaying ? 'M6 4v12M14 4v12' : 'M6 4l10 6-10 6z'} />
          </button>
          <button type="button" aria-label="Next change" onClick={() => onAt(markAfter(timeline, at))}>
            <Icon path="M15 4v12M5 4l7 6-7 6z" />
          </button>
          <button type="button" class="now" onClick={onNow}>
            Now
          </button>
          <select
            aria-label="Speed"
            value={speed}
            onChange={({ currentTarget }) => onSpeed(Number(currentTarget.value))}
          >
            {SPEEDS.map(([value, words]) => (
              <option key={value} value={value} selected={value === speed}>
                {words}
              </option>
            ))}
          </select>
        </div>
      </div>
      <Slider scene={scene} words={`${dateWords(wall)}, ${clockWords(wall)}, ${editionWords(scene)}`} onAt={onAt} />
      <ChangeList scene={scene} changes={changes} />
    </section>
  );
}

function Icon({ path }: { readonly path: string }): VNode {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={path} />
    </svg>
  );
}

interface SliderProps {
  readonly scene: Scene;
  readonly words: string;
  readonly onAt: (at: Instant) => void;
}

/** Left and right go by minutes, page up and down by changes, home and end to the ends; a pointer goes anywhere. */
function Slider({ scene: { at, timeline }, words, onAt }: SliderProps): VNode {
  return (
    <div class="slider">
      <Ticks
        span={[timeline.first, timeline.last]}
        known={[timeline.first, timeline.last]}
        marks={timeline.marks}
        at={null}
      />
      <input
        type="range"
        aria-label="Instant"
        title="Arrow keys: minutes. Page up and down: changes."
        aria-valuetext={words}
        min={timeline.first}
        max={timeline.last}
        step={1}
        value={at}
        onInput={({ currentTarget }) => onAt(instantOf(Number(currentTarget.value)))}
        onKeyDown={(event) => {
          const target = keyTarget(event.key, at, timeline);
          if (target === null) return;
          event.preventDefault();
          onAt(within(timeline, target));
        }}
      />
    </div>
  );
}

const MINUTE = 60;

function keyTarget(key: string, at: Instant, timeline: Scene['timeline']): Instant | null {
  switch (key) {
    case 'ArrowRight':
    case 'ArrowUp':
      return instantOf((Math.floor(at / MINUTE) + 1) * MINUTE);
    case 'ArrowLeft':
    case 'ArrowDown':
      return instantOf((Math.ceil(at / MINUTE) - 1) * MINUTE);
    case 'PageUp':
      return markAfter(timeline, at);
    case 'PageDown':
      return markBefore(timeline, at);
    default:
      return null;
  }
}

/** `edition 3 of 6, in force from 15:30`, and what is out of the ordinary. */
function editionWords({ sides }: Scene): string {
  const [side] = sides;
  if (side === undefined) return '';
  const from = clockWords(zoneOf(side.pointer.timezone).format(instantAt(side.from)));
  const edition = `edition ${side.index + 1} of ${side.pointer.products.length}, in force from ${from}`;
  switch (side.timeliness) {
    case 'right':
      return edition;
    case 'early':
      return `${edition}; before this snapshot was made`;
    case 'stale':
      return `${edition}; after ${side.pointer.validUntil}, so stale`;
  }
}

/** Changes listed in words; of more, it is said how many. */
const CHANGES_LISTED = 200;

function ChangeList({ scene, changes }: { readonly scene: Scene; readonly changes: Changes | null }): VNode {
  const isPaired = scene.sides.length > 1;
  const summary =
    changes === null
      ? 'nothing before it to compare with'
      : changes.summary === '' && isPaired
        ? 'no difference between the two releases'
        : changes.summary === ''
          ? 'no change'
          : `${isPaired ? 'from the first to the second: ' : ''}${changes.summary}`;
  const list = changes?.list ?? [];
  return (
    <details class="changes">
      <summary>
        <span role="status">
          <span class="edition">{editionWords(scene)}</span>
          <span class="summary">{summary}</span>
        </span>
      </summary>
      <div class="change-list" role="region" aria-label="What changes" tabIndex={0}>
        <ul>
          {list.slice(0, CHANGES_LISTED).map((change) => (
            <li key={`${change.list} ${change.id} ${change.change}`}>
              <ChangeWords change={change} />
            </li>
          ))}
        </ul>
        {list.length > CHANGES_LISTED && <p>… and {list.length - CHANGES_LISTED} more; playbill diff lists all.</p>}
        {list.length === 0 && <p>{summary}</p>}
      </div>
    </details>
  );
}

const LIST_WORDS = {
  productCards: '',
  categories: 'Category ',
  groups: 'Group ',
  tags: 'Tag ',
  badges: 'Badge ',
} as const;

function ChangeWords({ change }: { readonly change: DocumentChange }): VNode {
  return (
    <>
      {LIST_WORDS[change.list]}
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
    </>
  );
}
