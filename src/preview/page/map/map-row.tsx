// One row of the map: the product's name, and its sessions as bars on the axis.

import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Zone } from '../../../catalogue/calendar.ts';
import { formatInstant, instantOf } from '../../../catalogue/instant.ts';
import type { DayState } from '../../messages.ts';
import { instantAt, sessionText, type Money } from '../text/descriptions.ts';
import { ProductButton } from '../product-button.tsx';
import { nameOf, shown } from '../text/safe-text.ts';
import type { MapSession, ProductRow } from './day-rows.ts';
import { layoutOf, type Axis, type Bar } from './layout.ts';
import { stateAt, STATES } from './session-states.ts';

/** What all rows of a map share; must stay the same object while nothing in it changes. */
export interface MapContext {
  readonly axis: Axis;
  readonly pixels: number;
  readonly zone: Zone;
  readonly today: string;
  readonly money: Money;
  readonly onProduct: (slug: string) => void;
  readonly onSession: (session: MapSession, slug: string) => void;
}

interface MapRowProps {
  readonly row: ProductRow;
  readonly context: MapContext;
  /** The instant as text. */
  readonly at: string;
  /** Which of its buttons the Tab key reaches: 0 for the name, then the sessions; null for none. */
  readonly stop: number | null;
}

/** The cells of a row; redrawn only when the state of a session changes, not with every instant. */
export function MapCells({ row, context, at, stop }: MapRowProps): VNode {
  const { axis, pixels, onProduct } = context;
  const layout = useMemo(() => layoutOf(row.sessions, axis, pixels), [row.sessions, axis, pixels]);
  const states = row.sessions.map((session) => stateAt(session.states, at));
  return useMemo(
    () => (
      <>
        <div role="rowheader" class="map-name">
          <ProductButton product={row} onOpen={onProduct} stop={{ tabIndex: stop === 0 ? 0 : -1, 'data-item': 0 }} />
          {row.venue !== '' && (
            <span class="map-venue" dir="auto" title={shown(row.venue)}>
              {shown(row.venue)}
            </span>
          )}
        </div>
        <div role="gridcell" class="map-track" style={{ '--lanes': String(layout.lanes) }}>
          {layout.bars.map((bar, i) => (
            <SessionBar
              key={bar.session.key}
              {...{ bar, row, context }}
              state={states[i] ?? stateAt(bar.session.states, at)}
              item={i + 1}
              isStop={stop === i + 1}
            />
          ))}
        </div>
      </>
    ),
    [row, context, layout, stop, states.map(({ from }) => from).join()],
  );
}

/** A sign needs as much. */
const SIGN_PIXELS = 12;

interface SessionBarProps {
  readonly bar: Bar;
  readonly row: ProductRow;
  readonly context: MapContext;
  readonly state: DayState;
  readonly item: number;
  readonly isStop: boolean;
}

function SessionBar({ bar, row, context, state, item, isStop }: SessionBarProps): VNode {
  const { session, left, width, lane, label } = bar;
  const { look, sign } = STATES[state.state];
  const { time, offset } = sessionText(session.start, context.zone, context.today);
  const text = describe(session, state, context);
  const words = wordsOf(session, state, time, offset);
  const isNarrow = width < SIGN_PIXELS;
  return (
    <button
      type="button"
      class={session.endsAt === null ? 'bar is-endless' : 'bar'}
      aria-haspopup="dialog"
      aria-label={`${words.join(' ')}, ${nameOf(row)}: ${text}`}
      title={text}
      data-item={item}
      data-session={session.id}
      data-state={state.state}
      tabIndex={isStop ? 0 : -1}
      style={{ insetInlineStart: `${left}px`, '--lane': String(lane) }}
      onClick={() => context.onSession(session, row.slug)}
    >
      <span class={`bar-body is-${look}${isNarrow ? ' is-narrow' : ''}`} style={{ inlineSize: `${width}px` }}>
        {sign !== '' && !isNarrow && <Sign path={sign} />}
        {label === 'inside' && (
          <span class="bar-label">
            {words.map((word) => (
              <span key={word}>{word} </span>
            ))}
          </span>
        )}
      </span>
      {label === 'behind' && <span class="bar-time">{time}</span>}
    </button>
  );
}

/** The start, and what matters next as far as there is room: seats left, or why there are none. */
function wordsOf({ available }: MapSession, { state }: DayState, time: string, offset: string | null): string[] {
  const seats = available === null ? '' : `${available} left`;
  return [time, offset ?? '', state === 'on-sale' ? seats : STATES[state].label].filter((word) => word !== '');
}

export function Sign({ path }: { readonly path: string }): VNode {
  return (
    <svg class="sign" viewBox="0 0 8 8" aria-hidden="true" focusable="false">
      <path d={path} />
    </svg>
  );
}

/** `Fri 1 May 19:00 to 21:40, sold out, Main hall, 12 seats left` */
function describe(session: MapSession, { state, priceFrom }: DayState, { zone, today, money }: MapContext): string {
  const { date, time, offset } = sessionText(session.start, zone, today);
  return [
    `${date} ${time}${offset === null ? '' : ` ${offset}`}${untilText(session)}`,
    STATES[state].label.toLowerCase(),
    ...(priceFrom === null ? [] : [money(priceFrom)]),
    seatsText(session),
    shown(session.venue),
  ]
    .filter((text) => text !== '')
    .join(', ');
}

/** ` to 21:40`, by the clock of the venue. */
export function untilText({ start, startsAt, endsAt }: Pick<MapSession, 'start' | 'startsAt' | 'endsAt'>): string {
  if (endsAt === null) return '';
  const wall = instantAt(`${start.slice(0, 19)}Z`) + (endsAt - startsAt);
  return ` to ${formatInstant(instantOf(wall)).slice(11, 16)}`;
}

/** `12 seats left of this front's own`; '' if they are not limited. */
export function seatsText({ available, isAllocated }: Pick<MapSession, 'available' | 'isAllocated'>): string {
  if (available === null) return '';
  return `${Math.max(0, available)} seats left${isAllocated ? " of this front's own" : ''}`;
}
