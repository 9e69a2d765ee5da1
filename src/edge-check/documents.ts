// Checks that documents arrive as the rule sends them: their headers, their bytes, and that they
// match the tree.

import { parseInstant } from '../catalogue/instant.ts';
import type { EdgeCheck, EdgeCheckResultJson } from '../contract/results/edge.ts';
import type { Pointer } from '../contract/pointer.ts';
import { instantText } from '../edge/rule/instant.ts';
import { editionIndexAt } from '../render/edition-choice.ts';
import { ENDPOINTS, type Endpoint } from '../render/paths.ts';
import { entryOf } from '../contract/pointer-entry.ts';
import { digestOfContent, isOtherBody, OTHER_BODY } from './bodies.ts';
import { PATHS, type CheckedEdge, type FrontKey } from './checked-edge.ts';
import type { EdgeAnswer } from './exchange.ts';
import { differs, judged, notChecked, rowOf } from './rows.ts';
import type { Documents } from './signed.ts';

/** Smaller differences between clocks are ignored. Seconds. */
const CLOCK_TOLERANCE = 2;

const HANDED_ON = 'something between the rule and here changes response headers: pass them on unchanged';
/** The hint if an edge serves a snapshot other than the tree's. */
export const OTHER_TREE =
  'the edge reads another tree, an old copy or a cache: check how the tree gets to the edge. ' +
  'After a build an edge may keep an old pointer for 10 s: then check again';

const OTHER_BODY_KEPT =
  'past every cache in front, the same edge sends the right document: a cache in front of the rule keeps another body. ' +
  'Empty that cache, and turn it off for these paths; if there is none, the origin of the edge sent the body once, and nothing kept it';

/**
 * Checks that each ETag names the document that comes with it, and if not, where the other body is
 * from.
 */
export async function checkEtag(edge: CheckedEdge, own: FrontKey, documents: Documents): Promise<EdgeCheck> {
  const check = 'etag';
  const expected = 'ETag: W/"DIGEST", the digest of the document';
  const wrong = ENDPOINTS.find((endpoint) => isOtherBody(documents[endpoint]));
  if (wrong === undefined) {
    const hint =
      'something between the rule and here drops or changes ETag: pass it on unchanged, or clients cannot compare documents';
    return judged(check, expected, firstFault(documents, etagFault), hint);
  }
  return rowOf(check, expected, async () => {
    const again = await edge.ask({ path: PATHS[wrong], signer: own, query: true });
    const isRight = again.status === 200 && etagFault(again) === null;
    const found = `${wrong}: ${etagFault(documents[wrong]) ?? ''}`;
    return differs(check, expected, found, isRight ? OTHER_BODY_KEPT : OTHER_BODY);
  });
}

/** Checks headers, without a tree. `maxAge`: the --max-age that the edge was built with. */
export function checkDocuments(documents: Documents, maxAge: number): readonly EdgeCheck[] {
  const now = instantText(documents.products.sentAt);
  return [
    judged(
      'cache-control',
      `Cache-Control: private, max-age of at most ${maxAge}`,
      firstFault(documents, (answer) => cacheControlFault(answer, maxAge)),
      `${HANDED_ON}; if the edge was built with another --max-age, give the same here`,
    ),
    judged(
      'vary',
      'Vary: X-Front, Accept-Encoding',
      firstFault(documents, (answer) => {
        const vary = answer.field('vary') ?? 'missing';
        const names = vary.toLowerCase().split(/ *, */);
        return ['x-front', 'accept-encoding'].every((name) => names.includes(name)) ? null : `Vary: ${vary}`;
      }),
      `${HANDED_ON}; without Vary a cache mixes fronts`,
    ),
    judged(
      'fresh',
      'Catalogue-Valid-Until is in the future, and there is no Catalogue-Stale',
      firstFault(documents, (answer) => {
        const until = answer.field('catalogue-valid-until');
        if (until === null) return 'Catalogue-Valid-Until: missing';
        return until > now && answer.field('catalogue-stale') === null ? null : `valid only until ${until}`;
      }),
      'no recent build has reached this edge: see playbill status, and check how the tree gets to the edge',
    ),
  ];
}

/** The next edition of each document, according to the tree. */
export type NextEditions = EdgeCheckResultJson['next'];

/**
 * Compares what the edge serves with the front's pointer in the tree. `pointer`: null if the tree
 * has none, or no tree was given.
 */
