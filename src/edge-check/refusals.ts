// Checks that the edge refuses what the rule refuses (src/edge/README.md, "The two steps"), and in
// the same form.

import type { CheckName } from './checks.ts';
import type { ClientKey, ClientProfile } from '../client/signature.ts';
import type { EdgeCheck } from '../contract/results/edge.ts';
import { generateKeyPair } from '../edge/web-crypto/key-pair.ts';
import { REFUSALS, type Reason } from '../edge/rule/refusal-codes.ts';
import { PATHS, type CheckedEdge, type FrontKey, type Probe } from './checked-edge.ts';
import type { EdgeAnswer } from './exchange.ts';
import { answerText, codeOf, differs, isOverloaded, judged, notChecked, ok, rowOf } from './rows.ts';

/** A request that the rule refuses. */
interface RefusedProbe {
  readonly check: CheckName;
  readonly reason: Reason;
  readonly probe: Omit<Probe, 'query'>;
  /** What to do if the answer differs. */
  readonly hint: string;
}

export interface RefusalChecks {
  readonly checks: readonly EdgeCheck[];
  /** The refusals, by check. */
  readonly answers: ReadonlyMap<string, EdgeAnswer>;
}

export interface MoreKeys {
  readonly other: FrontKey | null;
  readonly revoked: FrontKey | null;
}

const LET_IN =
  'the edge accepts what the rule refuses: route every request to the rule, and let nothing in front of it answer';
const OLD_RING =
  'the edge has an old key ring. nginx: check where it reads edge/keyring.json; a worker with a URL or ' +
  'a binding: copy edge/keyring.json there; a bucket: wait a minute';
const SETS_FRONT = 'something in front of the rule sets or drops X-Front: pass it on unchanged';
const CHANGES_PATH = 'something in front of the rule changes paths: pass them on unchanged';

/** A front that none of the given keys is for. It need not exist. */
const MADE_UP_FRONT = 'edge-check-front';

/** Sends an unsigned request. Runs first, before other requests can leave an answer in a cache. */
export async function checkUnsigned(edge: CheckedEdge, { front }: FrontKey): Promise<RefusalChecks> {
  const unsigned = { path: PATHS.products, signer: null, front };
  return checkRefusals(
    edge,
    [{ check: 'unsigned', reason: 'signature-missing', probe: unsigned, hint: LET_IN }],
    false,
  );
}

/**
 * `isSigningRefused`: whether the edge refuses even valid requests, so that a refusal proves
 * nothing.
 */
export async function checkWronglySigned(
  edge: CheckedEdge,
  own: FrontKey,
  more: MoreKeys,
  isSigningRefused: boolean,
): Promise<RefusalChecks> {
  const { checks, answers } = await checkRefusals(
    edge,
    await refusedProbes(edge.address.profile, own, more),
    isSigningRefused,
  );
  if (more.revoked !== null) return { checks, answers };
  const revoked = notChecked('revoked-key', '401 signature-invalid', 'give a revoked key: --revoked-key FILE');
  return { checks: [...checks, revoked], answers };
}

/** Sends one request for each way to be refused. */
async function checkRefusals(
  edge: CheckedEdge,
  probes: readonly RefusedProbe[],
  isSigningRefused: boolean,
): Promise<RefusalChecks> {
  const answers = new Map<string, EdgeAnswer>();
  const checks: EdgeCheck[] = [];
  for (const { check, reason, probe, hint } of probes) {
    const expected = `${REFUSALS[reason].status} ${reason}`;
    const row = await rowOf(check, expected, async () => {
      const answer = await edge.ask({ ...probe, query: true });
      if (isRefusedFor(reason, answer)) {
        answers.set(check, answer);
        return ok(check, expected);
      }
      if (isSigningRefused && answer.status === 401) return notChecked(check, expected, SIGNING_REFUSED);
      if (isOverloaded(answer)) return notChecked(check, expected, `${answerText(answer)}: ${OVERLOADED}`);
      return differs(check, expected, answerText(answer), hint);
    });
    checks.push(row);
  }
  return { checks, answers };
}

const OVERLOADED =
  'the rule did not answer; look for a rate limit or a failure in front of it, and exempt this machine';

const SIGNING_REFUSED = 'valid requests are refused, too: see the row signed-products';

/** Accepts an answer without a code: the row problem-documents reports that. */
function isRefusedFor(reason: Reason, answer: EdgeAnswer): boolean {
  const code = codeOf(answer);
  return answer.status === REFUSALS[reason].status && (code === null || code === reason);
}

/** A new key for a keyid, which the edge cannot know. */
async function forgedKey(profile: ClientProfile, keyid: string): Promise<ClientKey> {
  if (profile === 'signed-headers') return { keyid, secret: crypto.randomUUID() };
  const { privateJwk } = await generateKeyPair('ecdsa-p256-sha256');
  return { keyid, privateKey: privateJwk };
}

/** The header with the signature, for each profile. */
const SIGNATURE_FIELD: Readonly<Record<ClientProfile, string>> = {
  rfc9421: 'Signature',
  'signed-headers': 'X-API-Signature',
};

