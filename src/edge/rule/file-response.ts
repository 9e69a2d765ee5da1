// The good answers of the rule: which file, under which headers (edge.md, "Headers of a 200"). It
// opens no file; a runtime does.

import { secondsOf } from './instant.ts';
import type { EditionInForce } from './pointer.ts';
import type { FieldLine } from './request.ts';

/** Send this file of the origin root, or a precompressed sibling of it, under these headers. */
export interface FileResponse {
  readonly kind: 'serve';
  readonly status: 200;
  readonly file: string;
  readonly headers: readonly FieldLine[];
}

/** The client holds this edition already: a 304 without content. */
export interface NotModified {
  readonly kind: 'not-modified';
  readonly status: 304;
  readonly headers: readonly FieldLine[];
  readonly body: null;
}

/**
 * The header lines that a 200 and its 304 share. `at`: seconds since 1970, also as text, for the
 * comparison with `validUntil`. The answer may be kept for `maxAge` seconds at most, for as long as
 * its edition stays in force; null: not at all.
 */
export const editionHeaders = (
  edition: EditionInForce,
  instant: string,
  at: number,
  maxAge: number | null,
): readonly FieldLine[] => {
  // Cut off, never rounded up: an answer kept one second too long would be wrong for that second.
  const left = Math.max(0, Math.floor(secondsOf(edition.until) - at));
  const headers: readonly FieldLine[] = [
    ['ETag', 'W/"' + edition.digest + '"'],
    ['Cache-Control', maxAge === null ? 'no-store' : 'private, max-age=' + Math.min(maxAge, left)],
    ['Vary', 'X-Front, Accept-Encoding'],
    ['Catalogue-As-Of', edition.asOf],
    ['Catalogue-Valid-Until', edition.validUntil],
  ];
  return instant < edition.validUntil ? headers : headers.concat([['Catalogue-Stale', '?1']]);
};

/**
 * Whether `If-None-Match` names this digest, by weak comparison (RFC 9110, 13.1.2). Text between
 * two other tags does not count.
 */
export const isUnchanged = (ifNoneMatch: string | null, digest: string): boolean =>
  ifNoneMatch === '*' ||
  (!!ifNoneMatch && ifNoneMatch.split(',').some((tag) => [`"${digest}"`, `W/"${digest}"`].includes(tag.trim())));
