// The checks of `edge check` and `status --edge`: their names, and what a difference shows. The
// reference is made of them.

/** In the order of their rows. */
export const EDGE_CHECKS = {
  'base-path': 'a wrong path, or a redirect; nothing else is checked then',
  'signed-products':
    'an edge without its tree, a key that it does not have, a wrong clock, a proxy that changes the request',
  'signed-categories': 'the same',
  authority: 'a proxy that rewrites Host',
  clock: 'a clock that is off by half a minute',
  unsigned: 'requests that do not reach the rule: anyone is let in',
  'tree-hidden': 'files of the tree that anyone can fetch',
  'wrong-signature': 'requests that do not reach the rule: signatures are not verified',
  'unknown-key': 'the same',
  'stale-signature': 'the same; or a cache that answers in place of the rule',
  'signature-malformed': 'requests that do not reach the rule',
  'revoked-key': 'an old key ring',
  'front-missing': 'a proxy that sets `X-Front`',
  'front-repeated': 'a proxy that joins or drops repeated fields',
  'other-front': 'a proxy or a cache that mixes fronts',
  'other-method': 'a firewall in front of the rule',
  'other-path': 'paths that are rewritten',
  'problem-documents': 'error pages in place of refusals',
  'refusals-not-stored': 'refusals that caches may store',
  challenge: 'refusals whose header fields were removed',
  'refusals-alike': 'refusals that reveal which keys exist',
  'key-ring': 'an edge with another key ring than the tree',
  documents: 'an edge that serves no document, so that its documents cannot be checked',
  etag: 'a body that its ETag does not name: an origin that answered something else, a cache that kept it, a proxy that changes documents',
  'cache-control': 'a header that is dropped or rewritten',
  vary: 'the same: a cache would mix fronts',
  fresh: 'builds that do not reach the edge',
  boundary: 'answers that outlive their edition',
  'as-of': 'an edge with an old copy of the tree',
  edition: 'the same',
  gzip: 'compression that damages documents',
  br: 'the same',
  identity: 'a cache or compressor that ignores `Accept-Encoding`',
  head: 'HEAD that does not reach the rule',
  'not-modified': '`If-None-Match` that does not reach the rule',
  'fronts-apart': 'a cache that mixes fronts',
  'shared-cache': 'a cache in front of the rule',
  'unsigned-after-signed': 'a cache that lets the unsigned in',
  'signed-after-unsigned': 'a cache that keeps refusals',
  latency: 'nothing: for information, the median and the 95th percentile of 20 requests',
} as const satisfies Readonly<Record<string, string>>;

/** The name of a row: a check, or the key or front that `status --edge` asked for. */
export type CheckName = keyof typeof EDGE_CHECKS | `key ${string}` | `front ${string}`;
