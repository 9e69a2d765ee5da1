// The header fields of requests and responses, as the OpenAPI document describes them. The edge
// rule does not use them; a test compares them with what it sends.

import * as z from 'zod';
import { frontCode, instantText } from './primitives.ts';

type Keywords = Readonly<Record<string, unknown>>;

/** The JSON Schema keywords of a string, such as `pattern`. */
function keywordsOf(schema: z.ZodString): Keywords {
  const { $schema: _, description: __, examples: ___, ...keywords } = z.toJSONSchema(schema);
  return keywords;
}

const INSTANT = keywordsOf(instantText);

/** `form` is a pattern for the value, or a schema. */
function header(description: string, form: string | Keywords, example: string, required = true) {
  const schema = typeof form === 'string' ? { type: 'string', pattern: form } : form;
  return { description, required, schema, example };
}

/** The headers of a 200. A 304 has all but Content-Encoding. */
export const RESPONSE_HEADERS = {
  ETag: header('The edition: the same for every encoding', '^W/"[0-9a-f]{16}"$', 'W/"3f2a91c07be455d0"'),
  'Cache-Control': header(
    'How many seconds the response stays right: until the next edition, or less. no-store if another instant was asked for',
    String.raw`^(private, max-age=\d+|no-store)$`,
    'private, max-age=60',
  ),
  Vary: header('What a cache must distinguish', '^X-Front, Accept-Encoding$', 'X-Front, Accept-Encoding'),
  'Catalogue-As-Of': header(
    'The instant that the editions were published for; later builds may have found nothing to change',
    INSTANT,
    '2026-05-01T09:00:00Z',
  ),
  'Catalogue-Valid-Until': header('The end of the last known edition', INSTANT, '2026-05-01T15:30:00Z'),
  'Catalogue-Stale': header(
    'Present if no build has run for too long: the response was right until Catalogue-Valid-Until',
    String.raw`^\?1$`,
    '?1',
    false,
  ),
  'Content-Encoding': header(
    'Present if the client accepts it and a compressed file is published',
    '^(gzip|br)$',
    'br',
    false,
  ),
};

export const EDITION_HEADERS: readonly string[] = Object.keys(RESPONSE_HEADERS).filter(
  (name) => name !== 'Content-Encoding',
);

function requestHeader(name: string, description: string, example: string, schema: Keywords = { type: 'string' }) {
  return { name, in: 'header', required: false, description, schema, example };
}

/** The parameters of a request besides its signature. */
export const PARAMETERS = {
  XFront: {
    ...requestHeader('X-Front', 'The code of the front. It must be signed.', 'moscow', keywordsOf(frontCode)),
    required: true,
  },
  IfNoneMatch: requestHeader(
    'If-None-Match',
    'The ETag of the response that the client has; answered with 304 if it is still in force.',
    'W/"3f2a91c07be455d0"',
  ),
  AcceptEncoding: requestHeader(
    'Accept-Encoding',
    'br and gzip are honoured if compressed files are published.',
    'br, gzip',
  ),
};

/** HTTP Message Signatures use two headers. OpenAPI has no security scheme of its own for them. */
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
