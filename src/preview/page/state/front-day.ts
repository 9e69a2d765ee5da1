// The day of a front that contains an instant, and what the server says of it.

import { dayAround, secondsOfTime } from '../../../catalogue/days.ts';
import { formatInstant, type Instant } from '../../../catalogue/instant.ts';
import type { Pointer } from '../../../contract/pointer.ts';
import { DAY_PATH, pathOf } from '../../messages.ts';
import { zoneOf } from '../text/descriptions.ts';

type FrontDays = Pick<Pointer, 'timezone' | 'dayStartsAt'>;

export function frontDayOf(
  { timezone, dayStartsAt }: FrontDays,
  at: Instant,
): readonly [from: Instant, until: Instant] {
  return dayAround(zoneOf(timezone).daysFrom(secondsOfTime(dayStartsAt ?? '00:00')), at);
}

/** The same at every instant of the day. */
export function dayPath(front: string, days: FrontDays, at: Instant): string {
  return pathOf(DAY_PATH, front, formatInstant(frontDayOf(days, at)[0]));
}
