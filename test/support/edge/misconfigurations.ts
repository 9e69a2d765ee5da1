// What operators have between clients and the rule, and the rows of `edge check` that find it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { withField, type ProxyAnswer, type ProxyRequest, type Spoiling } from './spoiling-proxy.ts';

/** Changes answers that are documents. */
const documents = (change: (answer: ProxyAnswer) => ProxyAnswer): Spoiling => ({
  answered: (answer) => (answer.status === 200 || answer.status === 304 ? change(answer) : answer),
});

const refusals = (change: (answer: ProxyAnswer) => ProxyAnswer): Spoiling => ({
  answered: (answer) => (answer.status >= 400 ? change(answer) : answer),
});

const fieldOf =
  (name: string, value: string | null) =>
  (answer: ProxyAnswer): ProxyAnswer => ({ ...answer, fields: withField(answer.fields, name, value) });

export const askedWith =
  (name: string, value: string | null) =>
  (asked: ProxyRequest): ProxyRequest => ({ ...asked, fields: withField(asked.fields, name, value) });

const page = (status: number): ProxyAnswer => ({
  status,
  fields: { 'content-type': 'text/html' },
  content: Buffer.from('<!doctype html>\n'),
});

const zipped = (answer: ProxyAnswer): ProxyAnswer => {
  const fields = withField(withField(answer.fields, 'content-length', null), 'content-encoding', 'gzip');
  return { ...answer, fields, content: gzipSync(answer.content) };
};

/** A cache that keeps answers under a key of its own making; null: not this one. */
function cache(keyOf: (asked: ProxyRequest) => string | null, isKept: (answer: ProxyAnswer) => boolean): Spoiling {
  const kept = new Map<string, ProxyAnswer>();
  return {
    instead: (asked) => kept.get(keyOf(asked) ?? '') ?? null,
    answered: (answer, asked) => {
      const key = keyOf(asked);
      if (key !== null && isKept(answer)) kept.set(key, answer);
      return answer;
    },
  };
}

/** What a cache knows of a request that forgets who asks, and for which front. */
const anonymous = ({ method, target, fields }: ProxyRequest): string =>
  [method, target, fields['accept-encoding'], fields['if-none-match']].join(' ');

const forFront = (asked: ProxyRequest): string => `${anonymous(asked)} ${String(asked.fields['x-front'])}`;

/** What does not come from the rule at all. */
const EVERY_ANSWER = [
  'signed-products',
  'signed-categories',
  'unsigned',
  'wrong-signature',
  'unknown-key',
  'stale-signature',
  'signature-malformed',
  'front-missing',
  'front-repeated',
  'other-front',
  'other-method',
  'other-path',
  'revoked-key',
  'key-ring',
];

