// The sessions and price tiers of an explanation, a line for each.

import { Zone } from '../../catalogue/calendar.ts';
import { parseInstant, parseOffsetDateTime } from '../../catalogue/instant.ts';
import { formatAmount } from '../../catalogue/money.ts';
import type {
  ExplainedDailySession,
  ExplainedRules,
  ExplainedSession,
  ExplainedTier,
} from '../../contract/results/explain.ts';
import { valueText } from '../../release/diff/document-diff.ts';
import { countText } from '../../count-text.ts';
import { wallTimeText } from './text.ts';

/** At most so many sessions and tiers are listed. */
const ROWS_LISTED = 30;

/** How the front writes times and prices. */
export interface FrontUnits {
  readonly when: (instant: string | null) => string;
  readonly at: string;
  readonly currency: string;
  readonly currencyExponent: number;
}

/** The sessions to which these belong: the dates of a daily one are one. */
export function idsOf(sessions: readonly ExplainedSession[]): ReadonlySet<ExplainedSession['session']> {
  return new Set(sessions.map(({ session }) => session));
}

/** Counts past sessions; lists the others, a daily one once. */
export function sessionLines({ sessions, dailySessions }: ExplainedRules, units: FrontUnits): string[] {
  const now = parseInstant(units.at) ?? 0;
  const isPast = ({ refusal, start, salesEndAt }: ExplainedSession): boolean =>
    refusal !== null && ((salesEndAt === null ? parseOffsetDateTime(start) : parseInstant(salesEndAt)) ?? 0) <= now;
  const past = sessions.filter(isPast);
  const last = past.at(-1);
  return [
    ...(last === undefined
      ? []
      : [`${countText(past.length, 'session')} over, the last of them ${startText(last.start)}`]),
    ...listed(firstDates(sessions.filter((session) => !isPast(session))), (session) => {
      const daily = dailySessions.find((one) => one.session === session.session);
      return daily === undefined ? sessionText(session, units) : dailyText(daily, session, sessions, units);
    }),
  ];
}

/** The first date of each daily session, and all others. */
function firstDates(sessions: readonly ExplainedSession[]): readonly ExplainedSession[] {
  const ids = new Set<ExplainedSession['session']>();
  return sessions.filter(({ session }) => !ids.has(session) && ids.add(session));
}

/** A line for each of the first rows, then the number of the rest. */
function listed<T>(rows: readonly T[], textOf: (row: T) => string): string[] {
  const lines = rows.slice(0, ROWS_LISTED).map(textOf);
  return rows.length > ROWS_LISTED ? [...lines, `… ${rows.length - ROWS_LISTED} more (--json has all)`] : lines;
}

function sessionText(session: ExplainedSession, units: FrontUnits): string {
  const { days, refusal } = session;
  const facts = sessionFacts(session, units);
  if (days.length > 0 && refusal === null) facts.push(days.join(' and '));
  return `${startText(session.start)}, ${sessionName(session)}: ${facts.join('; ')}`;
}

function sessionName({ session, venue }: ExplainedSession): string {
  return `session ${session}, ${JSON.stringify(venue)}`;
}

/** A daily session once. `first` is the first of its dates that are not over; they share all but their time. */
function dailyText(
  { session, opens, closes, dates, refused, shown }: ExplainedDailySession,
  first: ExplainedSession,
  sessions: readonly ExplainedSession[],
  units: FrontUnits,
): string {
  const end = sessions.findLast((one) => one.session === session)?.salesEndAt ?? null;
  const over = refused.find(({ refusal }) => refusal === 'over')?.dates ?? 0;
  const counts = countText(dates, 'date') + (over === 0 ? '' : `, ${over} of them over`);
  const ahead = shown.map(({ start, isNext, days }) => {
    const names = [...(isNext ? ['next'] : []), ...days];
    return `${names.join(' and ')}: ${startText(start)}`;
  });
  const facts = [counts, ...sessionFacts({ ...first, salesEndAt: end }, units), ...ahead];
  return `daily ${spanText(opens, closes)}, ${sessionName(first)}: ${facts.join('; ')}`;
}

/** `Fri 2026-05-01 to Mon 2026-08-31, 10:00 to 18:00` */
function spanText(opens: string, closes: string): string {
  const [first, last] = [opens, closes].map((text) => {
    const words = startText(`${text}Z`).split(' ');
    return { date: words.slice(0, 2).join(' '), time: words[2] ?? '' };
  });
  return `${first?.date} to ${last?.date}, ${first?.time} to ${last?.time}`;
}

