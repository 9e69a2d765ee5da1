// The rule under nginx with njs: js_content decides; an internal redirect to a named location, which no client can name, sends the file
// with sendfile and gzip_static. It sends nothing itself but 304s and refusals. Written in the syntax of njs 0.7 (README.md).

import { acceptedEncodings } from '../rule/encoding.ts';
import type { FileResponse } from '../rule/file-response.ts';
import { keyRingFrom } from '../rule/key-store.ts';
import type { PointerText } from '../rule/pointer.ts';
import { withProfiles } from '../rule/profile.ts';
import { refuse, type Refusal } from '../rule/refusal.ts';
import { type FieldLine, fieldValue, type RuleRequest } from '../rule/request.ts';
import { rfc9421FastPath } from '../rule/rfc9421-fast-path.ts';
import { rfc9421 } from '../rule/rfc9421.ts';
import { authorize, type Decision, readTarget, type RequestTarget, select } from '../rule/rule.ts';
import type { SettingsFile } from '../rule/settings.ts';
import { pointerPath } from '../rule/tree.ts';
import { type NjsCrypto, njsKeyStore } from './njs-crypto.ts';

/** What njs gives of a request; only what is used here. */
export interface NjsRequest {
  readonly method: string;
  readonly rawHeadersIn: readonly FieldLine[];
  readonly headersIn: { readonly [name: string]: string | undefined };
  readonly headersOut: { [name: string]: string };
  readonly variables: { [name: string]: string };
  status: number;
  return(status: number, body: string): void;
  sendHeader(): void;
  finish(): void;
  internalRedirect(location: string): void;
}

/** The bytes of a file in njs; only what is used here. */
interface NjsBuffer {
  readonly length: number;
  indexOf(text: string): number;
  toString(encoding: 'utf8', start: number, end: number): string;
}

/** The modules of njs that the rule uses. */
export interface NjsModules {
  readonly fs: { readFileSync(path: string): NjsBuffer };
  readonly crypto: NjsCrypto;
}

// What the server configuration preloads (js_preload_object): parsed once, at the price of a reload after a change.
declare const playbill_keyring: unknown;
declare const playbill_settings: SettingsFile;
declare const playbill_secrets: { readonly [name: string]: unknown };

/**
 * The functions that the server configuration names. `answer` authorizes a request and selects its file; `again` selects once more, where
 * that file has vanished; `unavailable` is for a second one that has. `withoutLength` is a header filter.
 */
export function nginxHandlers(modules: NjsModules) {
  return {
    answer: (r: NjsRequest) => answer(r, modules),
    again: (r: NjsRequest) => again(withoutHeaders(r), modules),
    unavailable: (r: NjsRequest) => send(withoutHeaders(r), refuse(503, 'internal')),
    withoutLength: (r: NjsRequest) => void delete r.headersOut['Content-Length'],
  };
}

async function answer(r: NjsRequest, modules: NjsModules): Promise<void> {
  const now = Date.now() / 1000;
  try {
    const request = requestOf(r);
    const keys = njsKeyStore(keyRingFrom(playbill_keyring), secretOf, modules.crypto);
    // The same profile twice: first for what nearly all clients send.
    const settings = withProfiles(playbill_settings, [rfc9421FastPath, rfc9421]);
    const target = await authorize(request, keys, settings, now);
    sendSelected(r, request, target, now, modules, '@playbill_edition');
  } catch {
    send(r, refuse(503, 'internal'));
  }
}

/** Only authorized requests get here: no client can name this location, and nothing but a redirect of `answer` leads to it. */
function again(r: NjsRequest, modules: NjsModules): void {
  try {
    const request = requestOf(r);
    const target = readTarget(request, playbill_settings.base);
    sendSelected(r, request, target, Date.now() / 1000, modules, '@playbill_edition_again');
  } catch {
    send(r, refuse(503, 'internal'));
  }
}

