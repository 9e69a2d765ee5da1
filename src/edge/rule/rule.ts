// The edge rule: request → serve(file) or refuse(reason), the whole of it, in the order of edge.md ("Decisions"). Pure: it reads no
// clock, file or network, but only what it is handed. It runs in every runtime, so it keeps to the oldest one's syntax (README.md).

import type { Endpoint } from '../../render/paths.ts';
import { instantText } from './instant.ts';
import type { KeyRing } from './key-store.ts';
import { findEdition, type Pointers, type PointerText } from './pointer.ts';
import { type SignedRequest, readSignedRequest } from './profile.ts';
import { refuse, type Refusal } from './refusal.ts';
import type { Reason } from './reasons.ts';
import { fieldValue, pathOf, type RuleRequest } from './request.ts';
import { editionHeaders, freshnessOf, isUnchanged, type Service, type Unchanged } from './file-response.ts';
import type { RuleSettings } from './profile.ts';
import { editionPath, isFrontCode } from './tree.ts';
import { isGenuine } from './verification.ts';

export type Decision = Service | Unchanged | Refusal;

/** A signature lives for five minutes, or for less if it says so; clocks may differ by one. Seconds. */
const LIFETIME = 300;
const CLOCK_SKEW = 60;

/**
 * Decides about one request. `now` judges signatures and keys, `at` (default `now`) chooses the edition; both in seconds since 1970.
 * They differ only where someone asked to see another instant, and such an answer must not be stored.
 * Never throws: what nobody foresaw is refuse(503, 'internal').
 */
export const decide = async (
  request: RuleRequest,
  pointers: Pointers,
  keyRing: KeyRing,
  settings: RuleSettings,
  now: number,
  at?: number,
): Promise<Decision> => {
  try {
    // Method, path, and what the front is called.
    const wish = readWish(request, settings);
    if (wish.kind === 'refuse') return wish;

    // Syntax of the signature's headers.
    const claim = readSignedRequest(request, settings);
    if (typeof claim === 'string') return refuse(claim === 'signature-malformed' ? 400 : 401, claim, settings);

    // Time, before any key is looked up: an old signature costs nothing and teaches nothing.
    const untimely = judgeTime(claim, Math.floor(now));
    if (untimely) return refuse(401, untimely, settings);

    // The signature. Unknown key, wrong signature, key not valid now, other algorithm, no secret: one answer, one verification.
    const key = await keyRing.find(claim.keyid);
    const isSigned = await isGenuine(claim, key, keyRing, instantText(now));
    if (!key || !isSigned) return refuse(401, 'signature-invalid', settings);

    // A key speaks for its front alone, and learns of no other whether it exists.
    if (key.front !== wish.front) return refuse(403, 'front-not-allowed', settings);

    // Pointer and edition.
    const pointer = await pointers.read(wish.front, instantText(at ?? now));
    return choose(request, wish, pointer, settings, now, at ?? now);
  } catch {
    return refuse(503, 'internal', settings);
  }
};

/** The same without a signature, for local work on a loopback address. No bundle for an edge contains it. */
export async function decideUnsigned(
  request: RuleRequest,
  pointers: Pointers,
  settings: RuleSettings,
  now: number,
  at: number,
): Promise<Decision> {
  const wish = readWish(request, settings);
  if (wish.kind === 'refuse') return wish;
  try {
    return choose(request, wish, await pointers.read(wish.front, instantText(at)), settings, now, at);
  } catch {
    return refuse(503, 'internal', settings);
  }
}

/** What is asked for, and for whom. */
interface Wish {
  readonly kind: 'wish';
  readonly endpoint: Endpoint;
  readonly front: string;
}

const readWish = (request: RuleRequest, settings: RuleSettings): Wish | Refusal => {
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, 'method-not-allowed', settings);
  const path = pathOf(request.target);
  const isProducts = path === `${settings.base}/products/`;
  if (!isProducts && path !== `${settings.base}/fronts/categories/`) return refuse(404, 'not-found', settings);
  // Repeated lines are read as one list, which is no front's code.
  const front = fieldValue(request, 'x-front');
  if (front === null) return refuse(400, 'front-missing', settings);
  if (!isFrontCode(front)) return refuse(400, 'front-malformed', settings);
  return { kind: 'wish', endpoint: isProducts ? 'products' : 'categories', front };
};

/** created − skew ≤ now ≤ min(created + lifetime, expires) + skew, or why not. `now` in whole seconds. */
const judgeTime = (claim: SignedRequest, now: number): Reason | null => {
  if (now < claim.created - CLOCK_SKEW) return 'signature-from-future';
  return now > Math.min(claim.created + LIFETIME, claim.expires) + CLOCK_SKEW ? 'signature-expired' : null;
};

const choose = (
  request: RuleRequest,
  wish: Wish,
  pointer: PointerText | null,
  settings: RuleSettings,
  now: number,
  at: number,
): Decision => {
  const instant = instantText(at);
  if (pointer === null) return refuse(404, 'not-found', settings);
  const edition = findEdition(pointer, wish.front, wish.endpoint, instant);

  const freshness = at === now ? freshnessOf(edition, at, settings.maxAge) : null;
  const headers = editionHeaders(edition, instant, freshness);
  if (isUnchanged(fieldValue(request, 'if-none-match'), edition.digest))
    return { kind: 'unchanged', status: 304, headers, body: null };
  const file = editionPath(wish.front, wish.endpoint, edition.digest);
  return { kind: 'serve', status: 200, file, headers: headers.concat([['Content-Type', 'application/json']]) };
};
