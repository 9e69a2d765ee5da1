// The map itself: hours at its head, rows of which only those near the window are drawn, and a line
// where the clock stands. One button is a stop of the Tab key; arrow keys go to the others.

import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { formatInstant, type Instant } from '../../../catalogue/instant.ts';
import { timeMarks } from '../clock/time-marks.ts';
import type { Timeline } from '../state/scene.ts';
import { useVirtual } from '../state/use-virtual.ts';
import { countText } from '../../../count-text.ts';
import { zoneClockText } from '../text/descriptions.ts';
import { shown } from '../text/safe-text.ts';
import type { MapRow, ProductRow } from './day-rows.ts';
import { shareOf } from './layout.ts';
import { MapCells, type MapContext } from './map-row.tsx';

interface MapGridProps {
  readonly label: string;
  /** Must stay the same array while no row changes. */
  readonly rows: readonly MapRow[];
  readonly context: MapContext;
  readonly at: Instant;
  /** The server's clock. */
  readonly now: Instant;
  readonly timeline: Timeline;
  /** The product to scroll to and highlight, or null. */
  readonly pointed: number | null;
  /** To be given the element whose width is that of the axis. */
  readonly axisRef: (element: HTMLElement | null) => void;
}

/** A button of the map: 0 is the product's name, its sessions follow. */
interface Stop {
  readonly row: string;
  readonly item: number;
}

const ROW_PIXELS = 28;

export function MapGrid({ label, rows, context, at, now, timeline, pointed, axisRef }: MapGridProps): VNode {
  const keys = useMemo(() => rows.map(({ key }) => key), [rows]);
  const pointedIndex = rows.findIndex((row) => row.kind === 'product' && row.productId === pointed);
  const { ref, lines, before, after, measure, reveal } = useVirtual({
    keys,
    estimate: rowHeight,
    revealed: pointedIndex < 0 ? null : pointedIndex,
  });
  const [chosen, choose] = useState<Stop>({ row: '', item: 1 });
  const drawn = lines.flatMap(({ index }) => rows[index] ?? []);
  const stop = drawn.some(({ key }) => key === chosen.row)
    ? chosen
    : { row: drawn.find(({ kind }) => kind === 'product')?.key ?? '', item: 1 };
  const text = formatInstant(at);
  const go = (event: KeyboardEvent): void => {
    const target = targetOf(event.key, rows, stop);
    if (target === null) return;
    event.preventDefault();
    const index = keys.indexOf(target.row);
    const focus = (): void =>
      ref.current?.querySelector<HTMLElement>(`[data-index="${index}"] [data-item="${target.item}"]`)?.focus();
    // In its row it is drawn already.
    if (target.row === stop.row) focus();
    else reveal(index, focus);
  };
  return (
    <div class="map" role="grid" aria-label={label} aria-rowcount={rows.length + 1} aria-colcount={2}>
      <Head {...{ context, at, now, timeline, axisRef }} />
      <div
        class="map-body"
        role="rowgroup"
        ref={(body) => void (ref.current = body)}
        onKeyDown={go}
        onFocusIn={({ target }) => {
          const stopped = stopOf(target as Element, rows);
          if (stopped !== null) choose(stopped);
        }}
      >
        <Overlay context={context} at={at} />
        <div style={{ blockSize: `${before}px` }} />
        {lines.map(({ index, key }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const isPointed = index === pointedIndex ? ' is-pointed' : '';
          return (
            <div
              key={key}
              role="row"
              ref={measure}
              data-index={index}
              aria-rowindex={index + 2}
              class={`map-row is-${row.kind}${isPointed}`}
            >
              {row.kind === 'venue' ? (
                <div role="rowheader" class="map-group" aria-colspan={2}>
                  <span dir="auto">{shown(row.name)}</span> <span class="count">{countText(row.count, 'session')}</span>
                </div>
              ) : (
                <MapCells row={row} context={context} at={text} stop={stop.row === row.key ? stop.item : null} />
              )}
            </div>
          );
        })}
        <div style={{ blockSize: `${after}px` }} />
      </div>
    </div>
  );
}

function rowHeight(): number {
  return ROW_PIXELS;
}

function stopOf(target: Element, rows: readonly MapRow[]): Stop | null {
  const item = target.closest('[data-item]')?.getAttribute('data-item');
  const row = rows[Number(target.closest('[data-index]')?.getAttribute('data-index'))];
  return item === null || item === undefined || row === undefined ? null : { row: row.key, item: Number(item) };
}

