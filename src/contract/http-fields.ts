// The header fields of requests and answers, as the OpenAPI document describes them. What the edge rule sends is checked against this
// by a test; the rule itself does not read it.

import * as z from 'zod';
import { frontCode, instantText } from './primitives.ts';

/** The keywords of a string's schema. */
function keywordsOf(schema: z.ZodString): Readonly<Record<string, unknown>> {
  const { $schema: _, description: __, examples: ___, ...keywords } = z.toJSONSchema(schema);
  return keywords;
}

interface Header {
  readonly description: string;
  readonly required: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example: string;
}

function header(description: string, pattern: string, example: string): Header {
  return { description, required: true, schema: { type: 'string', pattern }, example };
}

function rareHeader(description: string, pattern: string, example: string): Header {
  return { ...header(description, pattern, example), required: false };
}

/** Of a 200; all but Content-Encoding also of its 304. */
export const HEADERS: Readonly<Record<string, Header>> = {
  ETag: header('The edition: the same for every encoding', '^W/"[0-9a-f]{16}"$', 'W/"3f2a91c07be455d0"'),
  'Cache-Control': header(
    'How many seconds the answer stays right: until the next edition, or less. no-store where another instant was asked for',
    String.raw`^(private, max-age=\d+|no-store)$`,
    'private, max-age=60',
  ),
  Vary: header('What a cache must distinguish', '^X-Front, Accept-Encoding$', 'X-Front, Accept-Encoding'),
  'Catalogue-As-Of': {
    ...header('The instant that the catalogue was read for', '', '2026-05-01T09:00:00Z'),
    schema: keywordsOf(instantText),
  },
  'Catalogue-Valid-Until': {
    ...header('Up to when the editions are known', '', '2026-05-01T15:30:00Z'),
    schema: keywordsOf(instantText),
  },
  'Catalogue-Stale': rareHeader(
    'Present where no build has run for too long: the answer was right until Catalogue-Valid-Until',
    String.raw`^\?1$`,
    '?1',
  ),
  'Content-Encoding': rareHeader(
    'Present where the client accepts it and a compressed file is published',
    '^(gzip|br)$',
    'br',
  ),
};

export const EDITION_HEADERS: readonly string[] = Object.keys(HEADERS).filter((name) => name !== 'Content-Encoding');

function requestHeader(
  name: string,
  description: string,
  example: string,
  schema: Header['schema'] = { type: 'string' },
) {
  return { name, in: 'header', required: false, description, schema, example };
}

/** What a request has besides its signature. */
export const PARAMETERS = {
  XFront: {
    ...requestHeader('X-Front', 'The code of the front. It must be signed.', 'moscow', keywordsOf(frontCode)),
    required: true,
  },
  IfNoneMatch: requestHeader(
    'If-None-Match',
    'The ETag of the answer that the client holds; 304 where it is still in force.',
    'W/"3f2a91c07be455d0"',
  ),
  AcceptEncoding: requestHeader(
    'Accept-Encoding',
    'br and gzip are answered where compressed files are published.',
    'br, gzip',
  ),
};

/** HTTP Message Signatures: two headers that belong together. OpenAPI knows no kind of its own for them. */
export const SECURITY_SCHEMES = {
  signatureInput: {
    type: 'apiKey',
    in: 'header',
    name: 'Signature-Input',
    description:
      'RFC 9421: what is signed, when, and by which key. One label with tag="x-front", created (an integer) and keyid; it covers ' +
      '"@method", "@authority", "@path" and "x-front". expires may shorten its life of five minutes; alg, if given, is the ' +
      "key's own; nonce is allowed. For example " +
      '`sig=("@method" "@authority" "@path" "x-front");created=1777626000;keyid="moscow-2026-05";tag="x-front"`',
  },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'Signature',
    description:
      'RFC 9421: the signature itself under the same label, `sig=:BASE64:`, by the ' +
      "key's own ecdsa-p256-sha256, ed25519 or hmac-sha256. It may be used again for four minutes.",
  },
} as const;
