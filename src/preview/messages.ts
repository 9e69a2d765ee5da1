// The HTTP interface between the preview's server and its page: paths and JSON bodies. Both sides
// come from one build, so neither validates the other. The server has checked everything that comes
// from the tree.

import type { ProductCard } from '../contract/documents.ts';
import type { ManifestFront } from '../contract/manifest.ts';
import type { Pointer } from '../contract/pointer.ts';
import type { ExplainedSession, ExplainResultJson } from '../contract/results/explain.ts';
import type { FrontChanges } from '../contract/results/history.ts';
import type { StatusResultJson } from '../contract/results/status.ts';
import type { Finding } from '../findings.ts';
import type { PriceJump } from '../release/publish/price-jump.ts';

/**
 * The page without pictures, and the page that may load them. They differ only in their
 * Content-Security-Policy.
 */
export const PAGE_PATH = '/';
export const PICTURES_PATH = '/with-images';

export const OVERVIEW_PATH = '/api/overview';
/**
 * The current release and time. A visible page polls it every few seconds to notice new releases.
 */
export const CURRENT_PATH = '/api/current';
/** Followed by the id of a kept release, or by `CURRENT`. */
export const RELEASES_PATH = '/api/releases/';
/**
 * Followed by the path of an edition in the tree's fronts folder:
 * `moscow/products.0123456789abcdef.json`.
 */
export const FRONTS_PATH = '/api/fronts/';
/** Followed by a release as above and the code of a front: what each edition changes. */
export const CHANGES_PATH = '/api/changes/';
/**
 * Followed by a release as above, the code of a front, and an instant: its products without a card
 * then. Needs a catalogue.
 */
export const MISSING_PATH = '/api/missing/';
/**
 * Followed by the code of a front: the categories and tags of its products, which a tree does not
 * contain. Needs a catalogue.
 */
export const LABELS_PATH = '/api/labels/';
/**
 * Followed by the code of a front, a product's slug and an instant; or between these two by the id
 * of a session and its start, for that session alone. Needs a catalogue.
 */
export const EXPLAIN_PATH = '/api/explain/';
/**
 * Followed by the code of a front and an instant: the sessions that start on the front's day then.
 * Needs a catalogue.
 */
export const DAY_PATH = '/api/day/';

/** Followed by the code of a front: the releases that the tree keeps of it. */
export const HISTORY_PATH = '/api/history/';
/** Followed by the code of a front and an instant: what `playbill status` says of it then. */
export const ALARMS_PATH = '/api/alarms/';
/**
 * Followed by the code of a front and an instant: its sessions that have a contingent. Needs a
 * catalogue.
 */
export const CONTINGENTS_PATH = '/api/contingents/';

/** A path with each part encoded, so that no part can add another. */
export function pathOf(prefix: string, ...parts: readonly string[]): string {
  return prefix + parts.map(encodeURIComponent).join('/').replaceAll('%3A', ':');
}

/** In place of a release's id: what the tree's pointers refer to now. */
export const CURRENT = 'current';

export interface CurrentRelease {
  /** The server's clock. */
  readonly now: string;
  /** The id in `releases/current`; null if it cannot be read. */
  readonly current: string | null;
}

export interface Overview extends CurrentRelease {
  /** The tree's root, as given by --out. */
  readonly root: string;
  /** The catalogue, as given by --db; null if the preview runs without one. */
  readonly database: string | null;
  /** Latest first. */
  readonly releases: readonly { readonly id: string; readonly now: string }[];
}

/** The fronts of a release with their pointers. */
export interface PreviewRelease {
  /** An id, or `CURRENT`. */
  readonly id: string;
  /** Sorted by code. */
  readonly fronts: readonly PreviewFront[];
}

export interface PreviewFront {
  readonly front: string;
  /** null if it cannot be read; `problem` says why. */
  readonly pointer: Pointer | null;
  readonly problem: string | null;
  /** From the manifest; null if no manifest has this pointer. */
  readonly record: FrontRecord | null;
}

export type FrontRecord = Pick<ManifestFront, 'held' | 'cards' | 'dropped' | 'currency'>;

/** What an edition changes against the edition before. */
export interface EditionChange {
  /** The number of elements that differ. */
  readonly count: number;
  /** The ids of the products whose cards differ; those whose card is gone included. */
  readonly products: readonly number[];
}