/** Whether it is offered, and what is left of it; unless it is alone, whether the card shows it. */
export function sessionFacts(session: ExplainedSession, { when }: FrontUnits, isAlone = false): string[] {
  const { refusal, soldOut, isInPool, isOnSale, salesStartAt, salesEndAt, isPaused, available, isAllocated } = session;
  const refusals = {
    'not-scheduled': `its status is ${session.status}`,
    'not-announced': `it is announced ${when(session.announcedAt)}`,
    'not-on-channel': "none of its ticket prices is for this front's channel",
    excluded: 'this front does not sell it (front_session_exclusions)',
    over: 'it can no longer be bought',
    'prices-expired': 'every public ticket price has expired',
    'product-not-published': 'the product is not published',
  };
  const facts = [refusal === null ? 'offered' : `not offered: ${refusals[refusal]}`];
  if (soldOut !== null) {
    facts.push(
      soldOut === 'no-seats'
        ? `sold out: no seats left${isAllocated ? ' of the contingent of this front' : ''}`
        : 'sold out: nothing left at any price',
    );
    if (!isAlone) facts.push(isInPool ? 'shown, since all are sold out' : 'not shown, since others are not');
  } else if (available !== null && refusal === null)
    facts.push(`${countText(available, 'seat')} left${isAllocated ? ' of the contingent of this front' : ''}`);
  if (!isOnSale && refusal === null && soldOut === null && salesStartAt !== null)
    facts.push(`sales begin ${when(salesStartAt)}, until then it has no price`);
  if (salesEndAt !== null && refusal === null) facts.push(`sales end ${when(salesEndAt)}`);
  if (isPaused) facts.push('paused');
  return facts;
}

export function priceLines({ tiers, card, noPrice }: ExplainedRules, units: FrontUnits): string[] {
  const lines = listed(tiers, (tier) => tierText(tier, units));
  if (card === null) return lines;
  if (noPrice === null) return [`priceFrom is ${card.priceFrom} ${units.currency}`, ...lines];
  const texts = {
    'sold-out': 'everything is sold out',
    'not-on-sale': 'sales of no session have begun',
    'no-tier': 'no tier counts now',
  };
  return [`no priceFrom: ${texts[noPrice]}`, ...lines];
}

/** What differs where only one session is explained. */
export const VERDICTS_ON_SESSION: Partial<Record<ExplainedTier['verdict'], string>> = {
  'price-from': 'can be bought, and is the least of this session',
  dearer: 'can be bought',
  'no-session': 'cannot be bought now',
};

export function tierText(
  tier: ExplainedTier,
  { when, currency: frontCurrency, currencyExponent }: FrontUnits,
  others: typeof VERDICTS_ON_SESSION = {},
): string {
  const { name, session, amountMinor, currency, verdict, validFrom, validUntil } = tier;
  const amount =
    currency === frontCurrency ? formatAmount(amountMinor, currencyExponent) : `${amountMinor} minor units of`;
  const verdicts = {
    'price-from': 'this is priceFrom',
    dearer: 'counts, but another costs less',
    addon: 'an add-on, which never counts',
    private: 'private, which never counts',
    'not-counted': 'left out by its in_price_from',
    'other-channel': 'not sold on the channel of the front',
    'other-currency': `not in ${frontCurrency}, the currency of the front`,
    'not-yet-valid': `valid only from ${when(validFrom)}`,
    expired: `expired ${when(validUntil)}`,
    'none-left': 'none left',
    'no-session': 'no session that can be bought now has it',
    ...others,
  };
  const whose = session === null ? 'default' : `of session ${session}`;
  const which = [...(tier.tier === null ? [] : [tier.tier]), JSON.stringify(name)].join(' ');
  return `${amount} ${currency}, tier ${which}, ${whose}: ${verdicts[verdict]}`;
}

const START = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(.*)$/;

const UTC = new Zone('UTC');

/** A session's start as printed on the ticket, with the weekday: `Fri 2026-05-01 19:00 +03:00`. */
export function startText(start: string): string {
  const [, date = '', time = '', offset = ''] = START.exec(start) ?? [];
  const wall = parseInstant(`${date}T${time}Z`);
  return wall === undefined ? valueText(start) : `${wallTimeText(UTC, wall)} ${offset}`;
}
