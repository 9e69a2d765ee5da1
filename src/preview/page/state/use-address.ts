// Keeps the view state in the page's address. A choice is a step of the browser's history; moving
// the clock or typing replaces the step, so that Back does not go through every second.

import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { queryOf, type ViewState } from './view-state.ts';

/** Browsers limit how often the address may change. */
const REPLACE_AFTER_MS = 300;

/** The part of the address whose changes are steps. */
function stepOf(state: ViewState): string {
  return queryOf({ ...state, at: null, query: '' });
}

/** `onState` gets the state of an address that Back or Forward has led to. */
export function useAddress(
  state: ViewState,
  stateOf: (search: string) => ViewState,
  onState: (state: ViewState) => void,
) {
  const step = useRef(stepOf(state));
  const search = queryOf(state);
  useEffect(() => {
    const follow = (): void => {
      const restored = stateOf(location.search);
      step.current = stepOf(restored);
      onState(restored);
    };
    addEventListener('popstate', follow);
    return () => removeEventListener('popstate', follow);
  }, []);
  // Before the next event: by then Forward may have led elsewhere, and this would undo it.
  useLayoutEffect(() => {
    if (location.search === search) return undefined;
    const address = location.pathname + search;
    if (stepOf(state) !== step.current) {
      step.current = stepOf(state);
      history.pushState(null, '', address);
      return undefined;
    }
    const timer = setTimeout(() => history.replaceState(null, '', address), REPLACE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [search]);
}