/** For each edition, in the pointer's order; null if it or the one before cannot be read. */
export type EditionChanges = readonly (EditionChange | null)[];

/** Slugs of the categories and tags of a product. */
export interface ProductLabels {
  readonly slug: string;
  readonly categories: readonly string[];
  readonly tags: readonly string[];
}

/** A product that the front lists but that has no card. */
export interface MissingProduct {
  readonly slug: string;
  readonly name: string;
  /** A key of a manifest's `dropped`, or the reason why the front or product cannot be read. */
  readonly reason: string;
  /** The reason in the words of `explain`: `none of 3 sessions can still be bought`. */
  readonly verdict: string;
}

/** A kept release as a front sees it. */
export interface HistoryEntry {
  readonly id: string;
  readonly now: string;
  readonly isCurrent: boolean;
  /** null if the release does not have the front. */
  readonly listing: Pick<ManifestFront, 'pointer' | 'held' | 'cards' | 'cardsByEdition' | 'prices' | 'currency'> | null;
  /** Guards that were let pass. */
  readonly allowed: readonly string[];
  /** The next older release; null if there is none. */
  readonly since: string | null;
  /** null if nothing changed since. */
  readonly changes: FrontChanges | null;
  readonly priceJump: PriceJump | null;
}

/** What `playbill status` says at an instant: of a front, and of the tree that it is in. */
export interface FrontAlarms {
  readonly at: string;
  /** The exit code of the command, which speaks for all fronts. */
  readonly exit: 0 | 1;
  readonly fronts: number;
  readonly stale: number;
  readonly hold: StatusResultJson['hold'];
  /** The release that a rollback of this front alone holds it at. */
  readonly heldAt: string | null;
  /** null if it is not published. */
  readonly front: StatusResultJson['fronts'][number] | null;
  /** About this front, or about the tree. */
  readonly findings: readonly Finding[];
}

/** A session of which the front may sell only so many seats. */
export interface Contingent {
  readonly slug: string;
  readonly name: string;
  /** The venue's wall time. */
  readonly start: string;
  readonly left: number;
}

/**
 * How visitors of a front find a session: the first rule that refuses it, or how it is sold.
 * `offered` is all that can be said without a catalogue.
 */
export type SessionState =
  | NonNullable<ExplainedSession['refusal']>
  | 'not-visible'
  | 'sold-out'
  | 'paused'
  | 'not-on-sale'
  | 'on-sale'
  | 'offered';

/** The sessions that start on one day of a front. */
export interface DaySessions {
  readonly from: string;
  readonly until: string;
  /** In the catalogue: a front that is not active has no products there. */
  readonly frontState: ExplainResultJson['frontState'];
  /** Those with a session on the day, in the order of the front's cards. */
  readonly products: readonly DayProduct[];
  /** How many products with a session on the day errors leave out, wholly or in part. */
  readonly leftOut: number;
}

export interface DayProduct {
  readonly productId: number;
  readonly slug: string;
  readonly name: string;
  /** By (start, id). */
  readonly sessions: readonly DaySession[];
}

/** A session, or one date of a daily session. */
export interface DaySession {
  readonly id: string;
  /** In the venue's wall time, as documents print it. */
  readonly start: string;
  /** null if the catalogue does not say. */
  readonly end: string | null;
  readonly venueId: string;
  readonly venue: string;
  /** Seats left; null if not limited. */
  readonly available: number | null;
  /** Whether that is what the front has left of its own contingent. */
  readonly isAllocated: boolean;
  /** Ascending; the first begins with the day. */
  readonly states: readonly DayState[];
}

export interface DayState {
  readonly from: string;
  readonly state: SessionState;
  /** The least that a visitor pays; null if there is no price, or the session is not sold. */
  readonly priceFrom: number | null;
}

/** The output of `explain`, without product, front and instant in its first line. */
export interface Explanation {
  readonly text: string;
}

/** What an exported page has instead of a server. */
export interface ExportedPage {
  /** The query of the address that it shows. */
  readonly query: string;
  readonly made: string;
  /** The id of the release; null if no manifest names it. */
  readonly release: string | null;
  /** By path, as the server answers; but `productCards` of an edition are indexes of `cards`. */
  readonly answers: Readonly<Record<string, object>>;
  readonly cards: readonly ProductCard[];
}

/** The body of every response that is not 200. */
export interface ApiError {
  readonly error: { readonly code: string; readonly message: string; readonly hint: string };
}
