// Every reason for which the rule refuses a request: a closed list.

/**
 * The reasons, each with its one status and with when it is given, for the OpenAPI document. Those
 * of nginx are given before or behind the rule, by its configuration (targets/nginx). No bundle
 * contains the list: the rule uses its types alone, and they hold every refusal to the status given
 * here.
 */
export const REFUSALS = {
  'front-missing': { status: 400, when: 'X-Front is missing' },
  'front-malformed': { status: 400, when: "X-Front is repeated, or is not a front's code" },
  'signature-malformed': { status: 400, when: 'the signature headers are malformed, repeated or ambiguous' },
  'signature-missing': { status: 401, when: 'the request is not signed' },
  'signature-component-missing': {
    status: 401,
    when: 'the signature does not cover all that it must, or covers what the request or the rule does not have',
  },
  'signature-parameter-missing': { status: 401, when: 'created or keyid is missing' },
  'signature-expired': { status: 401, when: 'the signature is too old, or past its own expires' },
  'signature-from-future': { status: 401, when: 'created is more than a minute ahead of the clock here' },
  'signature-invalid': { status: 401, when: 'the key is unknown or not valid now, or did not make this signature' },
  'front-not-allowed': { status: 403, when: 'the key speaks for another front, whether or not this one exists' },
  'not-found': { status: 404, when: 'the path is unknown, or nothing is published for the front' },
  'method-not-allowed': { status: 405, when: 'the method is neither GET nor HEAD' },
  'request-malformed': {
    status: 400,
    when: 'the request names no host, or two; nginx, serve and the authorizer: it is malformed',
  },
  'precondition-failed': { status: 412, when: 'nginx: If-Match or If-Unmodified-Since asks for another edition' },
  'content-too-large': { status: 413, when: 'nginx, serve and the authorizer: the request has a body' },
  'uri-too-long': { status: 414, when: 'nginx: the URL is too long' },
  'header-too-large': { status: 431, when: 'nginx, serve and the authorizer: the headers of the request are too long' },
  'not-implemented': { status: 501, when: 'nginx: the body is in a transfer coding other than chunked' },
  'http-version-not-supported': { status: 505, when: 'nginx: a version of HTTP beyond 1.1 in the request line' },
  internal: { status: 503, when: 'the catalogue cannot be read just now: try again in a moment' },
} as const satisfies Record<string, { readonly status: number; readonly when: string }>;

/** Stable codes, the `code` of a problem document. */
export type Reason = keyof typeof REFUSALS;
