// The edge rule, in two steps. `authorize` settles once whether a request may have what it asks
// for; `select` finds the file, a second time where an edition has just vanished. Pure: no clock,
// file or network. It keeps to the syntax of the oldest runtime (README.md).

import { isFrontCode } from '../../contract/front-code.ts';
import type { Endpoint } from '../../render/paths.ts';
import { editionHeaders, type FileResponse, isUnchanged, type NotModified } from './file-response.ts';
import { andThen, type MaybeAsync, recover } from './maybe-async.ts';
import { instantText } from './instant.ts';
import type { KeyFacts, KeyStore } from './key-store.ts';
import { findEdition, type PointerText } from './pointer.ts';
import { MALFORMED, type SignatureProfile } from './profile.ts';
import type { SettingsFile } from './settings.ts';
import type { Reason } from './refusal-codes.ts';
import { refuse, type Refusal } from './refusal-response.ts';
import { type RuleRequest, targetPath } from './request.ts';
import { checkWindow } from './time-window.ts';
import { editionPath } from './tree.ts';
import { verifySignature } from './verify-signature.ts';

export type Decision = FileResponse | NotModified | Refusal;

/** What a request asks for. */
export interface RequestTarget {
  readonly kind: 'target';
  readonly front: string;
  readonly endpoint: Endpoint;
  /** The tags of what the client holds already, as sent. */
  readonly ifNoneMatch: string | null;
}

/**
 * Step one: what the request asks for, once it is clear that the client may have it. The checks and
 * their order are those of edge.md ("Decisions"). `now`: seconds since 1970. Never throws: anything
 * unforeseen is refuse(503, 'internal').
 */
export const authorize = <Key extends KeyFacts>(
  request: RuleRequest,
  keys: KeyStore<Key>,
  profile: SignatureProfile,
  settings: SettingsFile,
  now: number,
): MaybeAsync<RequestTarget | Refusal> =>
  recover(() => {
    const refused = (reason: Reason): Refusal =>
      reason === MALFORMED ? refuse(400, reason) : refuse<Reason>(401, reason, profile.challenge(settings));
    // Method, path, and the front's code.
    const target = readTarget(request, settings.base);
    if (target.kind === 'refuse') return target;
    // One host. HTTP/1.0 may name none, and then a signature could cover nothing as `@authority`;
    // of two, a proxy may choose the other.
    if (!request.authority || request.authority.includes(',')) return refuse(400, 'request-malformed');

    // Syntax of the signature headers.
    const signed = profile.readSignedRequest(request, settings);
    if (typeof signed === 'string') return refused(signed);

    // Time, before anything is collected or looked up: an old signature costs nothing and reveals
    // nothing.
    const untimely = checkWindow(signed, Math.floor(now));
    if (untimely) return refused(untimely);

    // The values that it covers.
    const covered = signed.readBase();
    if (typeof covered === 'string') return refused(covered);

    // The signature. Unknown key, wrong signature, key not valid now, other algorithm, no secret:
    // one answer, one verification.
    const verified = verifySignature(signed, covered.base, keys, instantText(now));
    return andThen<string | null, RequestTarget | Refusal>(verified, (front) => {
      if (front === null) return refused('signature-invalid');

      // A key speaks only for its own front, and does not reveal whether another front exists.
      return front === target.front ? target : refuse(403, 'front-not-allowed');
    });
  }, unforeseen);

/** The refusal for everything that is not the client's fault. */
export const unforeseen = (): Refusal => refuse(503, 'internal');

/**
 * Step two: the file for an authorized request. `pointer`: the front's, null when nothing is
 * published for it. `maxAge`: seconds for which the answer may be kept at most, null for not at
 * all. `at`: the instant whose edition is served, in seconds since 1970. Never throws.
 */
export const select = (
  target: RequestTarget,
  pointer: PointerText | null,
  maxAge: number | null,
  at: number,
): Decision => {
  if (pointer === null) return refuse(404, 'not-found');
  try {
    const instant = instantText(at);
    const edition = findEdition(pointer, target.front, target.endpoint, instant);
    const headers = editionHeaders(edition, instant, at, maxAge);
    if (isUnchanged(target.ifNoneMatch, edition.digest))
      return { kind: 'not-modified', status: 304, headers, body: null };

    const file = editionPath(target.front, target.endpoint, edition.digest);
    return { kind: 'serve', status: 200, file, headers: headers.concat([['Content-Type', 'application/json']]) };
  } catch {
    // A torn pointer, or one of a schema to come.
    return unforeseen();
  }
};

/** The refusal of any method but GET and HEAD. */
export const methodNotAllowed = (): Refusal => refuse(405, 'method-not-allowed', [['Allow', 'GET, HEAD']]);

/**
 * What a request asks for, without a look at its signature: for places that need none, or have
 * verified it already.
 */
export const readTarget = (request: RuleRequest, base: string): RequestTarget | Refusal => {
  if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed();
  const path = targetPath(request.target);
  const isProducts = path === base + '/products/';
  if (!isProducts && path !== base + '/fronts/categories/') return refuse(404, 'not-found');
  // Repeated lines are read as one list, and a list is never a valid code.
  const front = request.field('x-front');
  if (front === null) return refuse(400, 'front-missing');
  if (!isFrontCode(front)) return refuse(400, 'front-malformed');
  const endpoint = isProducts ? 'products' : 'categories';
  return { kind: 'target', front, endpoint, ifNoneMatch: request.field('if-none-match') };
};
