// The player at the foot of the page: previous and next change, play, the time, a slider over the
// snapshot. Below it, a line that summarizes what the edition in force has changed, and opens the
// list.

import { entryOf } from '../../../contract/pointer-entry.ts';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Instant } from '../../../catalogue/instant.ts';
import type { useClock } from '../state/hooks.ts';
import type { ChangesByInstant } from '../state/edition-changes.ts';
import { tickAfter, tickBefore, type Scene } from '../state/scene.ts';
import type { Changes } from '../text/changes.ts';
import { dateText, instantAt, shortDateText, zoneClockText, zoneOf } from '../text/descriptions.ts';
import { nameOf } from '../text/safe-text.ts';
import { sideTitles } from '../text/side-titles.ts';
import { ChangeList } from './change-list.tsx';
import { Slider } from './slider.tsx';

/** Seconds of the front's time per real second. */
const SPEEDS = [
  [60, '1 min/s'],
  [600, '10 min/s'],
  [3600, '1 h/s'],
] as const;

interface ClockProps {
  readonly scene: Scene;
  /** The server's clock. */
  readonly now: Instant;
  /** null while there is nothing to compare with. */
  readonly changes: Changes | null;
  readonly counts: ChangesByInstant;
  readonly clock: ReturnType<typeof useClock>;
  readonly onAt: (at: Instant) => void;
  readonly onNow: () => void;
  readonly onHelp: () => void;
  readonly onPoint: (productId: number) => void;
}

export function Clock(props: ClockProps): VNode {
  const { scene, now, changes, counts, clock, onAt, onNow, onHelp, onPoint } = props;
  const [isOpen, setOpen] = useState(false);
  const { chosen, at, timeline, sides } = scene;
  const { isPlaying, speed, play, setSpeed } = clock;
  const zoneName = sides[0].pointer.timezone;
  const zone = zoneOf(zoneName);
  const wall = zone.format(chosen);
  const edition = describeEdition(scene);
  return (
    <section class="clock" aria-label="Clock">
      <div class="transport">
        {iconButton('Previous change', 'M5 4v12M15 4L8 10l7 6z', () => onAt(tickBefore(timeline, at)))}
        {isPlaying
          ? iconButton('Pause', 'M6 4v12M14 4v12', () => play(false), 'play')
          : iconButton('Play', 'M6 4l10 6-10 6z', () => play(true), 'play')}
        {iconButton('Next change', 'M15 4v12M5 4l7 6-7 6z', () => onAt(tickAfter(timeline, at)))}
      </div>
      <p class="clock-time">
        <strong>{zoneClockText(zone, chosen)}</strong>
        <span class="clock-date">
          {shortDateText(wall)} <span class="zone">{zoneName.replaceAll('_', ' ')}</span>
        </span>
      </p>
      <Slider
        timeline={timeline}
        at={at}
        now={now}
        zone={zone}
        counts={counts}
        text={`${dateText(wall)}, ${zoneClockText(zone, chosen)}, ${edition}`}
        onAt={onAt}
      />
      <button
        type="button"
        class="quiet summary"
        aria-expanded={isOpen}
        aria-controls="changes"
        onClick={() => setOpen(!isOpen)}
      >
        <span role="status">
          <b>{summaryOf(changes, scene)}</b>
          {sides.length === 1 && <span class="edition">{edition}</span>}
          {changes !== null && <FirstChange changes={changes} />}
        </span>
      </button>
      <div class="clock-more">
        <button type="button" onClick={onNow}>
          Now
        </button>
        <label class="speed">
          <span>Speed</span>
          <select value={speed} onChange={({ currentTarget }) => setSpeed(Number(currentTarget.value))}>
            {SPEEDS.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="help" aria-label="Keys" aria-haspopup="dialog" onClick={onHelp}>
          ?
        </button>
      </div>
      {isOpen && <ChangeList list={changes?.list ?? []} onPoint={onPoint} />}
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

/** `edition 3 of 6, from 15:30`, and whether the instant is outside the snapshot's time. */
function describeEdition({ sides: [side] }: Scene): string {
  const { pointer, index, timeliness } = side;
  const start = instantAt(entryOf(pointer.products[index] ?? '').from);
  const from = zoneClockText(zoneOf(pointer.timezone), start);
  const early = timeliness === 'early' ? '; before this snapshot was made' : '';
  const stale = timeliness === 'stale' ? '; stale' : '';
  return `edition ${index + 1} of ${pointer.products.length}, from ${from}${early}${stale}`;
}

function summaryOf(changes: Changes | null, { sides: [one, other] }: Scene): string {
  if (other !== undefined) {
    const [earlier, later] = sideTitles([one, other]);
    return `${earlier} to ${later}: ${changes?.summary || 'no difference'}`;
  }
  return changes === null ? 'no earlier edition to compare with' : changes.summary || 'no change';
}

/** The first change of the list, truncated by the style at the end of the line. */
function FirstChange({ changes: { list } }: { readonly changes: Changes }): VNode | null {
  const [first] = list;
  if (first === undefined) return null;
  return (
    <span class="first-change">
      <bdi>{nameOf(first.change)}</bdi>: {first.texts.join(' · ')}
    </span>
  );
}
