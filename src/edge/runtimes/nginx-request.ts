// What the rule makes of a request in njs, wherever the tree is: reads its headers, authorizes it, and answers where no file is sent.
// Written in the syntax of njs 0.7 (README.md).

import type { FileResponse } from '../rule/file-response.ts';
import { keyRingFrom } from '../rule/key-store.ts';
import type { PointerText } from '../rule/pointer.ts';
import { withProfiles } from '../rule/profile.ts';
import { refuse, type Refusal } from '../rule/refusal.ts';
import type { FieldLine, RuleRequest } from '../rule/request.ts';
import { rfc9421FastPath } from '../rule/rfc9421-fast-path.ts';
import { rfc9421 } from '../rule/rfc9421.ts';
import { authorize, type Decision, type RequestTarget } from '../rule/rule.ts';
import type { SettingsFile } from '../rule/settings.ts';
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
  /** Asks a location of this server, by GET. */
  subrequest(location: string): Promise<NjsReply>;
  /** Writes a line into the log of errors. */
  error(message: string): void;
}

/** What a location answered. */
export interface NjsReply {
  readonly status: number;
  readonly responseBuffer: NjsBuffer;
  readonly responseText: string;
}

/** Bytes in njs; only what is used here. */
export interface NjsBuffer {
  readonly length: number;
  indexOf(text: string): number;
  toString(encoding: 'utf8', start: number, end: number): string;
}

// What the server configuration preloads (js_preload_object): parsed once, at the price of a reload after a change.
declare const playbill_keyring: unknown;
declare const playbill_settings: SettingsFile;
declare const playbill_secrets: { readonly [name: string]: unknown };

/** Step one of the rule. `now`: seconds since 1970. */
export function authorized(request: RuleRequest, njsCrypto: NjsCrypto, now: number): Promise<RequestTarget | Refusal> {
  const keys = njsKeyStore(keyRingFrom(playbill_keyring), secretOf, njsCrypto);
  // The same profile twice: first for what nearly all clients send.
  return authorize(request, keys, withProfiles(playbill_settings, [rfc9421FastPath, rfc9421]), now);
}

export function requestOf(r: NjsRequest): RuleRequest {
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
export function secretOf(name: string): string | null {
  if (typeof playbill_secrets === 'undefined') return null;
  // What every object inherits is no text.
  const secret = playbill_secrets[name];
  return typeof secret === 'string' ? secret : null;
}

/** Decoding all of a pointer would cost njs more than reading it. */
export function pointerTextOf(bytes: NjsBuffer): PointerText {
  return {
    length: bytes.length,
    indexOf: (text) => bytes.indexOf(text),
    slice: (start, end) => bytes.toString('utf8', start, end ?? bytes.length),
  };
}

/** The second selection leaves nothing of the first one's headers behind. */
export function withoutHeaders(r: NjsRequest): NjsRequest {
  Object.keys(r.headersOut).forEach((name) => delete r.headersOut[name]);
  return r;
}

export function setHeaders(r: NjsRequest, headers: readonly FieldLine[]): void {
  headers.forEach((line) => (r.headersOut[line[0]] = line[1]));
}

/** Sends what is no file: a refusal or a 304. */
export function send(r: NjsRequest, decision: Exclude<Decision, FileResponse>): void {
  setHeaders(r, decision.headers);
  if (decision.kind === 'refuse') return r.return(decision.status, decision.body);
  // `return` would add the length of no content, which a 304 must not have (RFC 9110, 8.6).
  r.status = decision.status;
  r.sendHeader();
  r.finish();
}

/** The answer where the tree cannot be read, or anything unforeseen is in the way. */
export function sendUnavailable(r: NjsRequest): void {
  send(withoutHeaders(r), refuse(503, 'internal'));
}
