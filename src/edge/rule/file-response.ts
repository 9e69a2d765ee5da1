// The good answers of the rule: which file, under which headers (edge.md, "Headers of a 200"). It opens no file; a runtime does.

import { secondsOf } from './instant.ts';
import type { Edition } from './pointer.ts';
import type { FieldLine } from './request.ts';

/** Send this file of the origin root, or a precompressed sibling of it, under these headers. */
export interface Service {
  readonly kind: 'serve';
  readonly status: 200;
  readonly file: string;
  readonly headers: readonly FieldLine[];
}

/** The client holds this edition already: a 304 without content. */
export interface Unchanged {
  readonly kind: 'unchanged';
  readonly status: 304;
  readonly headers: readonly FieldLine[];
  readonly body: null;
}

/** How long an answer may be kept: `max-age` seconds, or null for not at all. */
export type Freshness = number | null;

/** Whole seconds for which an edition stays in force at `at` (seconds since 1970, fractions count), at most `cap`; 0 once it is stale. */
export const freshnessOf = (edition: Edition, at: number, cap: number): number =>
  // Cut off, never rounded up: an answer kept one second too long would be wrong for that second.
  Math.max(0, Math.min(cap, Math.floor(secondsOf(edition.until) - at)));

/** The header lines that a 200 and its 304 share. `instant` as text, for the one comparison with `validUntil`. */
export const editionHeaders = (edition: Edition, instant: string, freshness: Freshness): readonly FieldLine[] => {
  const headers: readonly FieldLine[] = [
    ['ETag', `W/"${edition.digest}"`],
    ['Cache-Control', freshness === null ? 'no-store' : `private, max-age=${freshness}`],
    ['Vary', 'X-Front, Accept-Encoding'],
    ['Catalogue-As-Of', edition.asOf],
    ['Catalogue-Valid-Until', edition.validUntil],
  ];
  return instant < edition.validUntil ? headers : headers.concat([['Catalogue-Stale', '?1']]);
};

/** Whether `If-None-Match` names this digest, by weak comparison (RFC 9110, 13.1.2). A tag is quoted and holds no quote itself. */
export const isUnchanged = (ifNoneMatch: string | null, digest: string): boolean =>
  ifNoneMatch === '*' || (ifNoneMatch ?? '').includes(`"${digest}"`);
