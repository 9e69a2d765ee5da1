// An explanation in words that can be read out: the verdict first, then each rule in the order of fields.md.

import { Zone } from '../../catalogue/calendar.ts';
import type { CardFacts } from '../../catalogue/card-facts.ts';
import type { ExplainedFacet, ExplainedSession, ExplainedTier, Explanation } from '../../catalogue/explanation.ts';
import { findingLine } from '../../findings.ts';
import { parseInstant, parseOffsetDateTime } from '../../catalogue/instant.ts';
import { formatAmount } from '../../catalogue/money.ts';
import type { NoCardReason, ProductExplanation } from '../../operations/explain.ts';
import { diffFields, fieldWords, valueWords } from '../../release/diff/document-diff.ts';
import { folded, wallTimeText } from './text.ts';
import { countText } from './terminal.ts';

/** How many sessions and tiers are told one by one. */
const ROWS_TOLD = 30;

/** What all the words need: the front's clock and money. */
interface Words {
  readonly when: (instant: string) => string;
  readonly at: string;
  readonly currency: string;
  readonly currencyExponent: number;
}

export function explanationText(explained: ProductExplanation): string {
  const { product, front, at, timezone, reason, rules } = explained;
  const zone = new Zone(timezone ?? 'UTC');
  const words: Words = {
    when: (text) => {
      const instant = parseInstant(text);
      return instant === undefined ? text : wallTimeText(zone, instant);
    },
    at,
    currency: explained.currency ?? '',
    currencyExponent: explained.currencyExponent ?? 0,
  };
  const title = `${JSON.stringify(product.name)} (${product.slug}) on ${front} at ${words.when(at)} (${zone.name})`;
  const verdict = reason === null ? 'it has a card.' : `no card: ${reasonWords(reason, explained, words)}.`;
  const sections = [
    folded(`${title}: ${verdict}`, '', '  '),
    ...holdingLines(explained),
    section('Rules', ruleLines(explained, words)),
  ];
  if (rules !== null) {
    sections.push(section('Sessions', sessionLines(rules.sessions, words)));
    sections.push(section('Prices', priceLines(rules, words)));
    if (rules.card !== null) sections.push(section('Card', cardLines(rules, rules.card, words)));
    sections.push(
      section(
        'Lists',
        rules.facets.map((facet) => facetLine(facet, words)),
      ),
    );
    sections.push(folded(nextWords(explained, rules, words), '', '  '));
  }
  return sections.filter((text) => text !== '').join('\n');
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`${title}:`, ...lines.map((line) => folded(line, '  ', '      '))].join('\n');
}

function reasonWords(reason: NoCardReason, { product, rules }: ProductExplanation, words: Words): string {
  const total = countText(rules?.sessions.length ?? 0, 'session');
  switch (reason) {
    case 'front-disabled':
      return 'the front is disabled, so nothing of it is published';
    case 'front-unreadable':
      return "the front's own row cannot be read";
    case 'not-on-shelf':
      return "the product is not on the front's shelf (no row in front_products)";
    case 'product-unreadable':
      return 'its rows cannot be read (see what holds the front back)';
    case 'not-published':
      return `its status is ${product.status}, not published`;
    case 'not-visible':
      return visibleWords(rules, words);
    case 'no-sessions':
      return 'it has no sessions';
    case 'not-scheduled':
      return `of ${total} none is scheduled`;
    case 'excluded':
      return 'this front sells none of its scheduled sessions (front_session_exclusions)';
    case 'over':
      return `of ${total} none can be bought any more`;
    case 'prices-expired':
      return 'every public ticket price of its sessions has expired';
  }
}

function visibleWords(rules: Explanation | null, { when, at }: Words): string {
  const { visibleFrom = null, visibleUntil = null } = rules?.shelf ?? {};
  if (visibleFrom !== null && at < visibleFrom) return `visible on this front only from ${when(visibleFrom)}`;
  if (visibleUntil !== null && at >= visibleUntil) return `visible on this front only until ${when(visibleUntil)}`;
  if (visibleUntil !== null) return `visible on this front until ${when(visibleUntil)}`;
  return visibleFrom === null ? 'visible at any time' : `visible on this front since ${when(visibleFrom)}`;
}

function holdingLines({ isHeldBack, holding }: ProductExplanation): string[] {
  if (!isHeldBack) return [];
  const words =
    'The front is held back by findings: builds leave its last snapshot as it is until they are mended (see: playbill check-db).';
  const told = holding.slice(0, 10).map((finding) => folded(findingLine(finding), '  ', '      '));
  return [folded(words, '', '  '), ...told];
}

