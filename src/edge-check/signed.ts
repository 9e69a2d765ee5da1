// Checks that the edge accepts a signed request, and if not, finds out why: the clock, the path, or
// the authority.

import type { EdgeCheck } from '../contract/results/edge.ts';
import { CLOCK_SKEW, LIFETIME } from '../edge/rule/time-window.ts';
import { ENDPOINTS, type Endpoint } from '../render/paths.ts';
import { basePath, PATHS, type CheckedEdge, type FrontKey } from './checked-edge.ts';
import { isOtherBody, OTHER_BODY } from './bodies.ts';
import type { EdgeAnswer } from './exchange.ts';
import { answerText, codeOf, differs, jsonOf, judged, notChecked, ok, rowOf } from './rows.ts';

/** The answers with both documents. */
export type Documents = Readonly<Record<Endpoint, EdgeAnswer>>;

/**
 * Checks that the edge knows the path. The rule refuses an unknown path before it reads the
 * signature.
 * @throws AppError edge-unreachable: without any answer the whole check ends
 */
export async function checkBasePath(edge: CheckedEdge, { front }: FrontKey): Promise<EdgeCheck> {
  const { url } = edge.address;
  const expected = `${basePath(url)}/products/ and ${basePath(url)}/fronts/categories/ are known`;
  for (const endpoint of ENDPOINTS) {
    const answer = await edge.ask({ path: PATHS[endpoint], signer: null, front, query: true });
    const isRedirect = answer.status >= 300 && answer.status < 400;
    if (answer.status !== 404 && !isRedirect) continue;
    const hint = isRedirect
      ? 'give the URL that requests are redirected to, or remove the redirect: clients do not follow it'
      : 'the URL is everything before /products/: compare it with --base of edge build, and check whether something in front changes the path';
    return differs('base-path', expected, answerText(answer), hint);
  }
  return ok('base-path', expected);
}

/** `documents`: null if the edge does not serve both. */
export async function checkSigned(
  edge: CheckedEdge,
  own: FrontKey,
): Promise<{ readonly checks: readonly EdgeCheck[]; readonly documents: Documents | null }> {
  const checks: EdgeCheck[] = [];
  const documents: Partial<Record<Endpoint, EdgeAnswer>> = {};
  for (const endpoint of ENDPOINTS) {
    const check = `signed-${endpoint}` as const;
    const expected = '200 application/json';
    const row = await rowOf(check, expected, async () => {
      const answer = await edge.ask({ path: PATHS[endpoint], signer: own });
      const isGiven = answer.status === 200 && jsonOf(answer.content) !== undefined;
      if (isGiven) documents[endpoint] = answer;
      const isJson = answer.field('content-type') === 'application/json';
      const found = isGiven && isJson ? null : answerText(answer);
      if (answer.status === 200 && isJson && isOtherBody(answer))
        return judged(check, expected, isGiven ? null : `${expected}, and a body that is not JSON`, OTHER_BODY);
      return judged(check, expected, found, signedHint(answer));
    });
    checks.push(row);
  }
  const { products, categories } = documents;
  return { checks, documents: products === undefined || categories === undefined ? null : { products, categories } };
}

const SETS_FRONT =
  'something in front of the rule changes X-Front, or the key is now for another front: see playbill keys list';

/** What to do if a signed request is refused, by the code of the refusal. */
const HINTS: { readonly [code: string]: string } = {
  'signature-invalid':
    'the edge does not have the key, or it is not valid now, or something in front changes Host or path: see the rows authority and key-ring',
  'signature-expired': 'the clocks differ: see the row clock',
  'signature-from-future': 'the clocks differ: see the row clock',
  'signature-component-missing': 'the edge requires a signature over @authority: leave out --no-authority',
  'signature-missing':
    'the edge has another profile (see --profile), or something in front of the rule drops the signature headers: pass them on',
  'front-missing': SETS_FRONT,
  'front-malformed': SETS_FRONT,
  'front-not-allowed': SETS_FRONT,
  'not-found': 'the tree that the edge reads has nothing for this front: copy it there, or see playbill status',
  internal: 'the edge cannot read its tree: see its log',
};

