// The choice of what to compare with: another instant, or another release at the same instant.

import type { VNode } from 'preact';
import { instantOf, type Instant } from '../../../catalogue/instant.ts';
import type { Overview, PreviewRelease } from '../../messages.ts';
import type { ViewState } from '../state/view-state.ts';
import { shortDateText, zoneClockText, zoneOf } from '../text/descriptions.ts';
import { choice, releaseOptions, timezoneOf, type Options } from './choice.tsx';

interface ComparisonProps {
  readonly overview: Overview;
  readonly release: PreviewRelease;
  readonly state: ViewState;
  readonly front: string | null;
  readonly now: Instant;
  readonly onChange: (change: Partial<ViewState>) => void;
}

const LATER = [
  ['0', 'this instant, and move the clock'],
  ['3600', 'an hour later'],
  ['10800', '3 hours later'],
  ['86400', '24 hours later'],
] as const;

/** The value of the option that stands for an instant that is kept. */
const KEPT = 'kept';

export function Comparison({ overview, release, state, front, now, onChange }: ComparisonProps): VNode {
  const { at, from, beside } = state;
  const timezone = timezoneOf(release, front);
  const releases = releaseOptions(overview, beside ?? '', timezone).filter(([id]) => id !== state.release);
  const options: Options = [
    ['', 'nothing'],
    ...(from === null ? LATER : [[KEPT, instantText(timezone, from)] as const]),
    ...releases,
  ];
  const choose = (value: string): void => {
    if (value === KEPT) return;
    const later = LATER.find(([seconds]) => seconds === value);
    if (later === undefined) return onChange({ beside: value === '' ? null : value, from: null });
    const shown = at ?? now;
    onChange({ beside: null, from: shown, at: instantOf(shown + Number(later[0])) });
  };
  return choice('Compare with', beside ?? (from === null ? '' : KEPT), options, choose);
}

function instantText(timezone: string, at: Instant): string {
  const zone = zoneOf(timezone);
  return `${shortDateText(zone.format(at))}, ${zoneClockText(zone, at)}`;
}
