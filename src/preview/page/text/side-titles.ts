// Names the two sides of a comparison.

import { CURRENT } from '../../messages.ts';
import type { Side } from '../state/scene.ts';
import { shortDateText, zoneClockText, zoneOf } from './descriptions.ts';

/** What two sides are, in short: their instants if these differ, and their releases if they do. */
export function sideTitles(sides: readonly [Side, Side]): readonly [string, string] {
  const [one, other] = sides;
  const isSameDay = dayOf(one) === dayOf(other);
  const titleOf = (side: Side): string => {
    const zone = zoneOf(side.pointer.timezone);
    const instant = [...(isSameDay ? [] : [shortDateText(dayOf(side))]), zoneClockText(zone, side.instant)].join(' ');
    if (one.release === other.release) return instant;
    return `${one.instant === other.instant ? '' : `${instant}, `}${releaseText(side)}`;
  };
  return [titleOf(one), titleOf(other)];
}

function dayOf({ pointer, instant }: Side): string {
  return zoneOf(pointer.timezone).format(instant).slice(0, 10);
}

/** By its id, as in the choice of releases: a front may be older than the release that it is in. */
function releaseText({ release }: Side): string {
  return release === CURRENT ? 'current release' : `release ${release.slice(0, 8)}`;
}
