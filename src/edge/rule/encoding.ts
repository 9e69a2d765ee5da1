// Which content encodings a client accepts. Says nothing about which precompressed siblings exist.

export type SiblingEncoding = 'br' | 'gzip';

/** The end of a sibling's name, behind that of the plain file. */
export const SIBLING_SUFFIX = { br: '.br', gzip: '.gz' } as const;

/** Whether a header names a coding, and not with a weight of zero (RFC 9110, 12.5.3). */
const isAccepted = (header: string, coding: SiblingEncoding): boolean =>
  new RegExp(`(^|,)[ \t]*${coding}[ \t]*($|,|;[ \t]*q=[^,]*[1-9])`, 'i').test(header);

/** Those of the candidates that `Accept-Encoding` names, in their order. `*` selects none: the plain file is as good an answer to it. */
export const acceptedEncodings = (
  header: string | null,
  candidates: readonly SiblingEncoding[],
): readonly SiblingEncoding[] => (header ? candidates.filter((coding) => isAccepted(header, coding)) : []);
