// What an origin of the tree, or something that answers in its place, says once instead of a file:
// an answer made of the honest one.

import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { StoreAnswer } from '../objects/messages.ts';

export interface Lie {
  /** The kind of file that it is about, by the end of its name. */
  readonly about: 'pointer.json' | '.json' | '.json.gz' | '.json.br';
  readonly name: string;
  /** Whether neither status nor headers give it away: only the bytes do. */
  readonly isHidden: boolean;
  readonly told: Told;
}

/** `other`: a file of the same kind, of another front; `otherUrl`: where it is. */
type Told = (honest: StoreAnswer, other: Buffer, otherUrl: string) => StoreAnswer;

type NamedLie = readonly [name: string, isHidden: boolean, told: Told];

/** The answer with another body; `headers` are added to its own, or replace them. */
const withBody = (answer: StoreAnswer, body: Buffer, headers: StoreAnswer['headers'] = {}): StoreAnswer => ({
  ...answer,
  headers: { ...answer.headers, ...headers },
  body,
});

const WITHOUT_LENGTH = { 'transfer-encoding': 'chunked' };
const NOTHING = Buffer.alloc(0);
const ERROR = Buffer.from('{"error":"maintenance"}\n');
const PAGE = Buffer.from('<html><title>Log in to the guest network</title></html>\n');

const halfOf = (body: Buffer): Buffer => body.subarray(0, body.length >> 1);

const OF_ANY: readonly NamedLie[] = [
  ['an error in JSON', true, (honest) => withBody(honest, ERROR)],
  ['a page', false, (honest) => withBody(honest, PAGE, { 'content-type': 'text/html; charset=utf-8' })],
  ['a page that is called JSON', true, (honest) => withBody(honest, PAGE)],
  ['nothing', false, (honest) => withBody(honest, NOTHING)],
  ['nothing, without a length', true, (honest) => withBody(honest, NOTHING, WITHOUT_LENGTH)],
  ['half of it, without a length', true, (honest) => withBody(honest, halfOf(honest.body), WITHOUT_LENGTH)],
  ['that of another front', true, (honest, other) => withBody(honest, other)],
  ['that of another front, by a redirect', false, (_, __, otherUrl) => redirect(otherUrl)],
  ['no content', false, () => ({ status: 204, headers: {}, body: NOTHING })],
  ['an error', false, () => ({ status: 500, headers: { 'content-type': 'application/json' }, body: ERROR })],
];

const redirect = (location: string): StoreAnswer => ({ status: 302, headers: { location }, body: NOTHING });

const OF_PLAIN: readonly NamedLie[] = [
  ['it, encoded on the way', false, ({ body, ...rest }) => withBody({ ...rest, body }, gzipSync(body), GZIP)],
  ['it, encoded, which nothing says', true, (honest) => withBody(honest, gzipSync(honest.body))],
];
const GZIP = { 'content-encoding': 'gzip' };

const OF_CONTENT: readonly NamedLie[] = [
  [
    'it with one bit that is wrong',
    true,
    (honest) => withBody(honest, Buffer.from(honest.body.map((byte, at) => (at === 60 ? byte ^ 1 : byte)))),
  ],
];

const OF_SIBLING: readonly NamedLie[] = [
  ['the plain file', true, (honest) => withBody(honest, decoded(honest.body))],
  ['bytes that are no coding', true, (honest) => withBody(honest, Buffer.alloc(200, 7))],
];

/** gzip begins with this byte, and brotli of text does not. */
const decoded = (body: Buffer): Buffer => (body[0] === 0x1f ? gunzipSync(body) : brotliDecompressSync(body));

const OF_POINTER: readonly NamedLie[] = [
  ['its beginning', true, (honest) => withBody(honest, honest.body.subarray(0, -30))],
  ['its end', true, (honest) => withBody(honest, honest.body.subarray(30))],
  [
    'one of a schema to come',
    true,
    (honest) => withBody(honest, Buffer.from(String(honest.body).replace('"schema":1', '"schema":2'))),
  ],
];

const LIES_ABOUT: Readonly<Record<Lie['about'], readonly NamedLie[]>> = {
  '.json': [...OF_ANY, ...OF_PLAIN, ...OF_CONTENT],
  '.json.gz': [...OF_ANY, ...OF_SIBLING, ...OF_CONTENT],
  '.json.br': [...OF_ANY, ...OF_SIBLING, ...OF_CONTENT],
  'pointer.json': [...OF_ANY, ...OF_PLAIN, ...OF_POINTER],
};

export const LIES: readonly Lie[] = (['.json', '.json.gz', '.json.br', 'pointer.json'] as const).flatMap((about) =>
  LIES_ABOUT[about].map(([name, isHidden, told]) => ({ about, name, isHidden, told })),
);