/** What is planted, and the rows that find it: all of them, and no other. `out`: the tree. */
export const misconfigurations = (
  out: string,
): readonly (readonly [name: string, spoiling: Spoiling, rows: readonly string[]])[] => [
  ['a shared cache that forgets who asks', cache(forFront, ({ status }) => status === 200), ['unsigned-after-signed']],
  [
    'a cache of signed requests that mixes fronts',
    cache(
      (asked) => ('signature' in asked.fields ? anonymous(asked) : null),
      ({ status }) => status === 200,
    ),
    ['fronts-apart'],
  ],
  [
    'a cache that keeps refusals',
    cache(forFront, ({ status }) => status === 401),
    ['signed-after-unsigned', 'latency'],
  ],
  [
    'a cache that ignores Accept-Encoding',
    cache(
      ({ method, target, fields }) =>
        'signature' in fields && !('if-none-match' in fields)
          ? `${method} ${target} ${String(fields['x-front'])}`
          : null,
      ({ status }) => status === 200,
    ),
    ['br', 'identity'],
  ],
  ['a cache that says so', documents(fieldOf('x-cache', 'Hit from cloudfront')), ['shared-cache']],
  ['answers with an Age', documents(fieldOf('age', '12')), ['shared-cache']],
  [
    'Host rewritten',
    { asked: askedWith('host', 'upstream') },
    ['signed-products', 'signed-categories', 'authority', 'key-ring'],
  ],
  ['Vary dropped', documents(fieldOf('vary', null)), ['vary']],
  ['Cache-Control dropped', documents(fieldOf('cache-control', null)), ['cache-control', 'boundary']],
  ['Cache-Control public', documents(fieldOf('cache-control', 'public, max-age=60')), ['cache-control']],
  ['max-age prolonged', documents(fieldOf('cache-control', 'private, max-age=86400')), ['cache-control', 'boundary']],
  ['ETag dropped', documents(fieldOf('etag', null)), ['etag']],
  [
    'ETag made strong',
    documents((answer) => fieldOf('etag', String(answer.fields['etag']).replace('W/', ''))(answer)),
    ['etag'],
  ],
  [
    'gzip over what is compressed already',
    documents((answer) => (answer.fields['content-encoding'] === 'gzip' ? zipped(answer) : answer)),
    ['gzip'],
  ],
  ['gzip for clients that do not take it', documents(zipped), ['signed-products', 'signed-categories']],
  ['a page and 200 for everything', { answered: () => page(200) }, EVERY_ANSWER],
  [
    'documents changed on the way',
    documents((answer) => ({
      ...fieldOf('content-length', null)(answer),
      content: Buffer.from('{"productCards":[]}'),
    })),
    ['etag', 'edition', 'gzip', 'br'],
  ],
  [
    'HEAD turned into GET',
    { asked: (asked) => ({ ...asked, method: asked.method === 'HEAD' ? 'GET' : asked.method }) },
    ['head'],
  ],
  ['If-None-Match dropped', { asked: askedWith('if-none-match', null) }, ['not-modified']],
  [
    'error pages in place of refusals',
    refusals(({ status }) => page(status)),
    ['problem-documents', 'refusals-not-stored', 'challenge'],
  ],
  ['refusals that may be stored', refusals(fieldOf('cache-control', 'max-age=5')), ['refusals-not-stored']],
  ['the challenge dropped', refusals(fieldOf('www-authenticate', null)), ['challenge']],
  [
    'a wrong signature answered in words of its own',
    {
      answered: (answer, { fields }) =>
        String(fields['signature-input']).includes('unknown-key')
          ? fieldOf('cache-control', 'no-store, private')(answer)
          : answer,
    },
    ['refusals-not-stored', 'refusals-alike'],
  ],
  [
    'X-Front put in where it is missing',
    { asked: (asked) => ('x-front' in asked.fields ? asked : askedWith('x-front', '-')(asked)) },
    ['front-missing'],
  ],
  [
    'X-Front set by the proxy',
    { asked: askedWith('x-front', 'moscow') },
    ['front-missing', 'front-repeated', 'other-front', 'key-ring', 'fronts-apart'],
  ],
  [
    'other methods refused by a firewall',
    { instead: ({ method }) => (method === 'POST' ? page(403) : null) },
    ['other-method'],
  ],
  [
    'a method that is never answered',
    { answered: (answer, { method }) => (method === 'POST' ? null : answer) },
    ['other-method'],
  ],
  [
    'a slash put to the end of paths',
    { asked: (asked) => ({ ...asked, target: asked.target.replace(/\/products(?=\?|$)/, '/products/') }) },
    ['other-path'],
  ],
  [
    'the tree beside the rule',
    {
      instead: ({ target }) =>
        target.startsWith('/fronts/moscow/')
          ? { status: 200, fields: {}, content: readFileSync(join(out, 'public', target)) }
          : null,
    },
    ['tree-hidden'],
  ],
  ['another path', { asked: (asked) => ({ ...asked, target: `/api${asked.target}` }) }, ['base-path']],
  [
    'a redirect',
    { instead: ({ target }) => fieldOf('location', `https://www.example${target}`)(page(301)) },
    ['base-path'],
  ],
];
