// What the rule makes of a request in njs, wherever the tree is: reads its headers, authorizes it, and answers where no file is sent.
// Written in the syntax of njs 0.7 (README.md).

import type { FileResponse } from '../rule/file-response.ts';
import type { Eventually } from '../rule/eventually.ts';
import type { PointerText } from '../rule/pointer.ts';
import type { FileText, FoundLine } from '../rule/key-ring-text.ts';
import { refuse, type Refusal } from '../rule/refusal.ts';
import type { FieldLine, RuleRequest } from '../rule/request.ts';
import { authorize, type Decision, type RequestTarget } from '../rule/rule.ts';
import type { SettingsFile } from '../rule/settings.ts';
import { pointerPath } from '../rule/tree.ts';
import { type NjsCrypto, njsKeyStore } from './njs-crypto.ts';
import { profile } from './profiles/nginx.ts';

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
  lastIndexOf(text: string): number;
  toString(encoding: 'utf8', start: number, end: number): string;
}

// What the server configuration preloads (js_preload_object): parsed once, at the price of a reload after a change.
declare const playbill_settings: SettingsFile;
declare const playbill_secrets: { readonly [name: string]: unknown };

/** Step one of the rule. `find`: the key of a keyid in the key ring as it is now. `now`: seconds since 1970. */
export function authorized(
  request: RuleRequest,
  find: (keyid: string) => FoundLine,
  njsCrypto: NjsCrypto,
  now: number,
): Eventually<RequestTarget | Refusal> {
  const keys = njsKeyStore(find, secretOf, njsCrypto);
  return authorize(request, keys, profile, playbill_settings, now);
}

export function requestOf(r: NjsRequest): RuleRequest {
  const variables = r.variables;
  const headers = r.headersIn;
  return {
    method: r.method,
    scheme: variables['scheme'] ?? '',
    authority: variables['http_host'] || authorityFrom(variables),
    // Not r.uri: nginx has already turned `//x/` and `/%75x/` into something else there.
    target: variables['request_uri'] ?? '',
    lines: (name) =>
      r.rawHeadersIn.filter((line) => line[0].toLowerCase() === name).map((line) => withoutTabs(line[1])),
    field: (name) => {
      // njs finds it by nginx's own index, and joins repeated lines. Of some other fields, which are read by `lines`, it shows only the first.
      const value = headers[name];
      if (value === undefined) return null;
      // The other fields need no trimming here: a tab makes them fail the fast path, and `lines` trims.
      return name === 'x-front' || name === 'if-none-match' ? withoutTabs(value) : value;
    },
  };
}

/**
 * Where nginx has no line of Host: over HTTP/3 (1.25 to 1.29.4), and in the absolute form. `$host` is without the port that was asked for;
 * it is taken for that of this server.
 */
function authorityFrom(variables: NjsRequest['variables']): string {
  const host = variables['host'] ?? '';
  const port = variables['server_port'] ?? '';
  return host && port ? host + ':' + port : host;
}

/** nginx trims spaces off a value, and not tabs. `trim` would take more than blanks from what is not ASCII. */
function withoutTabs(value: string): string {
  return value.includes('\t') && !/[^\t -~]/.test(value) ? value.trim() : value;
}

/** The configuration has secrets only where a key needs one: a name that was never declared throws when it is read. */
export function secretOf(name: string): string | null {
  if (typeof playbill_secrets === 'undefined') return null;
  // Inherited properties, such as `constructor`, are not strings.
  const secret = playbill_secrets[name];
  return typeof secret === 'string' ? secret : null;
}

/** Decoding all of a file would cost njs more than reading it. */
export function textOf(bytes: NjsBuffer): PointerText & FileText {
  const length = bytes.length;
  return {
    length,
    indexOf: (text) => bytes.indexOf(text),
    lastIndexOf: (text) => bytes.lastIndexOf(text),
    slice: (start, end) => bytes.toString('utf8', start < 0 ? length + start : start, end ?? length),
    part: (from) => ({ slice: (start, end) => bytes.toString('utf8', from + start, from + end) }),
  };
}

/** The second selection leaves nothing of the first one's headers behind. */
export function withoutHeaders(r: NjsRequest): NjsRequest {
  Object.keys(r.headersOut).forEach((name) => delete r.headersOut[name]);
  return r;
}

export function setHeaders(r: NjsRequest, headers: readonly FieldLine[]): void {
  const out = r.headersOut;
  headers.forEach((line) => (out[line[0]] = line[1]));
}

/** Sends an answer without a file: a refusal or a 304. */
export function send(r: NjsRequest, decision: Exclude<Decision, FileResponse>): void {
  setHeaders(r, decision.headers);
  if (decision.kind === 'refuse') return r.return(decision.status, decision.body);
  // `return` would add the length of no content, which a 304 must not have (RFC 9110, 8.6).
  r.status = decision.status;
  r.sendHeader();
  r.finish();
}

/** Tells the operator, in the log, what no client learns. */
export function logUnreadable(r: NjsRequest, why: string): void {
  r.error('playbill: the tree cannot be read: ' + why);
}

/** The pointer of a front, where the rule refuses to read it. */
export const unusablePointer = (front: string): string =>
  pointerPath(front) + " is torn, of another schema, or another front's";

/** The answer when the tree cannot be read, or something unforeseen happens. */
export function sendUnavailable(r: NjsRequest): void {
  send(withoutHeaders(r), refuse(503, 'internal'));
}
