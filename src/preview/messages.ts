// What the server of the preview tells its page, and at which paths. Both are of one build, so neither checks the other's word;
// what comes from the tree was checked by the server.

import type { ManifestFront } from '../contract/manifest.ts';
import type { Pointer } from '../contract/pointer.ts';

/** The page without pictures, and the page that may load them: the two differ in their Content-Security-Policy alone. */
export const PAGE_PATH = '/';
export const PICTURES_PATH = '/with-images';

export const OVERVIEW_PATH = '/api/overview';
/** Followed by the id of a kept release, or by `IN_FORCE`. */
export const RELEASES_PATH = '/api/releases/';
/** Followed by the path of an edition below the tree's fronts: `moscow/products.0123456789abcdef.json`. */
export const FRONTS_PATH = '/api/fronts/';

/** In the place of a release's id: what the pointers of the tree name now. */
export const IN_FORCE = 'in-force';

export interface Overview {
  /** Where the tree is, as the operator named it. */
  readonly place: string;
  /** The server's clock. */
  readonly now: string;
  /** The id in `releases/current`; null where there is none that can be read. */
  readonly current: string | null;
  /** Latest first. */
  readonly releases: readonly ReleaseSummary[];
}

export interface ReleaseSummary {
  readonly id: string;
  /** null where the manifest cannot be read. */
  readonly now: string | null;
}

/** A release, or what is in force: each front with its pointer. */
export interface ReleaseView {
  /** An id, or `IN_FORCE`. */
  readonly id: string;
  /** By code. */
  readonly fronts: readonly FrontView[];
}

export interface FrontView {
  readonly front: string;
  /** null where it cannot be read: then `problem` says why. */
  readonly pointer: Pointer | null;
  readonly problem: string | null;
  /** What the manifest says beside the pointer; null where no manifest speaks of this pointer. */
  readonly record: FrontRecord | null;
}

export type FrontRecord = Pick<ManifestFront, 'held' | 'cards' | 'dropped' | 'currency'>;

/** What a path answers that cannot give what was asked. */
export interface Refusal {
  readonly error: { readonly code: string; readonly message: string; readonly hint: string };
}