/** The rules on front and product, each with yes or no. */
function ruleLines(
  { front, frontState, reason, product, rules, timezone, currency }: ProductExplanation,
  words: Words,
): string[] {
  const line = (isTrue: boolean, text: string): string => `${isTrue ? 'yes' : 'no '} ${text}`;
  const active =
    frontState === 'active'
      ? `front ${front} is active (${timezone}, ${currency})`
      : `front ${front} is active: it is ${frontState}`;
  const lines = [line(frontState === 'active', active)];
  if (frontState !== 'active') return lines;
  lines.push(line(reason !== 'not-on-shelf', "on the front's shelf"));
  lines.push(line(product.status === 'published', `published: its status is ${product.status}`));
  if (rules === null) return [...lines, line(false, 'its rows can be read')];
  if (reason !== 'not-on-shelf') lines.push(line(isVisible(rules, words), visibleWords(rules, words)));
  const offered = rules.sessions.filter(({ refusal }) => refusal === null).length;
  return [...lines, line(offered > 0, `offered: ${offered} of ${countText(rules.sessions.length, 'session')}`)];
}

function isVisible({ shelf: { visibleFrom, visibleUntil } }: Explanation, { at }: Words): boolean {
  return (visibleFrom === null || at >= visibleFrom) && (visibleUntil === null || at < visibleUntil);
}

/** Sessions that may still be bought one by one, those that are past as a number. */
function sessionLines(sessions: readonly ExplainedSession[], words: Words): string[] {
  const now = parseInstant(words.at) ?? 0;
  const isPast = ({ refusal, start, salesEndAt }: ExplainedSession): boolean =>
    refusal !== null && ((salesEndAt === null ? parseOffsetDateTime(start) : parseInstant(salesEndAt)) ?? 0) <= now;
  const past = sessions.filter(isPast);
  const coming = sessions.filter((session) => !isPast(session));
  const last = past.at(-1);
  return [
    ...(last === undefined
      ? []
      : [`${countText(past.length, 'session')} over, the last of them ${startWords(last.start)}`]),
    ...coming.slice(0, ROWS_TOLD).map((session) => sessionWords(session, words)),
    ...moreLine(coming.length),
  ];
}

function moreLine(total: number): string[] {
  return total > ROWS_TOLD ? [`… ${total - ROWS_TOLD} more (--json tells all)`] : [];
}

function sessionWords(session: ExplainedSession, { when }: Words): string {
  const { refusal, soldOut, isInPool, isOnSale, salesStartAt, salesEndAt, isPaused, available, days } = session;
  const facts = [refusal === null ? 'offered' : `not offered: ${refusalWords(session)}`];
  if (soldOut !== null) {
    facts.push(soldOut === 'no-seats' ? 'sold out: no seats left' : 'sold out: nothing left at any price');
    facts.push(isInPool ? 'shown, since all are sold out' : 'not shown, since others are not');
  } else if (available !== null && refusal === null) facts.push(`${countText(available, 'seat')} left`);
  if (!isOnSale && refusal === null && soldOut === null && salesStartAt !== null)
    facts.push(`sales begin ${when(salesStartAt)}, until then it has no price`);
  if (salesEndAt !== null && refusal === null) facts.push(`sales end ${when(salesEndAt)}`);
  if (isPaused) facts.push('paused');
  if (days.length > 0 && refusal === null) facts.push(days.join(' and '));
  return `${startWords(session.start)}, session ${session.session}, ${JSON.stringify(session.venue)}: ${facts.join('; ')}`;
}

function refusalWords({ refusal, status }: ExplainedSession): string {
  switch (refusal) {
    case null:
      return '';
    case 'not-scheduled':
      return `its status is ${status}`;
    case 'excluded':
      return 'this front does not sell it (front_session_exclusions)';
    case 'over':
      return 'it can no longer be bought';
    case 'prices-expired':
      return 'every public ticket price has expired';
    case 'product-not-published':
      return 'the product is not published';
  }
}

function priceLines({ tiers, card, sessions }: Explanation, words: Words): string[] {
  const lines = tiers.slice(0, ROWS_TOLD).map((tier) => tierWords(tier, words));
  const price = card?.priceFrom ?? null;
  if (card === null) return [...lines, ...moreLine(tiers.length)];
  const isAnyOnSale = sessions.some(({ isInPool, isOnSale }) => isInPool && isOnSale);
  const why = card.soldOut
    ? 'everything is sold out'
    : isAnyOnSale
      ? 'no tier counts now'
      : 'sales of no session have begun';
  const from = price === null ? `no priceFrom: ${why}` : `priceFrom is ${price} ${words.currency}`;
  return [from, ...lines, ...moreLine(tiers.length)];
}

