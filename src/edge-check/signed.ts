// Whether a signed request is let in, and if it is not, why: the clock, the path, the authority.

import type { EdgeCheck } from '../contract/edge-results.ts';
import { ENDPOINTS, type Endpoint } from '../render/paths.ts';
import { basePath, PATHS, type CheckedEdge, type FrontKey } from './checked-edge.ts';
import type { EdgeAnswer } from './exchange.ts';
import { answerText, codeOf, differs, jsonOf, judged, notChecked, ok, rowOf } from './rows.ts';

/** Both documents, as the edge gives them to a signed request. */
export type Documents = Readonly<Record<Endpoint, EdgeAnswer>>;

/**
 * Whether the path is one that the rule knows: it refuses others before it looks at a signature.
 * @throws AppError edge-unreachable: no answer at all ends the check
 */
export async function checkBasePath(edge: CheckedEdge, { front }: FrontKey): Promise<EdgeCheck> {
  const { url } = edge.address;
  const expected = `${basePath(url)}/products/ and ${basePath(url)}/fronts/categories/ are known`;
  for (const endpoint of ENDPOINTS) {
    const answer = await edge.ask({ path: PATHS[endpoint], signer: null, front, query: true });
    const isRedirect = answer.status >= 300 && answer.status < 400;
    if (answer.status !== 404 && !isRedirect) continue;
    const hint = isRedirect
      ? 'give the URL that requests are redirected to, or take the redirect out: clients do not follow it'
      : 'the URL is what stands before /products/: compare it with --base of edge build, and see whether something in front changes the path';
    return differs('base-path', expected, answerText(answer), hint);
  }
  return ok('base-path', expected);
}

/** The two documents; null where one of them is not given. */
export async function checkSigned(
  edge: CheckedEdge,
  own: FrontKey,
): Promise<{ readonly checks: readonly EdgeCheck[]; readonly documents: Documents | null }> {
  const checks: EdgeCheck[] = [];
  const documents: Partial<Record<Endpoint, EdgeAnswer>> = {};
  for (const endpoint of ENDPOINTS) {
    const check = `signed-${endpoint}`;
    const expected = '200 application/json';
    const row = await rowOf(check, expected, async () => {
      const answer = await edge.ask({ path: PATHS[endpoint], signer: own });
      const isGiven = answer.status === 200 && jsonOf(answer.content) !== undefined;
      if (isGiven) documents[endpoint] = answer;
      const found = isGiven && answer.field('content-type') === 'application/json' ? null : answerText(answer);
      return judged(check, expected, found, signedHint(answer));
    });
    checks.push(row);
  }
  const { products, categories } = documents;
  return { checks, documents: products === undefined || categories === undefined ? null : { products, categories } };
}

const SETS_FRONT =
  'something in front of the rule changes X-Front; or the key speaks for another front by now: see playbill keys list';

/** What to do where a signed request is refused, by the code of the refusal. */
const HINTS: { readonly [code: string]: string } = {
  'signature-invalid':
    'the edge has no such key, or one that is not valid now, or something in front of it changes Host or path: see the rows authority and key-ring',
  'signature-expired': 'the clocks differ: see the row clock',
  'signature-from-future': 'the clocks differ: see the row clock',
  'signature-component-missing': 'the edge wants @authority to be signed: leave out --no-authority',
  'signature-missing':
    'the edge knows another profile (see --profile), or something in front of the rule drops the headers of the signature: hand them on',
  'front-missing': SETS_FRONT,
  'front-malformed': SETS_FRONT,
  'front-not-allowed': SETS_FRONT,
  'not-found':
    'nothing is published for this front where the edge reads the tree: copy it there, or see playbill status',
  internal: 'the edge cannot read its tree: its log says why',
};

/** What to do where a signed request does not get its document. */
function signedHint(answer: EdgeAnswer): string {
  const hint = HINTS[codeOf(answer) ?? ''];
  if (hint !== undefined) return hint;
  if (answer.field('content-encoding') !== null)
    return 'something in front of the rule compresses for clients that did not ask for it: let it heed Accept-Encoding';
  return answer.status === 200
    ? 'something else answers in place of the rule, or changes what it answers: hand its answers on as they are'
    : 'something in front of the rule refuses this: see its log';
}

/** How far clocks may be apart before it is worth a word; the rule allows a minute. */
const SKEW = 30;
/** The rule takes a signature from a minute before `created` to six minutes after it. */
const AHEAD = 60;
const BEHIND = 360;

/** The edge's clock, by signatures that it takes and refuses on either side of the window. */
export async function checkClock(edge: CheckedEdge, own: FrontKey): Promise<EdgeCheck> {
  const check = 'clock';
  const expected = `within ${SKEW} s of the clock here`;
  return rowOf(check, expected, async () => {
    // Whether the rule refuses the signature for its time.
    const isUntimely = async (created: number, code: string): Promise<boolean> =>
      codeOf(await edge.ask({ path: PATHS.products, signer: own, created, query: true })) === code;
    // In this order: a clock that is far off is noticed by the first two.
    const isBehind =
      (await isUntimely(AHEAD - SKEW, 'signature-from-future')) ||
      !(await isUntimely(-BEHIND - SKEW, 'signature-expired'));
    const isAhead =
      (await isUntimely(SKEW - BEHIND, 'signature-expired')) ||
      !(await isUntimely(AHEAD + SKEW, 'signature-from-future'));
    if (isBehind && isAhead) return notChecked(check, expected, 'the time of a signature makes no difference there');
    const date = (await edge.ask({ path: PATHS.products, signer: null, query: true })).field('date');
    const found = isAhead ? 'ahead by more' : isBehind ? 'behind by more' : null;
    const shown = found === null ? null : `${found}${date === null ? '' : `; its Date header: ${date}`}`;
    return judged(check, expected, shown, 'set both clocks by NTP: the edge’s, and that of this machine');
  });
}

/**
 * Whether a signature over @authority verifies. `isKnownKey`: whether the tree's key ring has this key, valid now; null where no tree was given.
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
  if (profile === 'signed-headers') return notChecked(check, expected, 'it is never signed under signed-headers');
  if (!coversAuthority) return notChecked(check, expected, 'it is not signed: --no-authority');
  if (isGiven) return ok(check, expected);
  const isInvalid = signed.some(({ found }) => found?.endsWith(' signature-invalid') === true);
  if (!isInvalid) return notChecked(check, expected, 'signed requests fail for another reason');
  if (isKnownKey === null)
    return notChecked(check, expected, 'signed requests are refused; to rule out the key, give the tree: --out TREE');
  if (!isKnownKey) return notChecked(check, expected, 'the key is not valid by the key ring of the tree');
  return differs(
    check,
    expected,
    '401 signature-invalid, though the tree has the key and it is valid',
    'hand Host on as it came (nginx: proxy_set_header Host $http_host), or build the edge with --no-authority; ' +
      'where Host and path are right, the edge has an old key ring',
  );
}
