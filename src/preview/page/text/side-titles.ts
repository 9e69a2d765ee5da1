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
    return `${one.instant === other.instant ? '' : `${instant}, `}${releaseText(side, [one, other])}`;
  };
  return [titleOf(one), titleOf(other)];
}

function dayOf({ pointer, instant }: Side): string {
  return zoneOf(pointer.timezone).format(instant).slice(0, 10);
}

/** `release 08:00Z`; with the date if the two differ in it, and with the id if that says no more. */
function releaseText({ release, pointer: { now } }: Side, [one, other]: readonly [Side, Side]): string {
  if (release === CURRENT) return 'current release';
  const [was, is] = [one.pointer.now, other.pointer.now];
  if (was.slice(0, 16) === is.slice(0, 16)) return `release ${release.slice(0, 8)}`;
  return `release ${was.slice(0, 10) === is.slice(0, 10) ? '' : `${now.slice(0, 10)} `}${now.slice(11, 16)}Z`;
}
