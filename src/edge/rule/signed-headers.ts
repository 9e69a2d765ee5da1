// The signature profile `signed-headers`: an API key, a timestamp and an HMAC over a list of
// headers, as clients of ticketing systems make it (data/signing.md). Canonical forms only. What it
// signs begins with the method, and what rfc9421 signs with a quote: a signature under one is wrong
// under the other, even by the same secret.

import { COVERED_MAX, MALFORMED, MISSING, type SignatureProfile, type SignedRequest } from './profile.ts';
import type { Reason } from './refusal-codes.ts';
import { type FieldLine, type RuleRequest, type SignedParts, targetPath, targetQuery } from './request.ts';

const KEY = 'x-api-key';
const LIST = 'x-api-signed-headers';
const TIMESTAMP = 'x-api-timestamp';
const SIGNATURE = 'x-api-signature';

/** What must be signed, in the order that every list has. */
export const REQUIRED_HEADERS: readonly string[] = [KEY, LIST, TIMESTAMP, 'x-front'];

/** SHA-256 of no body. */
export const NO_BODY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const challenge = (): readonly FieldLine[] => [
  ['WWW-Authenticate', 'Signed-Headers headers="' + REQUIRED_HEADERS.join(';') + '"'],
];

/**
 * Malformed comes before missing, so that a torn header is never called unsigned. A request with
 * only a key and a time counts as unsigned.
 */
const readSignedRequest = (request: RuleRequest): SignedRequest | Reason => {
  const list = valueOf(request, LIST);
  const hex = valueOf(request, SIGNATURE);
  const names = namesIn(list ?? KEY);
  if (!names || !/^[a-f\d]{64}$/.test(hex ?? NO_BODY)) return MALFORMED;
  if (!list || !hex) return MISSING;
  if (!REQUIRED_HEADERS.every((name) => names.includes(name))) return 'signature-component-missing';

  const keyid = valueOf(request, KEY) ?? '';
  const createdMs = timeOf(valueOf(request, TIMESTAMP) ?? '');
  if (createdMs === null || !/^[\w.:-]{1,128}$/.test(keyid)) return MALFORMED;
  return {
    keyid,
    alg: undefined,
    created: Math.floor(createdMs / 1000),
    expires: Infinity,
    signature: base64OfHex(hex),
    readBase: () => {
      // A character beyond ASCII may become ASCII in lower case.
      const isPlain = (value: string | undefined): boolean => /^[\t -~]+$/.test(value || '?');
      const isOnce = (name: string): boolean => request.lines(name).length === 1 && isPlain(valueOf(request, name));
      return isPlain(request.target) && names.every(isOnce) ? { base: canonicalText(request, names) } : MALFORMED;
    },
  };
};

/** The value of a field; empty when it is repeated, undefined when it is missing. */
const valueOf = (request: SignedParts, name: string): string | undefined => {
  const lines = request.lines(name);
  return lines.length > 1 ? '' : lines[0];
};

/**
 * The names in `a;b`: of fields, in lower case, each once and sorted, not the signature itself, and
 * not too many; null for anything else.
 */
const namesIn = (list: string): readonly string[] | null => {
  // As long as a Signature-Input may be.
  if (list.length > 2048) return null;
  const names = list.split(';');
  if (names.length > COVERED_MAX) return null;
  const isSorted = names.every(
    (name, i) => /^[a-z\d!#$%&'*+.^_`|~-]+$/.test(name) && name !== SIGNATURE && (names[i - 1] ?? '') < name,
  );
  return isSorted ? names : null;
};

/**
 * Milliseconds since 1970 of `2026-05-01T09:00:00.000Z`; null for any other form, and for a date
 * that does not exist.
 */
const timeOf = (timestamp: string): number | null => {
  const ms = /^[\dT:.Z-]{24}$/.test(timestamp) ? Date.parse(timestamp) : NaN;
  return !isNaN(ms) && new Date(ms).toISOString() === timestamp ? ms : null;
};

/**
 * What is signed. `names`: those of the signed headers, sorted. The query's parameters are sorted
 * as they stand, and nothing is decoded.
 */
export const canonicalText = (request: SignedParts, names: readonly string[]): string => {
  const query = targetQuery(request.target).slice(1).split('&').sort().join('&');
  const lines = names.map((name) => name + ':' + normalized(valueOf(request, name) ?? ''));
  return [request.method, targetPath(request.target), query].concat(lines, names.join(';'), NO_BODY).join('\n');
};

/** Without a regular expression, which costs njs a microsecond for each blank. */
const normalized = (value: string): string =>
  value
    .toLowerCase()
    .split('\t')
    .join(' ')
    .split(' ')
    .filter((word) => word)
    .join(' ');

/**
 * Canonical base64 of the 32 bytes in 64 digits: three digits are two characters, and two more
 * zeros fill the last three.
 */
const base64OfHex = (hex: string): string =>
  (hex + '00')
    .replace(/.../g, (digits) => {
      const bits = parseInt(digits, 16);
      return BASE64.charAt(bits >> 6) + BASE64.charAt(bits & 63);
    })
    .slice(0, 43) + '=';

export const signedHeaders: SignatureProfile = { challenge, readSignedRequest };