/** What to do if a signed request does not get its document. */
function signedHint(answer: EdgeAnswer): string {
  const hint = HINTS[codeOf(answer) ?? ''];
  if (hint !== undefined) return hint;
  if (answer.field('content-encoding') !== null)
    return 'something in front of the rule compresses for clients that did not ask for it: make it respect Accept-Encoding';
  return answer.status === 200
    ? 'something answers in place of the rule, or changes its answers: pass them on unchanged'
    : 'something in front of the rule refuses this: see its log';
}

/**
 * How far clocks may differ before the check reports it, in seconds. The rule allows CLOCK_SKEW.
 */
const SKEW = 30;
/** The rule takes a signature from so long before `created` to so long after it. */
const AHEAD = CLOCK_SKEW;
const BEHIND = LIFETIME + CLOCK_SKEW;

/** Checks the edge's clock with signatures near both ends of the time window. */
export async function checkClock(edge: CheckedEdge, own: FrontKey): Promise<EdgeCheck> {
  const check = 'clock';
  const expected = `within ${SKEW} s of the clock here`;
  return rowOf(check, expected, async () => {
    const isUntimely = async (created: number, code: string): Promise<boolean> =>
      codeOf(await edge.ask({ path: PATHS.products, signer: own, created, query: true })) === code;
    // The two requests with nearly valid signatures come first, so that they detect a clock that is
    // far off.
    const isBehind =
      (await isUntimely(AHEAD - SKEW, 'signature-from-future')) ||
      !(await isUntimely(-BEHIND - SKEW, 'signature-expired'));
    const isAhead =
      (await isUntimely(SKEW - BEHIND, 'signature-expired')) ||
      !(await isUntimely(AHEAD + SKEW, 'signature-from-future'));
    if (isBehind && isAhead) return notChecked(check, expected, 'the edge ignores the time of a signature');
    const date = (await edge.ask({ path: PATHS.products, signer: null, query: true })).field('date');
    const found = isAhead ? 'ahead by more' : isBehind ? 'behind by more' : null;
    const shown = found === null ? null : `${found}${date === null ? '' : `; its Date header: ${date}`}`;
    return judged(check, expected, shown, 'synchronise the clocks of the edge and of this machine with NTP');
  });
}

/**
 * Checks that a signature over @authority verifies. `isKnownKey`: whether the key is valid in the
 * tree's key ring; null if no tree was given.
 */
export function checkAuthority(
  edge: CheckedEdge,
  signed: readonly EdgeCheck[],
  isGiven: boolean,
  isKnownKey: boolean | null,
): EdgeCheck {
  const check = 'authority';
  const { profile, coversAuthority, url } = edge.address;
  const expected = `a signature over the authority ${url.host} verifies`;
  if (profile === 'signed-headers') return notChecked(check, expected, 'the profile signed-headers does not cover it');
  if (!coversAuthority) return notChecked(check, expected, '--no-authority leaves it out of the signature');
  if (isGiven) return ok(check, expected);
  const isInvalid = signed.some(({ found }) => found?.endsWith(' signature-invalid') === true);
  if (!isInvalid) return notChecked(check, expected, 'signed requests fail for another reason');
  if (isKnownKey === null)
    return notChecked(check, expected, 'signed requests are refused; to rule out the key, give the tree: --out TREE');
  if (!isKnownKey) return notChecked(check, expected, 'the key is not valid in the tree');
  return differs(
    check,
    expected,
    '401 signature-invalid, although the key is valid in the tree',
    'pass Host on unchanged (nginx: proxy_set_header Host $http_host), or build the edge with --no-authority; ' +
      'if Host and path are right, the edge has an old key ring',
  );
}
