// Checks the other forms of an answer: compressed, to HEAD, and to a client that already has the
// document.

import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { EdgeCheck } from '../contract/results/edge.ts';
import { PATHS, type CheckedEdge, type FrontKey } from './checked-edge.ts';
import { digestOfContent, OTHER_BODY } from './bodies.ts';
import { CONTENT_BYTES_MAX, type EdgeAnswer } from './exchange.ts';
import { answerText, judged, notChecked, ok, rowOf } from './rows.ts';

const path = PATHS.products;

const DECODERS: readonly (readonly [encoding: 'gzip' | 'br', decode: (bytes: Uint8Array) => Uint8Array])[] = [
  ['gzip', (bytes) => gunzipSync(bytes, { maxOutputLength: CONTENT_BYTES_MAX })],
  ['br', (bytes) => brotliDecompressSync(bytes, { maxOutputLength: CONTENT_BYTES_MAX })],
];

/**
 * Requests each compressed form, then the plain form of the same URL: a cache might answer that
 * with a compressed form.
 */
export async function checkCompression(edge: CheckedEdge, own: FrontKey): Promise<readonly EdgeCheck[]> {
  const query = edge.newQuery();
  const checks: EdgeCheck[] = [];
  for (const [encoding, decode] of DECODERS) {
    const expected = `with Accept-Encoding: ${encoding} the same document`;
    const row = await rowOf(encoding, expected, async () => {
      const answer = await edge.ask({ path, query, signer: own, fields: { 'Accept-Encoding': encoding } });
      if (answer.status === 200 && answer.field('content-encoding') === null)
        return ok(encoding, expected, 'not compressed');
      const [found, hint] = codedFault(answer, encoding, decode);
      return judged(encoding, expected, found, hint);
    });
    checks.push(row);
  }
  const expected = 'not compressed without Accept-Encoding';
  const plain = await rowOf('identity', expected, async () => {
    const answer = await edge.ask({ path, query, signer: own });
    const coding = answer.field('content-encoding');
    const found =
      answer.status !== 200
        ? answerText(answer)
        : coding !== null && coding !== 'identity'
          ? `Content-Encoding: ${coding}`
          : null;
    return judged(
      'identity',
      expected,
      found,
      'a cache or compressor in front of the rule ignores Accept-Encoding: remove it, or pass Vary on',
    );
  });
  return [...checks, plain];
}

const COMPRESSES =
  'something between the rule and here compresses, and damages answers that are already compressed: make it pass them on unchanged';

/** What is wrong with a compressed answer, or null, and the hint. */
function codedFault(
  answer: EdgeAnswer,
  encoding: string,
  decode: (bytes: Uint8Array) => Uint8Array,
): readonly [found: string | null, hint: string] {
  if (answer.status !== 200) return [answerText(answer), COMPRESSES];
  const coding = answer.field('content-encoding');
  if (coding !== encoding) return [`Content-Encoding: ${coding ?? ''}`, COMPRESSES];
  try {
    if (isDocument(answer, decode(answer.content))) return [null, COMPRESSES];
    return [`a decoded document that does not match its ETag ${answer.field('etag') ?? '(missing)'}`, OTHER_BODY];
  } catch {
    return [`content that is not ${encoding}`, COMPRESSES];
  }
}

/**
 * Whether the document matches the digest in the ETag. Without an ETag it only has to look like
 * JSON.
 */
function isDocument(answer: EdgeAnswer, document: Uint8Array): boolean {
  const digest = /"([0-9a-f]{16})"/.exec(answer.field('etag') ?? '')?.[1];
  return digest === undefined ? Buffer.from(document).at(0) === 0x7b : digest === digestOfContent(document);
}

/** The fields that HEAD and 304 must share with GET. */
const SHARED_FIELDS = ['etag', 'vary', 'catalogue-as-of', 'catalogue-valid-until'];

export async function checkHead(edge: CheckedEdge, own: FrontKey): Promise<EdgeCheck> {
  const expected = 'HEAD answers like GET, without content';
  return rowOf('head', expected, async () => {
    const head = await edge.ask({ method: 'HEAD', path, signer: own });
    const get = await edge.ask({ path, signer: own });
    return judged(
      'head',
      expected,
      headFault(head, get),
      'pass HEAD on to the rule as HEAD: the signature covers the method',
    );
  });
}

function headFault(head: EdgeAnswer, get: EdgeAnswer): string | null {
  if (head.status !== get.status) return `${head.status}, and ${get.status} to GET`;
  const names = [...SHARED_FIELDS, 'content-type'];
  const length = head.field('content-length');
  if (length !== null && get.field('content-length') !== null) names.push('content-length');
  // A new edition may have begun between the two requests. Then the fields may differ.
  const isSameEdition = head.field('etag') === get.field('etag') || head.field('etag') === null;
  const differing = isSameEdition ? names.find((name) => head.field(name) !== get.field(name)) : undefined;
  if (differing === undefined) return null;
  return `${differing}: ${head.field(differing) ?? 'missing'}, and ${get.field(differing) ?? 'missing'} to GET`;
}

export async function checkNotModified(edge: CheckedEdge, own: FrontKey): Promise<EdgeCheck> {
  const check = 'not-modified';
  const expected = '304 to If-None-Match with the ETag, 200 with another';
  return rowOf(check, expected, async () => {
    const etag = (await edge.ask({ path, signer: own })).field('etag');
    if (etag === null) return notChecked(check, expected, 'the answer has no ETag');
    const same = await edge.ask({ path, signer: own, fields: { 'If-None-Match': etag } });
    const other = await edge.ask({ path, signer: own, fields: { 'If-None-Match': 'W/"0000000000000000"' } });
    const hint = 'pass If-None-Match on to the rule, and its 304 back: otherwise clients download every document again';
    if (other.status !== 200) return judged(check, expected, `${answerText(other)} with another`, hint);
    const isNew = same.status === 200 && same.field('etag') !== etag;
    if (isNew) return notChecked(check, expected, 'a new edition began during the check: check again');
    if (same.status !== 304) return judged(check, expected, answerText(same), hint);
    const missing = SHARED_FIELDS.find((name) => same.field(name) !== other.field(name));
    const found =
      missing === undefined || same.field('etag') !== other.field('etag')
        ? null
        : `a 304 with ${missing}: ${same.field(missing) ?? 'missing'}`;
    return judged(check, expected, found, hint);
  });
}