function sendSelected(
  r: NjsRequest,
  request: RuleRequest,
  target: RequestTarget | Refusal,
  now: number,
  modules: NjsModules,
  location: string,
): void {
  if (target.kind === 'refuse') return send(r, target);
  const pointer = readPointer(modules, `${r.variables['document_root'] ?? ''}/${pointerPath(target.front)}`);
  const decision = select(target, pointer, playbill_settings.maxAge, now);
  if (decision.kind !== 'serve') return send(r, decision);
  setHeaders(r, decision);
  // HEAD has a place of its own: nginx compresses nothing for it, and the length of the plain file would be wrong (RFC 9110, 8.6).
  const plain = request.method === 'HEAD' ? `${location}_head` : location;
  const takesBrotli = acceptedEncodings(fieldValue(request, 'accept-encoding'), ['br']).length > 0;
  r.variables['playbill_file'] = decision.file;
  // Where a request for `.br` goes on when the tree has no such sibling. gzip is negotiated by nginx itself.
  r.variables['playbill_plain'] = plain;
  r.internalRedirect(takesBrotli ? `${location}_br` : plain);
}

function requestOf(r: NjsRequest): RuleRequest {
  return {
    method: r.method,
    scheme: r.variables['scheme'] ?? '',
    authority: r.variables['http_host'] ?? '',
    // Not r.uri: nginx has already turned `//x/` and `/%75x/` into something else there.
    target: r.variables['request_uri'] ?? '',
    lines: (name) => linesOf(r, name),
  };
}

/** The fields that the rule itself reads: of others njs may show the first line alone. */
const JOINED = ['x-front', 'signature-input', 'signature', 'if-none-match', 'accept-encoding'];

/** r.headersIn joins repeated lines by a comma: a value without one was a line of its own. It finds them by nginx's own index. */
function linesOf(r: NjsRequest, name: string): readonly string[] {
  const value = r.headersIn[name];
  if (value === undefined) return [];
  if (JOINED.includes(name) && value.indexOf(',') < 0 && value.indexOf('\t') < 0) return [value];
  return r.rawHeadersIn.filter((line) => line[0].toLowerCase() === name).map((line) => withoutTabs(line[1]));
}

/** nginx trims spaces off a value, and not tabs. `trim` would take more than blanks from what is not ASCII. */
function withoutTabs(value: string): string {
  return value.includes('\t') && !/[^\t -~]/.test(value) ? value.trim() : value;
}

/** The configuration has secrets only where a key needs one: a name that was never declared throws when it is read. */
function secretOf(name: string): string | null {
  if (typeof playbill_secrets === 'undefined') return null;
  // What every object inherits is no text.
  const secret = playbill_secrets[name];
  return typeof secret === 'string' ? secret : null;
}

function readPointer(modules: NjsModules, path: string): PointerText | null {
  try {
    const bytes = modules.fs.readFileSync(path);
    // Decoding all of a pointer would cost njs more than reading it.
    return {
      length: bytes.length,
      indexOf: (text) => bytes.indexOf(text),
      slice: (start, end) => bytes.toString('utf8', start, end ?? bytes.length),
    };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** The second selection leaves nothing of the first one's headers behind. */
function withoutHeaders(r: NjsRequest): NjsRequest {
  Object.keys(r.headersOut).forEach((name) => delete r.headersOut[name]);
  return r;
}

function setHeaders(r: NjsRequest, decision: Decision): void {
  decision.headers.forEach((line) => (r.headersOut[line[0]] = line[1]));
}

/** Sends what is no file: a refusal or a 304. */
function send(r: NjsRequest, decision: Exclude<Decision, FileResponse>): void {
  setHeaders(r, decision);
  if (decision.kind === 'refuse') return r.return(decision.status, decision.body);
  // `return` would add the length of no content, which a 304 must not have (RFC 9110, 8.6).
  r.status = decision.status;
  r.sendHeader();
  r.finish();
}
