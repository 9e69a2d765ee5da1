// Formats an explanation as text: the verdict first, then every rule in the order of fields.md.

import type { Finding } from '../../findings.ts';
import { Zone } from '../../catalogue/calendar.ts';
import type { ProductCard } from '../../contract/documents.ts';
import type { ExplainedFacet, ExplainedRules, ExplainResultJson } from '../../contract/results/explain.ts';
import { shellWord } from '../../errors.ts';
import { findingLine } from '../../findings.ts';
import { diffFields, fieldText } from '../../release/diff/document-diff.ts';
import { escapeLine } from './escape.ts';
import {
  idsOf,
  sessionLines,
  sessionFacts,
  priceLines,
  tierText,
  startText,
  VERDICTS_ON_SESSION,
  type FrontUnits,
} from './explain-sessions.ts';
import { folded, zoneTimeText } from './text.ts';
import { countText } from '../../count-text.ts';

const FINDINGS_LISTED = 10;

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