function tierWords(tier: ExplainedTier, words: Words): string {
  const { name, session, amountMinor, currency } = tier;
  const amount =
    currency === words.currency ? formatAmount(amountMinor, words.currencyExponent) : `${amountMinor} minor units of`;
  const whose = session === null ? 'default' : `of session ${session}`;
  return `${amount} ${currency}, tier ${tier.tier} ${JSON.stringify(name)}, ${whose}: ${verdictWords(tier, words)}`;
}

function verdictWords({ verdict, validFrom, validUntil }: ExplainedTier, { when, currency }: Words): string {
  switch (verdict) {
    case 'price-from':
      return 'this is priceFrom';
    case 'dearer':
      return 'counts, but another costs less';
    case 'addon':
      return 'an add-on, which never counts';
    case 'private':
      return 'private, which never counts';
    case 'not-counted':
      return 'left out by its in_price_from';
    case 'other-currency':
      return `not in ${currency}, the currency of the front`;
    case 'not-yet-valid':
      return `valid only from ${when(validFrom ?? '')}`;
    case 'expired':
      return `expired ${when(validUntil ?? '')}`;
    case 'none-left':
      return 'none left';
    case 'no-session':
      return 'no session that can be bought now has it';
  }
}

function cardLines({ shelf, pausedUntil, sessions }: Explanation, card: CardFacts, { when }: Words): string[] {
  const slot = (name: string, start: string | null, isMulti: boolean | null): string =>
    `${name}: ${start === null ? 'none' : startWords(start)}${isMulti === true ? ', and more' : ''}`;
  const pauses = [
    ...(pausedUntil === null
      ? []
      : [`the product is paused ${pausedUntil === 'open' ? 'without end' : `until ${when(pausedUntil)}`}`]),
    ...(shelf.paused ? ['the front has paused it'] : []),
    ...(sessions.filter(({ isInPool }) => isInPool).every(({ isPaused }) => isPaused)
      ? ['every session is paused']
      : []),
  ];
  return [
    slot('nearest', card.nextScheduleSlot, card.multiScheduleSlots),
    slot('today', card.todaySlot, card.todayMultiScheduleSlots),
    slot('tomorrow', card.tomorrowSlot, card.tomorrowMultiScheduleSlots),
    slot('weekend', card.weekendSlot, card.weekendMultiScheduleSlots),
    `sold out: ${card.soldOut ? 'yes' : 'no'}`,
    `paused: ${card.paused ? `yes: ${pauses.join('; ')}` : 'no'}`,
    `featured: ${shelf.featured ? 'yes' : 'no'}; banner: ${shelf.banner ? 'yes' : 'no'}`,
  ];
}

function facetLine({ kind, slug, name, refusal, validFrom, validUntil }: ExplainedFacet, { when }: Words): string {
  const until = validUntil === null ? '' : ` until ${when(validUntil)}`;
  const why = {
    'no-card': 'not shown: the product has no card',
    'not-attached': 'not shown: the front does not attach it',
    'not-yet': `not shown: only from ${when(validFrom ?? '')}`,
    ended: `not shown: it ended ${when(validUntil ?? '')}`,
  };
  return `${kind} ${JSON.stringify(name)} (${slug}): ${refusal === null ? `shown${until}` : why[refusal]}`;
}

function nextWords(explained: ProductExplanation, { card, nextChange }: Explanation, words: Words): string {
  if (explained.reason === 'not-on-shelf') return 'Next change: none without a row in front_products.';
  if (nextChange === null) return 'Next change: none within a year, by the clock alone.';
  const when = `Next change: ${words.when(nextChange.at)}`;
  if (nextChange.card === null) {
    return `${when}: ${card === null ? 'still no card' : 'the card goes'} (${nextChange.reason ?? ''}).`;
  }
  if (card === null) return `${when}: it gets a card.`;
  return `${when}: ${diffFields({ ...card }, { ...nextChange.card })
    .map(fieldWords)
    .join('; ')}.`;
}

const START = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(.*)$/;

/** A session's start as its ticket says it, with the weekday: `Fri 2026-05-01 19:00 +03:00`. */
function startWords(start: string): string {
  const [, date = '', time = '', offset = ''] = START.exec(start) ?? [];
  const wall = parseInstant(`${date}T${time}Z`);
  return wall === undefined ? valueWords(start) : `${wallTimeText(UTC, wall)} ${offset}`;
}

const UTC = new Zone('UTC');
