// What the server of the preview sends to its page, and at which paths. Both are of one build, so neither checks the other; what comes
// from the tree was checked by the server.

import type { ManifestFront } from '../contract/manifest.ts';
import type { Pointer } from '../contract/pointer.ts';

/** The page without pictures, and the page that may load them: the two differ in their Content-Security-Policy alone. */
export const PAGE_PATH = '/';
export const PICTURES_PATH = '/with-images';

export const OVERVIEW_PATH = '/api/overview';
/** Asked every few seconds by a page that is seen: whether a build has published since, and what time it is. */
export const CURRENT_PATH = '/api/current';
/** Followed by the id of a kept release, or by `IN_FORCE`. */
export const RELEASES_PATH = '/api/releases/';
/** Followed by the path of an edition below the tree's fronts: `moscow/products.0123456789abcdef.json`. */
export const FRONTS_PATH = '/api/fronts/';
/** Followed by a release as above and the code of a front: how much each edition changes. */
export const CHANGES_PATH = '/api/changes/';
/** Followed by the code of a front and an instant: its products without a card. Where there is a catalogue. */
export const MISSING_PATH = '/api/missing/';
/** Followed by the code of a front, a product's slug and an instant. Where there is a catalogue. */
export const EXPLAIN_PATH = '/api/explain/';

/** Instead of a release's id: what the pointers of the tree name now. */
export const IN_FORCE = 'in-force';

export interface CurrentRelease {
  /** The server's clock. */
  readonly now: string;
  /** The id in `releases/current`; null where it cannot be read. */
  readonly current: string | null;
}

export interface Overview extends CurrentRelease {
  /** The tree's root folder, as the operator named it. */
  readonly root: string;
  /** The catalogue that can be asked why, as the operator named it; null where the preview has none. */
  readonly database: string | null;
  /** Latest first; `now` is null where the manifest cannot be read. */
  readonly releases: readonly { readonly id: string; readonly now: string | null }[];
}

/** A release, or what is in force: each front with its pointer. */
export interface PreviewRelease {
  /** An id, or `IN_FORCE`. */
  readonly id: string;
  /** By code. */
  readonly fronts: readonly PreviewFront[];
}

export interface PreviewFront {
  readonly front: string;
  /** null where it cannot be read; `problem` says why. */
  readonly pointer: Pointer | null;
  readonly problem: string | null;
  /** From the manifest; null where no manifest has this pointer. */
  readonly record: FrontRecord | null;
}

export type FrontRecord = Pick<ManifestFront, 'held' | 'cards' | 'dropped' | 'currency'>;

/** By edition, in the pointer's order: how many elements differ from the edition before; null where one of the two cannot be read. */
export type ChangeCounts = readonly (number | null)[];

/** A product that the front lists and that has no card. */
export interface MissingProduct {
  readonly slug: string;
  readonly name: string;
  /** As in a manifest's `dropped`, or why neither can be read. */
  readonly reason: string;
  /** The first line of `explain`. */
  readonly verdict: string;
}

/** What `explain` prints. */
export interface Explanation {
  readonly text: string;
}

/** The body of every answer but a 200. */
export interface ApiError {
  readonly error: { readonly code: string; readonly message: string; readonly hint: string };
}
