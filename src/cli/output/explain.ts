// Formats an explanation as text: the verdict first, then every rule in the order of fields.md.

import type { Finding } from '../../findings.ts';
import { Zone } from '../../catalogue/calendar.ts';
import { parseInstant, parseOffsetDateTime } from '../../catalogue/instant.ts';
import { formatAmount } from '../../catalogue/money.ts';
import type { ProductCard } from '../../contract/documents.ts';
import type {
  ExplainedDailySession,
  ExplainedFacet,
  ExplainedRules,
  ExplainedSession,
  ExplainedTier,
  ExplainResultJson,
} from '../../contract/results/explain.ts';
import { shellWord } from '../../errors.ts';
import { findingLine } from '../../findings.ts';
import { diffFields, fieldText, valueText } from '../../release/diff/document-diff.ts';
import { escapeLine } from './escape.ts';
import { folded, wallTimeText, zoneTimeText } from './text.ts';
import { countText } from './terminal.ts';

/** At most so many sessions and tiers are listed. */
const ROWS_LISTED = 30;
const FINDINGS_LISTED = 10;

/** How the front writes times and prices. */
interface FrontUnits {
  readonly when: (instant: string | null) => string;
  readonly at: string;
  readonly currency: string;
  readonly currencyExponent: number;
}

/** `db` is the address of the catalogue, for hints. */
export function explanationText(explained: ExplainResultJson, db: string): string {
  return textAfter(verdictLine(explained), explained, db);
}

/** The same for a page that has named product, front and instant. */
export function untitledExplanation(explained: ExplainResultJson, db: string): string {
  const verdict = verdictOf(explained);
  return textAfter(verdict === null ? 'It has a card.' : `No card: ${verdict}.`, explained, db);
}

/** One session, explained as if its product had no other, for a page that has named it. */
export function sessionExplanation(explained: ExplainResultJson): string {
  const { rules } = explained;
  const [session] = rules?.sessions ?? [];
  if (rules === null || session === undefined) return 'The catalogue does not have this session, or it has errors.';
  const units = unitsOf(explained);
  const [verdict = '', ...facts] = sessionFacts(session, units, true);
  const { listing, pauses } = rules;
  const lines = [
    verdict,
    ...(session.isAllocated || session.available !== null ? [] : ['seats are not limited']),
    ...facts,
    ...(listing.hidden === null ? [] : [`its product is ${visibleText(rules, units)}`]),
    ...pauses.filter((reason) => reason !== 'sessions').map((reason) => pauseText(reason, rules, units)),
  ];
  const tiers = rules.tiers.map((tier) => tierText(tier, units, VERDICTS_ON_SESSION));
  return [section('Rules', lines), section('Prices', tiers)].filter((text) => text !== '').join('\n');
}

function textAfter(verdict: string, explained: ExplainResultJson, db: string): string {
  const { reason, rules } = explained;
  const units = unitsOf(explained);
  const sections = [
    folded(verdict, '', '  '),
    ...holdingLines(explained, db),
    ...leftOutLines(explained, db),
    section('Front', frontLines(explained)),
    section('Rules', ruleLines(explained, units)),
  ];
  if (rules !== null) {
    sections.push(
      section('Sessions', sessionLines(rules, units)),
      section('Prices', priceLines(rules, units)),
      section('Card', rules.card === null ? [] : cardLines(rules, rules.card, units)),
      section(
        'Lists',
        rules.facets.map((facet) => facetText(facet, units)),
      ),
      folded(nextChangeText(reason, rules, units), '', '  '),
    );
  }
  return sections.filter((text) => text !== '').join('\n');
}

/** The first line: product, front, instant, and why the product has a card or has none. */
function verdictLine(explained: ExplainResultJson): string {
  const { product, front, at, timezone } = explained;
  const { when } = unitsOf(explained);
  const title = `${JSON.stringify(product.name)} (${product.slug}) on ${front} at ${when(at)} (${timezone ?? 'UTC'})`;
  const verdict = verdictOf(explained);
  return `${title}: ${verdict === null ? 'it has a card.' : `no card: ${verdict}.`}`;
}

/** Why the product has no card: `none of 3 sessions can still be bought`; null if it has one. */
export function verdictOf(explained: ExplainResultJson): string | null {
  const { reason } = explained;
  return reason === null ? null : reasonText(reason, explained, unitsOf(explained));
}

