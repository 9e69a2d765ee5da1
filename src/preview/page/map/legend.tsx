// The states of the sessions on the map, with their signs and how many sessions are in each. Those
// that come on the day, so that it stays the same while the clock moves.

import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { DayProduct, SessionState } from '../../messages.ts';
import { Sign } from './map-row.tsx';
import { stateAt, STATES } from './session-states.ts';

interface LegendProps {
  readonly products: readonly DayProduct[];
  readonly at: string;
}

export function Legend({ products, at }: LegendProps): VNode {
  const coming = useMemo(
    () =>
      new Set(products.flatMap(({ sessions }) => sessions.flatMap(({ states }) => states.map(({ state }) => state)))),
    [products],
  );
  const counts = new Map<SessionState, number>();
  for (const { sessions } of products) {
    for (const { states } of sessions) {
      const { state } = stateAt(states, at);
      counts.set(state, (counts.get(state) ?? 0) + 1);
    }
  }
  const all = Object.entries(STATES) as [SessionState, (typeof STATES)[SessionState]][];
  return (
    <ul class="legend" aria-label="States">
      {all
        .filter(([state]) => coming.has(state))
        .map(([state, { label, look, sign }]) => (
          <li key={state} data-state={state}>
            <span class={`bar-body is-${look}`} aria-hidden="true">
              {sign !== '' && <Sign path={sign} />}
            </span>
            {label} <span class="count">{counts.get(state) ?? 0}</span>
          </li>
        ))}
    </ul>
  );
}
