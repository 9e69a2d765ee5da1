// Guards keep a front's old snapshot in force if the new one looks wrong (snapshot.md, "Guards").

import { formatInstant, type Instant } from '../../catalogue/instant.ts';
import type { AllowableGuard } from '../../contract/allowable-guards.ts';
import type { Allowed } from '../../contract/manifest.ts';
import type { Guard } from '../../contract/results/parts.ts';
import { priceJumpText, type PriceJump, type PublishedPrices } from './price-jump.ts';
import type { LeftOut } from '../../render/left-out.ts';

export interface GuardOptions {
  /** The share of its cards, 0 to 1, that a front may lose in one build. */
  readonly maxShrink: number;
  /** The share of its published products, 0 to 1, that errors may affect. */
  readonly maxBad: number;
  /** Guards to override, by code. */
  readonly allow: readonly AllowableGuard[];
  /** Overrides every guard. */
  readonly force: boolean;
}

/** Whether a guard lets pass what trips it. */
export function isAllowed(guard: AllowableGuard, { allow, force }: Pick<GuardOptions, 'allow' | 'force'>): boolean {
  return force || allow.includes(guard);
}

/** What the guards compare a front with. */
export interface GuardedBefore {
  /** The instant as of which the published snapshot is right. */
  readonly now: string;
  /** How many cards the published snapshot shows at the build's `now`. */
  readonly cards: number;
  readonly prices: PublishedPrices;
}

/**
 * So few cards may go, and so few products may be affected by errors, whatever their share, unless
 * it is all of them: a small front is not held for one show that ends.
 */
const FEW = 3;

/** What the guards look at. */
export interface GuardedFront {
  readonly cards: number;
  readonly minCards: number;
  readonly leftOut: Pick<LeftOut, 'affected' | 'published'> | null;
}

/**
 * Every guard that a front trips, including overridden ones. The first that is not overridden holds
 * the front.
 */
export function guardsTripped(
  { cards, minCards, leftOut }: GuardedFront,
  published: Omit<GuardedBefore, 'prices'> | null,
  options: GuardOptions,
  now: Instant,
): readonly Guard[] {
  const tripped: Guard[] = [];
  const trip = (code: FrontGuard, message: string): void => {
    tripped.push({ code, message, isOverridden: isAllowed(code, options) });
  };
  if (published !== null && formatInstant(now) < published.now) {
    trip('now-earlier', `now ${formatInstant(now)} is earlier than the published ${published.now}`);
  }
  if (leftOut !== null && isMostOf(leftOut.affected, leftOut.published, options.maxBad)) {
    const share = `more than ${percentText(options.maxBad)}`;
    const total = `${leftOut.affected} of ${leftOut.published} published products`;
    trip('max-bad', `errors in the catalogue leave out ${total} or sessions of them, ${share}`);
  }
  if (cards < minCards) trip('min-cards', `${cards} cards, fewer than min_cards ${minCards}`);
  if (published !== null && isMostOf(published.cards - cards, published.cards, options.maxShrink)) {
    const lost = `a loss of more than ${percentText(options.maxShrink)}`;
    trip('max-shrink', `${cards} cards where ${published.cards} are published, ${lost}`);
  }
  return tripped;
}

/** The guards that look at the numbers of one front. */
type FrontGuard = Exclude<AllowableGuard, 'keys-vanished' | 'price-jump' | 'contract-lost'>;

/** The guard on prices, tripped by what is wrong with those of an edition; null if nothing is. */
export function priceGuard(jump: PriceJump | null, options: GuardOptions): Guard | null {
  if (jump === null) return null;
  return { code: 'price-jump', message: priceJumpText(jump), isOverridden: isAllowed('price-jump', options) };
}

/** Whether a part is more than a share and more than a few, or all. */
function isMostOf(part: number, whole: number, share: number): boolean {
  return part > 0 && (part === whole || part > FEW) && isMoreThanShare(part, whole, share);
}

/**
 * Whether a part is more than a share of the whole. Compared in millionths: 1 - 0.7 is not 0.3 in
 * floating point.
 */
export function isMoreThanShare(part: number, whole: number, share: number): boolean {
  return part * 1e6 > whole * Math.round(share * 1e6);
}

/** A share as percent: `30%`, `12.5%`. */
export function percentText(share: number): string {
  return `${Math.round(share * 1e4) / 100}%`;
}

/** A guard that tripped and was let pass, of a front or of the release as a whole (null). */
export interface PassedGuard {
  readonly code: Allowed[number]['code'];
  readonly front: string | null;
}

/** What a manifest says of the guards that were let pass. */
export function allowedOf(passed: readonly PassedGuard[]): Allowed {
  const codes = [...new Set(passed.map(({ code }) => code))].sort();
  return codes.map((code) => {
    const fronts = new Set(passed.flatMap((one) => (one.code === code ? [one.front] : [])));
    return { code, fronts: fronts.has(null) ? null : [...fronts].filter((front) => front !== null).sort() };
  });
}

/** What several releases say of them, as one. */
export function mergedAllowed(all: readonly Allowed[]): Allowed {
  return allowedOf(all.flat().flatMap(({ code, fronts }) => (fronts ?? [null]).map((front) => ({ code, front }))));
}
