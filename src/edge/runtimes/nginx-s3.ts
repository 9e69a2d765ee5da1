// The rule in nginx with njs, for a tree in a private bucket. js_content decides and reads the pointer with a subrequest. An internal redirect to
// a named location, which clients cannot reach, sends the edition from nginx's cache or from the bucket. The client gets only the rule's headers.
// If the tree cannot be read, the reason is logged and not sent to the client. Written in the syntax of njs 0.7 (README.md).

import { acceptedEncodings, type SiblingEncoding } from '../rule/encoding.ts';
import { instantText } from '../rule/instant.ts';
import { type FileText, findKeyIn, type FoundLine } from '../rule/key-ring-text.ts';
import type { PointerText } from '../rule/pointer.ts';
import type { FieldLine, RuleRequest } from '../rule/request.ts';
import { readTarget, type RequestTarget, select } from '../rule/rule.ts';
import type { SettingsFile } from '../rule/settings.ts';
import { pointerPath } from '../rule/tree.ts';
import { ABSENT, CREDENTIAL_NAMES, type Credentials } from './bucket-credentials.ts';
import {
  authorized,
  logUnreadable,
  type NjsRequest,
  textOf,
  requestOf,
  secretOf,
  send,
  sendUnavailable,
  setHeaders,
  unusablePointer,
  withoutHeaders,
} from './nginx-request.ts';
import type { NjsCrypto } from './njs-crypto.ts';
import { njsAuthorization } from './njs-signature-v4.ts';

/** What `edge build` writes into playbill-settings.json. */
export interface NginxS3Settings extends SettingsFile {
  readonly bucket: {
    /** The value of the Host header. */
    readonly host: string;
    /** The encoded path of the tree, without a slash at its end. */
    readonly path: string;
    readonly region: string;
  };
  /** The encodings of the precompressed siblings, separated by spaces: an array that nginx preloads has no methods. */
  readonly encodings: string;
}

declare const playbill_settings: NginxS3Settings;

/**
 * The functions that the server configuration calls. `answer` authorizes a request and selects its edition. If that cannot be read, `again`
 * selects a second time; if that cannot be read either, `unavailable` answers. `headers` filters the headers of the bucket. `signature` and
 * `token` are variables that nginx evaluates when it sends a request to the bucket, and not for a cache hit.
 */
export function nginxS3Handlers(njsCrypto: NjsCrypto) {
  return {
    answer: (r: NjsRequest) => answer(r, njsCrypto),
    again: (r: NjsRequest) => again(withoutHeaders(r)),
    unavailable,
    headers: replaceHeaders,
    signature: (r: NjsRequest) => signatureOf(r, njsCrypto),
    token: () => credential(2),
  };
}

async function answer(r: NjsRequest, njsCrypto: NjsCrypto): Promise<void> {
  const now = Date.now() / 1000;
  try {
    const request = requestOf(r);
    const ring = await readObject(r, now, '/playbill-keyring');
    if (ring === null) throw unreadable(r, 'has no key ring');
    const find = (keyid: string): FoundLine => findKeyIn(ring, keyid);
    const target = await authorized(request, find, njsCrypto, now);
    if (target.kind === 'refuse') return send(r, target);
    r.variables['playbill_file'] = pointerPath(target.front);
    const pointer = await readObject(r, now, '/playbill-pointer');
    sendSelected(r, request, target, pointer, '@playbill_edition');
  } catch {
    sendUnavailable(r);
  }
}

/** Only authorized requests get here: clients cannot reach a named location, and only `answer` leads to this one. */
async function again(r: NjsRequest): Promise<void> {
  const now = Date.now() / 1000;
  try {
    const request = requestOf(r);
    const target = readTarget(request, playbill_settings.base);
    if (target.kind === 'refuse') return send(r, target);
    r.variables['playbill_file'] = pointerPath(target.front);
    const pointer = await readObject(r, now, '/playbill-pointer-again');
    sendSelected(r, request, target, pointer, '@playbill_edition_again');
  } catch {
    sendUnavailable(r);
  }
}

