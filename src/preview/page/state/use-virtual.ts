// Draws only those lines of a long list that are near the window (TanStack Virtual). The window
// scrolls, so that the page stays one document. A short list is drawn whole, so that the browser's
// own search finds everything in it.

import {
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  windowScroll,
  type Range,
  type VirtualItem,
} from '@tanstack/virtual-core';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Up to so many lines are drawn whole. */
const WHOLE_LINES_MAX = 60;
const OVERSCAN_LINES = 6;

/** What covers the window's ends: the head of a table, the clock. */
const COVERED_PIXELS = { start: 48, end: 128 };

interface VirtualOptions {
  /** Must stay the same array while no line changes. */
  readonly keys: readonly string[];
  /** The height in pixels of a line that has not been drawn yet; must stay the same function. */
  readonly estimate: (index: number) => number;
  /** The index of a line to scroll to when it changes, or null. */
  readonly revealed: number | null;
}

export interface VirtualLines {
  /** The element whose start is the list's start. */
  readonly ref: { current: HTMLElement | null };
  readonly lines: readonly VirtualItem[];
  /** The heights of what is not drawn, before and after the lines. */
  readonly before: number;
  readonly after: number;
  /** To be given each drawn line's element, which has its index in `data-index`. */
  readonly measure: (element: HTMLElement | null) => void;
  /** Scrolls a line into view and calls back once it is drawn. */
  readonly reveal: (index: number, then: () => void) => void;
}

export function useVirtual({ keys, estimate, revealed }: VirtualOptions): VirtualLines {
  const [, redraw] = useState(0);
  const ref = useRef<HTMLElement>(null);
  const [margin, setMargin] = useState(0);
  const getItemKey = useCallback((index: number) => keys[index] ?? index, [keys]);
  const options = {
    count: keys.length,
    getItemKey,
    estimateSize: estimate,
    scrollMargin: margin,
    overscan: OVERSCAN_LINES,
    scrollPaddingStart: COVERED_PIXELS.start,
    scrollPaddingEnd: COVERED_PIXELS.end,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll<Window>,
    initialRect: { width: innerWidth, height: innerHeight },
    initialOffset: () => scrollY,
    rangeExtractor: indexesOf,
    onChange: () => redraw((count) => count + 1),
  };
  const [virtualizer] = useState(() => new Virtualizer<Window, HTMLElement>(options));
  virtualizer.setOptions(options);
  // TanStack's adapters for frameworks call these two.
  // oxlint-disable-next-line no-underscore-dangle
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => {
    // oxlint-disable-next-line no-underscore-dangle
    virtualizer._willUpdate();
    const top = ref.current?.getBoundingClientRect().top;
    if (top !== undefined) setMargin(Math.round(top + scrollY));
  });
  useEffect(() => {
    if (revealed === null) return;
    virtualizer.scrollToIndex(revealed, { align: 'center' });
    whenDrawn(() => ref.current?.querySelector<HTMLElement>('.is-pointed button')?.focus({ preventScroll: true }));
  }, [revealed]);
  const lines = virtualizer.getVirtualItems();
  const [first, last] = [lines[0], lines.at(-1)];
  return {
    ref,
    lines,
    before: first === undefined ? 0 : first.start - margin,
    after: last === undefined ? 0 : virtualizer.getTotalSize() - (last.end - margin),
    measure: virtualizer.measureElement,
    reveal: (index, then) => {
      virtualizer.scrollToIndex(index);
      whenDrawn(then);
    },
  };
}

function whenDrawn(then: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(then));
}

/** The lines to draw, in their order and without a gap. */
export function indexesOf({ startIndex, endIndex, overscan, count }: Range): number[] {
  const isWhole = count <= WHOLE_LINES_MAX;
  const first = isWhole ? 0 : Math.max(0, startIndex - overscan);
  const last = isWhole ? count - 1 : Math.min(count - 1, endIndex + overscan);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
