// Which content encodings a client accepts. Says nothing about which precompressed siblings exist.

export type SiblingEncoding = 'br' | 'gzip';

/** The end of a sibling's name, behind that of the plain file. */
export const SIBLING_SUFFIX = { br: '.br', gzip: '.gz' } as const;

/**
 * A coding that a header names, and not with a weight of zero (RFC 9110, 12.5.3). Literals: njs
 * would compile others at every request.
 */
const ACCEPTED = {
  br: /(^|,)\s*br\s*($|,|;\s*q=[^,]*[1-9])/i,
  gzip: /(^|,)\s*gzip\s*($|,|;\s*q=[^,]*[1-9])/i,
};

/**
 * Those of the candidates that `Accept-Encoding` names, in their order. `*` selects none: the plain
 * file is as good an answer to it.
 */
export const acceptedEncodings = (
  header: string | null,
  candidates: readonly SiblingEncoding[],
): readonly SiblingEncoding[] => candidates.filter((coding) => ACCEPTED[coding].test(header ?? ''));