function unitsOf({ at, timezone, currency, currencyExponent }: ExplainResultJson): FrontUnits {
  const zone = new Zone(timezone ?? 'UTC');
  const when = (text: string | null): string => zoneTimeText(text ?? '', zone);
  return { when, at, currency: currency ?? '', currencyExponent: currencyExponent ?? 0 };
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`${title}:`, ...lines.map((line) => folded(line, '  ', '      '))].join('\n');
}

function reasonText(
  reason: NonNullable<ExplainResultJson['reason']>,
  { product, rules }: ExplainResultJson,
  units: FrontUnits,
): string {
  const total = countText(idsOf(rules?.sessions ?? []).size, 'session');
  const texts: Readonly<Record<typeof reason, string>> = {
    'front-disabled': 'the front is disabled, so nothing of it is published',
    'front-unreadable': "the front's own row cannot be read",
    'not-listed': 'the front does not list the product (no row in front_products)',
    'bad-data': 'an error in its rows leaves it out',
    'not-published': `its status is ${product.status}, not published`,
    'not-visible': rules === null ? '' : visibleText(rules, units),
    'no-sessions': 'it has no sessions',
    'not-scheduled': `none of ${total} is scheduled`,
    'not-announced': `none of ${total} has been announced`,
    'not-on-channel': `none of ${total} has a ticket price for this front's channel`,
    excluded: 'this front sells none of its scheduled sessions (front_session_exclusions)',
    over: `none of ${total} can still be bought`,
    'prices-expired': 'every public ticket price of its sessions has expired',
  };
  return texts[reason];
}

function visibleText({ listing: { hidden, visibleFrom, visibleUntil } }: ExplainedRules, { when }: FrontUnits): string {
  if (hidden === 'not-yet') return `visible on this front only from ${when(visibleFrom)}`;
  if (hidden === 'ended') return `visible on this front only until ${when(visibleUntil)}`;
  if (visibleUntil !== null) return `visible on this front until ${when(visibleUntil)}`;
  return visibleFrom === null ? 'visible at any time' : `visible on this front since ${when(visibleFrom)}`;
}

/** What of the front decides about its cards, where it is not the usual. */
function frontLines({ channel, locale, dayStartsAt }: ExplainResultJson): string[] {
  return [
    ...(channel === null ? [] : [`sells on the channel ${channel}`]),
    ...(locale === null ? [] : [`shows names in ${locale}, where texts has them`]),
    ...(dayStartsAt === null || dayStartsAt === '00:00' ? [] : [`its day begins at ${dayStartsAt}`]),
  ];
}

function holdingLines({ isHeldBack, holding }: ExplainResultJson, db: string): string[] {
  if (!isHeldBack) return [];
  return findingsSection(
    "The front's own row has errors: builds keep its last snapshot until they are corrected.",
    holding,
    db,
  );
}

function leftOutLines({ reason, leftOut }: ExplainResultJson, db: string): string[] {
  if (leftOut.length === 0) return [];
  const text =
    reason === 'bad-data'
      ? 'Errors leave the product out.'
      : 'Errors leave out some of its sessions, as if they were not scheduled.';
  return findingsSection(text, leftOut, db);
}

function findingsSection(text: string, findings: readonly Finding[], db: string): string[] {
  // Not folded, so that it can be pasted.
  const command = `  ${escapeLine(`playbill check-db --db ${shellWord(db)}`)}`;
  const listed = findings.slice(0, FINDINGS_LISTED).map((finding) => folded(findingLine(finding), '  ', '      '));
  return [folded(`${text} All of the catalogue's:`, '', '  '), command, ...listed];
}

/** The rules about the front and the product, each with yes or no. */
function ruleLines(
  { front, frontState, reason, product, rules, timezone, currency }: ExplainResultJson,
  units: FrontUnits,
): string[] {
  const line = (isTrue: boolean, text: string): string => `${isTrue ? 'yes' : 'no '} ${text}`;
  if (frontState !== 'active') return [line(false, `front ${front} is active: it is ${frontState}`)];
  const lines = [
    line(true, `front ${front} is active (${timezone}, ${currency})`),
    line(reason !== 'not-listed', 'the front lists the product'),
    line(product.status === 'published', `published: its status is ${product.status}`),
  ];
  if (rules === null) return [...lines, line(false, 'its rows are without errors')];
  if (reason !== 'not-listed') lines.push(line(rules.listing.hidden === null, visibleText(rules, units)));
  const offered = idsOf(rules.sessions.filter(({ refusal }) => refusal === null)).size;
  return [...lines, line(offered > 0, `offered: ${offered} of ${countText(idsOf(rules.sessions).size, 'session')}`)];
}