async function refusedProbes(
  profile: ClientProfile,
  own: FrontKey,
  { other, revoked }: MoreKeys,
): Promise<readonly RefusedProbe[]> {
  const path = PATHS.products;
  const forged = async (keyid: string): Promise<FrontKey> => ({
    front: own.front,
    key: await forgedKey(profile, keyid),
  });
  const probe = (check: CheckName, reason: Reason, asked: Partial<Probe>, hint: string): RefusedProbe => ({
    check,
    reason,
    probe: { path, signer: own, ...asked },
    hint,
  });
  return [
    probe('wrong-signature', 'signature-invalid', { signer: await forged(own.key.keyid) }, LET_IN),
    probe('unknown-key', 'signature-invalid', { signer: await forged('edge-check-unknown-key') }, LET_IN),
    probe('stale-signature', 'signature-expired', { created: -3600 }, LET_IN),
    probe('signature-malformed', 'signature-malformed', { fields: { [SIGNATURE_FIELD[profile]]: 'sig=:!:' } }, LET_IN),
    probe('front-missing', 'front-missing', { without: 'X-Front' }, SETS_FRONT),
    probe('front-repeated', 'front-malformed', { fields: { 'X-Front': [own.front, own.front] } }, SETS_FRONT),
    probe(
      'other-front',
      'front-not-allowed',
      { front: other?.front ?? MADE_UP_FRONT },
      'a key must open only its own front: remove what sets X-Front, and any cache in front of the rule',
    ),
    probe(
      'other-method',
      'method-not-allowed',
      { method: 'POST' },
      'pass requests with any method on to the rule, which answers 405',
    ),
    probe('other-path', 'not-found', { path: '/products' }, CHANGES_PATH),
    ...(revoked === null ? [] : [probe('revoked-key', 'signature-invalid', { signer: revoked }, OLD_RING)]),
  ];
}

/** How a 401 tells clients to sign. An edge with several profiles names all of them in one line. */
const CHALLENGES: Readonly<Record<ClientProfile, { readonly scheme: RegExp; readonly expected: string }>> = {
  rfc9421: {
    scheme: /(^|, )Signature($|,)/,
    expected: 'each 401 has WWW-Authenticate: Signature and Accept-Signature',
  },
  'signed-headers': {
    scheme: /(^|, )Signed-Headers headers=/,
    expected: 'each 401 has WWW-Authenticate: Signed-Headers',
  },
};

/** The form that all refusals share. */
export function checkRefusalForm(
  profile: ClientProfile,
  answers: ReadonlyMap<string, EdgeAnswer>,
): readonly EdgeCheck[] {
  const first = (isWrong: (answer: EdgeAnswer) => boolean, foundIn: (answer: EdgeAnswer) => string): string | null => {
    const wrong = [...answers].find(([, answer]) => isWrong(answer));
    return wrong === undefined ? null : `${wrong[0]}: ${foundIn(wrong[1])}`;
  };
  const challenge = CHALLENGES[profile];
  const isChallenged = (answer: EdgeAnswer): boolean =>
    answer.status !== 401 ||
    (challenge.scheme.test(answer.field('www-authenticate') ?? '') &&
      (profile !== 'rfc9421' || answer.field('accept-signature') !== null));
  return [
    judged(
      'problem-documents',
      'each refusal is application/problem+json with the code of the rule',
      first((answer) => codeOf(answer) === null, answerText),
      'something in front of the rule replaces refusals with its own page: pass their content on',
    ),
    judged(
      'refusals-not-stored',
      'each refusal has Cache-Control: no-store',
      first(
        (answer) => answer.field('cache-control') !== 'no-store',
        (answer) => `Cache-Control: ${answer.field('cache-control') ?? 'missing'}`,
      ),
      'something in front of the rule changes Cache-Control and may cache a refusal: pass the header on unchanged',
    ),
    judged(
      'challenge',
      challenge.expected,
      first(
        (answer) => !isChallenged(answer),
        (answer) =>
          `WWW-Authenticate: ${answer.field('www-authenticate') ?? 'missing'}, Accept-Signature: ${answer.field('accept-signature') ?? 'missing'}`,
      ),
      'something in front of the rule drops headers of refusals: pass them on, so that clients learn how to sign',
    ),
    checkAlike(answers),
  ];
}

/**
 * If the answers to a wrong signature and to an unknown key differ, they reveal which keys exist.
 */
function checkAlike(answers: ReadonlyMap<string, EdgeAnswer>): EdgeCheck {
  const check = 'refusals-alike';
  const expected = 'the same answer, whatever is wrong with a key or its signature';
  const alike = ['wrong-signature', 'unknown-key', 'revoked-key'].flatMap((name) => {
    const answer = answers.get(name);
    return answer === undefined ? [] : [[name, contentText(answer)] as const];
  });
  const [one, another] = alike;
  if (one === undefined || another === undefined)
    return notChecked(check, expected, 'too few requests were refused to compare');
  const odd = alike.find(([, text]) => text !== one[1]);
  const found = odd === undefined ? null : `${odd[0]} and ${one[0]} get different answers`;
  const hint = 'pass refusals of the rule on unchanged: different answers reveal which keys exist';
  return judged(check, expected, found, hint);
}

function contentText(answer: EdgeAnswer): string {
  const names = ['content-type', 'cache-control', 'www-authenticate', 'accept-signature'];
  const fields = names.map((name) => answer.field(name) ?? '').join('\n');
  return `${answer.status}\n${fields}\n${Buffer.from(answer.content).toString('latin1')}`;
}
