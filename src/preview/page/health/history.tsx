// The kept releases of a front, newest first: cards, the range of prices to one scale, and what
// each changed. A click shows a release; another compares it with the one before.

import type { VNode } from 'preact';
import { formatInstant } from '../../../catalogue/instant.ts';
import { frontChangesParts } from '../../../release/diff/changes-text.ts';
import { editionIndexAt } from '../../../render/edition-choice.ts';
import { CURRENT, type HistoryEntry } from '../../messages.ts';
import { hasRelease } from '../state/exported.ts';
import type { Side } from '../state/scene.ts';
import type { ViewState } from '../state/view-state.ts';
import { heldText } from '../text/alarms.ts';
import { amountsOf, instantAt, shortDateText, zoneClockText, zoneOf } from '../text/descriptions.ts';
import { shown } from '../text/safe-text.ts';

interface HistoryProps {
  readonly entries: readonly HistoryEntry[];
  readonly side: Side;
  readonly onChange: (change: Partial<ViewState>) => void;
}

export function History({ entries, side, onChange }: HistoryProps): VNode {
  const amount = amountsOf(side.record?.currency ?? null);
  const ranges = entries.map(pricesOf);
  const all = ranges.flat();
  const ends = [Math.min(...all), Math.max(...all)] as const;
  const median = (range: readonly number[]): string => (range[2] === undefined ? '–' : amount(range[2]));
  return (
    <ol class="history">
      {entries.map((entry, i) => {
        const { id, listing, isCurrent, since, priceJump } = entry;
        const isShown = side.release === CURRENT ? isCurrent : id === side.release;
        const range = ranges[i] ?? [];
        return (
          <li key={id} class={`${isShown ? 'is-shown' : ''}${priceJump === null ? '' : ' is-bad'}`}>
            <button
              type="button"
              class="quiet when"
              aria-current={isShown ? 'true' : undefined}
              disabled={listing === null || !hasRelease(isCurrent ? CURRENT : id)}
              onClick={() =>
                onChange({ release: isCurrent ? CURRENT : id, at: instantAt(entry.now), beside: null, from: null })
              }
            >
              {releaseTime(entry, side)}
            </button>
            <span class="id">
              <code>{id.slice(0, 8)}</code>
              {isCurrent && ' current'}
            </span>
            <span class="count">{listing === null ? 'no such front' : cardsText(entry)}</span>
            <Range range={range} ends={ends} />
            <span class="median">{median(range)}</span>
            <p class="what" dir="auto">
              {whatChanged(entry, side)}
            </p>
            {since !== null && listing !== null && hasRelease(since) && hasRelease(isCurrent ? CURRENT : id) && (
              <button
                type="button"
                class="compare"
                aria-label={`Compare ${releaseTime(entry, side)} with the release before`}
                onClick={() => onChange(comparisonOf(entry, since))}
              >
                Compare
              </button>
            )}
          </li>
        );
      })}
    </ol>
  );
}

function cardsText({ listing }: HistoryEntry): string {
  return `${listing?.cards ?? 0} cards`;
}

/** At the release's own instant. */
function pricesOf({ listing, now }: HistoryEntry): readonly number[] {
  return listing?.prices?.[editionIndexAt(listing.pointer.products, now)]?.prices ?? [];
}

/** Of the instant at which prices first differ, or of the release's own. */
function comparisonOf({ id, isCurrent, now, changes }: HistoryEntry, since: string): Partial<ViewState> {
  const at = instantAt(changes?.medianPrice?.at ?? now);
  return { view: 'list', release: isCurrent ? CURRENT : id, beside: since, from: null, at, isAll: false };
}

/** `Fri 1 May 12:00`, in the front's zone. */
export function releaseTime({ now }: Pick<HistoryEntry, 'now'>, { pointer }: Side): string {
  const zone = zoneOf(pointer.timezone);
  const at = instantAt(now);
  return `${shortDateText(zone.format(at))} ${zoneClockText(zone, at)}`;
}

function whatChanged({ listing, changes, since, priceJump, allowed }: HistoryEntry, side: Side): VNode {
  const time = (at: string): string => zoneClockText(zoneOf(side.pointer.timezone), instantAt(at));
  const held = listing?.held ?? null;
  const parts = changes === null ? [] : frontChangesParts(changes, time);
  return (
    <>
      {priceJump !== null && (
        <b class="bad">
          {priceJump.moved} of {priceJump.of} prices became {priceJump.verdict} of what they were
          {priceJump.from > formatInstant(instantAt(side.pointer.now)) ? `, from ${time(priceJump.from)} on` : ''}.{' '}
        </b>
      )}
      {held !== null && <b>{heldText(held)} </b>}
      {allowed.length > 0 && <b>Let pass: {allowed.join(', ')}. </b>}
      {parts.length > 0 ? shown(parts.join(', ')) : since === null ? 'The oldest that is kept' : 'Nothing changed'}
    </>
  );
}

const WIDTH = 1000;

/**
 * Least to greatest as a line, quartile to quartile as a bar, the median as a mark; on a scale of
 * logarithms.
 */
function Range({
  range,
  ends,
}: {
  readonly range: readonly number[];
  readonly ends: readonly [number, number];
}): VNode {
  const [low, high] = [Math.log1p(ends[0]), Math.log1p(ends[1])];
  const at = (price = 0): string => (((Math.log1p(price) - low) / Math.max(high - low, 1e-9)) * WIDTH).toFixed();
  const [least, lower, median, upper, greatest] = range.map(at);
  return (
    <svg
      class="range"
      viewBox={`-10 0 ${WIDTH + 20} 100`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      {range.length > 0 && (
        <>
          <path class="reach" d={`M${least} 50H${greatest}`} />
          <path class="middle" d={`M${lower} 50H${upper}`} />
          <path class="median-mark" d={`M${median} 8V92`} />
        </>
      )}
    </svg>
  );
}