export function checkAgainstTree(
  documents: Documents,
  pointer: Pointer | null,
  isTreeGiven: boolean,
): { readonly checks: readonly EdgeCheck[]; readonly next: NextEditions } {
  const next =
    pointer === null ? [] : ENDPOINTS.map((endpoint) => nextOf(pointer, endpoint, documents[endpoint].receivedAt));
  const boundary = judged(
    'boundary',
    'max-age ends when the next edition begins, or earlier',
    firstFault(documents, (answer, endpoint) =>
      boundaryFault(answer, next.find((one) => one.endpoint === endpoint)?.from),
    ),
    'something between the rule and here lengthens max-age, or the edge has another tree or clock: see the rows cache-control, as-of and clock',
    pointer === null
      ? 'it ends before Catalogue-Valid-Until; with --out TREE the next edition is checked'
      : nextText(next),
  );
  const asOf = 'Catalogue-As-Of and Catalogue-Valid-Until are those of the tree';
  const edition = 'the edition in force by the tree';
  if (pointer === null) {
    const why = isTreeGiven ? 'the tree has no such front' : 'give the tree: --out TREE';
    const absent = isTreeGiven
      ? differs('as-of', asOf, why, `${OTHER_TREE}; or --out names another tree than the edge reads`)
      : notChecked('as-of', asOf, why);
    return { checks: [boundary, absent, notChecked('edition', edition, why)], next };
  }
  return {
    checks: [
      boundary,
      judged(
        'as-of',
        asOf,
        firstFault(documents, (answer) => asOfFault(answer, pointer)),
        OTHER_TREE,
        `as of ${pointer.now}`,
      ),
      judged(
        'edition',
        edition,
        firstFault(documents, (answer, endpoint) => editionFault(answer, pointer, endpoint)),
        ENDPOINTS.some((endpoint) => isOtherBody(documents[endpoint])) ? 'see the row etag' : OTHER_TREE,
      ),
    ],
    next,
  };
}

function firstFault(
  documents: Documents,
  faultOf: (answer: EdgeAnswer, endpoint: Endpoint) => string | null,
): string | null {
  for (const endpoint of ENDPOINTS) {
    const fault = faultOf(documents[endpoint], endpoint);
    if (fault !== null) return `${endpoint}: ${fault}`;
  }
  return null;
}

function etagFault(answer: EdgeAnswer): string | null {
  const etag = answer.field('etag');
  if (etag === null) return 'ETag: missing';
  const digest = digestOfContent(answer.content);
  if (etag === `W/"${digest}"`) return null;
  return isOtherBody(answer) ? `ETag: ${etag} over a document of digest ${digest}` : `ETag: ${etag}`;
}

function cacheControlFault(answer: EdgeAnswer, maxAge: number): string | null {
  const text = answer.field('cache-control');
  const directives = (text ?? '').toLowerCase().split(/ *, */);
  const isPrivate = directives.includes('private') && directives.length === 2;
  const seconds = maxAgeOf(answer);
  return isPrivate && seconds !== null && seconds <= maxAge ? null : `Cache-Control: ${text ?? 'missing'}`;
}

function maxAgeOf(answer: EdgeAnswer): number | null {
  const seconds = /\bmax-age=(\d+)/i.exec(answer.field('cache-control') ?? '')?.[1];
  return seconds === undefined ? null : Number(seconds);
}

/**
 * `until`: when the answer stops being right: the start of the next edition, or without a tree the
 * answer's own header.
 */
function boundaryFault(answer: EdgeAnswer, until = answer.field('catalogue-valid-until') ?? ''): string | null {
  const seconds = maxAgeOf(answer);
  const end = parseInstant(until);
  if (seconds === null || end === undefined) return 'max-age or Catalogue-Valid-Until: missing';
  const left = Math.max(0, end - answer.sentAt);
  return seconds <= left + CLOCK_TOLERANCE ? null : `max-age=${seconds}, ${Math.floor(left)} s before ${until}`;
}

function asOfFault(answer: EdgeAnswer, pointer: Pointer): string | null {
  const asOf = answer.field('catalogue-as-of') ?? 'missing';
  const until = answer.field('catalogue-valid-until') ?? 'missing';
  if (asOf !== pointer.now) return `as of ${asOf}; the tree has ${pointer.now}`;
  return until === pointer.validUntil ? null : `valid until ${until}; the tree has ${pointer.validUntil}`;
}

/** Accepts any edition that was current while the request was in progress. */
function editionFault(answer: EdgeAnswer, pointer: Pointer, endpoint: Endpoint): string | null {
  const indexAt = (seconds: number): number => editionIndexAt(pointer[endpoint], instantText(seconds));
  const first = indexAt(answer.sentAt - CLOCK_TOLERANCE);
  const last = indexAt(answer.receivedAt + CLOCK_TOLERANCE);
  const digests = pointer[endpoint].slice(first, last + 1).map((entry) => entryOf(entry).digest);
  const found = digestOfContent(answer.content);
  return digests.includes(found) ? null : `a document of digest ${found}; the tree has ${digests.join(' or ')}`;
}

function nextOf(pointer: Pointer, endpoint: Endpoint, at: number): NextEditions[number] {
  const entries = pointer[endpoint];
  const entry = entries[editionIndexAt(entries, instantText(at)) + 1];
  return entry === undefined ? { endpoint, from: pointer.validUntil, digest: null } : { endpoint, ...entryOf(entry) };
}

function nextText(next: NextEditions): string {
  return next
    .map(({ endpoint, from, digest }) => `${endpoint} until ${from}, then ${digest ?? 'a new build is needed'}`)
    .join('; ');
}
