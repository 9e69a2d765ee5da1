// Guards keep a front's old snapshot in force if the new one looks wrong (snapshot.md, "Guards").

import { formatInstant, type Instant } from '../../catalogue/instant.ts';
import type { AllowableGuard } from '../../contract/allowable-guards.ts';
import type { Guard } from '../../contract/results/parts.ts';

export interface GuardOptions {
  /** The share of its cards, 0 to 1, that a front may lose in one build. */
  readonly maxShrink: number;
  /** Overrides the guards on the number of cards. */
  readonly allowShrink: boolean;
  /** Guards to override, by code. */
  readonly allow?: readonly AllowableGuard[];
  /** Overrides every guard. */
  readonly force: boolean;
}

/** What the guards compare a front with. */
export interface GuardedBefore {
  /** The instant as of which the published snapshot is right. */
  readonly now: string;
  /** How many cards the published snapshot shows at the build's `now`. */
  readonly cards: number;
}

/**
 * So few cards may go whatever their share, unless none would be left: a small front is not held
 * for one show that ends.
 */
const CARDS_MAY_GO = 3;

/**
 * Every guard that a front trips, including overridden ones. The first that is not overridden holds
 * the front.
 */
export function guardsTripped(
  front: { readonly cards: number; readonly minCards: number },
  published: GuardedBefore | null,
  options: GuardOptions,
  now: Instant,
): readonly Guard[] {
  const tripped: Guard[] = [];
  const isShrinkAllowed = options.allowShrink || options.force;
  if (published !== null && formatInstant(now) < published.now) {
    const message = `now ${formatInstant(now)} is earlier than the published ${published.now}`;
    tripped.push({ code: 'now-earlier', message, isOverridden: options.force });
  }
  if (front.cards < front.minCards) {
    const message = `${front.cards} cards, fewer than min_cards ${front.minCards}`;
    tripped.push({ code: 'min-cards', message, isOverridden: isShrinkAllowed });
  }
  const lost = published === null ? 0 : published.cards - front.cards;
  const isMany = lost > CARDS_MAY_GO || front.cards === 0;
  if (published !== null && isMany && isMoreThanShare(lost, published.cards, options.maxShrink)) {
    const message = `${front.cards} cards where ${published.cards} are published, a loss of more than ${percentText(options.maxShrink)}`;
    tripped.push({ code: 'max-shrink', message, isOverridden: isShrinkAllowed });
  }
  return tripped;
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