const ROWS_PER_PAGE = 10;

/**
 * Left and right go through a row; up and down to the session of another row that is next in time.
 */
function targetOf(key: string, rows: readonly MapRow[], { row: from, item }: Stop): Stop | null {
  const products = rows.filter((row): row is ProductRow => row.kind === 'product');
  const index = products.findIndex((row) => row.key === from);
  const own = products[index];
  if (own === undefined) return null;
  const last = own.sessions.length;
  const within: Readonly<Record<string, number>> = {
    ArrowRight: Math.min(last, item + 1),
    ArrowLeft: Math.max(0, item - 1),
    Home: 0,
    End: last,
  };
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: ROWS_PER_PAGE,
    PageUp: -ROWS_PER_PAGE,
  };
  const [inRow, step] = [within[key], steps[key]];
  if (inRow !== undefined) return { row: from, item: inRow };
  if (step === undefined) return null;
  const other = products[Math.max(0, Math.min(products.length - 1, index + step))] ?? own;
  return { row: other.key, item: item === 0 ? 0 : nearest(other, own.sessions[item - 1]?.startsAt ?? 0) };
}

function nearest({ sessions }: ProductRow, at: number): number {
  let best = 1;
  for (const [i, { startsAt }] of sessions.entries())
    if (Math.abs(startsAt - at) < Math.abs((sessions[best - 1]?.startsAt ?? 0) - at)) best = i + 1;
  return best;
}

/** So near to the clock's time an hour gives way to it. */
const COVERED_PIXELS = 40;
/** And so near to the date at the end. */
const DATE_PIXELS = 80;

type HeadProps = Pick<MapGridProps, 'context' | 'at' | 'now' | 'timeline' | 'axisRef'>;

/** The hours, the part that the slider reaches, and where the clock stands. */
function Head({ context: { axis, zone, pixels }, at, now, timeline, axisRef }: HeadProps): VNode {
  const marks = useMemo(() => timeMarks({ first: axis.from, last: axis.until, ticks: [] }, zone), [axis, zone]);
  const place = (instant: number) => ({ insetInlineStart: percent(shareOf(axis, instant)) });
  const apart = (one: number, other: number): number => Math.abs(shareOf(axis, one) - shareOf(axis, other)) * pixels;
  const endsAtMidnight = marks.at(-1)?.at === axis.until;
  const [first, last] = [shareOf(axis, timeline.first), shareOf(axis, timeline.last)];
  return (
    <div class="map-head" role="rowgroup">
      <div class="map-row" role="row" aria-rowindex={1}>
        <div role="columnheader" class="map-name">
          Product
        </div>
        <div role="columnheader" class="map-axis" ref={axisRef}>
          <span class="unseen">Sessions</span>
          <div aria-hidden="true">
            <span class="reach" style={{ insetInlineStart: percent(first), inlineSize: percent(last - first) }} />
            {marks
              .filter((mark) => apart(mark.at, at) > COVERED_PIXELS)
              .filter((mark) => !endsAtMidnight || mark.at === axis.until || apart(mark.at, axis.until) > DATE_PIXELS)
              .map((mark) => (
                <span
                  key={mark.at}
                  class={`mark${mark.isMinor ? ' minor' : ''}${mark.at === axis.from ? ' is-first' : ''}${mark.at === axis.until ? ' is-last' : ''}`}
                  style={place(mark.at)}
                >
                  {mark.text}
                </span>
              ))}
            {now >= axis.from && now <= axis.until && <span class="map-now" style={place(now)} />}
            <span class="map-time" style={place(at)}>
              {zoneClockText(zone, at)}
            </span>
          </div>
        </div>
      </div>
    </div>
  );
}

/** Over all rows: the hours, what has gone by, and the line of the clock. */
function Overlay({ context: { axis, zone }, at }: Pick<MapGridProps, 'context' | 'at'>): VNode {
  const marks = useMemo(() => {
    return timeMarks({ first: axis.from, last: axis.until, ticks: [] }, zone).map(({ at: mark }) => (
      <span key={mark} class="map-hour" style={{ insetInlineStart: percent(shareOf(axis, mark)) }} />
    ));
  }, [axis, zone]);
  const share = percent(shareOf(axis, at));
  return (
    <div class="map-over" aria-hidden="true">
      {marks}
      <span class="map-past" style={{ inlineSize: share }} />
      <span class="map-at" style={{ insetInlineStart: share }} />
    </div>
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(3)}%`;
}