function unavailable(r: NjsRequest): void {
  unreadable(r, `answers ${r.variables['upstream_status'] ?? ''} for ${r.variables['playbill_file'] ?? ''}`);
  sendUnavailable(r);
}

function sendSelected(
  r: NjsRequest,
  request: RuleRequest,
  target: RequestTarget,
  pointer: PointerText | null,
  location: string,
): void {
  // Read the clock again: fetching the pointer may have taken some time.
  const now = Date.now() / 1000;
  const decision = select(target, pointer, playbill_settings.maxAge, now);
  if (decision.status === 503) logUnreadable(r, unusablePointer(target.front));
  if (decision.kind !== 'serve') return send(r, decision);
  // Headers set here would be mixed with the bucket's. The header filter removes those first and then sets these.
  r.variables['playbill_headers'] = JSON.stringify(decision.headers);
  r.variables['playbill_file'] = decision.file;
  const best = acceptedEncodings(request.field('accept-encoding'), siblings())[0];
  r.internalRedirect(best ? `${location}_${best}` : location);
}

const siblings = (): readonly SiblingEncoding[] =>
  (['br', 'gzip'] as const).filter((encoding) => playbill_settings.encodings.includes(encoding));

/** Reads an object through a location. null if the bucket has no such object. Throws if the bucket cannot be read. */
async function readObject(r: NjsRequest, now: number, location: string): Promise<(PointerText & FileText) | null> {
  const missing = CREDENTIAL_NAMES[credential(0) ? 1 : 0];
  // Without credentials a bucket may answer as it does for a missing object.
  if (!credential(0) || !credential(1)) throw unreadable(r, `is not asked: ${missing} is missing`);
  r.variables['playbill_date'] = instantText(now).replace(/[-:]/g, '');
  const reply = await r.subrequest(location);
  if (reply.status === 200) return textOf(reply.responseBuffer);

  // A store sends an error code. A response without one comes from something else.
  const found = /<Code>(\w+)</.exec(reply.responseText);
  const code = found ? (found[1] ?? '') : '';
  if ((reply.status === 403 || reply.status === 404) && ABSENT.includes(code)) return null;
  throw unreadable(r, `answers ${reply.status} ${code}`);
}

/** A header filter: replaces the headers of the bucket, except the length, with the rule's. */
function replaceHeaders(r: NjsRequest): void {
  // The configuration intercepts every error status that a store may send. If anything else arrives that is not an edition, this error makes nginx
  // close the connection instead of caching the answer for a year. Every store sends a type.
  const type = r.headersOut['Content-Type'] ?? '';
  if (r.status !== 200 || !type || /xml|html/i.test(type)) throw new Error(`the bucket answers ${r.status} ${type}`);
  const encoding = r.variables['playbill_encoding'] ?? '';
  // nginx compresses a plain file for GET but not for HEAD, so the length would be wrong for HEAD (RFC 9110, 8.6).
  const hasLength = encoding !== '' || r.method !== 'HEAD';
  Object.keys(r.headersOut).forEach((name) => {
    if (!hasLength || name.toLowerCase() !== 'content-length') delete r.headersOut[name];
  });
  setHeaders(r, JSON.parse(r.variables['playbill_headers'] ?? '') as readonly FieldLine[]);
  if (encoding !== '') r.headersOut['Content-Encoding'] = encoding;
}

function signatureOf(r: NjsRequest, njsCrypto: NjsCrypto): string {
  const bucket = playbill_settings.bucket;
  const path = `${bucket.path}/${r.variables['playbill_object'] ?? ''}`;
  const date = r.variables['playbill_date'] ?? '';
  const credentials: Credentials = {
    accessKeyId: credential(0),
    secretAccessKey: credential(1),
    sessionToken: credential(2),
  };
  return njsAuthorization({ host: bucket.host, path, region: bucket.region, date }, credentials, njsCrypto);
}

/** A credential by its index in CREDENTIAL_NAMES; empty if it is missing. */
function credential(index: 0 | 1 | 2): string {
  return (secretOf(CREDENTIAL_NAMES[index]) ?? '').trim();
}

function unreadable(r: NjsRequest, why: string): Error {
  logUnreadable(r, `${playbill_settings.bucket.host} ${why}`);
  return new Error(why);
}