/** The sessions to which these belong: the dates of a daily one are one. */
function idsOf(sessions: readonly ExplainedSession[]): ReadonlySet<ExplainedSession['session']> {
  return new Set(sessions.map(({ session }) => session));
}

/** Counts past sessions; lists the others, a daily one once. */
function sessionLines({ sessions, dailySessions }: ExplainedRules, units: FrontUnits): string[] {
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
function sessionFacts(session: ExplainedSession, { when }: FrontUnits, isAlone = false): string[] {
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

function priceLines({ tiers, card, noPrice }: ExplainedRules, units: FrontUnits): string[] {
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
const VERDICTS_ON_SESSION: Partial<Record<ExplainedTier['verdict'], string>> = {
  'price-from': 'can be bought, and is the least of this session',
  dearer: 'can be bought',
  'no-session': 'cannot be bought now',
};

function tierText(
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

function pauseText(reason: 'product' | 'front' | 'sessions', { pausedUntil }: ExplainedRules, { when }: FrontUnits) {
  const texts = {
    product: `the product is paused ${pausedUntil === 'open' ? 'without end' : `until ${when(pausedUntil)}`}`,
    front: 'the front has paused it',
    sessions: 'every session is paused',
  };
  return texts[reason];
}

function cardLines(rules: ExplainedRules, card: ProductCard, units: FrontUnits): string[] {
  const { pauses } = rules;
  const slot = (name: string, start: string | null, isMulti: boolean | null): string =>
    `${name}: ${start === null ? 'none' : startText(start)}${isMulti === true ? ', and more' : ''}`;
  return [
    slot('nearest', card.nextScheduleSlot, card.multiScheduleSlots),
    slot('today', card.todaySlot, card.todayMultiScheduleSlots),
    slot('tomorrow', card.tomorrowSlot, card.tomorrowMultiScheduleSlots),
    slot('weekend', card.weekendSlot, card.weekendMultiScheduleSlots),
    `sold out: ${card.soldOut ? 'yes' : 'no'}`,
    `paused: ${card.paused ? `yes: ${pauses.map((reason) => pauseText(reason, rules, units)).join('; ')}` : 'no'}`,
    `featured: ${card.featured ? 'yes' : 'no'}; banner: ${card.banner ? 'yes' : 'no'}`,
  ];
}

function facetText({ kind, slug, name, refusal, validFrom, validUntil }: ExplainedFacet, { when }: FrontUnits): string {
  const refusals = {
    'no-card': 'the product has no card',
    'not-attached': 'the front does not attach it',
    'not-yet': `only from ${when(validFrom)}`,
    ended: `it ended ${when(validUntil)}`,
    rule: 'its rule does not hold',
  };
  const until = validUntil === null ? '' : ` until ${when(validUntil)}`;
  return `${kind} ${JSON.stringify(name)} (${slug}): ${refusal === null ? `shown${until}` : `not shown: ${refusals[refusal]}`}`;
}

function nextChangeText(
  reason: ExplainResultJson['reason'],
  { card, nextChange }: ExplainedRules,
  { when }: FrontUnits,
): string {
  if (reason === 'not-listed') return 'Next change: none without a row in front_products.';
  if (nextChange === null) return 'Next change: none within a year, by the clock alone.';
  const { at, card: next, reason: why } = nextChange;
  const changes = card === null || next === null ? [] : diffFields(card, next).map(fieldText);
  const what =
    next === null
      ? `${card === null ? 'still no card' : 'the card disappears'} (${why})`
      : card === null
        ? 'it gets a card'
        : changes.join('; ');
  return `Next change: ${when(at)}: ${what}.`;
}

const START = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(.*)$/;

const UTC = new Zone('UTC');

/** A session's start as printed on the ticket, with the weekday: `Fri 2026-05-01 19:00 +03:00`. */
function startText(start: string): string {
  const [, date = '', time = '', offset = ''] = START.exec(start) ?? [];
  const wall = parseInstant(`${date}T${time}Z`);
  return wall === undefined ? valueText(start) : `${wallTimeText(UTC, wall)} ${offset}`;
}
