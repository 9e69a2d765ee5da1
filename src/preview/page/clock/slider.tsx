// A slider over the time of a snapshot: hours and midnights, now, the end of the horizon, and a
// tick where an edition begins, taller the more it changes. The mouse pointer snaps to a near tick
// and shows its time.

import type { VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Zone } from '../../../catalogue/calendar.ts';
import { instantOf, type Instant } from '../../../catalogue/instant.ts';
import type { ChangesByInstant } from '../state/edition-changes.ts';
import { clampTo, tickAfter, tickBefore, type Timeline } from '../state/scene.ts';
import { countText } from '../../../count-text.ts';
import { zoneClockText } from '../text/descriptions.ts';
import { Ticks } from './ticks.tsx';
import { tickHeight, timeMarks } from './time-marks.ts';

/** The distance within which the mouse pointer snaps to a tick. */
const NEAR_PIXELS = 7;

interface SliderProps {
  readonly timeline: Timeline;
  readonly at: Instant;
  /** The server's clock. */
  readonly now: Instant;
  readonly zone: Zone;
  readonly counts: ChangesByInstant;
  /** The slider's value for screen readers. */
  readonly text: string;
  readonly onAt: (at: Instant) => void;
}

/**
 * Arrow keys move by a minute, page up and down by a change, home and end to the ends; the mouse
 * pointer goes anywhere.
 */
export function Slider({ timeline, at, now, zone, counts, text, onAt }: SliderProps): VNode {
  const [near, setNear] = useState<Instant | null>(null);
  const isPointing = useRef(false);
  const scale = useRef<HTMLDivElement>(null);
  const { first, last, ticks } = timeline;
  const shareOf = (instant: number): number => (instant - first) / Math.max(1, last - first);
  const placeOf = (instant: number) => ({ left: `${(shareOf(instant) * 100).toFixed(3)}%` });
  const follow = ({ clientX }: PointerEvent): void => {
    const box = scale.current?.getBoundingClientRect();
    if (box === undefined) return;
    const pixelsTo = (tick: Instant): number => Math.abs(box.left + shareOf(tick) * box.width - clientX);
    const [nearest] = ticks.toSorted((a, b) => pixelsTo(a) - pixelsTo(b));
    setNear(nearest !== undefined && pixelsTo(nearest) <= NEAR_PIXELS ? nearest : null);
  };
  // Computed once per timeline: otherwise only the thumb and the tip move.
  const marks = useMemo(() => timeMarks(timeline, zone), [first, last, zone]);
  const drawn = useMemo(
    () => ticks.map((tick) => [tick, tickHeight(counts.get(tick)?.count)] as const),
    [ticks.join(' '), counts],
  );
  return (
    <div class="slider" onPointerMove={follow} onPointerLeave={() => setNear(null)}>
      <div class="scale" ref={scale} aria-hidden="true">
        <Ticks span={[first, last]} known={[first, last]} ticks={drawn} at={now} />
        {now >= first && now <= last && (
          <span class={shareOf(now) > 0.7 ? 'mark now is-late' : 'mark now'} style={placeOf(now)}>
            now
          </span>
        )}
        <span class={now > last ? 'mark end bad' : 'mark end'}>
          {now > last ? 'ended' : <span>right until</span>} {zoneClockText(zone, instantOf(last + 1))}
        </span>
        {marks.map((mark) => (
          <span
            key={mark.at}
            class={`mark hour${mark.isMidnight ? ' midnight' : ''}${mark.isMinor ? ' minor' : ''}`}
            style={placeOf(mark.at)}
          >
            {mark.text}
          </span>
        ))}
        {near !== null && (
          <span class="tip" style={placeOf(near)}>
            {zoneClockText(zone, near)}
            {counts.has(near) && `, ${countText(counts.get(near)?.count ?? 0, 'change')}`}
          </span>
        )}
      </div>
      <input
        type="range"
        aria-label="Instant"
        aria-valuetext={text}
        min={first}
        max={last}
        step={1}
        value={at}
        onPointerDown={() => (isPointing.current = true)}
        onPointerUp={() => (isPointing.current = false)}
        onInput={({ currentTarget }) => {
          const wanted = instantOf(Number(currentTarget.value));
          onAt(isPointing.current && near !== null ? near : wanted);
        }}
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

function keyTarget(key: string, at: Instant, timeline: Timeline): Instant | undefined {
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
