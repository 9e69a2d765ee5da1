// Single-key shortcuts. They do not work in input fields and sheets, and can be switched off (WCAG
// 2.2, 2.1.4), so that speech input or an accidental keystroke does not move the clock.

import { useEffect, useRef } from 'preact/hooks';

export interface KeyActions {
  readonly next: () => void;
  readonly previous: () => void;
  readonly play: () => void;
  /** Goes from list to cards, to the map, and back. */
  readonly view: () => void;
  /** Shows the front's health, or the list again. */
  readonly health: () => void;
  /** Compares the instant that is shown with the one that is chosen next. */
  readonly compare: () => void;
  readonly help: () => void;
}

export function useKeys(actions: KeyActions, isOn: boolean): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    if (!isOn) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') !== null) return;
      const action = actionOf(event, latest.current);
      if (action === null) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isOn]);
}

function actionOf({ key, target }: KeyboardEvent, actions: KeyActions): (() => void) | null {
  if (target instanceof Element && target.closest('input:not([type="range"]), select, textarea') !== null) return null;
  // Space already activates a focused button or link.
  const hasOwnSpace = target instanceof Element && target.closest('button, a, summary') !== null;
  switch (key.toLowerCase()) {
    case 'j':
      return actions.next;
    case 'k':
      return actions.previous;
    case 'v':
      return actions.view;
    case 'h':
      return actions.health;
    case 'c':
      return actions.compare;
    case ' ':
      return hasOwnSpace ? null : actions.play;
    case '/':
      return () => document.querySelector<HTMLElement>('.search input')?.focus();
    case '?':
      return actions.help;
    default:
      return null;
  }
}
